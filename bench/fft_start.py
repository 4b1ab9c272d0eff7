"""How long `weir fft` takes from its start to the first byte of its result.

    python3 bench/fft_start.py WEIR REPEATS ENGINE N...     a line of CSV a length

The input is a .npy file of complex64, the output text on a pipe. Each length is done once
before, so that the driver and the file cache are warm. "end" is when the process is gone:
a CUDA context takes its time to be taken down.
"""
import os
import statistics
import struct
import subprocess
import sys
import tempfile
import time


def npy(n):
    head = f"{{'descr': '<c8', 'fortran_order': False, 'shape': ({n},), }}"
    head += " " * (117 - len(head)) + "\n"
    noise = os.urandom(8 * n).replace(b"\x7f", b"\x3f").replace(b"\xff", b"\xbf")
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", 118) + head.encode() + noise


def run(weir, engine, path, home):
    begin = time.perf_counter()
    with subprocess.Popen([weir, "fft", path, "-e", engine], stdout=subprocess.PIPE,
                          env={**os.environ, "HOME": home}) as process:
        process.stdout.read(1)
        first = time.perf_counter() - begin
        process.stdout.read()
        process.wait()
    if process.returncode:
        sys.exit(f"exit {process.returncode}")
    return 1e3 * first, 1e3 * (time.perf_counter() - begin)


def main():
    weir, repeats, engine, lengths = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4:]
    print("n,first_ms,least_first_ms,end_ms")
    with tempfile.TemporaryDirectory() as folder:
        for n in map(int, lengths):
            with open(f"{folder}/x.npy", "wb") as f:
                f.write(npy(n))
            times = [run(weir, engine, f"{folder}/x.npy", folder) for _ in range(repeats + 1)][1:]
            first, end = zip(*times)
            print(f"{n},{statistics.median(first):.1f},{min(first):.1f},"
                  f"{statistics.median(end):.1f}", flush=True)


main()
