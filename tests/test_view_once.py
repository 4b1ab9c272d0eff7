"""ctest-labels: unit clock
ctest-timeout: 120

`weir view --once` and `--png`: the view's picture without a terminal.
"""
import os
import re
import struct
import subprocess
import sys
import tempfile
import zlib

WEIR = os.environ["WEIR"]
passed = failed = 0


def check(ok, what):
    global passed, failed
    passed, failed = passed + bool(ok), failed + (not ok)
    if not ok:
        print("failed:", what)


def weir(*arguments, **environment):
    names = {**os.environ, "LC_ALL": "C.UTF-8", "TERM": "dumb", **environment}
    names.pop("COLORTERM", None)
    return subprocess.run([WEIR, "view", *arguments], capture_output=True, timeout=100, env=names,
                          stdin=subprocess.DEVNULL)


def test_sizes_and_sets():
    for columns, rows in ((20, 5), (80, 24), (200, 50)):
        for how in ([], ["--ascii"], ["--color", "direct"], ["--color", "256"]):
            r = weir("synth:", "--once", "--size", f"{columns}x{rows}", *how)
            text = re.sub(r"\x1b\[[0-9;]*m", "", r.stdout.decode())
            lines = text.split("\n")[:-1]
            what = f"{columns}x{rows} {how}: {r.stderr}"
            check(r.returncode == 0 and not r.stderr, what)
            check(len(lines) == rows and max(map(len, lines)) <= columns, what)
            check("lost 0" in lines[-1], what)
            check(how != ["--ascii"] or text.isascii(), what)
            check(("\x1b" in r.stdout.decode()) == (how != [] and how != ["--ascii"]), what)
            check("?" not in text and "quit" not in text, what)


def test_short_input_and_full_picture():
    r = weir("synth:seconds=0.2", "--once", "--size", "80x24")
    check(r.returncode == 0 and b"received 480 k" in r.stdout,
          f"short: {r.stdout[-200:]} {r.stderr}")
    r = weir("synth:", "--once", "--size", "80x24", "-d", "1s")
    check(b"received 2.40 M" in r.stdout, f"a duration is kept: {r.stdout[-200:]}")
    check(b"0:00.00" in r.stdout and b"0:00.75" in r.stdout, "all of it is shown")


def test_axis_and_labels(directory):
    path = os.path.join(directory, "channels.csv")
    with open(path, "w") as file:
        file.write("# names\n99.6M,99.9M,Left band\n100.1M,Carrier\n100.3M,100.4M,R\n")
    recipe = "synth:format=cf32,rate=1M,center=100M,seconds=2,tone=100k@-20,noise=-90"
    r = weir(recipe, "--once", "--size", "109x24", "--labels", path, "--utf8")
    ruler = [line for line in r.stdout.decode().split("\n") if "Left band" in line]
    check(len(ruler) == 1, f"a ruler with names: {r}")
    # 100 columns right of the 9 of the gutter are 1 MHz from 99.5 MHz
    for column, glyph in ((10, "├"), (40, "┤"), (60, "▼"), (80, "├"), (90, "┤")):
        near = ruler[0][9 + column - 1:9 + column + 2] if ruler else ""
        check(glyph in near, f"{glyph} at {column}: {ruler}")
    check(ruler and "▼Carrier" in ruler[0] and "R" in ruler[0][90:98], f"names: {ruler}")
    r = weir(recipe, "--once", "--size", "109x24", "--labels", path, "--ascii")
    check(b"[" in r.stdout and b"Left band" in r.stdout and r.stdout.isascii(), "names in ASCII")
    r = weir(recipe, "--once", "--labels", "/nonexistent/x.csv")
    check(r.returncode == 66 and b"/nonexistent/x.csv" in r.stderr, f"no labels: {r}")
    audio = "synth:format=f32,rate=48k,seconds=2,tone=440@-20,noise=-90"
    r = weir(audio, "--once", "--size", "149x24", "--axis", "notes", "--range", "200:2k", "--utf8",
             "--fft", "16384")
    row = [line for line in r.stdout.decode().split("\n") if " C4 " in line and " C5 " in line]
    check(len(row) == 1 and "A4" in row[0], f"notes: {r.stdout.decode()}")
    columns = [i for i, c in enumerate(r.stdout.decode().split("\n")[2]) if c in "▁▂▃▄▅▆▇█"]
    check(row and columns and "A4" in row[0] and
          abs(row[0].index("A4") + 1 - sum(columns) / len(columns)) <= 1,
          f"the tone is over its name: {columns} {row}")
    r = weir(recipe, "--once", "--size", "80x24", "--axis", "log")
    check(r.returncode == 0 and b"MHz" in r.stdout, f"a log axis of a radio band: {r}")


def test_refusals():
    for size in ("80", "x24", "80x", "0x5", "80x24x3", "1e9x3"):
        r = weir("synth:", "--once", "--size", size)
        check(r.returncode == 64 and b"--size" in r.stderr, f"{size}: {r}")
    r = weir("synth:", "--png", "/nonexistent/x.png")
    check(r.returncode == 73 and b"/nonexistent/x.png" in r.stderr, f"no folder: {r}")


def pixels(path):
    """Width, height and rows of palette indices with the palette."""
    data = open(path, "rb").read()
    at, idat, palette, head = 8, b"", b"", None
    while at < len(data):
        n, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + n]
        head = struct.unpack(">IIBBBBB", body) if kind == b"IHDR" else head
        palette = body if kind == b"PLTE" else palette
        idat += body if kind == b"IDAT" else b""
        at += 12 + n
    return head, palette, zlib.decompress(idat)


def test_png(directory):
    one, two = (os.path.join(directory, n) for n in ("1.png", "2.png"))
    recipe = "synth:format=cf32,rate=1M,center=100M,seconds=2,tone=100k@-20,noise=-90"
    for path in (one, two):
        r = weir(recipe, "--png", path, "--size", "100x30", "--average", "20ms",
                 "--levels", "-110:-10")
        check(r.returncode == 0, f"png: {r}")
    check(open(one, "rb").read() == open(two, "rb").read(), "the same bytes every time")
    head, palette, _ = pixels(one)
    check(head[:2] == (1200, 720), f"12x24 pixels a cell: {head}")
    check(len(palette) // 3 > 20, "colours")


def main():
    if not os.access(WEIR, os.X_OK):
        print("skipped: the program is not built")
        return 77
    version = subprocess.run([WEIR, "--version"], capture_output=True, text=True).stdout
    test_sizes_and_sets()
    test_short_input_and_full_picture()
    with tempfile.TemporaryDirectory() as directory:
        test_axis_and_labels(directory)
    if "no PNG" not in version:
        test_refusals()
        with tempfile.TemporaryDirectory() as directory:
            test_png(directory)
    print(f"{passed} passed, {failed} failed")
    return failed > 0


sys.exit(main())
