#include "capture/run.h"

weir_run weir_run_of(const weir_ring_view *view)
{
    return (weir_run){
        .samples = view->samples,
        .n_samples = view->n_samples,
        .first_sample = view->first_sample,
        .rate_hz = view->segment.rate_hz,
        .center_hz = view->segment.center_hz,
        .lost_before = view->segment.lost_before,
        .segment = view->segment.segment,
        .ends = view->segment_ends,
        .time_unix_ns = view->segment.time_unix_ns,
        .segment_first_sample = view->segment.first_sample,
    };
}
