"""ctest-labels: tui
ctest-timeout: 240

`weir view` whole, on a pseudo terminal: the transform changed while it runs (and the
accounts after it), replay, annotations, files that keys make, what is typed.
"""
import csv
import json
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from view_terminal import (Program, check, press_and_see, quit_well, result, run,  # noqa: E402
                           skipped)


def test_transform_while_running():
    program = run(["synth:", "--fft", "4096"])
    press_and_see(program, ("z", "N 8192 hann"), ("z", "N 16384 hann"), ("Z", "N 8192 hann"),
                  ("v", "overlap 75 %"), ("V", "overlap 50 %"), ("d", "averages 47"),
                  ("w", "N 8192 (?!hann)"))
    quit_well(program, "transform")


def test_trace_apart_from_lines():
    """Trace and waterfall are averaged each on its own; also with a zoom, and corrections."""
    for more in ((), ("--span", "200k", "--dc", "interpolate"), ("--iq-correct", "track:1s")):
        program = run(["synth:", *more], columns=170)
        program.press(";")
        check("nothing to change yet", program.wait_for("the trace is as the lines"), program)
        for key, pattern in (("'", r"averages line \d+\.\d ms +trace mean 1 s"),
                             (";", r"line \d+\.\d ms +trace mean 2 s"),
                             ("d", r"line [78]\d\.\d ms +trace mean 2 s"),
                             ("'", r"line [78]\d\.\d ms +trace exp 2 s"), (":", "trace exp 1 s"),
                             ("z", r"N \d+ hann .*line [78]\d.* ms +trace exp 1 s"),
                             ("w", r"N \d+ (?!hann).*trace exp 1 s"), ("'", r"averages \d+")):
            program.press(key)
            check(f"{more} {key}: {pattern}", program.wait_for(pattern), program)
        quit_well(program, f"averages {more}")
    program = run(["synth:", "--average", "40", "--trace-average", "100"], columns=170)
    check("by transforms", program.wait_for("line 40 +trace mean 100"), program)
    quit_well(program, "averages by transforms")


def test_markers():
    program = run(["synth:", "--full-scale", "0.1", "--ohms", "50"], columns=150)
    check("running", program.wait_for(r"received [1-9]\S* M"), program)
    program.press("pkX")
    check("a level", program.wait_for(r"1 \d+\.\d+ MHz -\d+\.\d dBm"), program)
    check("a difference", program.wait_for(r"2 . 0 Hz \+0\.0 dB"), program)
    program.press("<H")
    check("noise", program.wait_for(r"3 \d+\.\d+ MHz -\d+\.\d dBm/Hz"), program)
    program.press("?")
    check("help has it", program.wait_for("set a noise marker"), program)
    quit_well(program, "markers")


def test_load_and_latency():
    """In real time the lag is that of one line and a picture; the load a few per cent."""
    program = run(["synth:", "--average", "40ms"], columns=200)
    check("latency below 2 s", program.wait_for(r"latency 1?\d{1,3} ms"), program)
    load = program.wait_for(r"CPU ([1-9]\d*) %")
    check("CPU load", load and int(load.group(1)) < 400, program)
    program.press(" ")
    check("no latency in a pause", program.wait_until_gone("latency"), program)
    quit_well(program, "load and latency")


def test_gpu_load():
    """With stand-ins for the GPU and the driver's management library."""
    tests = os.path.join(os.environ["WEIR_BUILD_DIR"], "tests")
    program = os.path.join(tests, "weir_fake_gpu_program")
    if not os.access(program, os.X_OK):
        return
    libraries = os.path.join(tests, "fakes", "nvml")
    for engine, seen in (("cuda", r"GPU 37 %"), ("cpu", r"CPU \d+ %")):
        view = Program([program, "synth:", "--engine", engine], columns=200,
                       environment={"LD_LIBRARY_PATH": libraries, "FAKE_NVML": "37"})
        check(f"{engine}: its load", view.wait_for(seen), view)
        check(f"{engine}: no other", engine == "cuda" or "GPU" not in view.screen.text(), view)
        quit_well(view, f"the load of {engine}")


def test_transform_and_tuning_with_zoom_and_dc():
    """weir itself ends with 70 if its books do not balance. Low rates, for sanitizers' sake."""
    program = run(["tuner:", "-r", "48k", "--fft", "256", "--span", "2k", "--dc",
                   "interpolate"], columns=140)
    press_and_see(program, ("z", "N 9216 hann"), ("v", "overlap 75 %"), ("w", "N 9216 (?!hann)"),
                  ("f100.01M\r", r"centre 100\.01 MHz"),  # within what is received: the zoom moves
                  ("f106M\r", r"centre 106 MHz"),         # beyond: the receiver is tuned too
                  ("\x1b[C", r"centre 106\.0002 MHz"), ("Z", "N 4608 "))
    quit_well(program, "zoom and dc")
    program = run(["synth:rate=240k", "--span", "10k"], columns=140)
    press_and_see(program, ("f100.05M\r", r"centre 100\.05 MHz"), ("f7M\r", "7 MHz lies outside"))
    quit_well(program, "zoom in what cannot be tuned")
    program = run(["tuner:", "--transverter", "1G"], columns=140)
    press_and_see(program, ("f1101M\r", r"centre 1\.101 GHz"))
    quit_well(program, "a transverter's frequencies are typed as they are shown")


def test_any_changes_keep_the_books():
    """weir itself ends with 70 if its books do not balance."""
    seed = random.randrange(1 << 30)
    rng = random.Random(seed)
    for source, *more in (("synth:",), ("synth:format=s16,rate=48k",),
                          ("fault:lose=50000/3000:synth:",),
                          ("fault:lose=50000/3000:synth:", "--iq-correct", "track:50ms"),
                          ("synth:", "--span", "300k", "--dc", "interpolate")):
        program = run([source, "--fft", "1024", *more], columns=80, rows=24)
        for _ in range(40):
            program.press(rng.choice("zZwWvVdD;:'"))
            for _ in range(rng.randrange(4)):
                program.read_some(0.02)
        quit_well(program, f"{source} seed {seed}")


def test_refusals_are_said():
    program = run(["synth:", "--fft", "16"])
    press_and_see(program, ("Z", "is the least"), ("j", "cannot be tuned"))
    for key, typed in (("R", "2.4Mq"), ("g", "-3q"), ("g", "auto")):
        # At once; what is typed all the same is seen, and none of it is a command.
        press_and_see(program, (key, "this source cannot be tuned"),
                      (typed, rf"cannot be tuned \(Enter or Esc\): {typed}_"),
                      ("\r", r"cannot be tuned(?! \()"), ("c", "colour map"))
        # What no value begins with is a command as ever.
        press_and_see(program, (key, "this source cannot be tuned"), ("c", "colour map"))
    quit_well(program, "refusals")
    program = run(["synth:rate=240k", "--span", "10k"])  # its centre moves, and nothing else
    press_and_see(program, ("g", "this source cannot be tuned"), ("c", "colour map"))
    quit_well(program, "no gain in a zoom")


def test_typed_frequency():
    program = run(["synth:"])
    press_and_see(program, ("f100.2M", "frequency.*: 100.2M_"), ("\x7f5M\r", r"cursor 100\.2"),
                  ("f7\r", "outside what is received"))
    quit_well(program, "typed")


def test_slow_stream():
    """It is there, and says why there is nothing to see, long before its first transform; a short
    one is transformed whole all the same."""
    program = run(["synth:format=f32,rate=8,tone=1@-10,noise=-90"])
    press_and_see(program, ("", "the first line takes 4096 samples: 8:32"), ("c", "colour map"))
    quit_well(program, "slow stream")
    program = run(["synth:format=f32,rate=8,tone=1@-10,noise=-90,seconds=2"])
    press_and_see(program, ("", "N 16 hann"), ("", "END"))
    quit_well(program, "slow and short")
    program = run(["synth:", "--duration", "1ms", "--speed", "max"])
    press_and_see(program, ("", "N 2400 hann"), ("", "speed max"))
    quit_well(program, "short by its duration")


def make_recording(directory):
    """20 s at 8 kS/s, with two annotations."""
    n, rate = 160000, 8000
    with open(os.path.join(directory, "r.sigmf-data"), "wb") as data:
        data.write(b"".join(struct.pack("bb", (i * 7) % 5 - 2, (i * 3) % 5 - 2) for i in range(n)))
    meta = {
        "global": {"core:datatype": "ci8", "core:sample_rate": rate, "core:version": "1.0.0"},
        "captures": [{"core:sample_start": 0, "core:frequency": 1e6}],
        "annotations": [
            {"core:sample_start": 16000, "core:sample_count": 8000, "core:label": "first-burst",
             "core:freq_lower_edge": 0.999e6, "core:freq_upper_edge": 1.001e6},
            {"core:sample_start": 120000, "core:sample_count": 8000, "core:label": "second-burst",
             "core:freq_lower_edge": 0.998e6, "core:freq_upper_edge": 0.9985e6}]}
    path = os.path.join(directory, "r.sigmf-meta")
    with open(path, "w") as file:
        json.dump(meta, file)
    return path


def test_replay(directory):
    path = make_recording(directory)
    program = run([path, "--fft", "256"], columns=140, directory=directory)
    press_and_see(program, ("\t", "^ first-burst"), ("", r"place 0:0[2-9]"),
                  ("A", "annotations hidden"), ("A", "annotations shown"), ("))", "speed 4"),
                  ("(((", "speed 0.5"), ("O", "looped"), ("G0:16\r", "place 0:1[6-9]"),
                  ("U", "place 0:1[1-3]"))
    program.press(" ")
    check("paused", program.wait_for("PAUSED"), program)
    place = program.wait_for(r"place (0:\d\d\.\d)")
    for _ in range(15):
        program.press("/")
    check("stepping goes on", place and program.wait_until_gone("place " + place.group(1)),
          program)
    program.press(" ")
    quit_well(program, "replay")


def test_end_of_replay(directory):
    """The end is no end: seeking, looping and bookmarks go on from it, the accounts too."""
    path = make_recording(directory)
    program = run([path, "--fft", "256", "--start", "18"], columns=140, directory=directory)
    press_and_see(program, ("", "END"), ("U", "-END"), ("", r"place 0:1[5-9]"), ("", "END"),
                  ("\x1b[Z", "second-burst"), ("G10\r", r"place 0:1[1-9]"), ("G19\r", "END"),
                  ("O", "-END"), ("", r"place 0:0\d"), ("O", "ends at the end"))
    text = quit_well(program, "end of a replay")
    books = re.search(r"(\d+) samples received = (\d+) transformed \+ 0 skipped \+ 0 lost \+ "
                      r"(\d+) tail", text)
    check(f"more than the rest of the recording: {text}", books and int(books[1]) > 16000 + 40000)
    program = run([path, "--fft", "256", "--start", "19", "--exit-at-end"], directory=directory)
    check("--exit-at-end ends", program.finish() == 0, program)


def test_files(directory):
    program = run(["synth:", "--fft", "1024"], directory=directory)
    check("lines", program.wait_for("▀"), program)
    press_and_see(program, ("xP", r"saved weir-\d+T\d+Z\.png"),
                  ("E", r"saved weir-\d+T\d+Z\.csv"))
    quit_well(program, "files")
    names = sorted(os.listdir(directory))
    png = [n for n in names if n.endswith(".png")]
    check("one PNG", len(png) == 1)
    if len(names) != 2:
        return
    with open(os.path.join(directory, png[0]), "rb") as file:
        head = file.read(24)
    check("PNG of 12x24 pixels a cell", head[:8] == b"\x89PNG\r\n\x1a\n" and
          struct.unpack(">II", head[16:]) == (100 * 12, 30 * 24))
    with open(os.path.join(directory, [n for n in names if n.endswith(".csv")][0])) as file:
        rows = list(csv.reader(file))
    check("a row for each bin", len(rows) == 1 + 1024)
    check("max over live over min", all(float(r[2]) >= float(r[1]) - 0.011 and
                                        float(r[3]) <= float(r[1]) + 0.011 for r in rows[1:]))


def test_persistence_and_log():
    program = run(["synth:", "--fft", "1024"])
    press_and_see(program, ("y", "how often each level"), ("", "▀"), ("yL", "messages"),
                  ("L", "-messages \\(L"), ("e", "waterfall show minima"))
    quit_well(program, "persistence")


def main():
    why, version = skipped()
    if why:
        print("skipped:", why)
        return 77
    for test in (test_transform_while_running, test_transform_and_tuning_with_zoom_and_dc,
                 test_slow_stream, test_load_and_latency, test_gpu_load,
                 test_trace_apart_from_lines, test_markers,
                 test_any_changes_keep_the_books,
                 test_refusals_are_said, test_typed_frequency, test_persistence_and_log):
        test()
    for test, needs in ((test_replay, "jansson"), (test_end_of_replay, "jansson"),
                         (test_files, "png")):
        directory = tempfile.mkdtemp(prefix="weir-view-")
        if f"no {needs}" not in version.lower() and f"-{needs}" not in version.lower():
            test(directory)
        shutil.rmtree(directory)
    return result()


sys.exit(main())
