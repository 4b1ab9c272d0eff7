# ctest-labels: unit
# ctest-timeout: 400
"""Whole runs of the program while memory, input, output or the clock fail: the right exit
code, one clear line, no file left behind, no crash, and under AddressSanitizer no leak.

Every allocation, read and write that the program itself makes is failed once, in turn, and
from there on for ever (tests/fakes/faults.c). A new command is a row in RUNS.
"""
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile

WEIR = os.path.join(os.environ["WEIR_BUILD_DIR"], "tests", "weir_faulty")
if not os.access(WEIR, os.X_OK):
    print("skipped: the program is not built")
    sys.exit(77)
with open(WEIR, "rb") as program:
    image = program.read()
IS_ASAN, IS_TSAN = b"__asan_init" in image, b"__tsan_init" in image
if IS_TSAN:
    print("skipped: thousands of runs take too long under ThreadSanitizer")
    sys.exit(77)
HAS_PNG = b"png_create_write_struct" in image
HAS_CONFUSE = b"cfg_parse" in image
HAS_SIGMF = b"json_loadb" in image
HAS_CUDA = b"__wrap_cudaMalloc" in image

HOME = tempfile.mkdtemp(prefix="weir-faults-")
ENV = {k: v for k, v in os.environ.items() if not k.startswith("WEIR_FAULT")}
ENV.update(HOME=HOME, XDG_CONFIG_HOME=HOME, XDG_CACHE_HOME=HOME + "/cache", LC_ALL="C.UTF-8",
           ASAN_OPTIONS="allocator_may_return_null=1:exitcode=99:detect_leaks=1")
SEED = int(os.environ.get("WEIR_TEST_SEED", random.randrange(1 << 30)))
rng = random.Random(SEED)
MOST = 6 if IS_ASAN else 30  # faults tried of one kind and run
passed = failed = 0


def check(ok, what):
    global passed, failed
    if ok:
        passed += 1
    else:
        failed += 1
        if failed <= 30:
            print("failed:", what, file=sys.stderr)


def make_inputs():
    wav = HOME + "/tone.wav"
    data = struct.pack("<2000h", *[(i * 300) % 20000 - 10000 for i in range(2000)])
    with open(wav, "wb") as f:
        f.write(b"RIFF" + struct.pack("<I", 36 + len(data)) + b"WAVEfmt " +
                struct.pack("<IHHIIHH", 16, 1, 1, 8000, 16000, 2, 16) +
                b"data" + struct.pack("<I", len(data)) + data)
    with open(HOME + "/r.sigmf-data", "wb") as f:
        f.write(bytes(range(256)) * 16)
    with open(HOME + "/r.sigmf-meta", "w") as f:
        f.write('{"global": {"core:datatype": "cu8", "core:sample_rate": 1000000, '
                '"core:version": "1.0.0"}, "captures": [{"core:sample_start": 0}, '
                '{"core:sample_start": 1000, "core:frequency": 1e8}], "annotations": '
                '[{"core:sample_start": 3, "core:sample_count": 5, "core:label": "x"}]}')
    with open(HOME + "/mic.cal", "w") as f:
        f.write("20 0.5\n1000 0\n4000 -1.5\n")
    with open(HOME + "/limits.csv", "w") as f:
        f.write("frequency,upper,lower\n0,10,\n4k,10,-400\n")
    with open(HOME + "/vector.txt", "w") as f:
        f.writelines(f"{i * i % 17}\n" for i in range(30))
    with open(HOME + "/survey.csv", "w") as f:
        f.writelines(f"2019-01-01, 00:{i:02d}:00, 0, 20, 10, 1, -1, -2, -2\n" for i in range(60))
    with open(HOME + "/c.conf", "w") as f:
        f.write("config = 1\nfft = 128\nwindow = \"kaiser:9\"\noverlap = 75%\n")


def runs():
    """Command lines; OUT is the output's path without its ending."""
    synth = "synth:seconds=0.002,drop=1000:50"
    rows = [
        ["spectra", synth, "--fft", "64", "-o", "OUT.csv"],
        ["spectra", synth, "--fft", "64", "-o", "OUT.npy", "--engine", "cpu"],
        ["spectra", synth, "--fft", "64", "-o", "OUT.jsonl", "-o", "OUT.csv"],
        ["spectra", HOME + "/tone.wav", "--fft", "64", "--calibration", HOME + "/mic.cal",
         "--weighting", "A", "-o", "OUT.csv"],
        ["spectra", "-", "-f", "s16", "-r", "8k", "--fft", "60", "-o", "OUT.csv"],
        # Paced, a file is read and not mapped.
        ["spectra", HOME + "/tone.wav", "--fft", "64", "--speed", "1000", "-o", "OUT.csv"],
        ["spectra", "fault:lose=500/9:" + synth, "--fft", "64", "--to", "text"],
        ["view", synth, "--speed", "max"],
        ["measure", HOME + "/tone.wav", "--json"],
        ["measure", synth, "--every", "1ms", "-o", "OUT.csv"],
        ["record", "synth:seconds=0.001", "-o", "OUT.cu8", "--format", "cu8"],
        ["record", HOME + "/tone.wav", "-o", "OUT.wav"],
        ["sweep", "-f", "88M:89M:100k", "tuner:", "-o", "OUT.csv", "--settle", "1ms"],
        ["compare", HOME + "/tone.wav", "OUT.golden", "--bless", "--fft", "64"],
        ["compare", HOME + "/tone.wav", "--mask", HOME + "/limits.csv", "--fft", "64",
         "--report", "OUT.xml", "--report", "OUT.json"],
        ["fft", HOME + "/vector.txt", "--engine", "cpu"],
        ["convolve", HOME + "/vector.txt", HOME + "/vector.txt", "--engine", "cpu"],
        ["survey", HOME + "/survey.csv", "-o", "OUT.csv"],
        ["list", "windows"], ["windows"], ["devices"], ["man"], ["completions", "bash"],
    ]
    if HAS_SIGMF:
        rows.append(["spectra", HOME + "/r.sigmf-meta", "--fft", "64", "-o", "OUT.csv"])
    if HAS_PNG:
        rows.append(["spectra", synth, "--fft", "64", "--title", "t", "-o", "OUT.png"])
    if HAS_CONFUSE:
        rows.append(["spectra", synth, "-C", HOME + "/c.conf", "--to", "csv"])
    return rows


def run(arguments, fault=None):
    """(exit code, stdout, stderr, counts, names in the output folder)"""
    out = tempfile.mkdtemp(dir=HOME)
    counts, counts_in = os.pipe()
    env = {**ENV, "WEIR_FAULT_COUNTS": str(counts_in)}
    if fault:
        env["WEIR_FAULT"] = fault
    command = [WEIR] + [a.replace("OUT", out + "/out") for a in arguments]
    try:
        with open(HOME + "/tone.wav", "rb") as stdin:
            r = subprocess.run(command, stdin=stdin, capture_output=True, timeout=60, env=env,
                               pass_fds=[counts_in])
    finally:
        os.close(counts_in)
    with os.fdopen(counts) as f:
        words = f.read().split()
    names = sorted(os.listdir(out))
    shutil.rmtree(out)
    return (r.returncode, r.stdout, r.stderr.decode(errors="replace"),
            dict(zip(words[::2], map(int, words[1::2]))), names)


def some_of(n):
    """1 .. n, or the first ones, the last ones and some between."""
    if n <= MOST:
        return range(1, n + 1)
    third = MOST // 3
    return sorted({*range(1, third + 1), *range(n - third + 1, n + 1),
                   *(rng.randrange(1, n + 1) for _ in range(third))})


def check_failure(what, result, codes, pattern):
    """A fault either does not matter (exit 0) or is told in one line."""
    code, _, err, _, names = result
    errors = [line for line in err.splitlines() if line.startswith("weir: error: ")]
    check(code in (0, *codes), f"{what}: exit {code}, expected {codes}: {err[-1500:]}")
    check(not [n for n in names if ".weir-" in n], f"{what}: left {names}")
    if code:
        check(re.search(pattern, err) is not None, f"{what}: {err!r}, expected {pattern}")
        check("Sanitizer" not in err, f"{what}: {err[-1500:]}")
        check(len(errors) <= 1, f"{what}: more than one line: {err}")


def try_all(kind, faults_of_it, codes, pattern, rows=None):
    """Every command, every call of this kind, every fault."""
    for arguments in rows or runs():
        code, _, err, counts, whole = run(arguments)
        check(code == 0, f"{arguments}: exit {code} without a fault: {err}")
        n_failed = n_tried = 0
        for what in faults_of_it:
            for n in some_of(counts.get(kind, 0)):
                for more in ("", "+"):
                    fault = f"{kind}:{n}{more}" + (":" + what if what else "")
                    result = run(arguments, fault)
                    check_failure(f"{fault} {' '.join(arguments)}", result, codes, pattern)
                    n_tried += 1
                    n_failed += result[0] != 0
                    # A program that says it is done has written all of its files.
                    check(result[0] != 0 or result[4] == whole, f"{fault} {arguments}: exit 0, "
                          f"but {result[4]} instead of {whole}")
        print(f"{kind}: {n_tried} faults, {n_failed} failures: {' '.join(arguments)[:70]}",
              flush=True)
        check(kind != "alloc" or n_failed > 0 or counts.get(kind, 0) == 0,
              f"{arguments}: no allocation ever failed")


def test_memory():
    try_all("alloc", [""], (71,), r"(?i)memory|cannot allocate")


def test_output():
    try_all("write", ["ENOSPC", "EIO"], (74,), r"No space left|Input/output error")
    to_stdout = [row for row in runs() if not any("OUT" in word for word in row)]
    try_all("write", ["EPIPE"], (), "", to_stdout)
    try_all("rename", ["EIO"], (74,), r"Input/output error")


def test_input():
    try_all("read", ["EIO"], (74, 66), r"Input/output error")


def test_what_must_not_matter():
    """Interrupted and short calls change nothing at all."""
    for kind, what in (("read", "EINTR"), ("read", "short"), ("write", "EINTR"),
                       ("write", "short")):
        for arguments in runs():
            arguments = arguments + (["--reproducible"] if arguments[0] == "spectra" else [])
            code, right, _, counts, names = run(arguments)
            for n in some_of(min(counts.get(kind, 0), 12)):
                for more in ("", "+") if what == "short" else ("",):
                    fault = f"{kind}:{n}{more}:{what}"
                    result = run(arguments, fault)
                    check(result[0] == code and result[1] == right and result[4] == names,
                          f"{fault} {arguments}: exit {result[0]}: {result[2]}")


def test_clock_jumps():
    arguments = ["spectra", "synth:seconds=0.4,seed=5", "--fft", "1000", "--speed", "1",
                 "--reproducible"]
    steady, jumping = run(arguments), run(arguments, "clock:1:jump")
    check(steady[0] == jumping[0] == 0 and steady[1] == jumping[1], "a wall clock that jumps")
    code, out, err, _, _ = run(["spectra", "fault:live:synth:seconds=0.4,rate=100k", "--fft",
                                "1000"], "clock:1:jump")
    times = [float(line.split(b",")[0]) for line in out.splitlines()
             if line[:1].isdigit()]
    check(code == 0 and times == sorted(times) and len(times) > 2, f"live: {code} {err} {times}")


def test_closed_descriptors():
    """A program started without standard input, output or error must not take a file it
    opens for one of them."""
    for closed in ("<&-", ">&-", "2>&-", "<&- >&-", "<&- >&- 2>&-"):
        out = tempfile.mkdtemp(dir=HOME)
        r = subprocess.run(f"'{WEIR}' spectra synth:seconds=0.01 --fft 64 -o {out}/x.csv {closed}",
                           shell=True, env=ENV, timeout=60)
        check(r.returncode == 0, f"{closed}: exit {r.returncode}")
        check(os.listdir(out) == ["x.csv"], f"{closed}: {os.listdir(out)}")
        with open(out + "/x.csv", "rb") as f:
            check(b"weir:" not in f.read(), f"{closed}: messages in the output")
    r = subprocess.run(f"'{WEIR}' spectra synth:seconds=0.01 >&-", shell=True, env=ENV,
                       capture_output=True, timeout=60)
    check(r.returncode == 74 and b"standard output" in r.stderr, f"no standard output: {r}")


def test_no_gpu():
    r = subprocess.run([WEIR, "spectra", "synth:seconds=0.01", "--engine", "cuda"],
                       capture_output=True, env={**ENV, "CUDA_VISIBLE_DEVICES": ""}, timeout=60)
    check(r.returncode in (65, 69) and r.stderr.count(b"\n") == 1, f"no GPU: {r}")
    r = subprocess.run([WEIR, "spectra", "synth:seconds=0.01", "--engine", "auto"],
                       capture_output=True, env={**ENV, "CUDA_VISIBLE_DEVICES": ""}, timeout=60)
    check(r.returncode == 0 and r.stdout, f"no GPU, auto: {r}")


if __name__ == "__main__":
    print("seed", SEED)
    make_inputs()
    for name, test in sorted(globals().items()):
        if name.startswith("test_") and (len(sys.argv) < 2 or name in sys.argv[1:]):
            print("#", name, flush=True)
            test()
    shutil.rmtree(HOME)
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed != 0)
