#!/usr/bin/env python3
"""weir spectra against FFTW alone, SciPy and ffmpeg, on the same bytes.

    bench/compare_peers.py --build build/release [--json FILE] [--check]

A file of random cu8 samples (256 MB, in the page cache) becomes one mean spectrum, N 4096,
Hann, 50 % overlap. Rates are counted in transformed samples: twice the input at 50 %.
Every figure is the best of several repeats, all in one run on one machine:

- fftw: FFTW's own rate, complex, N 4096, one core, one buffer in cache, MEASURE plan
  (bench_fftw). It is measured before and after weir, and the better one counts.
- scipy: weir with two workers, as it comes on two cores (and with one, without a target),
  against scipy.signal.welch as it is usually called (double precision, its own defaults but
  for N), on the file's first part; the conversion from bytes is counted, as it is for weir.
  Beside it, without a target, the best that can be had of it: single precision, no detrending.
- ffmpeg: showspectrumpic on the first part as 8-bit stereo, 4096-point transforms.
  It is given the benefit of the same counting, though its frames do not overlap.

Absent peers are said to be absent. Exit 1 with --check if a target is missed.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

# weir's own options; {file}, {threads} and {out} are filled in.
WEIR_ARGUMENTS = [
    "spectra", "{file}", "--format", "cu8", "--rate", "2.4M", "--fft", "4096",
    "--window", "hann", "--overlap", "50%", "--average", "all",
    "--threads", "{threads}", "-o", "{out}",
]
FFT_SIZE = 4096
FILE_BYTES = 256 << 20
LONG_FILE_BYTES = 1 << 30
PART_BYTES = 32 << 20
SECOND_BYTES = 2 * 2_400_000
BYTES_PER_SAMPLE = 2
OVERLAP_FACTOR = 2
REPEATS = 5
START_REPEATS = 10

SCIPY_PROGRAM = """
import sys, time
import numpy, scipy.signal
data = open(sys.argv[1], 'rb').read(int(sys.argv[2]))
is_usual = sys.argv[3] == 'usual'
begin = time.perf_counter()
x = (numpy.frombuffer(data, numpy.uint8).astype('f8' if is_usual else 'f4') - 127.5) / 127.5
x = x[0::2] + 1j * x[1::2] if is_usual else x.view('c8')
scipy.signal.welch(x, nperseg=%d, return_onesided=False,
                   detrend='constant' if is_usual else False)
print(time.perf_counter() - begin)
""" % FFT_SIZE

# name, what it says, unit, target as (comparison, limit)
FIGURES = [
    ("weir_1", "weir, 1 worker", "MS/s", None),
    ("weir_2", "weir, 2 workers", "MS/s", None),
    ("weir_cpu", "weir, 1 worker, by CPU time", "MS/s", None),
    ("fftw_measure", "FFTW alone, MEASURE", "MS/s", None),
    ("fftw_estimate", "FFTW alone, ESTIMATE", "MS/s", None),
    ("scipy", "scipy.signal.welch", "MS/s", None),
    ("scipy_best", "the same, single precision", "MS/s", None),
    ("ffmpeg", "ffmpeg showspectrumpic", "MS/s", None),
    ("to_fftw", "1 worker / FFTW (MEASURE)", "", (">=", 0.5)),
    ("to_one", "2 workers / 1 worker", "", (">=", 1.8)),
    ("to_scipy", "2 workers / SciPy", "", (">=", 20.0)),
    ("one_to_scipy", "1 worker / SciPy", "", None),
    ("to_ffmpeg", "1 worker / ffmpeg", "", (">=", 8.0)),
    ("peak_mb", "peak memory, 256 MB file", "MB", ("<", 100.0)),
    ("peak_long_mb", "peak memory, 1 GB file", "MB", ("<", 100.0)),
    ("start_s", "whole run, 1 s file", "s", ("<", 0.1)),
]


def say(text):
    print(f"bench: {text}", file=sys.stderr, flush=True)


def write_random(path, size):
    with open(path, "wb") as file:
        for begin in range(0, size, 1 << 24):
            file.write(os.urandom(min(1 << 24, size - begin)))


def warm(path):
    """Puts the file into the page cache."""
    with open(path, "rb") as file:
        while file.read(1 << 24):
            pass


def run_child(command):
    """(seconds, CPU seconds, peak bytes) of a command that must succeed. This process stays
    small (no numpy here), because a child's peak counts from before its exec on."""
    begin = time.perf_counter()
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE) as child:
        text = child.stderr.read()
        _, status, usage = os.wait4(child.pid, 0)
        seconds = time.perf_counter() - begin
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit(f"bench: {' '.join(command)}: exit {child.returncode}: "
                 f"{text.decode(errors='replace').strip()}")
    return seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def run_weir(program, path, threads, repeats):
    """(best seconds, best CPU seconds, largest peak in bytes)."""
    out = path + ".csv"
    fill = {"file": path, "threads": threads, "out": out}
    runs = []
    for _ in range(repeats):
        runs.append(run_child([program] + [word.format(**fill) for word in WEIR_ARGUMENTS]))
        if os.path.getsize(out) == 0:
            sys.exit("bench: weir wrote nothing")
        os.unlink(out)
    return min(run[0] for run in runs), min(run[1] for run in runs), max(run[2] for run in runs)


def transformed_rate(input_bytes, seconds):
    """Transformed MS/s."""
    return OVERLAP_FACTOR * input_bytes / BYTES_PER_SAMPLE / seconds / 1e6


def measure_fftw(build):
    program = os.path.join(build, "bench", "bench_fftw")
    text = subprocess.run([program, str(FFT_SIZE)], stdout=subprocess.PIPE, check=True).stdout
    rates = json.loads(text)
    return {"fftw_measure": rates["measure"] / 1e6, "fftw_estimate": rates["estimate"] / 1e6}


def measure_weir(program, folder, path):
    figures = {}
    for threads in (1, 2):
        say(f"weir, {threads} worker(s)")
        seconds, cpu_seconds, peak = run_weir(program, path, threads, REPEATS)
        figures[f"weir_{threads}"] = transformed_rate(FILE_BYTES, seconds)
        if threads == 1:  # what a busy machine leaves alone; the reading thread included
            figures["weir_cpu"] = transformed_rate(FILE_BYTES, cpu_seconds)
        figures["peak_mb"] = max(peak / 1e6, figures.get("peak_mb", 0.0))
    say("weir, start")
    short = os.path.join(folder, "second.cu8")
    write_random(short, SECOND_BYTES)
    figures["start_s"] = run_weir(program, short, 1, START_REPEATS)[0]
    say("weir, a long file")
    long_file = os.path.join(folder, "long.cu8")
    with open(long_file, "wb") as file:
        file.truncate(LONG_FILE_BYTES)
    figures["peak_long_mb"] = run_weir(program, long_file, 2, 1)[2] / 1e6
    return figures


def measure_scipy(path):
    figures = {}
    for name, how in (("scipy", "usual"), ("scipy_best", "best")):
        command = [sys.executable, "-c", SCIPY_PROGRAM, path, str(PART_BYTES), how]
        say(f"SciPy, {how}")
        runs = [subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                               check=False) for _ in range(3)]
        if any(run.returncode != 0 for run in runs):
            say("SciPy is absent")
            return {}
        figures[name] = transformed_rate(PART_BYTES, min(float(run.stdout) for run in runs))
    return figures


def measure_ffmpeg(folder, path):
    if not shutil.which("ffmpeg"):
        say("ffmpeg is absent")
        return {}
    say("ffmpeg")
    part = os.path.join(folder, "part.u8")
    with open(path, "rb") as whole, open(part, "wb") as file:
        file.write(whole.read(PART_BYTES))
    # Half the transform's size is the picture's height.
    command = ["ffmpeg", "-y", "-loglevel", "error", "-f", "u8", "-ar", "48000", "-ac", "2",
               "-i", part, "-lavfi", f"showspectrumpic=s=1024x{FFT_SIZE // 2}:legend=0",
               os.path.join(folder, "part.png")]
    return {"ffmpeg": transformed_rate(PART_BYTES, min(run_child(command)[0] for _ in range(3)))}


def add_ratios(figures):
    for name, above, below in (("to_fftw", "weir_1", "fftw_measure"),
                               ("to_one", "weir_2", "weir_1"),
                               ("to_scipy", "weir_2", "scipy"),
                               ("one_to_scipy", "weir_1", "scipy"),
                               ("to_ffmpeg", "weir_1", "ffmpeg")):
        if below in figures:
            figures[name] = figures[above] / figures[below]


def is_met(target, value):
    comparison, limit = target
    return value >= limit if comparison == ">=" else value < limit


def print_table(figures):
    """Returns the names of the missed targets."""
    missed = []
    for name, text, unit, target in FIGURES:
        if name not in figures:
            print(f"{text:28} {'absent':>10}")
            continue
        value = figures[name]
        line = f"{text:28} {value:10.{3 if value < 10 else 1}f} {unit:5}"
        if target:
            met = is_met(target, value)
            line += f" {target[0]} {target[1]:g}".ljust(10) + ("met" if met else "MISSED")
            if not met:
                missed.append(name)
        print(line.rstrip())
    return missed


def describe_machine():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        models = [line.split(":", 1)[1].strip() for line in file if line.startswith("model name")]
    return {"cpu": models[0] if models else "unknown", "cores": os.cpu_count(),
            "load": os.getloadavg()[0]}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", required=True, help="the build folder, with weir in it")
    parser.add_argument("--json", help="default: compare_peers.json in the build folder")
    parser.add_argument("--check", action="store_true", help="exit 1 if a target is missed")
    arguments = parser.parse_args()
    program = os.path.join(arguments.build, "weir")
    if not os.access(program, os.X_OK):
        sys.exit(f"bench: {program} is not there; ./dev bench builds it")
    with tempfile.TemporaryDirectory(prefix="weir-bench-") as folder:
        path = os.path.join(folder, "random.cu8")
        say(f"writing {FILE_BYTES >> 20} MB")
        write_random(path, FILE_BYTES)
        warm(path)
        say("FFTW")
        figures = measure_fftw(arguments.build)
        figures.update(measure_weir(program, folder, path))
        for name, rate in measure_fftw(arguments.build).items():
            figures[name] = max(rate, figures[name])
        figures.update(measure_scipy(path))
        figures.update(measure_ffmpeg(folder, path))
    add_ratios(figures)
    missed = print_table(figures)
    report = {"machine": describe_machine(), "n_fft": FFT_SIZE, "figures": figures,
              "missed": missed}
    output = arguments.json or os.path.join(arguments.build, "compare_peers.json")
    with open(output, "w", encoding="utf-8") as file:
        json.dump(report, file, indent=2)
        file.write("\n")
    return 1 if arguments.check and missed else 0


if __name__ == "__main__":
    sys.exit(main())
