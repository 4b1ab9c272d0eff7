"""Draws docs/fft-lengths.svg from the results of bench_fft_lengths.

    python3 bench/plot_fft.py CSV...     e.g. bench/results/fft-lengths-h200*.csv

A length that is in several files is taken from the first that has it, library by library.
Only the standard library is needed. With --summary: medians of the ratios as text.
"""
import math
import os
import statistics
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
KINDS = [("powers of two", "#1f77b4"), ("factors to 13", "#2ca02c"), ("primes", "#d62728"),
         ("other lengths", "#ff7f0e")]
LIBRARIES = [("weir", "#1f77b4"), ("cuFFT", "#d62728"), ("VkFFT", "#7f7f7f")]
LEFT, TOP, WIDTH, HEIGHT, GAP = 70, 40, 900, 260, 60
LAST = 13  # log2 of the largest length


def read(paths):
    """n: (GB/s of ours, cuFFT, VkFFT), None where one is missing; and ratios likewise."""
    speeds, ratios = {}, {}
    for path in paths:
        with open(path) as f:
            for line in f:
                if not line[0].isdigit():
                    continue
                n, batch, ours, _, cufft, _, vkfft, _ = line.strip().split(",")
                n, times = int(n), [float(t) if t else None for t in (ours, cufft, vkfft)]
                bytes_moved = 16e-6 * n * int(batch)
                here = [bytes_moved / t if t else None for t in times]
                speeds[n] = [a or b for a, b in zip(speeds.get(n, [None] * 3), here)]
                peers = [t / times[0] if t else None for t in times[1:]]
                ratios[n] = [a or b for a, b in zip(ratios.get(n, [None] * 2), peers)]
    return speeds, ratios


def kind(n):
    if n & (n - 1) == 0:
        return 0
    rest = n
    for p in (2, 3, 5, 7, 11, 13):
        while rest % p == 0:
            rest //= p
    if rest == 1:
        return 1
    return 2 if all(n % d for d in range(2, math.isqrt(n) + 1)) else 3


def place_x(n):
    return round(LEFT + WIDTH * (math.log2(n) - 0.8) / (LAST - 0.7), 1)


class Panel:
    def __init__(self, out, top, title, ticks, scale=lambda v: v):
        self.out, self.top, self.scale = out, top, scale
        self.low, self.high = scale(ticks[0]), scale(ticks[-1])
        out.append(f'<text x="{LEFT}" y="{top - 10}" font-size="14">{title}</text>')
        for k in range(1, LAST + 1):
            x = place_x(2**k)
            out.append(f'<line x1="{x}" y1="{top}" x2="{x}" y2="{top + HEIGHT}" stroke="#ddd"/>'
                       f'<text x="{x}" y="{top + HEIGHT + 16}" text-anchor="middle">{2**k}</text>')
        for value in ticks:
            y, colour = self.place_y(value), "#888" if value == 1 else "#ddd"
            out.append(f'<line x1="{LEFT}" y1="{y}" x2="{LEFT + WIDTH}" y2="{y}" '
                       f'stroke="{colour}"/><text x="{LEFT - 8}" y="{y + 4}" '
                       f'text-anchor="end">{value:g}</text>')

    def place_y(self, value):
        part = (self.scale(value) - self.low) / (self.high - self.low)
        return round(self.top + HEIGHT * (1 - min(max(part, 0), 1)), 1)

    def dots(self, points, colour, size):
        places = sorted({(round(place_x(n)), round(self.place_y(v))) for n, v in points})
        path = "".join(f"M{x} {y}h0" for x, y in places)
        self.out.append(f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="{size}" '
                        'stroke-linecap="round"/>')


def legend(out, y, entries):
    for i, (label, colour) in enumerate(entries):
        x = LEFT + 10 + 150 * i
        out.append(f'<circle cx="{x}" cy="{y}" r="4" fill="{colour}"/>'
                   f'<text x="{x + 10}" y="{y + 4}">{label}</text>')


def draw(speeds, ratios):
    step = HEIGHT + GAP + 20
    total = TOP + 3 * step
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH + 30}" '
           f'height="{total}" font-family="sans-serif" font-size="11">',
           '<rect width="100%" height="100%" fill="white"/>']
    panel = Panel(out, TOP, "GB/s, each value once in and once out", range(0, 4501, 500))
    for i in (2, 1, 0):
        panel.dots([(n, v[i]) for n, v in sorted(speeds.items()) if v[i]], LIBRARIES[i][1],
                   2 if i < 2 else 3)
    legend(out, TOP + HEIGHT + 36, LIBRARIES)
    for i, peer in enumerate(("cuFFT", "VkFFT")):
        top = TOP + (i + 1) * step
        panel = Panel(out, top, f"time of {peer} over time of weir",
                      [0.125, 0.25, 0.5, 1, 2, 4, 8], math.log2)
        for k in (3, 2, 1, 0):
            panel.dots([(n, r[i]) for n, r in sorted(ratios.items()) if r[i] and kind(n) == k],
                       KINDS[k][1], 5 if k == 0 else 2 if i == 0 else 4)
        legend(out, top + HEIGHT + 36, KINDS)
    out.append("</svg>")
    with open(f"{HERE}/../docs/fft-lengths.svg", "w") as f:
        f.write("\n".join(out) + "\n")


def summarize(ratios):
    print("peer,kind,lengths,median,least,most,share at 1 or more")
    for i, peer in enumerate(("cuFFT", "VkFFT")):
        for k, (label, _) in enumerate(KINDS):
            r = [v[i] for n, v in ratios.items() if v[i] and kind(n) == k]
            if r:
                print(f"{peer},{label},{len(r)},{statistics.median(r):.3f},{min(r):.3f},"
                      f"{max(r):.3f},{sum(x >= 1 for x in r) / len(r):.3f}")


def main():
    paths = [p for p in sys.argv[1:] if p != "--summary"]
    speeds, ratios = read(paths)
    if "--summary" in sys.argv:
        summarize(ratios)
    else:
        draw(speeds, ratios)


main()
