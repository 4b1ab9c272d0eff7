#!/bin/bash
# ctest-labels: unit
# The ring under ThreadSanitizer: clean as it is, and a weakened memory order is seen.
# Without the second half the first would prove nothing.
set -u
root=${WEIR_SOURCE_DIR:-$(cd "$(dirname "$0")/.." && pwd)}
cc=${WEIR_TSAN_CC:-gcc}
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT

echo 'int main(void) { return 0; }' >"$dir/probe.c"
if ! "$cc" -fsanitize=thread -o "$dir/probe" "$dir/probe.c" 2>/dev/null || ! "$dir/probe"; then
    echo "skipped: $cc cannot link or run ThreadSanitizer programs"
    exit 77
fi

build() { # OUTPUT FLAGS...
    local output=$1
    shift
    "$cc" -std=gnu17 -O2 -g -D_GNU_SOURCE -fsanitize=thread "$@" -I"$root" -o "$output" \
        "$root/tests/test_ring.c" "$root/capture/ring.c" "$root/base/status.c" "$root/base/text.c" \
        -lm -lpthread
}

failed=0
build "$dir/right" || exit 1
if ! TSAN_OPTIONS="halt_on_error=1" "$dir/right" >"$dir/log" 2>&1; then
    cat "$dir/log"
    echo "FAILED: the ring as it is does not run clean under ThreadSanitizer"
    failed=1
fi
for weaken in 1 2; do
    build "$dir/weak$weaken" -DWEIR_RING_WEAKEN=$weaken || exit 1
    TSAN_OPTIONS="halt_on_error=1" "$dir/weak$weaken" >"$dir/log" 2>&1
    code=$?
    if [ $code -eq 0 ] || ! grep -q "ThreadSanitizer: data race" "$dir/log"; then
        tail -5 "$dir/log"
        echo "FAILED: WEIR_RING_WEAKEN=$weaken went unseen (exit $code)"
        failed=1
    fi
done
[ $failed -eq 0 ] && echo "clean as it is; both weakened versions reported"
exit $failed
