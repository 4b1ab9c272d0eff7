# ctest-labels: unit clock
# ctest-timeout: 120
"""--alert in spectra, record and sweep: lines, commands, recordings, rates, errors."""
import array
import json
import math
import os
import re
import subprocess
import time

from program import ENV, HOME, WEIR, check, path, read, run_tests, weir

# 200 ms of burst at the beginning of every second.
BURSTS = "synth:rate=1M,seconds=3,noise=-60,fsk=100k:20k:10k:200ms:1s@-20,center=433.92M"
RULE = "burst: band 433.9M:434.1M > -30 dBFS for 50ms"


def events(text):
    return [e for e in map(json.loads, text.splitlines()) if e["schema"] == "weir.alert/1"]


def is_as_sent(found):
    """Three bursts, to a line of 5 ms; the band's power is the burst's."""
    check([e["event"] for e in found] == ["begin", "end"] * 3, f"{found}")
    for i, (begin, end) in enumerate(zip(found[::2], found[1::2])):
        check(begin["rule"] == "burst" and begin["comparison"] == ">", f"{begin}")
        check(abs(begin["time_s"] - i) < 0.006 and abs(end["seconds"] - 0.2) < 0.006, f"{end}")
        check(0.05 <= begin["seconds"] < 0.06, f"{begin}")
        check(abs(begin["level_db"] + 20) < 0.2 and abs(end["extreme_db"] + 20) < 0.2, f"{end}")
        check(begin["first_sample"] == end["first_sample"], "one and the same")


def test_where_lines_go():
    common = ["spectra", BURSTS, "--average", "5ms", "--alert", RULE]
    r = weir(*common, "-o", "x.csv")
    check(r.returncode == 0, r.stderr)
    is_as_sent(events(r.stdout))
    r = weir(*common)
    check(r.stdout.startswith(b"# schema"), "results keep standard output")
    is_as_sent(events(b"\n".join(line for line in r.stderr.splitlines() if line[:1] == b"{")))
    for _ in range(2):
        r = weir(*common, "-o", "x.csv", "--alert-log", "x.log")
    with open(path("x.log"), "rb") as f:
        found = events(f.read())
    check(len(found) == 12 and r.stdout == b"", "a log is appended to")
    with open(path("x.csv"), "rb") as f:
        with_alerts = f.read()
    weir("spectra", BURSTS, "--average", "5ms", "-o", "x.csv")
    with open(path("x.csv"), "rb") as f:
        check(f.read() == with_alerts, "the results are the same with and without")


def test_record():
    r = weir("record", BURSTS, "--average", "5ms", "--alert", RULE, "-o", "r.cu8")
    check(r.returncode == 0, r.stderr)
    is_as_sent(events(r.stdout))
    weir("record", BURSTS, "-o", "plain.cu8")
    with open(path("r.cu8"), "rb") as a, open(path("plain.cu8"), "rb") as b:
        check(a.read() == b.read(), "the recording is the same with and without")


def test_lines_that_are_too_long():
    """Bursts of 20 ms are none of 50 ms: record sees that by itself, spectra warns where its lines
    cannot."""
    short = BURSTS.replace("200ms", "20ms")
    r = weir("record", short, "--alert", RULE, "-o", "r.cu8")
    check(r.returncode == 0 and not events(r.stdout) and b"warning" not in r.stderr, r.stderr)
    r = weir("record", BURSTS, "--alert", RULE, "-o", "r.cu8")
    found = events(r.stdout)
    check([e["event"] for e in found] == ["begin", "end"] * 3
          and all(abs(e["seconds"] - 0.2) < 0.03 for e in found[1::2]), f"{found} {r.stderr}")
    r = weir("spectra", short, "--alert", RULE, "-o", "x.csv")
    check(b"lines of 104 ms cannot tell 50 ms" in r.stderr and b"--average 10ms" in r.stderr,
          r.stderr)
    r = weir("spectra", short, "--alert", RULE, "-o", "x.csv", "--average", "10ms")
    check(not events(r.stdout) and b"cannot tell" not in r.stderr, r.stderr)


def test_clips():
    """Each recording is the part of the stream that it says, to the sample, in every run."""
    weir("record", BURSTS, "-o", "plain.cu8")
    with open(path("plain.cu8"), "rb") as f:
        stream = f.read()
    for name in ("a-{n}-{rule}.sigmf-meta", "b-{n}.sigmf-meta"):
        r = weir("spectra", BURSTS, "--average", "5ms", "--alert", RULE, "-o", "x.csv",
                 "--alert-record", name, "--alert-before", "100ms", "--alert-after", "50ms")
        check(r.returncode == 0 and r.stderr.count(b"recorded, 0 samples lost") == 3,
              f"{r.returncode} {r.stderr}")
        files = [e["file"] for e in events(r.stdout)]
        check(files[::2] == files[1::2] and len(set(files)) == 3, f"{files}")
        for e in events(r.stdout)[1::2]:
            with open(path(e["file"]), encoding="utf-8") as f:
                meta = json.load(f)
            with open(path(e["file"].replace("meta", "data")), "rb") as f:
                data = f.read()
            (capture,) = meta["captures"]
            start = max(0, e["first_sample"] - 100000)
            end = e["end_sample"] + 50000
            check(capture["core:global_index"] == start, f"{capture}")
            check(data == stream[2 * start:2 * end], f"{e['file']}: {len(data)} bytes")
            (note,) = meta["annotations"]
            check(note["core:label"] == "burst" and note["core:sample_start"]
                  == e["first_sample"] - start, f"{note}")
    check(os.path.exists(path("a-1-burst.sigmf-meta")), "the name by its pattern")
    r = weir("spectra", BURSTS, "--average", "5ms", "--alert", RULE, "-o", "x.csv",
             "--alert-record", "b-{n}.sigmf-meta", "--alert-longest", "150ms", "--alert-before",
             "0")
    check(os.path.exists(path("b-4.sigmf-meta")), "none is overwritten")
    check(os.path.getsize(path("b-4.sigmf-data")) == 2 * 150000, "the longest")
    with open(path("c-1.sigmf-data"), "wb") as f:
        f.write(b"samples whose metadata is elsewhere")
    r = weir("spectra", BURSTS, "--average", "5ms", "--alert", RULE, "-o", "x.csv",
             "--alert-record", "c-{n}.sigmf-meta")
    check(os.path.exists(path("c-2.sigmf-meta")), f"the next name: {r}")
    with open(path("c-1.sigmf-data"), "rb") as f:
        check(f.read() == b"samples whose metadata is elsewhere", "samples alone are kept, too")


def test_a_path_too_long_to_be_told():
    folder = os.path.join(*["\x01" * 200] * 2)  # six characters each in JSON
    os.makedirs(path(folder))
    r = weir("spectra", BURSTS, "--average", "5ms", "--alert", RULE, "-o", "x.csv",
             "--alert-record", os.path.join(folder, "{n}.cu8"), "--alert-after", "50ms")
    check(r.returncode == 0 and b"whose path is too long" in r.stderr, r.stderr)
    found = events(r.stdout)
    is_as_sent(found)
    check(all(e["file"] is None for e in found), f"{found}")
    check(len(os.listdir(path(folder))) == 3, "and recorded all the same")


def test_clips_of_a_zoom():
    """With --span too: the samples of the input, to the sample, those of the first line as well."""
    weir("record", BURSTS, "-o", "plain.cu8")
    stream = read("plain.cu8")
    for n, more in enumerate((("--span", "60k", "--zoom-center", "434.02M"),
                              ("--iq-correct", "track:100ms"))):
        r = weir("spectra", BURSTS, "--fft", "256", "--average", "5ms", "--alert",
                 "burst: band 434.005M:434.035M > -30 for 50ms", "-o", "x.csv", "--alert-record",
                 f"z{n}-{{n}}.sigmf-meta", "--alert-before", "100ms", "--alert-after", "50ms",
                 *more)
        check(r.returncode == 0 and r.stderr.count(b"recorded, 0 samples lost") == 3,
              f"{more}: {r.returncode} {r.stderr}")
        for e in events(r.stdout)[1::2]:
            meta = json.loads(read(e["file"]))
            start = max(0, e["first_sample"] - 100000)
            check(meta["captures"][0]["core:global_index"] == start, f"{more}: {meta['captures']}")
            check(read(e["file"].replace("meta", "data"))
                  == stream[2 * start:2 * (e["end_sample"] + 50000)], f"{more}: {e['file']}")


def test_commands():
    script = path("say")
    with open(script, "w", encoding="utf-8") as f:
        f.write('#!/bin/sh\necho "$# $1 $WEIR_ALERT_RULE $WEIR_ALERT_EVENT" >>"$2"\n'
                'echo "$WEIR_ALERT_JSON" >>"$2"\necho words\n')
    os.chmod(script, 0o755)
    r = weir("spectra", BURSTS, "--average", "5ms", "--alert", RULE, "-o", "x.csv", "--alert-run",
              f"{script} 'a  $HOME *' {path('out')}")
    with open(path("out"), encoding="utf-8") as f:
        lines = f.read().splitlines()
    check(lines[0] == "2 a  $HOME * burst begin", f"{lines}")
    check(json.loads(lines[1])["event"] == "begin", f"{lines}")
    left_out = re.search(rb"of (\d+) alerts was not run", r.stderr)
    left_out = int(left_out.group(1)) if left_out else 0
    check(len(lines) == 2 * (3 - left_out), f"run, or counted as not run: {lines} {r.stderr}")
    check(len(events(r.stdout)) == 6, "its output does not go among the lines")
    r = weir("spectra", BURSTS, "--average", "5ms", "--alert", RULE, "-o", "x.csv",
             "--alert-shell", "--alert-run", f"echo $WEIR_ALERT_RULE | tr a-z A-Z >{path('up')}")
    with open(path("up"), encoding="utf-8") as f:
        check(f.read() == "BURST\n", "a shell, when asked for")
    begin = time.monotonic()
    r = subprocess.run([WEIR, "spectra", BURSTS, "--average", "5ms", "--alert", RULE, "-o", "x.csv",
                        "--alert-run", "sleep 80"], env=ENV, cwd=HOME, timeout=90, check=False,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    check(time.monotonic() - begin < 60 and r.returncode == 0, "a command that hangs")
    r = weir("spectra", BURSTS, "--average", "5ms", "--alert", RULE, "-o", "x.csv",
             "--alert-run", "/nonexistent/command")
    check(r.returncode == 74 and b"/nonexistent/command" in r.stderr, f"{r.returncode} {r.stderr}")


def test_many_events():
    """Thousands of events as fast as they can come, into a slow reader: the run is not held up."""
    source = "synth:rate=1M,seconds=20,noise=-60,fsk=100k:20k:10k:1ms:2ms@-20"
    p = subprocess.Popen([WEIR, "spectra", source, "--fft", "256", "--overlap", "0", "--average",
                          "1", "--alert", "band > -30", "-o", "/dev/null", "--to", "csv",
                          "--range", "99.9M:99.91M"], env=ENV, stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE)
    time.sleep(3)
    out, err = p.communicate(timeout=60)
    check(p.returncode == 0, f"{err}")
    told = len(events(out))
    dropped = re.search(rb"(\d+) alerts came too fast", err)
    check(told + (int(dropped.group(1)) if dropped else 0) > 15000, f"{told} {err}")


def test_sweep():
    r = weir("sweep", "tuner:", "-f", "88M:92M:5k", "-f", "100M:102M:5k", "--passes", "3",
             "--alert", "here: peak 100.4M:100.6M > -60", "--alert", "there: peak 500M:501M > -60",
             "-o", "x.jsonl")
    found = events(r.stdout)
    check([(e["rule"], e["event"]) for e in found] == [("here", "begin"), ("here", "end")],
          f"{found}")
    r = weir("sweep", "tuner:", "-f", "88M:92M:5k", "--alert", "band > -10", "--alert-record",
             "{n}.cs16")
    check(r.returncode == 64 and b"only SigMF" in r.stderr, f"{r.stderr}")
    r = weir("sweep", "tuner:", "-f", "88M:92M:5k", "--alert", "band > 1", "--alert-record",
             "{n}.sigmf-meta", "--alert-before", "100h")
    check(r.returncode == 64 and b"backlog" in r.stderr, f"{r.stderr}")


def tuned_to(meta, n_samples):
    """Where each tuning of a recording begins and ends in it, and its centre."""
    captures = meta["captures"]
    ends = [c["core:sample_start"] for c in captures[1:]] + [n_samples]
    return [(c["core:sample_start"], end, c["core:frequency"]) for c, end in zip(captures, ends)]


def test_clips_of_a_sweep():
    """All samples from before the pass of the alert on to after it, tuning by tuning, between
    passes too: what a carrier and its tuning say is what is in the file."""
    source = "tuner:noise=-80,carrier=100.5M@-20"
    r = weir("sweep", source, "-f", "88M:90M:5k", "-f", "100M:102M:5k", "--passes", "3", "--speed",
             "1", "--interval", "300ms", "--alert", "here: peak 100.4M:100.6M > -40",
             "--alert-record", "s-{n}.sigmf-meta", "--alert-before", "2ms", "--alert-after",
             "100ms", "-o", "x.jsonl")
    begin, end = events(r.stdout)
    check(r.returncode == 0 and b" 0 samples lost" in r.stderr, f"{r.stderr}")
    meta = json.loads(read("s-1.sigmf-meta"))
    data = array.array("h", read("s-1.sigmf-data"))
    n = len(data) // 2
    check(meta["captures"][0]["core:global_index"] == begin["first_sample"] - 4800, f"{meta}")
    check(n >= end["end_sample"] - begin["first_sample"] + 4800, f"{n} samples, {end}")
    (note,) = meta["annotations"]
    check(note["core:sample_start"] == 4800, f"{note}")
    tunings = tuned_to(meta, n)
    check(all(c["core:global_index"] - c["core:sample_start"] == begin["first_sample"] - 4800
              for c in meta["captures"]), "no sample is missing between them")
    heard = set()
    for first, last, center in tunings:
        last = min(last, first + 40000)
        middle = (first + last) // 2 * 2  # a tuning begins with what has not settled
        part = data[middle:2 * last]
        power = sum(x * x for x in part) / max(len(part) // 2, 1) / 32767 ** 2
        level = 10 * math.log10(max(power, 1e-12))
        is_near = abs(center - 100.5e6) < 1.2e6
        check(abs(level + 20) < 1 if is_near else level < -40, f"{center}: {level:.1f} dBFS")
        heard.add(is_near)
    check(heard == {True, False} and len(tunings) >= 12, f"{len(tunings)} tunings")


def test_clip_of_a_long_sweep():
    """More tunings than a ring has marks for: the first, which raised the alert, is there."""
    r = weir("sweep", "tuner:noise=-110,carrier=24.5M@-10", "-r", "1M", "-f", "24M:120M:20k",
             "--alert", "here: peak 24.4M:24.6M > -40", "--alert-record", "l-{n}.sigmf-meta",
             "--alert-after", "0", "-o", "x.jsonl")
    check(r.returncode == 0 and b"0 samples lost" in r.stderr, f"{r.returncode} {r.stderr}")
    begin, end = events(r.stdout)
    meta = json.loads(read("l-1.sigmf-meta"))
    tunings = tuned_to(meta, os.path.getsize(path("l-1.sigmf-data")) // 4)
    check(len(tunings) > 400, f"{len(tunings)} tunings")
    check(all(c["core:global_index"] == c["core:sample_start"] for c in meta["captures"]),
          "from the first sample on, and none is missing")
    check(tunings[-1][1] == end["end_sample"], f"{tunings[-1]} {end}")
    check(meta["annotations"][0]["core:sample_start"] == begin["first_sample"], "its place")


def test_output_that_fails():
    """A full disk for the results: the recording that an alert has begun is completed."""
    if not os.path.exists("/dev/full"):
        return
    for i, command in enumerate((("spectra", BURSTS), ("sweep", "tuner:", "-f", "88M:92M:5k",
                                                       "--passes", "1000"))):
        r = weir(*command, "--alert", "band > -200", "-o", "/dev/full", "--to", "csv",
                 "--alert-record", f"f{i}-{{n}}.sigmf-meta")
        begin, end = events(r.stdout)
        check(r.returncode == 74 and r.stderr.count(b"weir: error") == 1, f"{r.stderr}")
        check(begin["event"] == "begin" and end["event"] == "end" and
              os.path.getsize(path(f"f{i}-1.sigmf-data")) > 1000, f"{command}: {begin} {end}")


def test_names_by_time():
    """Two rules at the same time: a file each, and none takes the place of another."""
    rules = ["--alert", "a: band 434M:434.04M > -200", "--alert", "b: band 434M:434.04M > -200"]
    for _ in range(2):
        r = weir("spectra", BURSTS, *rules, "-o", "x.csv", "--alert-record", "n-{time}.cu8")
        files = {e["file"] for e in events(r.stdout)}
        check(r.returncode == 0 and len(files) == 2, f"{r.returncode} {files} {r.stderr}")
    names = sorted(n for n in os.listdir(HOME) if n.startswith("n-"))
    check(names == [f"n-0.000s{n}.cu8" for n in ("-2", "-3", "-4", "")], f"{names}")


def test_outside():
    r = weir("spectra", BURSTS, "--alert", "band 100M:101M < -30", "-o", "x.csv")
    check(r.stdout == b"" and r.stderr.count(b"outside") == 1, f"{r.stderr}")


def test_errors():
    for pattern, args in (
            (r"--alert: .*band or peak", ("--alert", "bend")),
            (r"dBFS here, not in dBm", ("--alert", "band > -40 dBm")),
            (r"take the place", ("--alert", "band > 1", "--alert-record", "x.cu8")),
            (r"--alert-record: .*cu8", ("--alert", "band > 1", "--alert-record", "{n}.cs16")),
            (r"lacks the closing", ("--alert", "band > 1", "--alert-run", "a 'b")),
            (r"no --alert", ("--alert-run", "true")),
            (r"no --alert-run", ("--alert", "band > 1", "--alert-shell")),
            (r"backlog", ("--alert", "band > 1", "--alert-record", "{n}.cu8", "--alert-before",
                          "100h"))):
        r = weir("spectra", BURSTS, "-o", "e.csv", *args)
        check(r.returncode == 64 and re.search(pattern, r.stderr.decode()),
              f"{args}: {r.returncode} {r.stderr}")
    check(not os.path.exists(path("e.csv")), "nothing was made")
    r = weir("spectra", BURSTS, "--alert", "band > -40 dBm", "--unit", "dBm", "--offset", "10",
             "-o", "x.csv")
    check(r.returncode == 0, "the unit that is in force")


run_tests(globals())
