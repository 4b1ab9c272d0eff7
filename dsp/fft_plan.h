/* FFTW plans: one forward transform of a given size, and a better plan for it later.
 *
 * FFTW's planner is one piece of process-wide state; a single mutex inside guards it
 * and is held only while planning, so a create may wait for another one's measuring
 * (bounded: 2 s for a background plan). weir_fft_current and weir_fft_execute never wait.
 *
 * Wisdom is read from and merged into a file, which is replaced whole; a file that is
 * not wisdom is ignored with a notice. The planner forgets everything between plans,
 * so that an ESTIMATE plan is the same every time.
 */
#ifndef WEIR_DSP_FFT_PLAN_H
#define WEIR_DSP_FFT_PLAN_H

#include "base/status.h"
#include "dsp/engine.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct weir_fft weir_fft;
typedef struct weir_fft_plan weir_fft_plan;

/* n >= 2. Complex: n to n values. Real: n floats to n/2+1 complex values. */
weir_status weir_fft_create(weir_fft **out, size_t n, bool is_complex, weir_plan_effort effort,
                            const char *wisdom_path, weir_error *err);
/* Ends no measuring that is under way: its thread cleans up after itself. */
void weir_fft_destroy(weir_fft *fft);

/* The best plan there is now; valid until destroy. Any thread. */
const weir_fft_plan *weir_fft_current(const weir_fft *fft);
/* Any thread. in and out come from weir_fft_alloc; what is in `in` is lost. */
void weir_fft_execute(const weir_fft_plan *plan, float *in, float *out);

/* Aligned for the transforms and for the kernels (64 bytes). NULL if there is no
 * memory. */
float *weir_fft_alloc(size_t n_floats);
void weir_fft_free(float *memory);

#endif
