#!/usr/bin/env bash
# ctest-labels: unit
# libweir as it is installed: exports the functions of its header and no others, and programs
# that know only pkg-config compile with it, shared and static, and read the right level.
set -euo pipefail

for tool in cmake pkg-config nm cc; do
    if ! command -v $tool >/dev/null; then
        echo "skipped: no $tool"
        exit 77
    fi
done
if [[ ! -f $WEIR_BUILD_DIR/libweir.so ]]; then
    echo "skipped: libweir is not built here"
    exit 77
fi
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
DESTDIR=$stage/root cmake --install "$WEIR_BUILD_DIR" --prefix /opt/weir >"$stage/log" 2>&1 || {
    cat "$stage/log"
    exit 1
}

failed=0
fail() {
    echo "failed: $*"
    failed=1
}

pc=$(find "$stage/root" -name libweir.pc)
libdir=$(dirname "$(dirname "$pc")")
header=$stage/root/opt/weir/include/weir/weir.h
export PKG_CONFIG_PATH=${pc%/*} PKG_CONFIG_SYSROOT_DIR=$stage/root

# ---- what it exports ----
nm -D --defined-only "$libdir/libweir.so" | awk '{print $3}' | sort >"$stage/exported"
awk '/^WEIR_API/ {match($0, /weir_[a-z_]*\(/); print substr($0, RSTART, RLENGTH - 1)}' "$header" |
    sort >"$stage/declared"
diff "$stage/declared" "$stage/exported" || fail "declared (<) and exported (>) differ"
awk '/@Base/ {sub(/@.*/, "", $1); print $1}' "$WEIR_SOURCE_DIR/debian/libweir0.symbols" |
    sort >"$stage/packaged"
diff "$stage/packaged" "$stage/exported" ||
    fail "debian/libweir0.symbols (<) and what is exported (>) differ"
[[ $(wc -l <"$stage/declared") -ge 19 ]] || fail "the header declares too little"
readelf -d "$libdir/libweir.so" | grep -q 'SONAME.*\[libweir\.so\.0\]' || fail "wrong soname"
if readelf -d "$libdir/libweir.so" | grep -E 'NEEDED.*(ncurses|tinfo|png|confuse)'; then
    fail "it needs what only the program uses"
fi

# ---- programs ----
warnings=(-std=c17 -Wall -Wextra -Wpedantic -Werror)
read -ra cflags <<<"$(pkg-config --cflags libweir)"
read -ra libs <<<"$(pkg-config --libs libweir)"
recipe=synth:format=s16,rate=48k,seconds=2,tone=1012.3@-12.34

# expect_level PROGRAM: the level to 0.01 dB (the window's flatness), the frequency to 0.1 bin.
expect_level() {
    local out
    out=$("$1" "$recipe") || fail "$1: exit $?"
    echo "$out"
    awk -v out="$out" 'BEGIN {
        n = split(out, word, " ")
        exit !(n == 4 && word[1] > 1012.0 && word[1] < 1012.6 &&
               word[3] > -12.35 && word[3] < -12.33 && word[4] == "dBFS")
    }' || fail "$1 read \"$out\""
}

build() { # build OUTPUT SOURCE LIBRARIES...
    local output=$1 source=$2
    shift 2
    cc "${warnings[@]}" "${cflags[@]}" "$source" -o "$output" "$@" -lm
}

export LD_LIBRARY_PATH=$libdir
example=$(find "$stage/root" -name tone_level.c)
build "$stage/shared" "$example" "${libs[@]}"
expect_level "$stage/shared"
"$stage/shared" no-such.wav 2>"$stage/said" && fail "a missing file is no error"
grep -q 'no-such.wav' "$stage/said" || fail "a missing file is not named"
build "$stage/feed" "$WEIR_SOURCE_DIR/tests/library/feed.c" "${libs[@]}"
"$stage/feed" || fail "feed.c: $? failures"

# Static: libweir.a by name, what it needs shared (not every distribution has static ones).
read -ra static_libs <<<"$(pkg-config --static --libs libweir)"
build "$stage/static" "$example" "${static_libs[@]/#-lweir/-l:libweir.a}" ||
    fail "the static library does not link"
readelf -d "$stage/static" | grep -q libweir && fail "static is not static"
expect_level "$stage/static"

# The header is C++, too, needs no other first, and its functions have C's names.
cat >"$stage/a.cc" <<'END'
#include <weir/weir.h>

int main()
{
    weir_analyzer *analyzer = nullptr;
    if (weir_analyzer_create(&analyzer) != WEIR_RESULT_OK ||
        weir_analyzer_set(analyzer, "fft", "1000") != WEIR_RESULT_OK ||
        weir_analyzer_set(analyzer, "fft", "none") != WEIR_RESULT_USAGE) {
        return 1;
    }
    weir_analyzer_destroy(analyzer);
    return 0;
}
END
tried=0
for compiler in c++ clang++; do
    # One without a standard library of its own cannot be asked.
    if ! echo 'int main() { return 0; }' | "$compiler" -x c++ - -o "$stage/none" 2>/dev/null; then
        continue
    fi
    "$compiler" -std=c++11 -Wall -Wextra -Wpedantic -Werror "${cflags[@]}" "$stage/a.cc" \
        -o "$stage/cxx" "${libs[@]}" || fail "no program in C++ by $compiler"
    "$stage/cxx" || fail "the program in C++ by $compiler"
    tried=$((tried + 1))
done
if command -v clang >/dev/null; then
    clang "${warnings[@]}" "${cflags[@]}" "$example" -o "$stage/clang" "${libs[@]}" -lm
    expect_level "$stage/clang"
fi
echo "$tried C++ compilers"
exit "$failed"
