#!/usr/bin/env bash
# ctest-labels: unit
# Each mutation of tests/mutations/list.txt still stands in the code, and the tests that must notice
# it are there: whoever changes such a line sees it here, and not first in ./dev mutate.
set -euo pipefail
exec "${WEIR_PYTHON:-python3}" "${WEIR_SOURCE_DIR:?}/tests/mutations/run.py" --check
