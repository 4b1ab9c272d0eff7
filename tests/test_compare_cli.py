# ctest-labels: replay
# ctest-timeout: 180
"""weir compare as a user and a CI system meet it: what is caught and named, what is refused and
how, what the reports look like, and that a golden file is never half of one."""
import json
import os
import re
import signal
import subprocess
import time
import xml.etree.ElementTree as xml

from program import ENV, HOME, WEIR, check, has, run_tests, weir

SOURCE = os.environ["WEIR_SOURCE_DIR"]
HAVE_PNG = has("PNG")

NOISE = "synth:format=cs16,rate=1M,center=100M,seconds=0.2,seed=5,dither=1,noise=-50"
TONE = NOISE + ",tone=100k@-20"
ENDLESS = TONE.replace("seconds=0.2,", "")


def compare(*args, env=None):
    return weir("compare", *args, text=True, env={**ENV, **(env or {})})


def expect(code, pattern, *args, **more):
    r = compare(*args, **more)
    check(r.returncode == code, f"{args}: exit {r.returncode}, not {code}: {r.stdout}{r.stderr}")
    check(re.search(pattern, r.stdout, re.M), f"{args}: {r.stdout!r} lacks {pattern!r}")
    return r


def refused(code, pattern, *args, **more):
    r = compare(*args, "-q", **more)
    check(r.returncode == code, f"{args}: exit {r.returncode}, not {code}: {r.stdout}{r.stderr}")
    check(re.search(pattern, r.stderr) and r.stderr.count("\n") == 1,
          f"{args}: {r.stderr!r} lacks {pattern!r}, or is no line")
    check(r.stdout == "", f"{args}: wrote {r.stdout!r}")


def bless(source, name, *args):
    r = compare(source, name, "--bless", "-q", *args)
    check(r.returncode == 0 and r.stdout == "" and r.stderr == "", f"bless {source}: {r}")


def write(name, text):
    with open(os.path.join(HOME, name), "w", encoding="utf-8") as file:
        file.write(text)
    return name


def read(name):
    with open(os.path.join(HOME, name), encoding="utf-8") as file:
        return file.read()


# ---- golden results ----

def test_same():
    expect(0, r"^same: mean: 0 of 4096 bins differ.*max: 0 of.*counts: 0 differ", TONE,
           "tone.golden", "--tolerance", "0")
    first = read("tone.golden")
    for more in (["--threads", "1"], ["--threads", "3"], ["--speed", "10"]):
        bless(TONE, "again.golden", *more)
        check(read("again.golden") == first, f"golden files differ with {more}")


def test_settings_are_taken_from_the_golden_file():
    for settings in (["--fft", "1000", "--overlap", "75%", "--window", "kaiser:9"],
                     ["--rbw", "1k", "--average", "all", "--density"],
                     ["--fft", "777", "--hop", "1001", "--average", "5", "--detrend", "--iq-swap"],
                     ["--smooth", "20ms", "--unit", "dBm", "--offset", "-31.4"],
                     ["--weighting", "A", "--average", "20ms"]):
        bless(TONE, "s.golden", *settings)
        expect(0, "^same: ", TONE, "s.golden", "--tolerance", "0")
        expect(0, "^same: ", TONE, "s.golden", "--tolerance", "0", *settings)
    for settings in (["--full-scale", "2"], ["--full-scale", "2", "--ohms", "50"]):
        bless(TONE, "s.golden", *settings)
        expect(0, "^same: ", TONE, "s.golden", "--tolerance", "0")
        expect(0, "^same: ", TONE, "s.golden", "--tolerance", "0", *settings)
    for settings in (["--span", "50k", "--zoom-center", "100.1M"], ["--dc", "remove"],
                     ["--dc", "interpolate"], ["--ppm", "10"], ["--transverter", "1G"],
                     ["--iq-correct", "0.5:2"]):  # these are not taken from there
        bless(TONE, "s.golden", *settings, "--fft", "512")
        expect(0, "^same: ", TONE, "s.golden", "--tolerance", "0", *settings)
        if settings[1] != "remove":  # which is --detrend
            refused(64, "cannot be compared", TONE, "s.golden")
    stereo = NOISE + ",channels=2"
    bless(stereo, "s.golden", "--channel", "2")
    expect(0, "^same: ", stereo, "s.golden", "--tolerance", "0")
    expect(0, "^same: ", stereo, "s.golden", "--tolerance", "0", "--channel", "2")
    # What is said holds, also where it is what would hold without a golden result.
    refused(64, "cannot be compared.*channel", stereo, "s.golden", "--channel", "1")
    bless(stereo, "s.golden")
    refused(64, "cannot be compared.*channel", stereo, "s.golden", "--channel", "2")
    for made, said in ((["--weighting", "A"], ["--weighting", "Z"]),
                       (["--smooth", "20ms"], ["--smooth", "0"])):
        bless(TONE, "s.golden", *made)
        refused(64, "cannot be compared", TONE, "s.golden", *said)
    # Of a stream that never ends, too: nothing of it is read.
    bless(TONE, "s.golden")
    refused(64, "cannot be compared.*window", ENDLESS, "s.golden", "--window", "hamming")
    bless(TONE, "s.golden", "--offset", "3")
    refused(64, "cannot be compared.*offset", TONE, "s.golden", "--offset", "0")
    if has("configuration"):
        write("s.conf", "config = 1\ndetrend = false\nchannel = 1\n")
        bless(TONE, "s.golden", "--detrend")
        refused(64, "cannot be compared", TONE, "s.golden", "-C", "s.conf")


def test_one_bin_is_caught_and_named():
    """0.6 dB in one bin of the golden file: caught at 0.5, allowed at 0.7 or in its band."""
    lines = read("tone.golden").splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("# frequency_hz")) + 1 + 700
    hz, mean, most = lines[at].split()
    lines[at] = f"{hz} {float(mean) - 0.6:.9g} {most}"
    write("bent.golden", "\n".join(lines) + "\n")
    r = expect(1, r"^mean: .*\(bin 700\): \+0\.60 dB, 0\.5 allowed; ", TONE, "bent.golden",
               "--tolerance", "0.5")
    check(len(r.stdout.splitlines()) == 2, f"one region and a summary: {r.stdout}")
    check(f"golden {float(mean) - 0.6:.2f}" in r.stdout, f"the golden level: {r.stdout}")
    expect(0, "^same: ", TONE, "bent.golden", "--tolerance", "0.7")
    expect(0, "^same: ", TONE, "bent.golden", "--check", "max")
    band = f"{float(hz) - 1:.3f}:{float(hz) + 1:.3f}"
    expect(0, "^same: ", TONE, "bent.golden", "--tolerance", "0", "--tolerance", band + "=0.7")
    expect(1, "bin 700", TONE, "bent.golden", "--tolerance", band + "=0.7", "--tolerance", "0.5")
    expect(0, "^same: ", TONE, "bent.golden", "--ignore-below", "-20")


def test_a_shift_by_one_bin():
    def at(k):
        return f"synth:format=cf32,rate=1024,center=0,seconds=8,tone={k}@-20"
    options = ("--fft", "1024", "--window", "rectangular")
    bless(at(100), "shift.golden", *options)
    r = expect(1, r"bin 61[23]\)", at(101), "shift.golden", "--tolerance", "6")
    check("2 of 1024 bins differ" in r.stdout, f"the old bin and the new one: {r.stdout}")
    expect(0, "^same: ", at(101), "shift.golden", "--tolerance-hz", "1")
    expect(1, "^differs: ", at(102), "shift.golden", "--tolerance-hz", "1")
    expect(0, "^same: ", at(101), "shift.golden", "--tolerance-hz", "90:110=1")
    expect(1, "^differs: ", at(101), "shift.golden", "--tolerance-hz", "110:120=1")
    expect(1, "^differs: ", at(101), "shift.golden", "--tolerance-hz", "1", "--tolerance-hz",
           "90:110=0")
    expect(1, "^differs: ", "synth:format=cf32,rate=1024,center=0,seconds=8,silence",
           "shift.golden", "--tolerance-hz", "500")


def test_counts():
    loose = ("--tolerance", "200", "tone.golden")
    r = expect(1, r"^counts: 4096 lost, golden 0", TONE + ",drop=50000:4096", *loose)
    check("counts: 1 gaps, golden 0" in r.stdout, r.stdout)
    expect(1, r"^counts: 150000 received, golden 200000", TONE, *loose, "--duration", "0.15")
    expect(0, "^same: ", TONE + ",drop=50000:4096", *loose, "--ignore-counts")
    expect(1, r"^counts: \d+ clipped, golden 0", TONE + ",tone=200k@3", *loose)


def test_live():
    live = "fault:live:" + TONE.replace("seconds=0.2,", "")
    bless(live, "live.golden", "--duration", "0.2")
    expect(0, "^same: ", live, "live.golden", "--duration", "0.2", "--tolerance", "0")
    other = live.replace("seed=5", "seed=6")
    expect(0, "^same: ", other, "live.golden", "--duration", "0.3", "--ignore-counts", "--check",
           "mean", "--tolerance", "6")


def test_what_cannot_be_compared():
    refused(64, r"tone\.golden cannot be compared.*n_fft is 4096 there and 1024 here", TONE,
            "tone.golden", "--fft", "1024")
    refused(64, r"window is hann there", TONE, "tone.golden", "--window", "blackman")
    refused(64, r"rate_hz is 1000000 there and 2000000 here",
            TONE.replace("rate=1M", "rate=2M"), "tone.golden")
    refused(64, r"center_hz", TONE.replace("center=100M", "center=101M"), "tone.golden")
    refused(64, r"frames_per_spectrum", TONE, "tone.golden", "--average", "3")
    refused(66, r"missing\.golden", TONE, "missing.golden")
    refused(66, r"missing\.wav", "missing.wav", "tone.golden")
    text = read("tone.golden")
    refused(65, r"g\.golden has version 2", TONE, write("g.golden", text.replace("n 1", "n 2", 1)))
    refused(65, r"g\.golden, line 20\d: cut short", TONE,
            write("g.golden", "\n".join(text.splitlines()[:200]) + "\n"))
    refused(65, r"is not a golden result", TONE, write("m.csv", "0,-20\n1k,-20\n"))
    refused(65, r"one axis", TONE + ",retune=100k:101M", "tone.golden")
    refused(65, r"is empty", write("empty.cs16", ""), "tone.golden", "--rate", "1M")


def test_usage():
    refused(64, "compare with what", TONE)
    refused(64, "which file", TONE, "--bless")
    refused(64, "leave out", TONE, "x.golden", "--bless", "--mask", "m.csv")
    refused(64, "needs --mask", TONE, "tone.golden", "--check", "lines")
    refused(64, r"--tolerance.*range", TONE, "tone.golden", "--tolerance", "88M=1")
    refused(64, r"--tolerance.*lower end", TONE, "tone.golden", "--tolerance", "108M:88M=1")
    refused(64, r"--tolerance.*below 0", TONE, "tone.golden", "--tolerance", "-1")
    refused(64, r"--tolerance", TONE, "tone.golden", "--tolerance", "0,5")
    refused(64, r"--tolerance-hz.*-5 is below 0", TONE, "tone.golden", "--tolerance-hz", "-5")
    refused(64, r"--tolerance-hz.*lower end", TONE, "tone.golden", "--tolerance-hz", "2M:1M=5")
    refused(64, r"more than \d+ tolerances", TONE, "tone.golden",
            *("--tolerance-hz=1M:2M=5",) * 100)
    # What would be left out of account is not: a mask's options without a mask, and the reverse.
    for option in (["--allow", "1%"], ["--mask-log"], ["--mask-relative", "peak"],
                   ["--mask-relative", "carrier", "--mask-carrier", "100M"]):
        refused(64, "add --mask FILE", TONE, "tone.golden", *option)
    refused(64, "needs --mask-relative carrier", TONE, "--mask", "m.csv", "--mask-carrier", "100M")
    for option in ("--tolerance", "--tolerance-hz"):
        refused(64, "for golden results", TONE, "--mask", "m.csv", option, "1")
    refused(64, r"--allow", TONE, "--mask", "m.csv", "--allow", "101%")
    refused(64, r"x\.txt.*\.xml.*\.json", TONE, "tone.golden", "--report", "x.txt")
    refused(73, r"/nowhere/x\.xml", TONE, "tone.golden", "--report", "/nowhere/x.xml")
    refused(73, r"/nowhere/x\.golden", TONE, "/nowhere/x.golden", "--bless")
    if HAVE_PNG:
        refused(73, r"/nowhere/x\.png", TONE, "tone.golden", "--diff-png", "/nowhere/x.png")
    else:
        refused(65, r"libpng", TONE, "tone.golden", "--diff-png", "x.png")


def test_blessing_is_all_or_nothing():
    before = read("tone.golden")
    # The source fails half-way: the old file stays.
    r = compare("fault:error=100k:" + TONE, "tone.golden", "--bless", "-q")
    check(r.returncode == 74, f"a failing source: {r}")
    # A signal half-way: likewise, and the caller sees the signal.
    process = subprocess.Popen([WEIR, "compare", "fault:live:" + TONE.replace("seconds=0.2,", ""),
                                "tone.golden", "--bless", "-q"], cwd=HOME, env=ENV,
                               stderr=subprocess.DEVNULL)
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    check(process.wait(timeout=60) == -signal.SIGINT, f"interrupted: {process.returncode}")
    check(read("tone.golden") == before, "the golden file changed")
    left = [n for n in os.listdir(HOME) if ".weir-" in n]
    check(not left, f"left behind: {left}")
    # A full disk.
    r = compare(TONE, "/dev/full", "--bless", "-q")
    check(r.returncode == 74, f"/dev/full: {r}")


def test_locale():
    expect(0, "^same: ", TONE, "tone.golden", "--tolerance", "0.25", env={"LC_ALL": "de_DE.UTF-8"})


# ---- masks ----

MASK = "frequency,upper,lower\n99.5M,-60,\n100.09M,-60,\n100.09M,-15,\n100.11M,-15,\n" \
       "100.11M,-60,\n100.5M,-60,\n"


def test_mask():
    write("mask.csv", MASK)
    expect(0, r"^inside: mask mean: 0 of 4096 values outside \(0 %\), margin", TONE, "--mask",
           "mask.csv")
    r = expect(1, r"^mask mean: .*worst at 100\.2000 MHz.* dB over the upper limit; .*limit -60\.0",
               TONE + ",tone=200k@-40", "--mask", "mask.csv")
    over = float(re.search(r": ([\d.]+) dB over", r.stdout).group(1))
    check(abs(over - 20) < 1.5, f"a tone of -40 dBFS 20 dB over -60 (scalloping 1.42): {over}")
    write("low.csv", "frequency,lower\n100.0999M,-22\n100.1002M,-22\n")
    expect(0, "^inside: ", TONE, "--mask", "low.csv", "--mask-relative", "absolute", "--window",
           "flattop")
    expect(1, r"under the lower limit", TONE.replace("@-20", "@-30"), "--mask", "low.csv")
    # golden and mask together
    expect(0, r"^same: mask mean: .*; mean: .*; max: .*counts: 0", TONE, "tone.golden", "--mask",
           "mask.csv")


def test_mask_relative():
    write("peak.csv", "99.5M,-40\n100.09M,-40\n100.09M,1\n100.11M,1\n100.11M,-40\n100.5M,-40\n")
    for level in ("-20", "-5"):
        source = TONE.replace("@-20", "@" + level)
        expect(0, "^inside: ", source, "--mask", "peak.csv", "--mask-relative", "peak")
    expect(1, "^outside: ", TONE + ",tone=-200k@-50", "--mask", "peak.csv", "--mask-relative",
           "peak")
    write("carrier.csv", "-400k,-40\n-10k,-40\n-10k,1\n10k,1\n10k,-40\n300k,-40\n")
    for hz in ("100k", "-50k", "77k"):
        source = TONE.replace("=100k@", f"={hz}@")
        expect(0, "^inside: ", source, "--mask", "carrier.csv", "--mask-relative", "carrier")
    two = NOISE + ",tone=100k@-20,tone=-100k@-30"
    expect(1, "^outside: ", two, "--mask", "carrier.csv", "--mask-relative", "carrier")
    r = expect(1, "^outside: ", two, "--mask", "carrier.csv", "--mask-relative", "carrier",
               "--mask-carrier", "99.9M")
    check("100.1001 MHz" in r.stdout, f"the stronger carrier is outside: {r.stdout}")
    refused(64, "carrier at 200000000 Hz", TONE, "--mask", "carrier.csv", "--mask-relative",
            "carrier", "--mask-carrier", "200M")


def test_mask_lines():
    """A burst of 1 of 20 lines: not seen in the mean, seen in the largest and in the lines."""
    burst = ("synth:format=cf32,rate=1M,center=100M,seconds=0.2,noise=-50,"
             "fsk=200k:1k:100:10:1000@-30")
    options = ("--mask", "burst.csv", "--average", "10ms", "--fft", "1000")
    write("burst.csv", "99.5M,-42\n100.5M,-42\n")
    expect(0, "^inside: mask mean", burst, *options)
    expect(1, "^outside: mask max", burst, *options, "--check", "max")
    r = expect(1, r"^mask lines: .* at 0 s", burst, *options, "--check", "lines")
    part = float(re.search(r"outside \(([\d.]+) %", r.stdout).group(1))
    check(0 < part < 0.2, f"{part} % of the values: a few bins of one or two lines")
    expect(0, "^inside: mask lines: .* allowed", burst, *options, "--check", "lines", "--allow",
           "0.2%")
    expect(1, "^outside: ", burst, *options, "--check", "lines", "--allow", f"{part / 2}%")


def test_bad_masks():
    for text, pattern in (("", "no line"), ("1k,-20\n2k\n", "line 2"), ("1k,-20\n2k,x\n", "line 2"),
                          ("2k,-20\n1k,-20\n", "line 2"), ("1k,-20\n2k,nan\n", "line 2"),
                          ("1,5,-20,5\n2,5,-20,5\n", "line 1.*decimal sign is a point"),
                          ("1k;-20\n2k;-20\n", "line 1")):
        refused(65, r"bad\.csv.*" + pattern, TONE, "--mask", write("bad.csv", text))
    refused(66, r"missing\.csv", TONE, "--mask", "missing.csv")
    refused(64, "no limit inside", TONE, "--mask", write("far.csv", "1k,-20\n2k,-20\n"))
    refused(65, r"line 1.*log f", TONE, "--mask", write("log.csv", "0,-20\n2k,-20\n"), "--mask-log")
    write("log.csv", "1M,0\n10000M,-80\n")  # at 100 MHz: -40 over log f, -0.8 over f
    r = expect(0, "^inside", NOISE, "--mask", "log.csv", "--mask-log")
    log = float(re.search(r"margin ([\d.]+)", r.stdout).group(1))
    r = expect(0, "^inside", NOISE, "--mask", "log.csv")
    linear = float(re.search(r"margin ([\d.]+)", r.stdout).group(1))
    check(abs(linear - log - 39.2) < 0.1, f"margins {linear} and {log}")


# ---- reports ----

def junit(name):
    """Checks the usual structure; returns {case: its failure or error element, or None}."""
    root = xml.parse(os.path.join(HOME, name)).getroot()
    check(root.tag == "testsuites" and [e.tag for e in root] == ["testsuite"], "suites")
    suite = root[0]
    cases = list(suite)
    check(all(c.tag == "testcase" for c in cases) and cases, "cases")
    outcomes = {}
    for case in cases:
        check(set(case.attrib) == {"classname", "name", "time"} and float(case.get("time")) >= 0,
              f"attributes {case.attrib}")
        check(len(case) <= 1 and all(e.tag in ("failure", "error") for e in case), "outcome")
        outcomes[case.get("name")] = case[0] if len(case) else None
    bad = [e.tag for e in outcomes.values() if e is not None]
    for element in (root, suite):
        check(int(element.get("tests")) == len(cases), "tests")
        check(int(element.get("failures")) == bad.count("failure"), "failures")
        check(int(element.get("errors")) == bad.count("error"), "errors")
    for element in outcomes.values():
        check(element is None or (element.get("message") and element.get("type")), "message")
    check(suite.get("name"), "the suite's name")
    return outcomes


def report(name):
    def refuse(token):
        raise ValueError("not JSON: " + token)
    return json.loads(read(name), parse_constant=refuse)


def test_reports():
    both = ("--report", "r.xml", "--report", "r.json", "-q")
    expect(0, "^same", TONE, "tone.golden", "--mask", "mask.csv", *both)
    check(junit("r.xml") == {"mask mean": None, "mean": None, "max": None, "counts": None},
          "all passed")
    r = report("r.json")
    check(r["result"] == "same" and [c["passed"] for c in r["checks"]] == [True] * 3, "passed")
    check(r["checks"][1]["largest_db"] == 0 and r["checks"][0]["margin_db"] > 0, str(r)[:500])
    louder = TONE.replace("@-20", "@-19.4") + ",drop=100000:100"
    out = expect(1, "^differs", louder, "tone.golden", "--tolerance", "0.5", *both)
    cases = junit("r.xml")
    check(cases["mean"] is not None and cases["counts"] is not None, f"failures {cases}")
    check(cases["mean"].tag == "failure" and "allowed" in cases["mean"].text, "the regions")
    check("lost" in cases["counts"].text, "the counts")
    for line in cases["mean"].text.strip().splitlines():
        check(line in out.stdout, f"{line!r} is in the report and not on standard output")
    r = report("r.json")
    check(r["result"] == "differs" and r["unit"] == "dBFS" and r["error"] is None, str(r)[:300])
    region = r["checks"][0]["regions"][0]
    check(region["low_hz"] <= region["worst_hz"] <= region["high_hz"], str(region))
    check(abs(region["difference_db"]) > region["allowed_db"] == 0.5, str(region))
    check({"name": "lost", "golden": 0, "measured": 100} in r["counts"], str(r["counts"]))
    documented(r)
    # An error is reported, too.
    for args, text in ((("missing.wav", "tone.golden"), "missing.wav"),
                       ((TONE, "missing.golden"), "missing.golden"),
                       (("fault:error=100k:" + TONE, "tone.golden"), "read error"),
                       ((TONE,), "compare with what"),
                       ((TONE, "tone.golden", "--allow", "1%"), "add --mask FILE"),
                       ((TONE, "tone.golden", "--fft", "64"), "cannot be compared")):
        check(compare(*args, *both).returncode not in (0, 1), f"{args}: no error")
        cases = junit("r.xml")
        check(cases["comparison"].tag == "error" and text in cases["comparison"].get("message"),
              f"{args}: {cases}")
        r = report("r.json")
        check(r["result"] == "error" and text in r["error"] and r["checks"] == [], str(r)[:300])


def test_refused_lines_make_no_report():
    """What is wrong before the comparison begins touches no file."""
    write("kept.xml", "as before")
    for args in ((TONE, "tone.golden", "--fft", "0"), (TONE, "tone.golden", "--wndow", "hann"),
                 (TONE, "tone.golden", "--gain", "3"), (TONE, "a.golden", "b.golden")):
        refused(64, "", *args, "--report", "kept.xml")
        check(read("kept.xml") == "as before", f"{args}: a report")


def documented(r):
    """docs/json.md names every member, and no member that is not there."""
    with open(SOURCE + "/docs/json.md", encoding="utf-8") as file:
        section = file.read().split("## `weir.compare/1`")[1].split("\n## ")[0]
    top, checks, regions, counts = re.split(r"^### ", section, flags=re.M)[:4]
    for part, example in ((top, r), (checks, r["checks"][0]),
                          (regions, r["checks"][0]["regions"][0]), (counts, r["counts"][0])):
        names = set(re.findall(r"^\| `(\w+)`", part, flags=re.M))
        check(names == set(example), f"docs/json.md: {names ^ set(example)}")


def test_hostile_names():
    name = "a<b>&\"c\" \x1b[31m \xe9\ufffe\uffff.golden"
    bless(TONE, name)
    expect(0, "^same", TONE, name, "--report", "r.xml", "--report", "r.json", "-q")
    junit("r.xml")
    check("\x1b" not in read("r.xml"), "an escape in the XML")
    path = os.path.join(HOME.encode(), b"no\xff<\x01.wav")
    r = subprocess.run([WEIR.encode(), b"compare", path, name.encode(), b"--report", b"r.xml",
                        b"--report", b"r.json"], capture_output=True, cwd=HOME, env=ENV)
    check(r.returncode == 66, f"{r}")
    junit("r.xml")
    check(report("r.json")["result"] == "error", "a name that is not UTF-8")


def test_picture():
    if not HAVE_PNG:
        return
    louder = TONE.replace("@-20", "@-19")
    for args in ((louder, "tone.golden"), (louder, "--mask", "mask.csv"),
                 (TONE, "tone.golden"), (TONE, "shift.golden")):
        r = compare(*args, "-q", "--diff-png", "d.png")
        if args[-1] == "shift.golden":  # an error: no picture
            check(r.returncode == 64 and not os.path.exists(HOME + "/d.png"), "no picture")
            continue
        with open(HOME + "/d.png", "rb") as file:
            first = file.read()
        check(first.startswith(b"\x89PNG\r\n\x1a\n") and first.endswith(b"IEND\xaeB`\x82"), "a PNG")
        compare(*args, "-q", "--diff-png", "d.png", "--threads", "2")
        with open(HOME + "/d.png", "rb") as file:
            check(file.read() == first, f"{args}: another picture the second time")
        os.remove(HOME + "/d.png")


bless(TONE, "tone.golden")  # what most of them compare with
run_tests(globals())
