#!/usr/bin/env bash
# ctest-labels: unit
# cmake --install into an empty folder: each file of the tree, and each that the program
# prints, arrives where the system looks for it, and nothing else does.
set -euo pipefail

if ! command -v cmake >/dev/null; then
    echo "skipped: no cmake in PATH"
    exit 77
fi
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
log=$(DESTDIR=$stage cmake --install "$WEIR_BUILD_DIR" --prefix /usr 2>&1) || {
    echo "$log"
    exit 1
}

failed=0
fail() {
    echo "failed: $*"
    failed=1
}

# expect FILE-IN-TREE PLACE: byte for byte, if the tree has it.
expected=()
expect() {
    if [[ -f $WEIR_SOURCE_DIR/$1 ]]; then
        expected+=("usr/$2")
        cmp -s "$WEIR_SOURCE_DIR/$1" "$stage/usr/$2" || fail "$1 is not at usr/$2"
    fi
}

shopt -s nullglob
cd "$WEIR_SOURCE_DIR"
for file in LICENSE README.md CHANGELOG.md; do
    [[ -f $file ]] || fail "the tree has no $file"
    expect "$file" "share/doc/weir/$file"
done
for file in docs/*.md docs/*.png docs/*.svg; do expect "$file" "share/doc/weir/$file"; done
for file in configs/*.conf configs/*.csv; do expect "$file" "share/weir/$file"; done
# What the compiler made; tests/test_library.sh looks into it.
if [[ -f $WEIR_BUILD_DIR/libweir.so ]]; then
    for file in examples/*.c; do expect "$file" "share/doc/weir/$file"; done
    expect include/weir/weir.h include/weir/weir.h
    libdir=$(dirname "$(cd "$stage/usr" && find . -name libweir.a -printf '%P\n')")
    version=$(sed -n 's/^project(weir VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
    for file in include/weir/version.h "$libdir"/libweir.{a,"so.$version"} \
        "$libdir/pkgconfig/libweir.pc"; do
        [[ -s $stage/usr/$file ]] || fail "usr/$file is not there"
        expected+=("usr/$file")
    done
fi
# expect_printed PLACE ARGUMENTS...: what the installed program prints.
expect_printed() {
    local place=usr/$1
    shift
    if [[ -d $WEIR_BUILD_DIR/printed ]]; then # sanitizer builds have none
        expected+=("$place")
        [[ -s $stage/$place ]] || fail "$place is not there"
        "$stage/usr/bin/weir" "$@" | cmp -s - "$stage/$place" || fail "$place is not weir $*"
    fi
}

# What a package is built with, it says that it needs: each package that dev knows for it.
packages=$(sed -n '/^needs_deb="/,/"$/s/^\([a-z0-9.-]*-dev\) *pc:.*/\1/p' dev)
[[ $(wc -w <<<"$packages") -ge 9 ]] || fail "dev names few packages: $packages"
needed=$(sed -n '/^Build-Depends/,/^[A-Z].*:/p' debian/control)
for package in $packages; do
    grep -qE "^(Build-Depends:| ) *$package\b" <<<"$needed" ||
        fail "debian/control does not build-depend on $package"
done

expected+=(usr/bin/weir)
[[ -x $stage/usr/bin/weir ]] || fail "there is no usr/bin/weir"
# It runs from there: it needs nothing of the build folder.
"$stage/usr/bin/weir" --version >/dev/null || fail "the installed program does not run"
expect_printed share/man/man1/weir.1 man
expect_printed share/bash-completion/completions/weir completions bash
expect_printed share/zsh/vendor-completions/_weir completions zsh
expect_printed share/fish/vendor_completions.d/weir.fish completions fish

surplus=$(cd "$stage" && find . -type f -printf '%P\n' | sort |
    comm -23 - <(printf '%s\n' "${expected[@]}" | sort))
[[ -z $surplus ]] || fail "not expected: $surplus"
echo "${#expected[@]} files are in place"
exit "$failed"
