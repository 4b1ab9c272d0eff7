# ctest-labels: unit clock
# ctest-timeout: 180
"""weir sweep on the synthetic tuner: carriers, seams, DC, rtl_power's rows, ranges, accounts,
errors, and memory over many passes."""
import json
import math
import os
import re
import resource
import signal
import subprocess
import time

from program import ENV, HOME, WEIR, check, has, is_recording, live, path, run_tests, until, weir


def sweep(*args):
    return weir("sweep", *args)


def spectra_of(*args):
    r = sweep(*args, "--to", "jsonl")
    check(r.returncode == 0, f"{args}: {r.stderr}")
    rows = [json.loads(line) for line in r.stdout.splitlines()]
    totals = rows[-1]
    check(totals["schema"] == "weir.totals/1", "totals stand last")
    check(totals["received"] == totals["transformed"] + totals["skipped"] + totals["lost"]
          + totals["tail"], f"accounts: {totals}")
    return [row for row in rows if row["schema"] == "weir.spectrum/1"]


def carriers_of(spectrum, carriers):
    """Each within one bin and 0.2 dB."""
    level, start, step = spectrum["level_db"], spectrum["start_hz"], spectrum["bin_hz"]
    for hz, dbfs in carriers:
        near = range(max(0, round((hz - start) / step) - 20),
                     min(len(level), round((hz - start) / step) + 21))
        top = max(near, key=lambda k: level[k])
        check(abs(start + top * step - hz) <= step, f"{hz}: at {start + top * step}")
        check(abs(level[top] - dbfs) <= 0.2, f"{hz}: {level[top]} instead of {dbfs}")


def test_fm_band():
    """88-108 MHz, a spike at DC, a filter that falls off, carriers off the bins."""
    carriers = [(88.0e6 + 137e3 + 691.3e3 * i, -10 - (7 * i) % 50) for i in range(28)]
    recipe = "tuner:noise=-75,dc=0.1,rolloff=20," + ",".join(
        f"carrier={hz:.0f}@{db}" for hz, db in carriers)
    for extra in (["--window", "flattop"], ["--window", "hft90d", "--crop", "40%"],
                  ["--window", "flattop", "--rate", "3.2M"]):
        (spectrum,) = spectra_of(recipe, "-f", "88M:108M:2k", *extra)
        check(abs(spectrum["start_hz"] - 88e6) < 1e-3, "begins at 88 MHz")
        end = spectrum["start_hz"] + spectrum["bin_hz"] * (len(spectrum["level_db"]) - 1)
        check(108e6 - 2e3 < end <= 108e6, f"ends at {end}")
        carriers_of(spectrum, carriers)
        worst = max(level for k, level in enumerate(spectrum["level_db"]) if all(
            abs(spectrum["start_hz"] + k * spectrum["bin_hz"] - hz) > 20e3 for hz, _ in carriers))
        check(worst < -70, f"nothing but noise between carriers: {worst}")


def test_device_that_misses():
    """It tunes to multiples of 25 kHz only: every carrier is where it is all the same."""
    carriers = [(100.1e6 + 477e3 * i, -20) for i in range(8)]
    recipe = "tuner:noise=-90,step=25k," + ",".join(f"carrier={hz:.0f}@{db}" for hz, db in carriers)
    (spectrum,) = spectra_of(recipe, "-f", "100M:104M:1k", "--window", "flattop")
    carriers_of(spectrum, carriers)


def test_device_that_misses_at_an_edge():
    """All of the band is used, and the tuner is 20 kHz too high: nothing was received of the first
    bins, and what is at the other end of the band is not there."""
    recipe = "tuner:noise=-110,step=50k,carrier=102.446M@-10"
    (spectrum,) = spectra_of(recipe, "-f", "100.03M:101M:2k", "--crop", "0", "--spike", "keep")
    check(max(spectrum["level_db"]) < -100, f"{spectrum['level_db'][:20]}")


def test_seams():
    """White noise: bins next to a seam have the same mean on both sides, to 0.1 dB (each mean
    is of 40 bins, of which Hann's makes 20, and 8000 transforms; a step is 0.015 dB by chance)."""
    recipe = "tuner:noise=-40,dc=0.1"
    for how in ("offset", "interpolate"):
        (s,) = spectra_of(recipe, "-f", "88M:108M:10k", "--average", "8000", "--overlap", "0",
                          "--spike", how, "--window", "hann")
        power = [10 ** (level / 10) for level in s["level_db"]]
        hop = {"offset": 75, "interpolate": 180}[how]
        for seam in range(hop, len(power) - 40, hop):
            left, right = sum(power[seam - 40:seam]), sum(power[seam:seam + 40])
            step = 10 * abs(math.log10(left / right))
            check(step < 0.1, f"{how}: {step:.3f} dB at the seam at bin {seam}")


def test_dc():
    """offset and interpolate take the spike away, keep keeps it."""
    recipe = "tuner:noise=-80,dc=0.1"
    peak = {}
    for how in ("offset", "interpolate", "keep"):
        (s,) = spectra_of(recipe, "-f", "88M:98M:10k", "--spike", how)
        peak[how] = max(s["level_db"])
    check(peak["offset"] < -85 and peak["interpolate"] < -85, f"{peak}")
    check(abs(peak["keep"] + 20) < 0.1, f"{peak}")


def test_near_tunings():
    """Two ranges whose tunings are 40 kHz apart, and one that is as far from where the tuner
    begins: it is sent to each, and DC is where it should be, in none of the bins."""
    for first, ranges in (("", ("100.04M:100.1M:1k", "100M:100.1M:1k")),
                          ("center=100.003M,", ("100M:100.1M:1k",))):
        for s in spectra_of(f"tuner:{first}noise=-90,dc=0.1",
                            *(word for text in ranges for word in ("-f", text))):
            check(max(s["level_db"]) < -90, f"{first} {ranges}: {max(s['level_db'])}")


def test_settling():
    """With less settling than the tuner needs, its rubbish is seen."""
    (bad,) = spectra_of("tuner:settle=20ms", "-f", "88M:98M:10k", "--settle", "0")
    (good,) = spectra_of("tuner:settle=20ms", "-f", "88M:98M:10k", "--settle", "20ms")
    check(not spectra_of("tuner:", "-f", "88M:90M:10k", "--settle", "1e30", "-d", "0.1"), "never")
    check(min(bad["level_db"][1000 // 2:]) > -60 and min(good["level_db"]) < -90, "settling")


def test_rtl_power_rows():
    rows = rtl_power_rows("tuner:carrier=95M@-20", "-f", "88M:108M:125k", "--passes", "3")
    check(len(rows) == 24, f"{len(rows)} rows: 8 tunings, 3 passes")
    for i, row in enumerate(rows):
        check(len(row) == 6 + 33 and row[-1] == row[-2], f"32 values, the last twice: {len(row)}")
        low, high = 88000000 + 2500000 * (i % 8), 90500000 + 2500000 * (i % 8)
        check(row[2:5] == [str(low), str(high), "78125.00"], f"{row[:6]}")
        check(re.fullmatch(r"\d{4}-\d\d-\d\d", row[0]) and re.fullmatch(r"\d\d:\d\d:\d\d", row[1]),
              f"time: {row[:2]}")
        check(all(re.fullmatch(r"-?\d+\.\d\d", value) for value in row[6:]), "values")
    for p in range(3):
        check(len({tuple(row[:2]) for row in rows[8 * p:8 * p + 8]}) == 1, "a time a pass")
    (row,) = rtl_power_rows("tuner:", "-f", "100M:100.5M:1k")
    check(row[2:5] == ["100000000", "100500000", "976.56"] and len(row) == 6 + 513, "narrow range")
    rows = rtl_power_rows("tuner:", "-f", "88M:107M:100k")  # ts->freq -+ (int)(2714285 / 2)
    check([row[2:4] for row in rows] == [
        [str(88000000 + 2714285 * i), str(88000000 + 2714285 * i + 2714284)] for i in range(7)],
        f"{[row[2:4] for row in rows]}")
    rows = rtl_power_rows("tuner:", "-f", "88M:92M:1000001")
    check([row[2:4] for row in rows] == [
        [str(88000000 + 1000001 * i), str(89000000 + 1000001 * i)] for i in range(3)], f"{rows}")
    rows = rtl_power_rows("tuner:", "-f", "88M:108M:125k", "--rate", "2.4M")
    check(all(float(a[3]) == float(b[2]) for a, b in zip(rows, rows[1:])), "rows follow each other")


def rtl_power_rows(*args):
    r = sweep(*args, "--to", "rtl_power")
    check(r.returncode == 0, f"{args}: {r.stderr}")
    return [line.split(", ") for line in r.stdout.decode().splitlines()]


def test_giant_bins():
    """Bins of 1 MHz and more: a tuning each, its power without DC, as many as fit."""
    carriers = [(88.3e6, -20), (88.7e6, -23), (91.25e6, -10)]
    recipe = "tuner:noise=-70,dc=0.1," + ",".join(f"carrier={hz:.0f}@{db}" for hz, db in carriers)
    rows = rtl_power_rows(recipe, "-f", "88M:92.9M:1M")
    check([row[2:5] for row in rows] == [
        [str(88000000 + 1000000 * i), str(89000000 + 1000000 * i), "1000000.00"]
        for i in range(4)], f"{rows}")
    check(all(len(row) == 8 and row[6] == row[7] for row in rows), "one value, twice")
    both = 10 * math.log10(10 ** -2 + 10 ** -2.3)
    for row, level in zip(rows, (both, -70, -70, -10)):
        check(abs(float(row[6]) - level) < 0.2, f"{row}: {level:.2f}")
    kept = rtl_power_rows(recipe, "-f", "89M:91M:1M", "--spike", "keep")
    check(all(abs(float(row[6]) + 20) < 0.1 for row in kept), f"with DC: {kept}")
    rows = rtl_power_rows("tuner:", "-f", "88M:108M:2.8M", "--passes", "2")
    check(len(rows) == 14 and rows[6][3] == "107600000", f"{rows}")
    for words, arguments in (("2.8 MHz", ("-f", "88M:108M:3M")),
                             ("wider than the range", ("-f", "88M:89M:2M")),
                             ("mean of its power", ("-f", "88M:90M:1M", "--trace", "max"))):
        r = sweep("tuner:", *arguments, "--to", "rtl_power")
        check(r.returncode == 64 and words in r.stderr.decode(), f"{r.stderr}")


def test_an_array_has_one_axis():
    """Several ranges into a .npy are refused before anything is swept or written."""
    several = ("-f", "88M:90M", "-f", "100M:108M")
    for arguments in (("-o", path("several.npy")), ("--to", "npy"),
                      ("-o", path("several.csv"), "-o", path("several.npy"))):
        r = sweep("tuner:", *several, *arguments)
        check(r.returncode == 64 and b"one axis" in r.stderr and r.stderr.count(b"\n") == 1
              and r.stdout == b"", f"{arguments}: {r}")
        check(not os.path.exists(path("several.npy")), f"{arguments}: something was written")
    for ranges, name in ((several, "several.csv"), (("-f", "88M:90M") * 2, "one.npy")):
        r = sweep("tuner:", *ranges, "-o", path(name))
        check(r.returncode == 0 and os.path.exists(path(name)), f"{name}: {r}")


def test_every_pass_is_its_own():
    for command, source in (("sweep", "tuner:"), ("survey", "-")):
        r = subprocess.run([WEIR, command, source, "--hold", "max"], capture_output=True, env=ENV,
                           stdin=subprocess.DEVNULL, timeout=60)
        check(r.returncode == 64 and b"--hold does not apply" in r.stderr, f"{command}: {r.stderr}")


def test_true_frequencies():
    """A transverter and a clock that runs fast: ranges and results are in true frequencies."""
    carriers = [(100.1e6 + 477e3 * i, -20) for i in range(8)]
    recipe = "tuner:noise=-90," + ",".join(f"carrier={hz:.0f}@{db}" for hz, db in carriers)
    true = [(hz * (1 + 40e-6) + 9.75e9, db) for hz, db in carriers]
    (s,) = spectra_of(recipe, "-f", "9.8501G:9.8536G:1k", "--window", "flattop", "--ppm", "40",
                      "--transverter", "9.75G")
    check(abs(s["start_hz"] - 9.8501e9) < 1e-3 and s["bin_hz"] <= 1000.05, f"{s['start_hz']}")
    carriers_of(s, true[:7])


def test_corrections():
    """IQ imbalance: the image goes, by the numbers given; what a sweep cannot do, it says."""
    recipe = "tuner:noise=-100,carrier=88.3M@-10,iq=1:3"
    image = {}
    for how in ((), ("--iq-correct", "1:3")):
        r = sweep(recipe, "-f", "88M:90M:5k", "--spike", "keep", "--window", "flattop", "--to",
                  "jsonl", *how)
        if r.returncode != 0:
            check(False, f"{how}: {r.stderr}")
            return
        (s,) = [row for row in map(json.loads, r.stdout.splitlines())
                if row["schema"] == "weir.spectrum/1"]
        image[how] = max(level for k, level in enumerate(s["level_db"])
                         if abs(s["start_hz"] + k * s["bin_hz"] - 88.3e6) > 50e3)
    check(image[()] > -50 and image[("--iq-correct", "1:3")] < -75, f"{image}")
    for words, arguments in (("--iq-correct", ("--iq-correct", "auto")),
                             ("--spike", ("--dc", "interpolate")), ("--span", ("--span", "5k"))):
        r = sweep("tuner:", "-f", "88M:90M:5k", *arguments)
        check(r.returncode == 64 and words in r.stderr.decode() and r.stderr.count(b"\n") == 1,
              f"{arguments}: {r.stderr}")


def test_ranges_and_outputs():
    out = HOME + "/x"
    have_png = has("PNG")
    r = sweep("tuner:", "-f", "88M:90M:5k", "-f", "100M:101M:10k", "-o", out + ".csv", "-o",
              out + ".jsonl", *(["-o", out + ".png"] if have_png else []))
    check(r.returncode == 0 and r.stdout == b"", f"{r}")
    spectra = [json.loads(line) for line in open(out + ".jsonl", encoding="utf-8")][1:-1]
    check([round(s["start_hz"]) for s in spectra] == [88000000, 100000000], "two ranges")
    check([len(s["level_db"]) for s in spectra] == [401, 201], "one bin width for all")
    check(not have_png or open(out + ".png", "rb").read(4) == b"\x89PNG", "a picture")
    check(sum(not line.startswith("#") for line in open(out + ".csv", encoding="utf-8")) == 4,
          "CSV")
    maxima = spectra_of("tuner:noise=-50", "-f", "88M:90M:5k", "--trace", "max")
    means = spectra_of("tuner:noise=-50", "-f", "88M:90M:5k")
    check(sum(maxima[0]["level_db"]) > sum(means[0]["level_db"]) + 401, "the maximum trace")


@live
def test_timing():
    begin = time.monotonic()
    spectra = spectra_of("tuner:", "-f", "88M:90M:5k", "--interval", "200ms", "--exit-after", "1s",
                         "--speed", "1")
    took = time.monotonic() - begin
    check(2 <= len(spectra) <= 6 and 0.9 < took < 10, f"{len(spectra)} passes in {took} s")
    check(len(spectra_of("tuner:", "-f", "88M:90M:5k", "--passes", "7")) == 7, "passes")
    check(spectra_of("tuner:seconds=0.001", "-f", "88M:90M:5k") == [], "an end within a pass")


def test_signal():
    p = subprocess.Popen([WEIR, "sweep", "tuner:", "-f", "88M:90M:5k", "--interval", "0", "--to",
                          "jsonl", "-o", HOME + "/signal.jsonl"], env=ENV,
                         stderr=subprocess.PIPE)
    check(until(lambda: is_recording(HOME, 100000)), "passes are written")
    p.send_signal(signal.SIGINT)
    _, err = p.communicate(timeout=60)
    check(p.returncode == -signal.SIGINT and b"received" in err, f"{p.returncode}: {err}")
    rows = [json.loads(line) for line in open(HOME + "/signal.jsonl", encoding="utf-8")]
    check(rows[-1]["schema"] == "weir.totals/1" and len(rows) > 3, "the output is complete")


def resident_kb(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as status:
        return int(re.search(r"VmRSS:\s+(\d+)", status.read()).group(1))


def test_flat_memory():
    """Thousands of passes: what is resident once a second has added nothing, after 20 s at most,
    is what is resident 3 s later (sanitizers keep what is freed)."""
    with open(WEIR, "rb") as f:
        if b"__asan_init" in (program := f.read()) or b"__tsan_init" in program:
            return
    p = subprocess.Popen([WEIR, "sweep", "tuner:", "-f", "88M:90M:5k", "-f", "100M:101M:5k",
                          "--interval", "0", "--average", "1", "--settle", "0", "-o", "/dev/null",
                          "--to", "csv", "-q"], env=ENV)
    early = 0
    for _ in range(20):
        time.sleep(1)
        before, early = early, resident_kb(p.pid)
        if early - before < 50:
            break
    time.sleep(3)
    late = resident_kb(p.pid)
    p.send_signal(signal.SIGTERM)
    p.wait(timeout=60)
    check(late - early < 600, f"memory: {early} kB, then {late} kB")


def test_errors():
    for code, pattern, args in (
            (64, "-f LO:HI", ("tuner:",)),
            (64, "begins", ("tuner:", "-f", "90M:80M")),
            (64, "cannot be tuned", ("synth:", "-f", "88M:108M")),
            (64, "--fft", ("tuner:", "-f", "88M:108M:1k", "--fft", "1024")),
            (64, "--average", ("tuner:", "-f", "88M:108M:1k", "--average", "all")),
            (64, "complex", ("tuner:format=s16", "-f", "88M:108M:1k")),
            (64, "leaves nothing", ("tuner:", "-f", "88M:108M:1k", "--crop", "99%")),
            (64, "no tuning lasts", ("tuner:", "-f", "88M:108M:1k", "--average", "1e18")),
            (64, "no tuning lasts", ("tuner:", "-f", "88M:108M:1k", "--average", "1e300s")),
            (64, "cannot tune", ("tuner:", "-f", "200G:201G:1k"))):
        r = sweep(*args)
        err = r.stderr.decode()
        check(r.returncode == code and re.search(pattern, err) and not r.stdout.startswith(b"{"),
              f"{args}: {r.returncode} {err}")


resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
run_tests(globals())
