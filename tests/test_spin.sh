#!/bin/bash
# ctest-labels: unit
# Start, drain and stop as a model (tests/model): every interleaving is visited. The model
# as it is has no error; four wrong versions of it must have one, or the first half would
# prove nothing.
set -u
root=${WEIR_SOURCE_DIR:-$(cd "$(dirname "$0")/.." && pwd)}
cc=${CC:-cc}
if ! command -v spin >/dev/null; then
    echo "skipped: there is no spin"
    exit 77
fi
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1

# errors_of WRONG: how many errors the checker finds in that version.
errors_of() {
    spin -DWRONG="$1" -a "$root/tests/model/shutdown.pml" >log 2>&1 &&
        "$cc" -O1 -w -DSAFETY -o pan pan.c >>log 2>&1 && ./pan -m20000 >log 2>&1
    sed -n 's/.*errors: \([0-9]*\).*/\1/p' log
}

failed=0
found=$(errors_of 0)
if [ "$found" != 0 ] || grep -q "max search depth too small\|truncated" log; then
    cat log
    echo "FAILED: the model has errors"
    failed=1
fi
if grep -q "shutdown.pml:.*, state [0-9]*, \"[^-]" log; then
    cat log
    echo "FAILED: a part of the model is never reached"
    failed=1
fi
states=$(sed -n 's/ *\([0-9]*\) states, stored.*/\1/p' log)
for wrong in 1 2 3 4; do
    found=$(errors_of $wrong)
    if [ "${found:-0}" = 0 ]; then
        cat log
        echo "FAILED: WRONG=$wrong went unseen"
        failed=1
    fi
done
[ $failed -eq 0 ] && echo "$states states, no error; four wrong versions were seen"
exit $failed
