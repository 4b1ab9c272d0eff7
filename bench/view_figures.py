#!/usr/bin/env python3
"""Two figures of the live view, with a stand-in for the dongle (tests/fakes): how long a key for
another frequency takes until the picture shows it, and what capture and view cost.

    bench/view_figures.py [--build build] [--tunings 40] [--seconds 20]

Key to effect: a frequency is typed on a pseudo terminal; the clock runs from the Enter key to the
picture that shows the new centre, which it does when a spectrum of the new tuning has come out. The
dongle takes 2 ms to tune, and weir drops 10 ms of samples after that
(settling; both are in the figure). CPU: user and system time of the whole process (all threads)
over the time it ran, at 2.4 MS/s of cu8, N 4096, overlap 50 %, Hann, mean, max and min traces, 30
pictures a second at 200 x 50 in direct colour; the start is left out. CPU time, and not time on the
clock, so that other load on the machine counts little; key to effect is by the clock, so that it
counts much: read the least and the median.
"""
import argparse
import os
import statistics
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "tests"))
from view_terminal import Program  # noqa: E402


def dongle(build, tunings=""):
    return {"LD_LIBRARY_PATH": os.path.join(build, "tests", "fakes", "lib"),
            "FAKE_RTLSDR": "tune=2000" + tunings}


def start(build, *more):
    program = Program([os.path.join(build, "weir"), "rtlsdr", "--rate", "2.4M", "--center", "100M",
                       "--fft", "4096", "--engine", "cpu", *more], columns=200, rows=50,
                      environment=dongle(build))
    if not program.wait_for(r"received \d+\.\d+ M"):
        sys.exit("the view does not start:\n" + program.screen.text())
    return program


def stop(program):
    program.press("q")
    if program.finish() != 0:
        sys.exit("the view failed:\n" + program.screen.text())


def key_to_effect(build, n):
    program = start(build)
    times = []
    for i in range(n):
        hz = 101 + i % 50
        end = time.monotonic() + 0.2 + 0.013 * (i % 7)  # not in step with the pictures
        while time.monotonic() < end:
            program.read_some(0.01)
        program.press(f"f{hz}M")
        program.wait_for(rf"frequency.*: {hz}M_")
        began = time.monotonic()
        program.press("\r")
        program.wait_for(rf"centre {hz} MHz")
        times.append(time.monotonic() - began)
    stop(program)
    return times


def cpu_seconds(pid):
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def cpu_share(build, seconds):
    program = start(build)
    end = time.monotonic() + 3  # planning in the background, the first pages
    while time.monotonic() < end:
        program.read_some(0.05)
    began, used = time.monotonic(), cpu_seconds(program.pid)
    while time.monotonic() < began + seconds:
        program.read_some(0.05)
    share = (cpu_seconds(program.pid) - used) / (time.monotonic() - began)
    lost = program.wait_for(r"lost (\S+)").group(1)
    stop(program)
    return share, lost


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--tunings", type=int, default=40)
    parser.add_argument("--seconds", type=float, default=20)
    options = parser.parse_args()
    build = os.path.abspath(options.build)
    times = sorted(1e3 * t for t in key_to_effect(build, options.tunings))
    print(f"key to effect, {len(times)} tunings: least {times[0]:.0f} ms, median "
          f"{statistics.median(times):.0f} ms, 90 % {times[int(0.9 * len(times))]:.0f} ms, most "
          f"{times[-1]:.0f} ms (12 ms of it tuning and settling)")
    share, lost = cpu_share(build, options.seconds)
    print(f"CPU, capture and view at 2.4 MS/s: {100 * share:.1f} % of a core; lost {lost}")
    print(f"load of the machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")


main()
