# ctest-labels: unit
# ctest-timeout: 400
"""Every call that the program makes of the CUDA runtime fails, once and for ever
(tests/fakes/cuda_faults.c). Asked for the GPU, it says so in one line and leaves no half-written
file; left to choose, it goes on with the CPU, and the accounts still balance. Here the GPU is a
fake, whose levels mean nothing; test_cuda_faults_gpu.py does the same with a real one."""
import json
import os
import shutil
import struct
import sys

import test_faults as faults
from test_faults import HOME, check, run

MOST = int(os.environ.get("WEIR_CUDA_FAULTS", "60"))  # calls tried of a run
SYNTH = "synth:format=cs16,rate=1M,seconds=0.05,seed=3,drop=20000:500"


def runs():
    with open(HOME + "/x.cs16", "wb") as f:
        f.write(struct.pack("<4000h", *((i * 77) % 2001 - 1000 for i in range(4000))))
    return [["spectra", SYNTH, "--fft", "1024", "-o", "OUT.jsonl", "--reproducible"],
            ["spectra", SYNTH, "--fft", "256", "--average", "all", "-o", "OUT.csv"],
            ["measure", SYNTH, "--fft", "4096", "--json"],
            ["fft", HOME + "/x.cs16", "-f", "cs16", "-o", "OUT.npy"]]


def refusal():
    """Why there is no GPU, or nothing."""
    r = run([*runs()[0], "--engine", "cuda"])
    return "" if r[0] == 0 else r[2].strip()


def numbers_of(n):
    """All of 1 .. n, or the first ones and some evenly spaced."""
    if n <= MOST:
        return list(range(1, n + 1))
    half = MOST // 2
    return [*range(1, half + 1), *(half + (n - half) * i // half for i in range(1, half + 1))]


def test_asked_for():
    """Exit 69 (71 for memory) and one line, or, where the call did not matter, the right result."""
    for arguments in runs():
        command = [*arguments, "--engine", "cuda"]
        code, out, err, counts, names = run(command)
        check(code == 0 and counts["cuda"] > 10, f"{command}: {code} {counts} {err}")
        n_failed = 0
        for n in numbers_of(counts["cuda"]):
            for more in ("", "+"):
                what = f"cuda:{n}{more} {' '.join(command)}"
                result = run(command, f"cuda:{n}{more}")
                faults.check_failure(what, result, (69, 71), "GPU|CUDA|cuda")
                check(result[0] != 0 or (result[1] == out and result[4] == names), what)
                n_failed += result[0] != 0
        print(f"cuda: {counts['cuda']} calls, {n_failed} failures: {' '.join(command)[:70]}")
        check(n_failed > 5, f"{command}: hardly a call matters")


def totals_of(text):
    last = json.loads(text.splitlines()[-1])
    return {k: last[k] for k in ("received", "transformed", "skipped", "lost", "tail")}


def test_left_to_choose():
    """--engine auto: nothing is lost, whichever call fails."""
    command = ["spectra", SYNTH, "--fft", "1024", "--to", "jsonl", "--reproducible",
               "--engine", "auto"]
    code, right, err, counts, _ = run(command)
    check(code == 0 and counts["cuda"] > 10, f"auto does not take the GPU: {counts} {err}")
    for n in numbers_of(counts["cuda"]):
        for more in ("", "+"):
            code, out, err, _, _ = run(command, f"cuda:{n}{more}")
            what = f"cuda:{n}{more} {' '.join(command)}"
            check(code == 0, f"{what}: {code} {err}")
            if code == 0:
                t = totals_of(out)
                check(t["received"] == t["transformed"] + t["skipped"] + t["lost"] + t["tail"] and
                      t == totals_of(right), f"{what}: {t} instead of {totals_of(right)}")


def main(fake):
    if fake:
        faults.ENV["WEIR_FAKE_GPU"] = "1"
    faults.make_inputs()
    try:
        why = refusal()
        if why and fake and faults.HAS_CUDA:
            print("failed: a call is missing in tests/fakes/cuda_faults.c:", why)
            return 1
        if why:
            print("skipped: no CUDA in this build, or no GPU:", why)
            return 77
        for name, test in sorted(globals().items()):
            if name.startswith("test_") and callable(test):
                print("#", name, flush=True)
                test()
    finally:
        shutil.rmtree(HOME, ignore_errors=True)
    print(f"{faults.passed} passed, {faults.failed} failed")
    return faults.failed != 0


if __name__ == "__main__":
    sys.exit(main(fake=True))
