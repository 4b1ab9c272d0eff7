"""Draws docs/fft-lengths.svg from the results of bench_fft_gpu (bench/results/fft-*.csv).

    python3 bench/plot_fft.py NAME     e.g. fft-h200

Only the standard library is needed.
"""
import math
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
GROUPS = [("pow2", "powers of two", "#1f77b4"), ("smooth", "factors to 13", "#2ca02c"),
          ("other", "other lengths", "#d62728")]
LEFT, TOP, WIDTH, HEIGHT, GAP = 70, 40, 800, 300, 70
LAST = 13  # log2 of the largest length


def rows(name, group):
    with open(f"{HERE}/results/{name}-{group}.csv") as f:
        for line in f:
            if line[0].isdigit():
                n, _, _, _, _, ratio, ours, peer = line.split(",")[:8]
                if int(n) <= 2**LAST:
                    yield int(n), float(ratio), float(ours), float(peer)


def panel(out, top, title, low, high, step):
    out.append(f'<text x="{LEFT}" y="{top - 10}" font-size="14">{title}</text>')
    for k in range(1, LAST + 1):
        x = place_x(2**k)
        out.append(f'<line x1="{x}" y1="{top}" x2="{x}" y2="{top + HEIGHT}" stroke="#ddd"/>'
                   f'<text x="{x}" y="{top + HEIGHT + 16}" text-anchor="middle">{2**k}</text>')
    value = low
    while value <= high:
        y = top + HEIGHT * (1 - (value - low) / (high - low))
        out.append(f'<line x1="{LEFT}" y1="{y}" x2="{LEFT + WIDTH}" y2="{y}" stroke="#ddd"/>'
                   f'<text x="{LEFT - 8}" y="{y + 4}" text-anchor="end">{value:g}</text>')
        value += step


def place_x(n):
    return round(LEFT + WIDTH * (math.log2(n) - 0.8) / (LAST - 0.6), 1)


def main():
    name = sys.argv[1]
    total = TOP + 2 * HEIGHT + GAP + 60
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH + 30}" '
           f'height="{total}" font-family="sans-serif" font-size="11">',
           '<rect width="100%" height="100%" fill="white"/>']
    second = TOP + HEIGHT + GAP
    panel(out, TOP, "GB/s, each value once in and once out (filled: weir, open: cuFFT)", 0, 4500,
          500)
    panel(out, second, "time of cuFFT over time of weir", 0, 3.5, 0.5)
    for i, (group, label, colour) in enumerate(GROUPS):
        out.append(f'<circle cx="{LEFT + 10 + 160 * i}" cy="{total - 14}" r="4" fill="{colour}"/>'
                   f'<text x="{LEFT + 20 + 160 * i}" y="{total - 10}">{label}</text>')
        for n, ratio, ours, peer in rows(name, group):
            x = place_x(n)
            for value, fill in ((ours, colour), (peer, "none")):
                y = round(TOP + HEIGHT * (1 - value / 4500), 1)
                out.append(f'<circle cx="{x}" cy="{y}" r="3" fill="{fill}" stroke="{colour}"/>')
            y = round(second + HEIGHT * (1 - min(ratio, 3.5) / 3.5), 1)
            out.append(f'<circle cx="{x}" cy="{y}" r="3" fill="{colour}"/>')
    out.append("</svg>")
    with open(f"{HERE}/../docs/fft-lengths.svg", "w") as f:
        f.write("\n".join(out) + "\n")


main()
