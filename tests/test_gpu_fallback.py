# ctest-labels: unit
# ctest-timeout: 120
"""--engine auto, with a GPU that fails in the middle (tests/fakes/gpu): the program goes on with
the CPU, says so once, and its spectra and its account are those of a run that never had a GPU."""
import json
import os
import random
import subprocess
import sys
import tempfile

WEIR = os.path.join(os.environ["WEIR_BUILD_DIR"], "tests", "weir_fake_gpu_program")
if not os.access(WEIR, os.X_OK):
    print("skipped: the program is not built")
    sys.exit(77)
SEED = int(os.environ.get("WEIR_TEST_SEED", random.randrange(1 << 30)))
rng = random.Random(SEED)
print(f"# WEIR_TEST_SEED={SEED}")
SAYS = "the GPU failed (CUDA, "
passed = failed = 0


def check(ok, what):
    global passed, failed
    passed += bool(ok)
    failed += not ok
    if not ok:
        print("failed:", what, file=sys.stderr)


def run(options, engine, fails_at=0):
    env = dict(os.environ, WEIR_FAKE_GPU_FAILS_AT=str(fails_at), XDG_CACHE_HOME=FOLDER)
    command = [WEIR, "spectra", PATH, "--format", "cu8", "--rate", "1M", "--engine", engine,
               "-o", "-", "--to", "jsonl"] + options
    done = subprocess.run(command, capture_output=True, env=env, timeout=60, text=True)
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()], done.stderr


def same(a, b):
    """Noise is far above rounding everywhere, so levels agree to 0.01 dB."""
    if "level_db" not in b:
        return a == b or "engine" in b
    levels = zip(a["level_db"], b["level_db"])
    return ({k: v for k, v in a.items() if k != "level_db"} ==
            {k: v for k, v in b.items() if k != "level_db"} and
            all(abs(x - y) < 0.01 for x, y in levels))


OPTIONS = [
    ["--fft", "1024", "--average", "50"],
    ["--fft", "4096", "--average", "16", "--overlap", "75%"],
    ["--fft", "512", "--average", "all", "--iq-swap"],
    ["--fft", "256", "--average", "200", "--trace", "max"],
    ["--fft", "1024", "--average", "20", "--smooth", "0.05"],
]

with tempfile.TemporaryDirectory() as FOLDER:
    PATH = os.path.join(FOLDER, "noise.cu8")
    with open(PATH, "wb") as f:
        f.write(rng.randbytes(1_000_000))
    for options in OPTIONS:
        code, expected, _ = run(options, "cpu")
        check(code == 0 and len(expected) > 1, f"{options}: cpu run")
        n_failures = 0
        for fails_at in [0, 1, 2] + [rng.randrange(3, 50) for _ in range(8)]:
            code, lines, said = run(options, "auto", fails_at)
            what = f"{options}, failing at call {fails_at}"
            check(code == 0, f"{what}: exit code {code}: {said}")
            check(len(lines) == len(expected) and all(map(same, lines, expected)),
                  f"{what}: other spectra or another account")
            check(said.count(SAYS) <= (fails_at > 0), f"{what}: {said}")
            n_failures += said.count(SAYS)
        check(n_failures >= 3, f"{options}: only {n_failures} failures")
        code, _, said = run(options, "cuda", 3)
        check(code != 0 and "CUDA" in said, f"{options}: --engine cuda: {code} {said}")

print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0)
