# ctest-labels: unit clock
"""weir record as a user meets it: the same bytes, other readers (sox, ffmpeg),
gaps, limits, Ctrl-C, a full disk, a slow reader, a reader that goes away, and errors."""
import array
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import time

from program import (ENV, HOME, WEIR, check, has, is_recording, live, path, read, run_tests, until,
                     weir)

HAVE_SIGMF = has("SigMF")


def record(*args, **more):
    return weir("record", *args, **more)


def accounts(r):
    m = re.search(rb"(\d+) samples received = (\d+) written \+ (\d+) lost \+ (\d+) after", r.stderr)
    check(m is not None, f"accounts: {r.stderr}")
    received, written, lost, rest = map(int, m.groups()) if m else (0, 0, 0, 0)
    check(received == written + lost + rest, f"accounts balance: {r.stderr}")
    return received, written, lost, rest


def test_same_bytes():
    """Raw to standard output, to a file, through SigMF and through WAV: one and the same."""
    source = "synth:seconds=0.7,noise=-20,tone=100k@-10"
    raw = record(source, "-o", "-").stdout
    check(len(raw) == 2 * 1680000, "length")
    check(record(source).stdout == raw, "standard output is the default")
    for name in ("a.cu8", "a.wav", "a.sigmf-meta", "a.raw"):
        if name.endswith("meta") and not HAVE_SIGMF:
            continue
        r = record(source, "-o", path(name))
        check(r.returncode == 0 and accounts(r) == (1680000, 1680000, 0, 0), f"{name}: {r.stderr}")
        said = {"a.raw": ["-f", "cu8", "-r", "2.4M"], "a.cu8": ["-r", "2.4M"]}.get(name, [])
        back = record(path(name), "-o", "-", *said)
        check(back.stdout == raw, f"{name}: {back.stderr}")
    part = record(path("a.wav"), "--start", "0.1", "--duration", "0.2", "-o", "-").stdout
    check(part == raw[2 * 240000:2 * 720000], "a part of it")


def test_other_readers():
    """Audio as sox (libsndfile or its own reader) and ffmpeg see it."""
    for fmt, bits in (("s16", 16), ("s24", 24), ("s32", 32), ("f32", 32)):
        name = path(f"audio-{fmt}.wav")
        source = f"synth:format={fmt},rate=48k,seconds=0.5,noise=-20,channels=2"
        check(record(source, "-o", name).returncode == 0, fmt)
        raw = record(source, "-o", "-").stdout
        if shutil.which("sox") and fmt != "f32":  # it works with 32-bit integers
            r = subprocess.run(["sox", "-D", name, "-t", "raw", "-e", "signed-integer", "-b",
                                str(bits), "-"], capture_output=True, check=False)
            check(r.stdout == raw, f"sox: {fmt}: {r.stderr}")
        if shutil.which("ffmpeg"):
            r = subprocess.run(["ffmpeg", "-v", "error", "-i", name, "-f", fmt + "le", "-"],
                               capture_output=True, check=False)
            check(r.stdout == raw and not r.stderr, f"ffmpeg: {fmt}: {r.stderr}")


def test_gaps():
    source = "synth:seconds=0.5,drop=1000:500,drop=9000:1,retune=200000:101M,noise=-20"
    if HAVE_SIGMF:
        r = record(source, "-o", path("gaps.sigmf-meta"))
        check(accounts(r) == (1200000, 1199499, 501, 0), f"{r.stderr}")
        meta = json.loads(read("gaps.sigmf-meta"))
        check([(c["core:sample_start"], c["core:global_index"], c["core:frequency"])
               for c in meta["captures"]] == [(0, 0, 100e6), (500, 1000, 100e6),
                                              (8499, 9000, 100e6), (199499, 200000, 101e6)],
              f"{meta['captures']}")
        r = record(path("gaps.sigmf-meta"), "--checksum", "-o", path("again.sigmf-meta"))
        check(accounts(r) == (1200000, 1199499, 501, 0), f"{r.stderr}")
        again = json.loads(read("again.sigmf-meta"))
        check(again["captures"] == meta["captures"], "the same gaps again")
        check(read("gaps.sigmf-data") == read("again.sigmf-data"), "the same samples")
    r = record(source, "-o", path("gaps.cu8"))
    check(b"not marked" in r.stderr and r.returncode == 0, f"{r.stderr}")


def test_limits():
    r = record("synth:", "--max-size", "1000001", "-o", path("limit.cu8"))
    check(len(read("limit.cu8")) == 1000000 and accounts(r)[1] == 500000, f"{r.stderr}")
    r = record("synth:", "--duration", "0.25", "-o", path("limit.cu8"))
    check(len(read("limit.cu8")) == 1200000 and accounts(r) == (600000, 600000, 0, 0),
          f"{r.stderr}")


def test_signal():
    """Ctrl-C and TERM complete the file."""
    for name, number in (("int.wav", signal.SIGINT), ("term.cu8", signal.SIGTERM)):
        p = subprocess.Popen([WEIR, "record", "synth:", "--speed", "1", "-o", path(name)], env=ENV,
                             stderr=subprocess.PIPE)
        check(until(lambda: is_recording(HOME, 200000)), "it records")
        check(not os.path.exists(path(name)), "not there before it is complete")
        p.send_signal(number)
        _, err = p.communicate(timeout=60)
        check(p.returncode == -number and b"received" in err, f"{p.returncode} {err}")
        check(os.path.getsize(path(name)) > 100000, "something was recorded")
        r = record(path(name), "-r", "2.4M", "-o", "-")
        check(r.returncode == 0 and b"does not say" not in r.stderr, f"{r.stderr}")
    check(not [name for name in os.listdir(HOME) if "weir-" in name], "nothing is left over")


def test_signal_at_once():
    """As soon as there is a file, Ctrl-C completes it, and leaves nothing half done."""
    if not HAVE_SIGMF:
        return
    where = path("early")
    os.mkdir(where)
    for _ in range(12):
        p = subprocess.Popen([WEIR, "record", "synth:", "--speed", "1", "-o",
                              where + "/x.sigmf-meta"], env=ENV, stderr=subprocess.PIPE)
        while not os.listdir(where) and p.poll() is None:
            pass
        p.send_signal(signal.SIGINT)
        _, err = p.communicate(timeout=60)
        check(p.returncode == -signal.SIGINT and b"received" in err, f"{p.returncode} {err}")
        check(sorted(os.listdir(where)) == ["x.sigmf-data", "x.sigmf-meta"],
              f"{os.listdir(where)}")
        for name in os.listdir(where):
            os.unlink(os.path.join(where, name))


@live
def test_signal_twice():
    """As timeout(1) sends it, and a terminal that closes: at once twice it is one wish."""
    for i in range(4):
        name = path(f"twice{i}.cu8")
        p = subprocess.Popen([WEIR, "record", "synth:", "--speed", "1", "-o", name], env=ENV,
                             stderr=subprocess.PIPE)
        check(until(lambda: is_recording(HOME)), "it records")
        for _ in range(3):
            p.send_signal(signal.SIGHUP)
            time.sleep(0.002)
        _, err = p.communicate(timeout=60)
        check(p.returncode == -signal.SIGHUP and b"received" in err, f"{p.returncode} {err}")
        check(os.path.exists(name), f"the recording is complete: {err}")
    p = subprocess.Popen([WEIR, "record", "synth:"], env=ENV, stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL)  # nobody reads: it cannot come to an end
    p.stdout.read(1)
    p.send_signal(signal.SIGINT)
    time.sleep(0.8)
    check(p.poll() is None, "it waits for its reader")
    p.send_signal(signal.SIGINT)
    check(p.wait(timeout=60) == -signal.SIGINT, f"later, the second ends it: {p.returncode}")
    p.stdout.close()


def full_disk():
    resource.setrlimit(resource.RLIMIT_FSIZE, (5000001, 5000001))


def test_disk_full():
    for name in ("full.cu8", "full.wav", "full.sigmf-meta"):
        if name.endswith("meta") and not HAVE_SIGMF:
            continue
        r = record("synth:seconds=4", "-o", path(name), preexec_fn=full_disk)
        check(r.returncode == 74 and b"cannot write" in r.stderr, f"{r.returncode} {r.stderr}")
        written = accounts(r)[1]
        check(5000001 - 400 < 2 * written <= 5000001, f"what fits: {2 * written}")
        more = ["--checksum"] if name.endswith("meta") else []
        back = record(path(name), "-r", "2.4M", *more, "-o", "-")
        check(back.returncode == 0 and len(back.stdout) == 2 * written, f"{back.stderr}")
    record("synth:seconds=1", "-o", path("whole.cu8"))
    r = weir("spectra", path("whole.cu8"), "-r", "2.4M", "--fft", "64", "--average", "1", "-o",
             path("full.csv"), preexec_fn=full_disk)
    check(r.returncode == 74 and b"cannot write" in r.stderr, f"{r.returncode} {r.stderr}")
    if os.path.exists("/dev/full"):
        r = record("synth:seconds=1", "-o", "/dev/full", "--to", "raw")
        check(r.returncode == 74 and b"No space" in r.stderr, f"{r.returncode} {r.stderr}")


def test_tiny_disk():
    """A real file system without room; needs the right to mount one."""
    if not HAVE_SIGMF:
        return
    where = path("tiny")
    os.mkdir(where)
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", where],
                             capture_output=True, check=False).returncode == 0
    if not mounted:
        return
    try:
        r = record("synth:seconds=4", "-o", where + "/x.sigmf-meta")
        check(r.returncode == 74, f"{r.returncode} {r.stderr}")
        back = record(where + "/x.sigmf-meta", "--checksum", "-o", "-")
        check(back.returncode == 0 and len(back.stdout) > 900000, f"{back.stderr}")
    finally:
        subprocess.run(["umount", where], check=False)


def test_pipes():
    p = subprocess.Popen([WEIR, "record", "synth:", "-o", "-"], env=ENV, stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE)
    p.stdout.read(100000)
    p.stdout.close()
    err = p.stderr.read()
    check(p.wait(timeout=60) == 0 and b"error" not in err, f"a reader that goes: {err}")
    r = record("synth:seconds=0.1,rate=48k,format=s16", "--to", "wav", "-o", "-")
    check(r.stdout[:4] == b"RIFF" and len(r.stdout) > 9600, "WAV into a pipe")
    back = subprocess.run([WEIR, "record", "-", "-o", "-"], input=r.stdout, capture_output=True,
                          env=ENV, timeout=60, check=False)
    check(len(back.stdout) == 9600, f"and out of it: {back.stderr}")


def test_slow_reader():
    """A live source does not wait: every sample is the number of its place, and what is missing
    between them is what is counted as lost."""
    p = subprocess.Popen([WEIR, "record", "fault:live:synth:ramp,format=u32,rate=4M,seconds=5",
                          "-o", "-"], env=ENV, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    data = p.stdout.read(4)
    time.sleep(3.8)
    data += p.stdout.read()
    err = p.stderr.read()
    p.stdout.close()
    p.stderr.close()
    check(p.wait(timeout=60) == 0, f"{err}")
    values = array.array("I", data)
    m = re.search(rb"(\d+) samples received = (\d+) written \+ (\d+) lost", err)
    received, written, lost = map(int, m.groups())
    check(received == 20000000 and written == len(values) and written + lost == received, f"{err}")
    check(lost > 500000, f"there was no room for a second: {err}")
    gaps = [(a, b) for a, b in zip(values, values[1:]) if b != a + 1]
    missing = sum(b - a - 1 for a, b in gaps) + values[0] + received - 1 - values[-1]
    check(missing == lost and all(b > a for a, b in gaps), f"{missing} {lost} {gaps[:5]}")
    check(len(gaps) <= 50, f"a pause is a gap, not many: {len(gaps)}")


def test_errors():
    for code, pattern, args in (
            (64, "ending", ("synth:", "-o", path("x.xyz"))),
            (64, "one -o", ("synth:", "-o", path("x.cu8"), "-o", path("y.cu8"))),
            (64, "cu8", ("synth:", "-o", path("x.cs16"))),
            (64, "SigMF", ("synth:format=s24", "-o", path("x.sigmf-meta"))),
            (64, "no --alert", ("synth:", "-o", path("x.cu8"), "--alert-run", "true")),
            (64, "1 bytes have no room", ("synth:", "-o", path("x.cu8"), "--max-size", "1")),
            (73, "nowhere", ("synth:", "-o", path("nowhere/x.cu8"))),
            (66, "none.wav", (path("none.wav"), "-o", path("x.cu8")))):
        r = record(*args)
        check(r.returncode == code and re.search(pattern, r.stderr.decode()),
              f"{args}: {r.returncode} {r.stderr}")
    check(not os.path.exists(path("x.cu8")), "nothing was made")
    r = record("fault:error=100000,synth:seconds=1", "-o", path("fault.cu8"))
    if r.returncode != 64:
        check(r.returncode != 0 and os.path.exists(path("fault.cu8")),
              f"input that fails: what came is kept: {r.stderr}")


def test_samples_that_another_name_leads_to():
    """The data file of a SigMF recording, a file as standard input: neither is written over."""
    bytes_before = os.urandom(4000)
    with open(path("samples.cs16"), "wb") as file:
        file.write(bytes_before)
    inputs = [("-", "--format", "cs16", "--rate", "1M")]
    if HAVE_SIGMF:
        with open(path("led.sigmf-meta"), "w", encoding="utf-8") as file:
            json.dump({"global": {"core:datatype": "ci16_le", "core:sample_rate": 1e6,
                                  "core:version": "1.2.0", "core:dataset": "samples.cs16"},
                       "captures": [{"core:sample_start": 0}], "annotations": []}, file)
        inputs += [(path("led.sigmf-meta"),), ("file:" + path("led.sigmf-meta"),),
                   ("fault:short:" + path("led.sigmf-meta"),)]
    os.link(path("samples.cs16"), path("taken.sigmf-data"))
    os.link(path("samples.cs16"), path("samples.json"))
    for source in inputs:
        for command, *output in (("record", "samples.cs16", "-d", "0.0001"),
                                 ("record", "taken.sigmf-meta"),
                                 ("spectra", "samples.cs16", "--to", "csv")):
            with open(path("samples.cs16"), "rb") as stdin:
                r = weir(command, *source, "-o", path(output[0]), *output[1:], stdin=stdin)
            check(r.returncode == 64 and b"would be lost" in r.stderr, f"{source} {output}: {r}")
            with open(path("samples.cs16"), "rb") as file:
                check(file.read() == bytes_before, f"{source} {output}: the samples changed")
        for more in (("samples.cs16", "--bless"), ("no.golden", "--report", "samples.json")):
            with open(path("samples.cs16"), "rb") as stdin:
                r = weir("compare", *source, *more, stdin=stdin)
            check(r.returncode == 64 and b"would be lost" in r.stderr, f"{source} {more}: {r}")
            with open(path("samples.cs16"), "rb") as file:
                check(file.read() == bytes_before, f"{source} {more}: the samples changed")
    with open(path("samples.cs16"), "rb") as stdin:
        r = weir("record", *inputs[0], "-o", path("copy.cs16"), stdin=stdin)
    check(r.returncode == 0, f"another file: {r}")
    with open(path("copy.cs16"), "rb") as file:
        check(file.read() == bytes_before, "the copy")


def test_a_time_that_cannot_be_said():
    """Later than 64-bit nanoseconds reach: unknown, and not a time long ago."""
    if not HAVE_SIGMF:
        return
    with open(path("late.sigmf-data"), "wb") as file:
        file.write(bytes(8000))
    with open(path("late.sigmf-meta"), "w", encoding="utf-8") as file:
        json.dump({"global": {"core:datatype": "ci16_le", "core:sample_rate": 1000,
                              "core:version": "1.2.0"},
                   "captures": [{"core:sample_start": 0, "core:global_index": 0,
                                 "core:datetime": "2250-01-01T00:00:00Z"},
                                {"core:sample_start": 1000, "core:global_index": 4 * 10**12}],
                   "annotations": []}, file)
    for span in ((), ("--span", "100", "--fft", "16")):
        r = weir("spectra", path("late.sigmf-meta"), "--fft", "64", "--average", "0.2s", "--to",
                 "csv", *span, text=True)
        times = {row.split(",")[1] for row in r.stdout.splitlines() if row[:1].isdigit()}
        check(r.returncode == 0 and "" in times and any(time.startswith("2250") for time in times)
              and all(time[:4] in ("", "2250") for time in times), f"{span} {times} {r.stderr}")


run_tests(globals())
