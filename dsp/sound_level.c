#include "dsp/sound_level.h"

#include "dsp/band.h"

#include <math.h>

void weir_sound_meter_init(weir_sound_meter *meter, double tau_s)
{
    *meter = (weir_sound_meter){.tau_s = tau_s};
}

void weir_sound_meter_add(weir_sound_meter *meter, const weir_spectrum *spectrum, weir_trace trace,
                          const weir_scale *scale)
{
    double power = weir_band_power_fs2(spectrum, trace, scale, weir_spectrum_low_hz(spectrum),
                                       weir_spectrum_high_hz(spectrum));
    uint64_t from = meter->started ? meter->end_sample : spectrum->first_sample;
    if (spectrum->end_sample <= from) {
        return;
    }
    double passed = (double)(spectrum->end_sample - from) / spectrum->rate_hz;
    double lost = (double)(spectrum->lost_before + spectrum->lost_inside) / spectrum->rate_hz;
    double alpha = meter->started ? -expm1(-passed / meter->tau_s) : 1;
    meter->now_fs2 += alpha * (power - meter->now_fs2);
    meter->max_fs2 = fmax(meter->max_fs2, meter->now_fs2);
    double measured = meter->started ? fmax(passed - lost, 0) : passed;
    meter->energy_fs2_s += power * measured;
    meter->seconds += measured;
    meter->end_sample = spectrum->end_sample;
    meter->started = true;
}

weir_sound_level weir_sound_meter_read(const weir_sound_meter *meter, const weir_spectrum *spectrum,
                                       const weir_scale *scale)
{
    double mean = meter->seconds > 0 ? meter->energy_fs2_s / meter->seconds : 0;
    return (weir_sound_level){.now_db = weir_band_level_db(spectrum, scale, meter->now_fs2),
                              .max_db = weir_band_level_db(spectrum, scale, meter->max_fs2),
                              .leq_db = weir_band_level_db(spectrum, scale, mean),
                              .seconds = meter->seconds};
}
