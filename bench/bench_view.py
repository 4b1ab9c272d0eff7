#!/usr/bin/env python3
"""What the terminal view costs: bytes a second, processor time of a frame, time to the first
picture.

    bench/bench_view.py [--build build/release] [--seconds 10]

The demo of tests/view_demo.c (a synthetic band, 30 lines a second) draws on a pseudo terminal of
200 x 50 cells of 10 x 20 pixels that takes everything; the view counts its frames by processor
time in powers of two. The first picture is timed from the start of `weir view synth:` to the first
half block of the waterfall, on a terminal that answers no questions. Prints a table in Markdown.
"""
import argparse
import fcntl
import os
import pty
import re
import select
import struct
import sys
import termios
import time

COLUMNS, ROWS, CELL_WIDTH, CELL_HEIGHT = 200, 50, 10, 20
KINDS = (("characters, direct colour", ["graphics=off"]),
         ("characters, 256 colours", ["graphics=off", "color=256"]),
         ("characters, ASCII, no colour", ["graphics=off", "color=none", "charset=ascii"]),
         ("kitty's pictures", ["graphics=kitty"]),
         ("sixels", ["graphics=sixel"]))


def start(arguments, stderr=None):
    pid, fd = pty.fork()
    if pid == 0:
        time.sleep(0.05)  # until the size is set
        if stderr is not None:
            os.dup2(stderr, 2)
        names = dict(os.environ, TERM="xterm-256color", COLORTERM="truecolor", LANG="C.UTF-8")
        for name in ("NO_COLOR", "LC_ALL", "STY", "TMUX"):
            names.pop(name, None)
        os.execve(arguments[0], arguments, names)
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack(
        "HHHH", ROWS, COLUMNS, COLUMNS * CELL_WIDTH, ROWS * CELL_HEIGHT))
    return pid, fd


def read(fd, until=None):
    """Bytes read until the end, or until a text has come."""
    n, last = 0, b""
    while True:
        if not select.select([fd], [], [], 60)[0]:
            sys.exit("bench_view: nothing came for a minute")
        try:
            data = os.read(fd, 1 << 20)
        except OSError:
            return n
        n, last = n + len(data), last[-8:] + data
        if not data or (until and until in last):
            return n


def measure(demo, seconds, arguments):
    figures, figures_in = os.pipe()
    pid, fd = start([demo, f"seconds={seconds}", "lps=30", "stats=1", *arguments], figures_in)
    os.close(figures_in)
    n = read(fd)
    os.waitpid(pid, 0)
    text = os.read(figures, 65536).decode()
    took, frames = map(float, re.search(r"seconds (\S+) frames (\S+)", text).groups())
    below = [(int(us), int(k)) for us, k in re.findall(r"below_us (\d+) frames (\d+)", text)]
    return n / took, frames / took, quantile(below, 0.5), quantile(below, 0.99)


def quantile(below, part):
    left = part * sum(k for _, k in below)
    for us, k in below:
        left -= k
        if left <= 0:
            return us
    return below[-1][0]


def first_picture(weir):
    times = []
    for _ in range(9):
        began = time.monotonic()
        pid, fd = start([weir, "view", "synth:"])
        read(fd, until="▀".encode())
        times.append(time.monotonic() - began - 0.05)
        os.write(fd, b"q")
        read(fd)
        os.waitpid(pid, 0)
        os.close(fd)
    return sorted(times)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--seconds", type=float, default=10)
    options = parser.parse_args()
    demo = os.path.join(options.build, "tests", "weir_view_demo")
    print("| 200 x 50 cells, 30 lines/s | kB/s | frames/s | frame, median | frame, p99 |")
    print("| --- | --- | --- | --- | --- |")
    for name, arguments in KINDS:
        rate, fps, median, p99 = measure(demo, options.seconds, arguments)
        print(f"| {name} | {rate / 1e3:.0f} | {fps:.1f} | < {median} us | < {p99} us |", flush=True)
    times = first_picture(os.path.join(options.build, "weir"))
    print(f"\nfirst picture: median {times[4] * 1e3:.0f} ms, longest of 9 {times[-1] * 1e3:.0f} ms")


main()
