# ctest-labels: gpu
# ctest-timeout: 300
"""The GPU gives the same bytes every time, however reads are cut, and those of the CPU within the
tolerance of tests/engine_suite.h: 2e-6 of the largest power. JSON has four decimals, so that two
that are nearly the same may be a step, 2.4e-5, apart.
Exact accounts and axes are the CPU's."""
import json
import shutil
import subprocess
import sys

import test_determinism as host
from test_determinism import HOME, WEIR, check, same, same_but_source, spectra

# Powers of two, which every GPU engine has made from the start, and the host test's other lengths.
SETTINGS = [
    ["--fft", "1024", "--overlap", "75%", "--average", "7", "--trace", "max"],
    ["--fft", "8192", "--average", "all", "--density", "--window", "blackman-harris"],
    ["--fft", "65536", "--average", "1"],
    *host.SETTINGS,
]


# What stands before an engine, or after it: of complex input.
CORRECTED = [
    ["--fft", "2048", "--iq-correct", "auto"],
    ["--fft", "2048", "--iq-correct", "0.5:-2", "--average", "all"],
    ["--fft", "2048", "--iq-correct", "track:20ms", "--dc", "remove"],
    ["--fft", "256", "--span", "60k", "--zoom-center", "100.07M", "--dc", "interpolate"],
    ["--fft", "1024", "--span", "100k", "--iq-correct", "track"],
]


def result(source, *options):
    """Exit code and message of a run on the GPU."""
    r = subprocess.run([WEIR, "spectra", source, *options, "--engine", "cuda", "-o", "/dev/null",
                        "--to", "csv"], capture_output=True, text=True)
    return r.returncode, r.stderr.strip()


def lines_of(output):
    lines = [json.loads(line) for line in output[".jsonl"].splitlines()]
    return lines[1:-1], lines[-1]


def compare(on_cpu, on_gpu, what):
    (a, totals), (b, gpu_totals) = lines_of(on_cpu), lines_of(on_gpu)
    check(len(a) == len(b) and len(a) > 0, f"{what}: {len(a)} lines and {len(b)}")
    check(totals == gpu_totals, f"{what}: {totals} and {gpu_totals}")
    for line, other in zip(a, b):
        x = [10 ** (db / 10) for db in line.pop("level_db")]
        y = [10 ** (db / 10) for db in other.pop("level_db")]
        check(line == other, f"{what}: {line} and {other}")
        worst = max(abs(p - q) - 2.4e-5 * p for p, q in zip(x, y)) / max(x)
        check(worst <= 2e-6, f"{what}: {worst:.2g} of the largest power apart")


def test_engines(source, options, more):
    compared = 0
    for settings in [*SETTINGS, *more]:
        what = " ".join([source.rsplit("/", 1)[-1], *settings])
        code, said = result(source, *options, *settings)
        n_fft = int(settings[1])
        if code == 65 and n_fft & (n_fft - 1):
            print(f"not compared: {what}: {said}")
            continue
        check(code == 0, f"{what}: exit {code}: {said}")
        on_cpu = spectra(source, *options, *settings, "--engine", "cpu")
        on_gpu = spectra(source, *options, *settings, "--engine", "cuda")
        if not on_cpu or not on_gpu:
            continue
        same(on_gpu, spectra(source, *options, *settings, "--engine", "cuda"), what + ": again")
        wrapped = spectra("fault:short:" + source, *options, *settings, "--engine", "cuda")
        same_but_source(on_gpu, wrapped, what + ": short reads", True)
        compare(on_cpu, on_gpu, what)
        compared += 1
    check(compared >= 4 + len(more), f"{compared} settings compared")


def main():
    cu8, cf32, wav = HOME + "/a.cu8", HOME + "/b.cf32", HOME + "/c.wav"
    host.make_cu8(cu8, 300001, 1)
    host.make_cf32(cf32, 100000, 2)
    host.make_wav(wav, 90000, 3)
    radio = ["--rate", "1M", "--center", "100M"]
    code, said = result(cu8, *radio)
    if code != 0:
        print("skipped: no GPU:", said)
        return 77
    for source, options, more in ((cu8, radio, CORRECTED), (cf32, radio, CORRECTED),
                                  (wav, ["--channel", "2"], [])):
        test_engines(source, options, more)
    print(f"{host.passed} passed, {host.failed} failed")
    return host.failed != 0


try:
    STATUS = main()
finally:
    shutil.rmtree(HOME, ignore_errors=True)
sys.exit(STATUS)
