# ctest-labels: unit
"""./dev's second try of tests that mind the clock: which get one, what must happen in it, and what
is said. In a small tree of its own, with tests that do what is asked for, and the real ctest."""
import json
import os
import shutil
import subprocess
import sys
import tempfile

ROOT = os.environ["WEIR_SOURCE_DIR"]
TREE = tempfile.mkdtemp(prefix="weir-again-")
n_failed = 0

PRESETS = {"version": 4, "cmakeMinimumRequired": {"major": 3, "minor": 23},
           "configurePresets": [{"name": "release", "generator": "Ninja",
                                 "binaryDir": "${sourceDir}/build/release"}],
           "testPresets": [{"name": "release", "configurePreset": "release",
                            "output": {"outputOnFailure": True}}]}
# Fails as often as the file "fails" says, which counts down.
BUSY = 'n=$(cat fails); echo $((n - 1)) >fails; [ "$n" -le 0 ]'


def check(ok, what):
    global n_failed
    if not ok:
        n_failed += 1
        print("failed:", what, file=sys.stderr)


def write(name, text):
    with open(os.path.join(TREE, name), "w", encoding="utf-8") as file:
        file.write(text)


def run_tests(tests, fails=1, jobs=2):
    """tests: [(name, labels, what bash does)]. (code, output) of ./dev's run_tests."""
    lines = ["cmake_minimum_required(VERSION 3.20)", "project(tried NONE)", "enable_testing()"]
    for name, labels, script in tests:
        write(name + ".sh", script + "\n")
        lines.append(f'add_test(NAME {name} COMMAND bash {name}.sh WORKING_DIRECTORY "{TREE}")\n'
                     f'set_tests_properties({name} PROPERTIES LABELS "{labels}" TIMEOUT 2)')
    write("CMakeLists.txt", "\n".join(lines) + "\n")
    write("fails", f"{fails}\n")
    shutil.rmtree(os.path.join(TREE, "build"), ignore_errors=True)
    subprocess.run(["cmake", "--preset", "release"], cwd=TREE, check=True, capture_output=True)
    r = subprocess.run(["bash", "-c", f"source ./functions; jobs={jobs}; run_tests release"],
                       cwd=TREE, capture_output=True, text=True, timeout=60, check=False)
    return r.returncode, r.stdout + r.stderr


def test_passes_alone():
    for labels in ("clock", "unit;tui", "soak"):
        code, text = run_tests([("busy", labels, BUSY), ("good", "unit", "true")])
        check(code == 0 and "failed beside other tests and passed twice alone: busy" in text, text)
        check(text.count(": good ") == 1, text)  # it alone was run again


def test_fails_again():
    for fails in (2, 3):  # the second of the two, and the first
        code, text = run_tests([("busy", "clock", "false")], fails)
        check(code != 0 and "passed twice" not in text, text)
    # Three runs: the first and the last fail.
    code, text = run_tests([("busy", "clock", BUSY.replace('-le 0', '= 0'))], 1)
    check(code != 0 and "passed twice" not in text, text)


def test_no_second_try():
    for labels, script, why in (
            ("unit", BUSY, "does not hang on the clock"),
            ("clock", BUSY + " || kill -SEGV $$", "did not end by itself"),
            ("clock", BUSY + " || sleep 20", "did not end by itself"),
            ("clock", BUSY + " || { echo 'x.c:3:5: runtime error: overflow'; false; }",
             "has a finding"),
            ("tui", BUSY + " || { echo 'WARNING: ThreadSanitizer: data race'; false; }",
             "has a finding")):
        code, text = run_tests([("busy", labels, script)])
        check(code != 0 and f"no second try: busy {why}" in text, text)
    # One that may be tried again does not excuse one that may not.
    code, text = run_tests([("busy", "clock", BUSY), ("bad", "unit", "false")])
    check(code != 0 and "no second try: bad" in text, text)
    code, text = run_tests([(f"busy{i}", "clock", "false") for i in range(4)])
    check(code != 0 and "no second try: 4 tests failed" in text, text)
    code, text = run_tests([("busy", "clock", BUSY)], jobs=1)
    check(code != 0 and "alone" not in text, text)


def test_all_well():
    code, text = run_tests([("busy", "clock", BUSY)], fails=0)
    check(code == 0 and "try" not in text and "alone" not in text, text)


if not shutil.which("cmake") or not shutil.which("ninja"):
    print("skipped: there is no cmake or no ninja")
    sys.exit(77)
try:
    os.makedirs(os.path.join(TREE, "tools"))
    for name in ("tools/second_try", "tools/why_failed"):
        shutil.copy(os.path.join(ROOT, name), os.path.join(TREE, name))
    with open(os.path.join(ROOT, "dev"), encoding="utf-8") as dev:
        write("functions", dev.read().replace('\nmain "$@"\n', "\n"))
    write("CMakePresets.json", json.dumps(PRESETS))
    for test in [value for key, value in sorted(globals().items()) if key.startswith("test_")]:
        test()
finally:
    shutil.rmtree(TREE, ignore_errors=True)
sys.exit(n_failed > 0)
