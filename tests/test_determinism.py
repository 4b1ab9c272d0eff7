# ctest-labels: replay
# ctest-timeout: 300
"""The same samples give the same bytes: at any speed, by any number of threads, however reads
are cut, in any run, folder, locale and time zone, with or without FFTW's wisdom in the cache.
A loop's seam is marked and no transform spans it; time is samples divided by the rate.

Scenario row "replay twice, 1x, 10x, max speed, loop". What the input is called is the only
thing that may differ between a file, a pipe and a wrapped source, and only where it stands.
"""
import json
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import threading
import wave
import zlib

WEIR = os.environ["WEIR"]
CORPUS = os.environ["WEIR_CORPUS"]
if not os.access(WEIR, os.X_OK):
    print("skipped: the program is not built")
    sys.exit(77)

FEATURES = subprocess.run([WEIR, "--version"], capture_output=True, text=True).stdout
KINDS = [".csv", ".jsonl", ".npy"] + ([] if "no PNG" in FEATURES else [".png"])
HOME = tempfile.mkdtemp(prefix="weir-determinism-")
passed = failed = 0


def check(ok, what):
    global passed, failed
    passed, failed = passed + bool(ok), failed + (not ok)
    if not ok:
        print("failed:", what, file=sys.stderr)


def spectra(source, *options, feed=None, env=None, kinds=KINDS):
    """What `weir spectra` writes, by ending. feed: a function that writes into its stdin."""
    folder = tempfile.mkdtemp(dir=HOME)
    outputs = [a for kind in kinds for a in ("-o", folder + "/out" + kind)]
    process = subprocess.Popen(
        [WEIR, "spectra", source, "--reproducible", "--title", "T", "-q", *options, *outputs],
        stdin=subprocess.PIPE if feed else subprocess.DEVNULL, stderr=subprocess.PIPE,
        env={**os.environ, "XDG_CACHE_HOME": HOME + "/cache", "XDG_CONFIG_HOME": HOME,
             **(env or {})})
    if feed:
        feeder = threading.Thread(target=feed, args=(process.stdin,))
        feeder.start()
    err = process.stderr.read().decode()
    code = process.wait(timeout=100)
    if feed:
        feeder.join()
    if code != 0:
        check(False, f"{source} {options}: exit {code}: {err}")
        return {}
    result = {}
    for kind in kinds:
        with open(folder + "/out" + kind, "rb") as file:
            result[kind] = file.read()
    shutil.rmtree(folder)
    return result


# ---- recordings ----

def make_cu8(path, n, seed):
    """A carrier in noise, with clipped stretches."""
    rng = random.Random(seed)
    data = bytearray(rng.randbytes(2 * n))
    for i in range(0, 2 * n - 4, 16):
        data[i:i + 4] = b"\xff\x80\xf0\x90"
    with open(path, "wb") as file:
        file.write(data)


def make_cf32(path, n, seed):
    """Gaussian noise with some samples that are not finite."""
    rng = random.Random(seed)
    values = [rng.gauss(0, 0.1) for _ in range(2 * n)]
    values[n], values[n + 1001] = float("nan"), float("inf")
    with open(path, "wb") as file:
        file.write(struct.pack(f"<{2 * n}f", *values))


def make_wav(path, n, seed):
    rng = random.Random(seed)
    with wave.open(path, "wb") as file:
        file.setnchannels(2)
        file.setsampwidth(3)
        file.setframerate(48000)
        file.writeframes(rng.randbytes(6 * n))


# ---- what may differ ----

def png_chunks(data):
    at, chunks = 8, []
    while at < len(data):
        size, = struct.unpack(">I", data[at:at + 4])
        chunks.append((data[at + 4:at + 8], data[at + 8:at + 8 + size]))
        at += 12 + size
    return chunks


def png_rows(data):
    """The pixels, row by row, as libpng's filters left them (8-bit palette: no filter is usual,
    and every row says which one it has)."""
    chunks = png_chunks(data)
    width, height = struct.unpack(">II", next(c for k, c in chunks if k == b"IHDR")[:8])
    raw = zlib.decompress(b"".join(c for k, c in chunks if k == b"IDAT"))
    return [raw[y * (width + 1):(y + 1) * (width + 1)] for y in range(height)]


PLOT_TOP = 100  # the heading with the description lies above


def without_source(kind, data, description_too):
    """The same output without what names the source."""
    if kind == ".csv":
        return re.sub(rb"^# (source|format): .*\n", b"", data, flags=re.M)
    if kind == ".jsonl":
        first, rest = data.split(b"\n", 1)
        header = json.loads(first)
        for name in ("source", "description", "n_samples"):
            header.pop(name)
        return json.dumps(header).encode() + rest
    if kind == ".png" and description_too:
        return b"".join(png_rows(data)[PLOT_TOP:])
    if kind == ".png":
        return [(k, c) for k, c in png_chunks(data) if not c.startswith(b"Source\0")]
    return data


def same(a, b, what):
    check(a.keys() == b.keys(), f"{what}: outputs {list(a)} and {list(b)}")
    for kind in a:
        check(a[kind] == b.get(kind), f"{what}: {kind} differs")


def same_but_source(a, b, what, description_too=False):
    for kind in a:
        check(without_source(kind, a[kind], description_too)
              == without_source(kind, b[kind], description_too), f"{what}: {kind} differs")


# ---- how bytes arrive ----

def in_pieces(path, seed, most):
    """Feeds a file in pieces of odd sizes, which cut samples anywhere."""
    def feed(pipe):
        rng = random.Random(seed)
        with open(path, "rb") as file:
            data = file.read()
        at = 0
        try:
            while at < len(data):
                size = rng.randint(1, most) | 1
                pipe.write(data[at:at + size])
                pipe.flush()
                at += size
            pipe.close()
        except BrokenPipeError:
            pass
    return feed


# ---- the tests ----

SETTINGS = [
    ["--fft", "4096"],
    ["--fft", "1000", "--overlap", "75%", "--average", "7", "--trace", "max"],
    ["--fft", "4099", "--average", "all", "--density", "--window", "blackman-harris"],
    ["--fft", "512", "--hop", "700", "--smooth", "20ms", "--detrend"],
]


def test_threads_speeds_runs(source, options, more):
    for settings in SETTINGS + more:
        what = " ".join([os.path.basename(source), *settings])
        once = spectra(source, *options, *settings)
        same(once, spectra(source, *options, *settings), what + ": a second run")
        for threads in ("1", "2", "3", "7", "16"):
            same(once, spectra(source, *options, *settings, "--threads", threads),
                 f"{what}: {threads} threads")
        same(once, spectra(source, *options, *settings, "--speed", "10"), what + ": speed 10")
    same(once, spectra(source, *options, *settings, "--speed", "1"), what + ": speed 1")


def test_reads(source, options, more):
    for settings in SETTINGS[:2] + more:
        what = " ".join([os.path.basename(source), *settings])
        once = spectra(source, *options, *settings)
        for seed, most in ((1, 63), (2, 5000), (3, 200000)):
            piped = spectra("-", *options, *settings, feed=in_pieces(source, seed, most))
            same_but_source(once, piped, f"{what}: piped in pieces of 1 to {most}")
        for faults in ("", "short", "short,seed=9", "delay=50k/5ms,short"):
            wrapped = spectra(f"fault:{faults}:{source}", *options, *settings)
            same_but_source(once, wrapped, f"{what}: reads cut by \"{faults}\"", True)


def test_surroundings(source, options):
    once = spectra(source, *options)
    elsewhere = os.path.join(tempfile.mkdtemp(dir=HOME), os.path.basename(source))
    shutil.copy(source, elsewhere)  # with a time of its own
    same(once, spectra(elsewhere, *options), "in another folder")
    for env in ({"TZ": "Asia/Kathmandu"}, {"LC_ALL": "C"}, {"LC_ALL": "de_DE.UTF-8"}):
        same(once, spectra(source, *options, env=env), f"with {env}")
    # A measured plan leaves its wisdom in the cache; the next run does not look at it.
    spectra(source, *options, "--plan", "measure")
    same(once, spectra(source, *options), "with wisdom in the cache")
    for kind in ("rtl_power", "hackrf_sweep", "text", "peaks", "persistence"):
        if kind == "persistence" and ".png" not in KINDS:
            continue
        first = spectra(source, *options, "--to", kind, kinds=[".txt"])
        same(first, spectra(source, *options, "--to", kind, "--threads", "3", kinds=[".txt"],
                            env={"TZ": "Asia/Kathmandu"}), f"as {kind}")


def test_synth():
    recipe = ("synth:format=cs16,rate=1M,seconds=0.3,seed=11,demo,dither=1,drop=90000:1234,"
              "retune=200000:101M")
    kinds = [k for k in KINDS if k != ".npy"]  # which has one axis
    once = spectra(recipe, kinds=kinds)
    for more in (["--threads", "1"], ["--threads", "5"], ["--speed", "10"], ["--speed", "1"]):
        same(once, spectra(recipe, *more, kinds=kinds), f"{recipe} {more}")
    wrapped = spectra("fault:short:" + recipe, kinds=kinds)
    same_but_source(once, wrapped, "synth: with short reads", True)


def test_parts(source, options):
    """A part of a recording is that part: its lines are those of the whole, but for the time."""
    whole = spectra(source, *options, "--fft", "1000", "--average", "10")
    hop_s = 500 / 1e6
    part = spectra(source, *options, "--fft", "1000", "--average", "10",
                   "--start", repr(100 * hop_s), "--duration", repr(50 * hop_s))
    lines = [json.loads(line) for line in whole[".jsonl"].splitlines()]
    cut = [json.loads(line) for line in part[".jsonl"].splitlines()]
    levels = [line["level_db"] for line in lines[1:-1]]
    check(len(cut) > 4 and [line["level_db"] for line in cut[1:-2]]
          == levels[10:10 + len(cut) - 3], "a part has other levels than the whole")
    check(cut[-1]["received"] == 25000, f"a part of 25000 samples: {cut[-1]}")


def test_loop(source, options, length):
    n_fft, rounds = 1000, 2.5
    n = int(length * rounds)
    out = spectra(source, *options, "--fft", str(n_fft), "--average", "16", "--loop",
                  "--duration", repr(n / 1e6), kinds=[".jsonl"])
    lines = [json.loads(line) for line in out[".jsonl"].splitlines()]
    totals, lines = lines[-1], lines[1:-1]
    check(totals["received"] == n, f"loop: received {totals['received']} of {n}")
    check(totals["received"] == totals["transformed"] + totals["skipped"] + totals["lost"]
          + totals["tail"], f"loop: accounts {totals}")
    seams = [length, 2 * length]
    for seam in seams:
        across = [s for s in lines if s["first_sample"] < seam < s["end_sample"]]
        check(not across, f"loop: a spectrum across the seam at {seam}")
        before = [s for s in lines if s["end_sample"] <= seam][-1]
        after = next(s for s in lines if s["first_sample"] >= seam)
        check(after["first_sample"] == seam, f"loop: nothing begins at the seam {seam}")
        check(before["partial"] and seam - before["end_sample"] < n_fft,
              f"loop: the line before the seam is not marked: {before['end_sample']}")
    # Each round is the first one again.
    rounds_lines = [[s["level_db"] for s in lines if a <= s["first_sample"] < b]
                    for a, b in ((0, length), (length, 2 * length))]
    check(rounds_lines[0] == rounds_lines[1] and len(rounds_lines[0]) > 5,
          "loop: the second round differs from the first")
    for s in lines:
        check(abs(s["time_s"] - s["first_sample"] / 1e6) < 1e-12, "time is samples / rate")


def test_duration(source, options, length):
    out = spectra(source, *options, kinds=[".jsonl", ".csv"])
    totals = json.loads(out[".jsonl"].splitlines()[-1])
    last = json.loads(out[".jsonl"].splitlines()[-2])
    check(totals["received"] == length, f"{totals['received']} samples, {length} in the file")
    check(last["end_sample"] + totals["tail"] == length, "the last line ends where samples do")


def test_measure(source, options):
    """Figures, too."""
    def measured(*more):
        r = subprocess.run([WEIR, "measure", *more, *options, "--json", "--every", "50ms", "-q"],
                           capture_output=True, text=True)
        check(r.returncode == 0 and r.stdout, f"measure {more}: {r.stderr}")
        return [json.loads(line) | {"source": ""} for line in r.stdout.splitlines()]

    once = measured(source)
    check(len(once) > 1, "several results")
    for more in ([source], [source, "--threads", "3"], [source, "--speed", "10"],
                 ["fault:short:" + source]):
        check(measured(*more) == once, f"measure {more} differs")


def test_corpus():
    table = os.path.join(CORPUS, "expected.csv")
    if not os.path.exists(table):
        print("the corpus is not here: only what this test makes was looked at")
        return
    needs = {"flac": "no audio files", "sigmf": "no SigMF"}
    with open(table, encoding="utf-8") as file:
        names = [line.split(",")[0] for line in file][1:]
    for name in sorted(set(names))[:40]:
        ending = name.rsplit(".", 1)[-1].replace("sigmf-meta", "sigmf")
        if ending not in ("wav", "flac", "sigmf") or needs.get(ending, "\0") in FEATURES:
            continue
        path = os.path.join(CORPUS, name)
        once = spectra(path, "--fft", "1024")
        same(once, spectra(path, "--fft", "1024", "--threads", "3"), f"{name}: 3 threads")
        wrapped = spectra("fault:short:" + path, "--fft", "1024", "--threads", "2")
        same_but_source(once, wrapped, f"{name}: short reads", True)


def main():
    cu8, cf32, wav = HOME + "/a.cu8", HOME + "/b.cf32", HOME + "/c.wav"
    make_cu8(cu8, 300001, 1)
    make_cf32(cf32, 60000, 2)
    make_wav(wav, 30000, 3)
    radio = ["--rate", "1M", "--center", "100M"]
    zoom = [["--span", "60k", "--zoom-center", "100.07M", "--fft", "256", "--dc", "interpolate"],
            ["--iq-correct", "auto", "--fft", "2048"],
            ["--iq-correct", "track:20ms", "--fft", "2048"],
            ["--iq-correct", "track", "--span", "100k"]]
    corrected = ["--ppm", "12.5", "--transverter", "1G", "--offset", "3.1", "--dc", "remove",
                 "--fft", "4097", "--hop", "9001", "--trace", "min"]  # and N odd, hop above it
    with open(HOME + "/curve.cal", "w", encoding="ascii") as file:
        file.write("20 0\n1000 1.5\n20000 -3\n")
    test_threads_speeds_runs(cu8, radio, zoom + [corrected])
    test_threads_speeds_runs(wav, ["--channel", "2"], [
        ["--weighting", "A", "--calibration", HOME + "/curve.cal", "--fft", "3000"]])
    test_reads(cu8, radio + ["--format", "cu8"], zoom)
    test_reads(cf32, radio + ["--format", "cf32"], [])
    test_reads(wav, ["--channel", "2"], [])
    test_measure(cu8, radio)
    test_measure(wav, ["--channel", "2"])
    test_surroundings(cu8, radio)
    test_synth()
    test_parts(cu8, radio)
    test_loop(cu8, radio, 300001)
    test_duration(cu8, radio, 300001)
    test_corpus()


if __name__ == "__main__":
    try:
        main()
    finally:
        shutil.rmtree(HOME, ignore_errors=True)
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed or not passed else 0)
