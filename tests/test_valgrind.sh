#!/bin/bash
# ctest-labels: unit
# ctest-timeout: 240
# A few short runs under valgrind: no read of what was never written, no leak. Other tools
# see other things: AddressSanitizer does not see uninitialised memory.
set -u
weir=${WEIR:?}
command -v valgrind >/dev/null || { echo "skipped: there is no valgrind"; exit 77; }
[ -x "$weir" ] || { echo "skipped: the program is not built"; exit 77; }
grep -qE '__(asan|tsan)_init' "$weir" && { echo "skipped: a sanitizer is in the program"; exit 77; }
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
export HOME=$dir XDG_CONFIG_HOME=$dir XDG_CACHE_HOME=$dir LC_ALL=C.UTF-8
failed=0

# Some releases of valgrind know less of the processor than the C library uses.
if ! valgrind --error-exitcode=99 "$weir" --version >/dev/null 2>"$dir/log"; then
    if grep -qiE 'unrecognised instruction|unhandled instruction|SIGILL' "$dir/log"; then
        echo "skipped: this valgrind does not know this processor"
        exit 77
    fi
fi

check() { # EXIT-CODE ARGUMENTS...
    local expected=$1 code
    shift
    valgrind --quiet --error-exitcode=99 --leak-check=full --fair-sched=yes \
        --errors-for-leak-kinds=definite,indirect --show-leak-kinds=definite,indirect \
        --suppressions="${WEIR_SOURCE_DIR:?}/tests/valgrind.supp" \
        "$weir" "$@" >"$dir/out" 2>"$dir/log"
    code=$?
    if [ "$code" -ne "$expected" ]; then
        echo "FAILED: exit $code, expected $expected: weir $*"
        tail -40 "$dir/log"
        failed=1
    fi
}

head -c 8000 /dev/zero | tr '\0' '\200' >"$dir/x.cu8"
synth="synth:rate=1M,seconds=0.01,drop=3000:10"
check 0 spectra "$synth" --fft 256 -o "$dir/x.csv" -o "$dir/x.jsonl" --threads 2
check 0 spectra "$dir/x.cu8" --rate 1M --fft 100 --to text
check 0 view "$synth" --speed max
check 0 windows
check 64 spectra "$synth" --window hannn
check 66 spectra /nowhere.wav
check 69 spectra "fault:vanish=5000:$synth" --fft 256
[ $failed -eq 0 ] && echo "seven runs without an error"
exit $failed
