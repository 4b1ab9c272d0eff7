#!/usr/bin/env bash
# ctest-labels: unit
# One version, that of CMakeLists.txt, everywhere: --version, man page, header, pkg-config,
# shared library, change log, Debian's change log. And --version names the libraries in use.
set -euo pipefail

if [[ ! -x $WEIR ]]; then
    echo "skipped: the program is not built"
    exit 77
fi
cd "$WEIR_SOURCE_DIR"
version=$(sed -n 's/^project(weir VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]]
failed=0

same() { # same WHAT VALUE
    if [[ $2 != "$version" ]]; then
        echo "failed: $1 says \"$2\", CMakeLists.txt $version"
        failed=1
    fi
}

said=$("$WEIR" --version)
same "--version" "$(sed -n '1s/^weir //p' <<<"$said")"
same "the man page" "$("$WEIR" man | sed -n '1s/.*"weir \([0-9.]*\)".*/\1/p')"
same "CHANGELOG.md" "$(sed -n 's/^## \([0-9][0-9.]*\).*/\1/p' CHANGELOG.md | head -n 1)"
same "debian/changelog" "$(sed -n '1s/^weir (\([0-9.]*\)-.*/\1/p' debian/changelog)"
if [[ -f $WEIR_BUILD_DIR/libweir.so ]]; then
    library=$(readlink -f "$WEIR_BUILD_DIR/libweir.so")
    same "the shared library" "${library##*libweir.so.}"
    same "version.h" "$(sed -n 's/.*WEIR_VERSION_STRING "\(.*\)"/\1/p' \
        "$WEIR_BUILD_DIR/include/weir/version.h")"
    same "pkg-config" "$(DESTDIR=$(mktemp -d) && export DESTDIR &&
        cmake --install "$WEIR_BUILD_DIR" --prefix /usr >/dev/null &&
        sed -n 's/^Version: //p' "$(find "$DESTDIR" -name libweir.pc)"; rm -r "$DESTDIR")"
fi

# library FEATURE NAME: its version is there exactly if the feature is.
library() {
    local line
    line=$(sed '1,/^libraries:/d' <<<"$said")
    if grep -q "no $1" <<<"$said"; then
        [[ $line != *"$2"* ]] || { echo "failed: no $1, but $2" && failed=1; }
    else
        grep -Eq "$2[- ][0-9]+\.[0-9]+" <<<"$line" ||
            { echo "failed: no version of $2" && failed=1; }
    fi
}
library "transforms" fftw
library "audio files" libsndfile
library SigMF jansson
library configuration libconfuse
library PNG libpng
library "terminal view" ncurses
library CUDA CUDA
exit "$failed"
