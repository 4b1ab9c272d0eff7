# ctest-labels: unit
# ctest-timeout: 180
"""A failing stage of .ci/run can be understood from the end of its output alone: which, and why;
and tools/fuzz_run tells a real finding from a machine that was busy. In a small tree of their
own, with a ./dev and fuzz targets that do what a test asks for."""
import base64
import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile

ROOT = os.environ["WEIR_SOURCE_DIR"]
TREE = tempfile.mkdtemp(prefix="weir-ci-")
TARGETS = os.path.join(TREE, "build", "fuzz", "tests", "fuzz")
SEEN = 120  # lines, of which a CI system shows at least so many

CTEST = """\
Test project /x
        Start   1: test_good
  1/3 Test   #1: test_good ........................   Passed    0.23 sec
        Start   2: test_bad
        Start   3: test_slow
  2/3 Test   #2: test_bad .........................***Failed    1.00 sec
# something
tests/test_bad.c:77: failed: got 3, wanted 4
12 passed, 1 failed

  3/3 Test   #3: test_slow ........................***Timeout  60.01 sec

33% tests passed, 2 tests failed out of 3
"""
SAID = {  # stage: what it says, and what must be told of it
    "lint": ("lint: format ok\nIn dev line 3:\necho $x\n     ^-- SC2086\n" + "lint: noise\n" * 30,
             ["In dev line 3:", "SC2086"]),
    "clang": ("[1/2] cc\nx/a.c:3:5: error: no member named 'y'\n    a->y;\n" + "[2/2] cc\n" * 99,
              ["x/a.c:3:5: error: no member named 'y'"]),
    "asan": ("==7==ERROR: AddressSanitizer: heap-use-after-free\n    #0 0x1 in weir_x x.c:3\n" +
             "ok\n" * 99, ["AddressSanitizer: heap-use-after-free", "weir_x x.c:3"]),
    "mutate": ("one   caught  (a; 3 s)\ntwo   MISSED  (b; 4 s)\n" + "x  caught  (c; 1 s)\n" * 40 +
               "41 of 42 mutations caught\n", ["two   MISSED  (b; 4 s)"]),
    "soak": ("nothing that anybody knows\n" * 50 + "the last words\n", ["the last words"]),
    "test": (CTEST, ["test_bad", "tests/test_bad.c:77: failed: got 3, wanted 4", "test_slow",
                     "***Timeout"]),
}
n_failed = 0


def check(ok, what):
    global n_failed
    if not ok:
        n_failed += 1
        print("failed:", what, file=sys.stderr)


def write(name, text):
    path = os.path.join(TREE, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)


def run(*command):
    r = subprocess.run([os.path.join(TREE, command[0]), *command[1:]], capture_output=True,
                       text=True, timeout=100, check=False, stdin=subprocess.DEVNULL,
                       env={**os.environ, "WEIR_FUZZ_INPUT_SECONDS": "1"})
    return r.returncode, r.stdout + r.stderr


def ci(failing):
    """.ci/run with a ./dev of which the stages in `failing` say their words and fail."""
    write("dev", "#!/bin/sh\ncat \"said-$1\" 2>/dev/null || echo fine\n"
          "! [ -e \"said-$1\" ]\n")
    for stage, (text, _) in SAID.items():
        path = os.path.join(TREE, "said-" + stage)
        if stage in failing:
            write("said-" + stage, text)
        elif os.path.exists(path):
            os.remove(path)
    return run(".ci/run")


def test_all_is_well():
    code, text = ci([])
    check(code == 0 and "FAILED" not in text and "why" not in text, text)
    check(text.count("passed") >= 10, text)


def test_each_stage():
    for stage, (_, told) in SAID.items():
        code, text = ci([stage])
        end = "\n".join(text.splitlines()[-SEEN:])
        check(code == 1 and end.endswith("failed: " + stage), f"{stage}: {end}")
        check(f"==== why {stage} failed ====" in end, f"{stage}: {end}")
        for words in told:
            check(words in end.split("==== why ")[-1], f"{stage}: \"{words}\" is not in\n{end}")


def test_all_at_once():
    code, text = ci(list(SAID))
    end = "\n".join(text.splitlines()[-SEEN:])
    check(code == 1, text)
    for stage, (_, told) in SAID.items():
        for words in told:
            check(words in end.split("==== why ", 1)[-1], f"{stage}: \"{words}\" is not in\n{end}")


def test_what_outlives_its_stage():
    """A process left behind, with the stage's output open: the report is whole, and ends."""
    write("dev", "#!/bin/sh\necho fine\n[ $1 != minimal ] || { sleep 300 & echo $! >left; }\n")
    code, text = run(".ci/run")
    with open(os.path.join(TREE, "left"), encoding="utf-8") as file:
        os.kill(int(file.read()), signal.SIGKILL)
    check(code == 0 and text.count("passed") >= 10 and "FAILED" not in text, text)


def test_few_lines():
    write("log", CTEST)
    for lines in ("1", "2", "5"):
        code, text = run("tools/why_failed", os.path.join(TREE, "log"), lines)
        check(code == 0 and "test_bad" in text and "test_slow" in text, text)


def fuzz_target(name, words):
    """A target that, asked to look for something, says `words` and leaves an input."""
    write(f"tests/fuzz/fuzz_{name}.c", "")
    write(os.path.join(TARGETS, "fuzz_" + name), f"""#!/bin/bash
for word in "$@"; do
    case $word in
    -artifact_prefix=*) prefix=${{word#*=}} ;;
    esac
done
{words}
""")


def test_fuzz_findings():
    crash = b"\x00\xffcrash"
    fuzz_target("good", "echo 'Done 7 runs in 1 second(s)'")
    fuzz_target("bad", f"""
echo "==9==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x1"
echo "    #0 0x55 in weir_own {TREE}/dsp/own.c:12:3"
echo "    #1 0x56 in fuzzer::Fuzzer::ExecuteCallback(unsigned char const*, unsigned long)"
base64 -d <<<{base64.b64encode(crash).decode()} >"${{prefix}}crash-1"
echo "artifact_prefix='x'; Test unit written to ${{prefix}}crash-1"
exit 77""")
    code, text = run("tools/fuzz_run", "2", "good", "bad")
    check(code == 1 and "bad: FUZZ FAILED" in text and "Done 7 runs" in text, text)
    check("heap-buffer-overflow" in text and "weir_own dsp/own.c:12:3" in text, text)
    check(base64.b64encode(crash).decode() in text and "fuzzer::" not in text, text)
    write("said-fuzz", text)
    code, text = run(".ci/run")
    end = text.split("==== why fuzz failed ====")[-1]
    check("bad: FUZZ FAILED" in end and "weir_own" in end, end)
    check(base64.b64encode(crash).decode() in end, end)
    os.remove(os.path.join(TREE, "said-fuzz"))


def test_fuzz_time():
    # Looking for something it says that the time is over; the input alone takes `alone`.
    late = """
if [[ -z $prefix ]]; then
    %s
    exit 0
fi
echo x >"${prefix}timeout-1"
echo "==9== ERROR: libFuzzer: timeout after 12 seconds"
echo "Test unit written to ${prefix}timeout-1"
sleep 1
exit 70"""
    fuzz_target("busy", late % "true")
    fuzz_target("slow", late % "while :; do :; done")
    fuzz_target("stuck", late % "sleep 60")
    code, text = run("tools/fuzz_run", "2", "busy")
    check(code == 0 and "times by a busy machine" in text and "FAILED" not in text, text)
    code, text = run("tools/fuzz_run", "2", "slow")
    check(code == 1 and "slow: FUZZ FAILED" in text and "libFuzzer: timeout" in text, text)
    code, text = run("tools/fuzz_run", "2", "stuck")
    check(code == 1 and "stuck: FUZZ FAILED" in text, text)


def test_fuzz_names():
    code, text = run("tools/fuzz_run", "1", "nosuch")
    check(code == 2 and "nosuch" in text, text)
    # Killed, without a word and without an input.
    fuzz_target("killed", "echo last words; kill -9 $$")
    code, text = run("tools/fuzz_run", "1", "killed")
    check(code == 1 and "killed: FUZZ FAILED" in text and "last words" in text, text)


try:
    for name in (".ci/run", "tools/fuzz_run", "tools/why_failed"):
        os.makedirs(os.path.dirname(os.path.join(TREE, name)), exist_ok=True)
        shutil.copy(os.path.join(ROOT, name), os.path.join(TREE, name))
    if not shutil.which("bash"):
        print("skipped: there is no bash")
        sys.exit(77)
    for test in [value for key, value in sorted(globals().items()) if key.startswith("test_")]:
        test()
finally:
    shutil.rmtree(TREE, ignore_errors=True)
sys.exit(n_failed > 0)
