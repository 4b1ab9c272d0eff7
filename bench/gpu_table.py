#!/usr/bin/env python3
"""The figures of bench/gpu_run.sh as a Markdown page: gpu_table.py FOLDER > page.md"""
import json
import pathlib
import sys


def rows(path):
    return [json.loads(line) for line in path.read_text().splitlines() if line.strip()]


def log2(n):
    return n.bit_length() - 1


def table(head, lines):
    print("| " + " | ".join(head) + " |")
    print("|" + " --- |" * len(head))
    for line in lines:
        print("| " + " | ".join(line) + " |")
    print()


def figure(value):
    return f"{value:.1f}" if value else ""


def resident(found):
    cells = {}
    for r in found:
        key = (r["format"], r["k"], r["overlap"], r["n"])
        cells.setdefault(key, {})[r["variant"]] = r["gsps"] if r["checked"] else 0
    groups = sorted({key[:3] for key in cells}, key=lambda g: (g[0], -g[1], g[2]))
    for group in groups:
        lines = []
        for key in sorted(k for k in cells if k[:3] == group):
            v = cells[key]
            best = max(v.get("cufft_3_kernels", 0), v.get("cufft_callbacks", 0))
            ours = v.get("weir", 0)
            lines.append([f"2^{log2(key[3])}", figure(ours), figure(v.get("cufft_3_kernels")),
                          figure(v.get("cufft_callbacks")), figure(v.get("cufftdx")),
                          figure(v.get("textbook")),
                          f"{ours / best:.2f}" if best else ""])
        print(f"### {group[0]}, overlap {100 * group[2]:g} %, mean of {group[1]}\n")
        table(["N", "weir", "cuFFT, 3 kernels", "cuFFT, callbacks", "cuFFTDx",
               "textbook", "weir / best cuFFT"], lines)


def main():
    folder = pathlib.Path(sys.argv[1])
    found = rows(folder / "resident.json")
    print("## What the card allows\n")
    table(["what", "figure"], [[r["what"], f"{r['value']} {r['unit']}"]
                               for r in found if r["section"] == "limits"])
    print("## Samples on the device: input GS/s\n")
    resident([r for r in found if r["section"] == "resident"])
    print("## Accuracy of one frame against double precision\n")
    table(["N", "relative L2 of power", "gate", "worst spur, dB"],
          [[f"2^{log2(r['n'])}", f"{r['power_l2']:.2e}", f"{r['gate']:.2e}",
            f"{r['spur_db']:.1f}" if r["spur_db"] > -999 else ""]
           for r in found if r["section"] == "accuracy"])
    print("## FFTW on one core of the same machine, cu8, 50 %, mean: input MS/s\n")
    table(["N", "MS/s"], [[f"2^{log2(r['n'])}", f"{1e3 * r['gsps']:.1f}"]
                          for r in found if r["section"] == "fftw"])
    found = rows(folder / "streamed.json")
    print("## Streamed from host memory, through the engine\n")
    table(["in", "N", "overlap", "mean of", "host memory", "GB/s", "of the bus", "GS/s"],
          [[r["format"], str(r["n"]), f"{100 * r['overlap']:g} %", str(r["k"]),
            "pinned" if r["pinned"] else "pageable", f"{r['gbps']:.2f}", f"{r['of_bus']:.3f}",
            f"{r['gsps']:.2f}"] for r in found if r["section"] == "streamed"])
    print("## Latency: last sample in memory to callback\n")
    table(["in", "N", "hop", "median us", "p99 us", "worst us"],
          [[r["format"], str(r["n"]), str(r["hop"]), f"{r['median_us']:.1f}", f"{r['p99_us']:.1f}",
            f"{r['worst_us']:.1f}"] for r in found if r["section"] == "latency"])
    print("## 61.44 MS/s cs16, N 1024, 75 %\n")
    table(["a push each", "transforms/s", "of a core", "time kernels run", "of the GPU's capacity"],
          [[f"{r['period_ms']:g} ms", f"{r['transforms_per_s']:.0f}", f"{r['core_percent']:.2f} %",
            f"{r['gpu_percent']:.2f} %", f"{r.get('gpu_capacity_percent', 0):.3f} %"]
           for r in found if r["section"] == "steady"])


main()
