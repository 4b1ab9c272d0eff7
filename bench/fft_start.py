"""How long `weir fft` takes from its start to its written result, for many lengths.

    python3 bench/fft_start.py WEIR REPEATS ENGINE N...     a line of CSV a length

Input and output are .npy files of complex64 and complex128; the whole process is timed,
reading and writing included, after one that warms the driver and the file cache.
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
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", 118) + head.encode() + os.urandom(
        8 * n).replace(b"\x7f", b"\x3f").replace(b"\xff", b"\xbf")


def main():
    weir, repeats, engine, lengths = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4:]
    print("n,median_ms,least_ms,most_ms")
    with tempfile.TemporaryDirectory() as folder:
        for n in map(int, lengths):
            with open(f"{folder}/x.npy", "wb") as f:
                f.write(npy(n))
            times = []
            for _ in range(repeats + 1):
                begin = time.perf_counter()
                subprocess.run([weir, "fft", f"{folder}/x.npy", "-e", engine, "-o",
                                f"{folder}/y.npy"], check=True,
                               env={**os.environ, "HOME": folder})
                times.append(1e3 * (time.perf_counter() - begin))
            times = times[1:]
            print(f"{n},{statistics.median(times):.1f},{min(times):.1f},{max(times):.1f}",
                  flush=True)


main()
