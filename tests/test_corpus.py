# ctest-labels: replay
# ctest-timeout: 300
"""Every recording of the corpus, by the program, against the reference observations.

The reference (expected.csv) was made with SciPy in double precision: Welch, Hann, 50 %
overlap, N = min(4096, samples), no detrending, density in full-scale^2 per hertz.
Allowed: the peak one bin off, the total 0.05 dB, the density at the peak 0.1 dB.
"""
import csv
import math
import os
import subprocess
import sys

WEIR = os.environ["WEIR"]
CORPUS = os.environ["WEIR_CORPUS"]
TABLE = os.path.join(CORPUS, "expected.csv")
if not os.path.exists(TABLE):
    print("skipped: the corpus is not here")
    sys.exit(77)
if not os.access(WEIR, os.X_OK):
    print("skipped: the program is not built")
    sys.exit(77)

FEATURES = subprocess.run([WEIR, "--version"], capture_output=True, text=True).stdout
NEEDS = {"flac": "no audio files", "sigmf": "no SigMF"}

passed = failed = skipped = 0


def check(ok, what):
    global passed, failed
    passed, failed = passed + bool(ok), failed + (not ok)
    if not ok:
        print("failed:", what, file=sys.stderr)


def spectrum(row, engine):
    """(frequencies, levels in dBFS/Hz, stderr) of one mean spectrum of a channel."""
    args = [WEIR, "spectra", os.path.join(CORPUS, row["path"]), "--average", "all", "--density",
            "--fft", "4096", "--window", "hann", "--overlap", "50%", "--iq", "auto",
            "--engine", engine, "--channel", str(int(row["channel"]) + 1), "-o", "-"]
    if row["format"] not in ("wav", "flac", "sigmf"):
        args += ["--format", row["format"], "--rate", row["sample_rate_hz"]]
        if row["center_hz"]:
            args += ["--center", row["center_hz"]]
    r = subprocess.run(args, capture_output=True, text=True, timeout=100)
    if r.returncode != 0:
        return None, None, f"exit {r.returncode}: {r.stderr}"
    lines = [line.split(",") for line in r.stdout.splitlines() if not line.startswith("#")]
    if len(lines) != 2:
        return None, None, f"{len(lines)} lines, expected a header and one spectrum"
    names = enumerate(lines[0])
    first = next(i for i, name in names if name.lstrip("-").replace(".", "").isdigit())
    return ([float(v) for v in lines[0][first:]], [float(v) for v in lines[1][first:]], r.stderr)


def compare(row, engine):
    name = f"{row['path']} channel {row['channel']} ({engine})"
    hz, db, err = spectrum(row, engine)
    check(hz is not None, f"{name}: {err}")
    if hz is None:
        return
    is_complex = row["format"] in ("cu8", "cs8", "cs16", "cf32")
    center = float(row["center_hz"] or 0)
    bin_hz = float(row["bin_hz"])
    # dBFS/Hz to dB of full-scale^2 per hertz: a full-scale real sine has half the square.
    shift = 0.0 if is_complex else 10 * math.log10(0.5)
    density = [v + shift for v in db]
    k = max(range(len(density)), key=density.__getitem__)
    at = min(range(len(hz)), key=lambda i: abs(hz[i] - center - float(row["peak_hz"])))
    check(abs(hz[k] - center - float(row["peak_hz"])) <= bin_hz * 1.001,
          f"{name}: peak at {hz[k] - center}, expected {row['peak_hz']}")
    check(abs(hz[1] - hz[0] - bin_hz) < 1e-3 * bin_hz, f"{name}: bins of {hz[1] - hz[0]} Hz")
    check(abs(density[at] - float(row["peak_psd_db"])) <= 0.1,
          f"{name}: {density[at]:.3f} dB at the peak, expected {row['peak_psd_db']}")
    total = 10 * math.log10(sum(10 ** (v / 10) for v in density) * bin_hz)
    check(abs(total - float(row["total_power_db"])) <= 0.05,
          f"{name}: total {total:.4f} dB, expected {row['total_power_db']}")


with open(TABLE, newline="") as table:
    for row in csv.DictReader(table):
        if NEEDS.get(row["format"], "-") in FEATURES:
            skipped += 1
            continue
        compare(row, "cpu")

if skipped:
    print(f"# {skipped} recordings need a library that this build does not have")
print(f"{passed} passed, {failed} failed")
sys.exit(failed != 0)
