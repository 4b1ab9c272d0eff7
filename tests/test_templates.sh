#!/usr/bin/env bash
# ctest-labels: unit
# docs/templates compile as they stand, without a warning, and CONTRIBUTING's sections for what
# can be added keep to 15 lines and name only files that exist.
set -euo pipefail

if ! command -v cc >/dev/null; then
    echo "skipped: no cc"
    exit 77
fi
cd "$WEIR_SOURCE_DIR"
failed=0
flags=(-std=gnu17 -D_GNU_SOURCE -I. -Itests "-I$WEIR_BUILD_DIR/include" -Wall -Wextra -Wshadow
    -Wconversion -Wmissing-prototypes -Werror -fsyntax-only)
for file in docs/templates/*.c; do
    cc "${flags[@]}" "$file" || failed=1
done
awk '/^## / {name = $0; n = 0}
     /^## Add/ {sections++}
     name ~ /^## Add/ && NF && ++n > 16 {print "failed: over 15 lines: " name; bad = 1}
     END {exit bad || sections < 6}' CONTRIBUTING.md || failed=1
# shellcheck disable=SC2016 # backquotes of Markdown
named=$(grep -oE '`(app|base|capture|display|docs|dsp|tests)/[a-z0-9_./]+`' CONTRIBUTING.md |
    tr -d '`' | sort -u)
for file in $named; do
    [[ -e $file ]] || { echo "failed: CONTRIBUTING.md names $file: not there" && failed=1; }
done
exit "$failed"
