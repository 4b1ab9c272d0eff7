# ctest-labels: prop
# ctest-timeout: 240
"""`weir spectra --linear` against scipy.signal.welch and periodogram, on fresh random input at
random N, hop, window, real or complex, detrended or not; where SciPy is installed."""
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

from scipy_windows import WINDOWS, np, signal

WEIR = os.environ["WEIR"]
if not os.access(WEIR, os.X_OK):
    print("skipped: the program is not built")
    sys.exit(77)

CASES = 40
TOLERANCE = 1e-5  # of the peak: float transforms err by some 1e-7 of it in amplitude
SEED = int(os.environ.get("WEIR_TEST_SEED", time.time_ns()))
print(f"# WEIR_TEST_SEED={SEED}")
pick = random.Random(SEED)
rng = np.random.default_rng(SEED)
HOME = tempfile.mkdtemp(prefix="weir-scipy-")
ENV = {**os.environ, "HOME": HOME, "XDG_CONFIG_HOME": HOME, "XDG_CACHE_HOME": HOME}
failed = 0


def fail(what):
    global failed
    failed += 1
    print("failed:", what, file=sys.stderr)


def weir(*args):
    r = subprocess.run([WEIR, *args], capture_output=True, env=ENV, timeout=60)
    if r.returncode:
        fail(f"{args}: exit {r.returncode}: {r.stderr.decode()}")
    return r


def read_csv(path):
    lines = [line for line in open(path) if not line.startswith("#")]
    hz = np.array([float(v) for v in lines[0].split(",")[7:]])
    return hz, np.array([[float(v) for v in line.split(",")[7:]] for line in lines[1:]])


def random_input(is_complex, n):
    """Noise, a few tones over a wide range, and an offset."""
    t = np.arange(n)
    x = rng.normal(size=n) * 10 ** rng.uniform(-3, -1)
    if is_complex:
        x = x + 1j * rng.normal(size=n) * 1e-2
    for _ in range(rng.integers(1, 4)):
        phase = 2 * np.pi * (rng.uniform(-0.5, 0.5) * t + rng.uniform())
        x = x + 10 ** rng.uniform(-3, -0.5) * (np.exp(1j * phase) if is_complex else np.cos(phase))
    x = x + rng.uniform(-0.1, 0.1)
    return x.astype(np.complex64 if is_complex else np.float32)


def one_case(number):
    is_complex = pick.random() < 0.5
    n = pick.choice([pick.randrange(2, 40), pick.randrange(40, 5000), 2 ** pick.randrange(6, 15)])
    name, window = pick.choice(WINDOWS)
    if name.startswith(("dolph", "gaussian")) and n < 16:
        n += 16
    hop = n if pick.random() < 0.3 else pick.randrange(max(1, n // 10), n + 1)
    length = n + hop * pick.randrange(0, 30) + pick.randrange(0, hop)
    detrend = pick.random() < 0.5
    density = pick.random() < 0.5
    rate = pick.choice([48000, 44100, 2.4e6, 1, 1e9 / 7])
    x = random_input(is_complex, length)
    raw = os.path.join(HOME, "in.raw")
    out = os.path.join(HOME, "out.csv")
    x.tofile(raw)
    args = ["spectra", raw, "-f", "cf32" if is_complex else "f32", "-r", repr(float(rate)),
            "--fft", str(n), "--hop", str(hop), "--window", name, "--average", "all", "--linear",
            "--engine", "cpu", "-q", "-o", out]
    args += ["--detrend"] if detrend else []
    args += ["--density"] if density else []
    what = f"case {number}: {' '.join(args[2:])}, {length} samples"
    if weir(*args).returncode:
        return
    hz, got = read_csv(out)
    options = dict(fs=rate, window=window(n), detrend="constant" if detrend else False,
                   scaling="density" if density else "spectrum",
                   return_onesided=not is_complex)
    f, expected = signal.welch(x.astype(np.complex128 if is_complex else np.float64), nperseg=n,
                               noverlap=n - hop, **options)
    compare(what + " (welch)", is_complex, n, rate, hz, got, f, expected)
    if length < n + hop:  # one transform: periodogram says the same
        f, expected = signal.periodogram(
            x[:n].astype(np.complex128 if is_complex else np.float64), **options)
        compare(what + " (periodogram)", is_complex, n, rate, hz, got, f, expected)


def compare(what, is_complex, n, rate, hz, got, f, expected):
    if is_complex:  # SciPy begins at 0; weir ascends
        order = (np.arange(n) - n // 2) % n
        expected, f = expected[order], (np.arange(n) - n // 2) * rate / n
    if got.shape != (1, len(expected)):
        fail(f"{what}: {got.shape} values, expected {len(expected)}")
        return
    if np.max(np.abs(hz - f)) > 1e-9 * rate:
        fail(f"{what}: frequencies off by {np.max(np.abs(hz - f))} Hz")
    # The peak before detrending would do as well; take the stricter.
    error = np.max(np.abs(got[0] - expected)) / np.max(expected)
    if not error < TOLERANCE:
        fail(f"{what}: error {error:.3g} of the peak")


def same_in_every_sink():
    """The same spectra through csv, jsonl and npy agree to their printed digits."""
    x = random_input(True, 20000)
    raw = os.path.join(HOME, "in.raw")
    x.tofile(raw)
    base = os.path.join(HOME, "same")
    for linear in (False, True):
        weir("spectra", raw, "-f", "cf32", "-r", "1M", "--fft", "500", "--average", "8", "-q",
             *(["--linear"] if linear else []), "-o", base + ".csv", "-o", base + ".jsonl", "-o",
             base + ".npy")
        _, rows = read_csv(base + ".csv")
        array = np.load(base + ".npy").astype(np.float64)
        objects = [json.loads(line) for line in open(base + ".jsonl")]
        lines = np.array([o["power" if linear else "level_db"] for o in objects
                          if o["schema"] == "weir.spectrum/1"])
        if not rows.shape == array.shape == lines.shape or rows.size == 0:
            fail(f"shapes {rows.shape}, {array.shape}, {lines.shape}")
            continue
        if linear:  # nine digits, all of a float
            ok = np.array_equal(rows.astype(np.float32), array.astype(np.float32))
            ok = ok and np.array_equal(lines.astype(np.float32), array.astype(np.float32))
        else:  # two and four decimals
            ok = np.max(np.abs(rows - array)) <= 0.005001
            ok = ok and np.max(np.abs(lines - array)) <= 0.00005001
        if not ok:
            fail(f"sinks differ, linear={linear}")


try:
    for i in range(CASES):
        one_case(i)
    same_in_every_sink()
finally:
    shutil.rmtree(HOME, ignore_errors=True)
print(f"{CASES} cases, {failed} failed")
sys.exit(1 if failed else 0)
