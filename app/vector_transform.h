/* What weir fft, ifft and convolve share: vectors as complex floats, their transforms, and
 * which engine does them (--engine, --device). Main thread only. */
#ifndef WEIR_APP_VECTOR_TRANSFORM_H
#define WEIR_APP_VECTOR_TRANSFORM_H

#include "app/settings.h"
#include "app/vectors.h"

/* Does the work, or leaves no trace of it. */
typedef weir_status weir_vector_work(void *job, weir_error *err);

/* From so many points on auto takes the GPU: below, its driver takes longer to start (about
 * 0.3 s) than the CPU to finish. */
#define WEIR_VECTOR_GPU_POINTS ((size_t)1 << 20)

/* On the GPU that --device names or on the CPU, as --engine says; with auto on the CPU also
 * where the GPU cannot, with a word about it, and where the work is that of few points. */
weir_status weir_vector_run(const weir_settings *settings, size_t points, weir_vector_work *on_gpu,
                            weir_vector_work *on_cpu, void *job, weir_error *err);

/* n complex values, in place. The inverse is not divided by n. */
weir_status weir_vector_transform(const weir_settings *settings, float *x, size_t n, bool inverse,
                                  weir_error *err);

/* n complex values, zeros after those of the vector, all divided by 2^*exponent, which
 * leaves the largest between 1/2 and 1: no size of values overflows or vanishes in single
 * precision, and no digit changes. NULL: out of memory. The caller frees. */
float *weir_vector_floats(const weir_vector *v, size_t n, int *exponent, weir_error *err);
/* n of the complex values x times scale times 2^exponent, or their real parts, to --output.
 * WEIR_ERR_DATA where that is not finite. */
weir_status weir_vector_write_floats(const weir_settings *settings, const float *x, size_t n,
                                     bool is_complex, double scale, int exponent, weir_error *err);
weir_status weir_vector_write_integers(const weir_settings *settings, const weir_integers *values,
                                       weir_error *err);
/* Before the work: at most one --output, and of a kind that is written here. */
weir_status weir_vector_one_output(const weir_settings *settings, weir_error *err);

#endif
