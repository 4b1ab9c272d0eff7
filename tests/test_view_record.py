"""ctest-labels: tui
ctest-timeout: 180

The record key of the view: the samples bit for bit, those before the key too; nothing lost of a
live stream, in the file or in the engine; a full disk, and folders that are not there; the time
from a key to its effect.
"""
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from view_terminal import check, press_and_see, quit_well, result, run, skipped  # noqa: E402

FAKES = os.path.join(os.environ.get("WEIR_BUILD_DIR", "build"), "tests", "fakes")
DONGLE = {"LD_LIBRARY_PATH": os.path.join(FAKES, "lib"), "FAKE_RTLSDR": ""}
RATE = 48000


def recordings(folder, ending=".sigmf-meta"):
    return sorted(os.path.join(folder, name) for name in os.listdir(folder)
                  if name.startswith("weir-") and name.endswith(ending))


def read_recording(meta):
    with open(meta) as file:
        facts = json.load(file)
    with open(meta.replace("-meta", "-data"), "rb") as file:
        return facts, file.read()


def make_input(directory):
    """20 s that occur once only: random bytes."""
    path = os.path.join(directory, "in.cs8")
    data = random.randbytes(2 * 20 * RATE)
    with open(path, "wb") as file:
        file.write(data)
    return path, data


def wait_until_place(program, place):
    """Where it is then, in seconds, or later if the machine is slow."""
    later = "|".join(f"{s:02}" for s in range(place, 20))
    found = program.wait_for(rf"place 0:(({later})\.\d)")
    check(f"at {place} s", found, program)
    return float(found.group(1)) if found else 0.0


def test_samples(directory):
    path, data = make_input(directory)
    folder = os.path.join(directory, "out")
    os.mkdir(folder)
    program = run([path, "-r", "48k", "-c", "433.92M", "--fft", "256", "--folder", folder,
                   "--record-before", "0.5s"], columns=160)
    pressed = wait_until_place(program, 2)
    press_and_see(program, ("S", r"REC 0:0\d \d+\.?\d* kB"))
    seen = wait_until_place(program, 0)
    pressed_again = wait_until_place(program, 8)
    press_and_see(program, ("S", "0 samples lost"), ("", "-REC"))
    seen_again = wait_until_place(program, 0)
    text = quit_well(program, "recorded")
    found = recordings(folder)
    check(f"one recording, named by time and frequency: {found}",
          len(found) == 1 and re.search(r"weir-\d{8}T\d{6}Z-433\.92MHz\.sigmf-meta$", found[0]))
    if len(found) != 1:
        return
    facts, samples = read_recording(found[0])
    at = data.find(samples)
    check("the samples, bit for bit", at >= 0 and at % 2 == 0 and len(samples) % 2 == 0)
    begin, seconds = at / 2 / RATE, len(samples) / 2 / RATE
    # What is on the screen lies behind what is read by a line or two, and so does the key.
    check(f"from before the key, {pressed} to {seen} s: {begin} s",
          pressed - 1.5 <= begin <= seen + 0.5)
    check(f"until the key, {pressed_again} to {seen_again} s: {begin + seconds} s",
          pressed_again - 0.5 <= begin + seconds <= seen_again + 3)
    check("as the stream was", facts["global"]["core:datatype"] == "ci8" and
          facts["captures"][0]["core:frequency"] == 433.92e6)
    check(f"weir takes it: {text}", subprocess.run(
        [os.environ["WEIR"], "spectra", found[0], "--checksum", "-o", os.devnull, "-T", "csv"],
        capture_output=True).returncode == 0)


def test_several_and_quitting(directory):
    """Twice in a second makes two files; q while recording completes the file."""
    path, data = make_input(directory)
    folder = os.path.join(directory, "several")
    os.mkdir(folder)
    program = run([path, "-r", "48k", "--fft", "256", "--folder", folder], columns=140)
    press_and_see(program, ("S", "REC"), ("S", "-REC"), ("S", "REC"))
    quit_well(program, "while recording")
    found = recordings(folder)
    check(f"two recordings: {found}", len(found) == 2)
    check("nothing half done is left", len(os.listdir(folder)) == 4)
    for meta in found:
        check(f"{meta}: the samples", data.find(read_recording(meta)[1]) >= 0)


def test_terminal_that_closes(directory):
    """Kernel and shell both hang up: the recording is completed all the same."""
    path, _ = make_input(directory)
    for i in range(2):
        folder = os.path.join(directory, f"hung-up{i}")
        os.mkdir(folder)
        program = run([path, "-r", "48k", "--folder", folder], columns=160)
        press_and_see(program, ("S", r"REC 0:0\d"))
        for _ in range(2):
            os.kill(program.pid, signal.SIGHUP)
            time.sleep(0.002)
        code = program.finish()
        found = recordings(folder)
        check(f"it is there: {found}, {os.listdir(folder)}", len(found) == 1)
        check(f"ended by the signal: {code}", code == -signal.SIGHUP)


def test_end_of_source(directory):
    """A recording is of one source; it ends with it."""
    path, data = make_input(directory)
    folder = os.path.join(directory, "ends")
    os.mkdir(folder)
    program = run([path, "synth:", "-r", "48k", "--fft", "256", "--folder", folder], columns=140)
    press_and_see(program, ("S", "REC"), ("F", "synth:"), ("", "-REC"))
    quit_well(program, "another source")
    found = recordings(folder)
    check(f"one recording: {found}", len(found) == 1 and
          data.find(read_recording(found[0])[1]) >= 0)


def test_refusals(directory):
    program = run(["synth:", "--fft", "256", "--folder", os.path.join(directory, "nowhere")],
                  columns=140)
    press_and_see(program, ("S", "nowhere.*cannot create"), ("P", "nowhere"))
    quit_well(program, "no such folder")


def test_full_disk(directory):
    """What fits is there, and whole; the view goes on."""
    folder = os.path.join(directory, "small")
    os.mkdir(folder)
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", folder],
                             capture_output=True).returncode == 0
    if not mounted:
        print("# no small file system can be mounted here: not tested")
        return
    try:
        program = run(["synth:", "--fft", "256", "--folder", folder], columns=160)
        press_and_see(program, ("S", "No space left|disk"), ("", "-REC"))
        press_and_see(program, (" ", "PAUSED"), (" ", "-PAUSED"))
        program.press("q")
        check("the exit code says so", program.finish() == 74, program)
        found = recordings(folder)
        check(f"the recording is complete: {os.listdir(folder)}", len(found) == 1 and
              len(os.listdir(folder)) == 2)
        if found:
            facts, samples = read_recording(found[0])
            check(f"{len(samples)} bytes", 1 << 20 < len(samples) <= 3 << 20)
    finally:
        subprocess.run(["umount", folder], check=True)


def ramp_errors(samples):
    """Places where a sample does not follow the one before: n is I = n & 255, Q = n >> 8 & 255."""
    words = memoryview(samples).cast("H")
    wrong = sum(1 for a, b in zip(words, words[1:]) if (a + 1) & 0xffff != b)
    return wrong


def test_live(directory):
    """The dongle's counter, without a hole: nothing is lost for the recording or by it."""
    folder = os.path.join(directory, "live")
    os.mkdir(folder)
    program = run(["rtlsdr", "--fft", "1024", "--folder", folder, "--rate", "1M", "--center",
                   "100M"], columns=160,
                  environment=DONGLE)
    press_and_see(program, ("", r"0:(0[2-9]|[1-5]\d)\.\d"), ("S", r"REC 0:\d\d"),
                  ("", r"REC 0:(0[4-9]|[1-5]\d)"),
                  ("S", "-REC"))
    text = quit_well(program, "live")
    lost = re.search(r"received = \d+ transformed \+ \d+ skipped \+ (\d+) lost", text)
    found = recordings(folder)
    check(f"one recording: {found}", len(found) == 1)
    if not found or not lost:
        return
    facts, samples = read_recording(found[0])
    gaps = len(facts["captures"]) - 1
    check(f"holes only where the engine lost too: {text}", gaps == 0 or int(lost[1]) > 0)
    check(f"{len(samples)} bytes in all, {gaps} gaps", ramp_errors(samples) == gaps)


def test_after_changes(directory):
    """A recording is at the rate that it begins with, and says what the dongle was set to then;
    so does the title."""
    folder = os.path.join(directory, "changed")
    os.mkdir(folder)
    program = run(["rtlsdr", "--fft", "1024", "--folder", folder, "--rate", "2.4M", "--center",
                   "100M"], columns=160, environment=DONGLE)
    press_and_see(program, ("", "2.40 MS/s, automatic gain"), ("g30", ": 30_"),
                  ("\r", "2.40 MS/s, gain 29.7 dB"), ("R1M", ": 1M_"),
                  ("\r", "1.00 MS/s, gain 29.7 dB"), ("w", "hamming"),
                  ("", "1.00 MS/s, gain 29.7 dB .*rate 1 MS/s"), ("S", r"REC 0:(0[2-9]|[1-5]\d)"),
                  ("S", "-REC"))
    quit_well(program, "after changes")
    found = recordings(folder)
    check(f"one recording: {found}", len(found) == 1)
    if found:
        facts, samples = read_recording(found[0])
        said = facts["global"]
        check(f"{said}", said["core:sample_rate"] == 1000000 and
              said["core:hw"].endswith("1.00 MS/s, gain 29.7 dB"))
        check(f"{len(samples)} bytes, {facts['captures']}",
              len(samples) > 2e6 and ramp_errors(samples) == len(facts["captures"]) - 1)


def test_key_to_effect():
    """A typed frequency is seen at once, on a machine that may do much else: once in seven
    times. bench/view_figures.py has the figure."""
    program = run(["rtlsdr", "--rate", "2.4M", "--center", "100M"], columns=140, environment=DONGLE)
    times = []
    for mhz in range(101, 108):
        press_and_see(program, (f"f{mhz}M", f"frequency.*: {mhz}M_"))
        began = time.monotonic()
        press_and_see(program, ("\r", f"centre {mhz} MHz"))
        times.append(time.monotonic() - began)
    check(f"{min(times):.3f} s", min(times) < 1.0)
    quit_well(program, "key to effect")


def main():
    why, version = skipped()
    if why or "-jansson" in version:
        print("skipped:", why or "built without jansson: no SigMF")
        return 77
    directory = tempfile.mkdtemp(prefix="weir-record-")
    try:
        for test in (test_samples, test_several_and_quitting, test_terminal_that_closes,
                     test_end_of_source, test_refusals, test_full_disk):
            test(directory)
        if os.path.exists(os.path.join(FAKES, "lib", "librtlsdr.so")) and \
                "-rtlsdr" not in version:
            test_live(directory)
            test_after_changes(directory)
            test_key_to_effect()
    finally:
        shutil.rmtree(directory)
    return result()


sys.exit(main())
