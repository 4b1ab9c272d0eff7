#!/bin/bash
# ctest-labels: soak
# ctest-timeout: 1800
# The counter ramp through each source for a minute each: the whole program by
# test_every_sample.py, every source by its own test, where gaps are looked at as well.
# WEIR_LIVE_SECONDS or WEIR_SOAK_SECONDS say how long, a minute at most; neither: skipped.
set -u
export WEIR_LIVE_SECONDS=${WEIR_LIVE_SECONDS:-${WEIR_SOAK_SECONDS:-}}
if [ -z "$WEIR_LIVE_SECONDS" ]; then
    echo "skipped: ./dev soak runs it, for a minute each; test_every_sample is the short form"
    exit 77
fi
[ "$WEIR_LIVE_SECONDS" -le 60 ] || WEIR_LIVE_SECONDS=60
failed=0
if [ -n "${WEIR_PYTHON:-}" ]; then
    "$WEIR_PYTHON" "${WEIR_SOURCE_DIR:?}/tests/test_every_sample.py" || [ $? = 77 ] || failed=1
fi
for source in rtlsdr rtltcp soapy mic; do
    "${WEIR_BUILD_DIR:?}/tests/test_$source" || [ $? = 77 ] || failed=1
done
exit "$failed"
