"""ctest-labels: tui
ctest-timeout: 180

Several sources in one view, and what it remembers: switching, sources that cannot be opened or
do not answer, the accounts of each; --remember, and state files that are not weir's; the view of
a sweep and its ranges.
"""
import ctypes
import os
import random
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from view_terminal import (PATIENCE, WEIR, Program, check, press_and_see,  # noqa: E402
                           quit_well, result, run, skipped)


def make_files(directory):
    """Two recordings of a second: 100 kHz and 200 kHz wide."""
    paths = [os.path.join(directory, name) for name in ("first.cs8", "second.cs8")]
    for path in paths:
        with open(path, "wb") as file:
            file.write(struct.pack("200000b", *((i * 7) % 5 - 2 for i in range(200000))))
    return paths


def books_of(text):
    """Source -> samples received, where the sum is right."""
    found = {}
    for name, received, *parts in re.findall(
            r"weir: (\S+):\s+weir: (\d+) samples received = (\d+) transformed \+ (\d+) skipped \+ "
            r"(\d+) lost \+ (\d+) tail", text):
        check(f"{name}: the sum", int(received) == sum(map(int, parts)))
        found[name] = int(received)
    return found


def test_switching(directory):
    first, second = make_files(directory)
    missing = os.path.join(directory, "missing.wav")
    program = run([first, missing, second, "-r", "100k", "--fft", "256"], columns=140)
    press_and_see(program, ("", r"received [1-9]"), ("F", "missing.wav: cannot be opened"),
                  ("", "^ first.cs8"), ("F", "^ second.cs8"), ("", r"received [1-9]"),
                  ("B", "missing.wav: cannot be opened"), ("B", "^ first.cs8"),
                  ("", "END .*received 100 k"), ("FF", "still being opened|cannot be opened"))
    books = books_of(quit_well(program, "switching"))
    check(f"accounts of both, over all times: {books}", set(books) == {first, second} and
          books[first] > 100000 and 0 < books[second] <= 100000)


def test_first_that_opens(directory):
    first, second = make_files(directory)
    program = run([os.path.join(directory, "no.wav"), second, "-r", "100k"], columns=140)
    check("goes on with the one that opens", program.wait_for("^ second.cs8"), program)
    press_and_see(program, ("", r"received [1-9]"))
    text = quit_well(program, "one that opens")
    check(f"its accounts: {text}", books_of(text).get(second, 0) > 0)
    r = subprocess.run([WEIR, "no.wav", "none.wav"], capture_output=True, text=True)
    check(f"none opens: {r.returncode} {r.stderr}", r.returncode == 66 and "none.wav" in r.stderr)
    program = run([second, "-r", "100k"])
    press_and_see(program, ("F", "there is one source"))
    quit_well(program, "one source")


def test_in_turn(directory):
    """--exit-at-end: one after the other; as text too."""
    first, second = make_files(directory)
    program = run([first, second, "-r", "100k", "--fft", "256", "--exit-at-end"], columns=140)
    check("the second follows", program.wait_for("^ second.cs8"), program)
    check("and then the end", program.finish() == 0, program)
    text = program.written.decode(errors="replace").rsplit("\x1b[?1049l", 1)[-1]
    check(f"all of both: {text}", books_of(text) == {first: 100000, second: 100000})
    r = subprocess.run([WEIR, first, second, "-r", "100k", "--fft", "256", "--speed", "max"],
                       capture_output=True, text=True)
    check(f"as text: {r.stderr}", r.returncode == 0 and
          books_of(r.stderr) == {first: 100000, second: 100000})


def test_source_that_does_not_answer(directory):
    """A FIFO that nobody writes to: the view goes on, and quits."""
    first, _ = make_files(directory)
    fifo = os.path.join(directory, "fifo.cs8")
    os.mkfifo(fifo)
    program = run([first, fifo, "-r", "100k"], columns=140)
    press_and_see(program, ("F", "opening.*fifo"), ("F", "still being opened"), (" ", "PAUSED"))
    quit_well(program, "a source that does not answer")


def test_in_turn_to_one_that_does_not_answer(directory):
    """The view can be left, and the key goes on from there; text ends at one signal."""
    first, second = make_files(directory)
    fifo = os.path.join(directory, "fifo.cs8")
    os.mkfifo(fifo)
    common = [first, fifo, second, "-r", "100k", "--fft", "256", "--speed", "max"]
    program = run([*common, "--exit-at-end"], columns=140)
    press_and_see(program, ("", "received 100 k"), ("FF", "fifo.cs8 is still being opened"))
    books = books_of(quit_well(program, "in turn to a source that does not answer"))
    check(f"accounts of the first: {books}", books == {first: 100000})
    process = subprocess.Popen([WEIR, *common], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               text=True)
    for line in process.stdout:
        if line.startswith("received"):
            break
    process.send_signal(signal.SIGINT)
    try:
        _, text = process.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        _, text = process.communicate()
    check(f"as text: {process.returncode} {text}", process.returncode == -signal.SIGINT
          and books_of(text) == {first: 100000})


def test_one_that_cannot_be_recorded(directory):
    """Its past does not fit into memory: it is shown all the same, under its own name."""
    first, _ = make_files(directory)
    program = run([first, "synth:rate=40M", "-r", "1k", "--record-before", "20000"], columns=140)
    press_and_see(program, ("F", "^ synth.*rate 40 MS/s"), ("", "warning: --record-before"),
                  ("S", "there is nothing to record"))
    quit_well(program, "a source that cannot be recorded")


def test_the_key_goes_on_from_the_one_at_work(directory):
    first, _ = make_files(directory)
    program = run([first, "tuner:", "synth:", "-r", "100k", "--fft", "256", "--exit-at-end"],
                  columns=140)
    press_and_see(program, ("", "^ tuner"), ("F", "^ synth"))
    quit_well(program, "from the one at work")


def test_switching_at_random(directory):
    """weir ends with 70 if books do not balance, by a signal if it crashes."""
    seed = random.randrange(1 << 30)
    rng = random.Random(seed)
    first, second = make_files(directory)
    program = run([first, second, "tuner:", "synth:", "-r", "100k", "--fft", "512"], rows=24,
                  columns=80)
    for _ in range(60):
        program.press(rng.choice(["F", "F", "B", "z", "Z", "w", "v", " ", "+", "f100.1M\r", "O",
                                  "U", "kp", "\x1b[5~", "y", "l"]))
        for _ in range(rng.randrange(4)):
            program.read_some(0.02)
    quit_well(program, f"seed {seed}")


def test_crash_of_the_engines_thread(directory):
    """The terminal is put back, whichever thread it was."""
    program = run(["tuner:"], environment={"HOME": directory})
    press_and_see(program, ("", r"received [1-9]"))  # there is an engine
    threads = f"/proc/{program.pid}/task"
    engine = [task for task in os.listdir(threads)
              if open(f"{threads}/{task}/comm").read() == "weir-engine\n"]
    ctypes.CDLL(None).tgkill(program.pid, int(engine[0]), signal.SIGSEGV)
    code = program.finish()
    check(f"ends by it: {code}", code and (code == -signal.SIGSEGV or code > 0), program)
    check("main screen", b"\x1b[?1049l" in program.written)


def test_remember(directory):
    home = {"XDG_STATE_HOME": os.path.join(directory, "state"), "HOME": directory}
    state = os.path.join(directory, "state", "weir", "view")
    program = run(["tuner:"], environment=home)
    press_and_see(program, ("c", "colour map"))
    quit_well(program, "not asked")
    check("nothing is kept unless asked for", not os.path.exists(state))

    program = run(["tuner:", "--remember"], environment=home, columns=160)
    press_and_see(program, ("z", "N 8192"), ("w", "N 8192 (?!hann)"), ("v", "overlap 75 %"),
                  ("f101M\r", "centre 101 MHz"), ("c", "colour map (?!viridis)"),
                  ("\x1b[A", "fixed"))
    quit_well(program, "kept")
    check("kept", os.path.exists(state) and os.listdir(os.path.dirname(state)) == ["view"])
    kept = open(state).read()
    program = run(["tuner:", "--remember"], environment=home, columns=160)
    for pattern in ("N 8192 (?!hann)", "overlap 75 %", "centre 101 MHz", "fixed"):
        check(f"again: {pattern}", program.wait_for(pattern), program)
    quit_well(program, "again")
    check("and kept as it was", open(state).read() == kept)

    program = run(["tuner:", "--remember", "--fft", "1024", "-c", "102M"], environment=home,
                  columns=160)
    check("what is said goes before", program.wait_for("centre 102 MHz.*N 1024 (?!hann)"), program)
    quit_well(program, "said")
    program = run(["synth:", "--remember"], environment=home, columns=160)
    check("another source: its own centre", program.wait_for("centre 100 MHz.*N 1024 (?!hann)"),
          program)
    quit_well(program, "another source")

    for bad in (b"", b"weir view state 1\n", b"weir view state 2\n" + kept.encode(),
                kept.encode() + b"x 1\n", kept.replace("overlap 0.75", "overlap 75").encode(),
                kept.replace("n_fft 8192", "n_fft nan").encode(), kept.encode()[:-7],
                os.urandom(4096), b"a" * 100000, kept.replace("window ", "window no").encode()):
        with open(state, "wb") as file:
            file.write(bad)
        program = run(["synth:", "--remember"], environment=home, columns=160)
        check("as without", program.wait_for("N 4096 hann"), program)
        text = quit_well(program, f"state {bad[:20]}")
        check(f"a warning: {text}", "warning: --remember" in program.written.decode("utf-8",
                                                                                    "replace"))
    os.chmod(os.path.dirname(state), 0o500)
    if not os.access(os.path.dirname(state), os.W_OK):
        program = run(["synth:", "--remember"], environment=home, columns=160)
        check("what cannot be kept is a warning", "remember" in quit_well(program, "no folder"))
    os.chmod(os.path.dirname(state), 0o700)


def test_sweep(directory):
    out = os.path.join(directory, "sweep.csv")
    program = run(["sweep", "--view", "-f", "88M:92M:20k", "-f", "430M:434M:20k", "tuner:", "-o",
                   out], columns=140)
    press_and_see(program, ("", r"MHz │.*88.*92"), ("", "▀"), ("p", r"cursor .*dBFS"),
                  ("F", r"MHz │.*430.*434"), ("", "▄|▀"), ("B", r"MHz │.*88"),
                  ("f90M\r", r"cursor 90\."), ("j", "cannot be tuned"), ("z", "cannot be changed"),
                  ("S", "cannot be recorded"))
    text = quit_well(program, "sweep")
    books = re.search(r"(\d+) samples received = (\d+) transformed \+ (\d+) skipped \+ (\d+) lost "
                      r"\+ (\d+) tail", text)
    check(f"accounts: {text}", books and int(books[1]) == sum(map(int, books.groups()[1:])))
    with open(out) as file:
        check("and the file", len(file.readlines()) > 2)
    program = run(["sweep", "--view", "-f", "88M:92M:20k", "tuner:", "--ascii", "--color", "none",
                   "--passes", "3", "--exit-at-end"], columns=140)
    check("it leaves at the end of its passes", program.finish() == 0, program)
    written = program.written.decode("utf-8", "replace")
    check("ASCII without colours", "MHz |" in written and written.isascii()
          and not re.search(r"\x1b\[[0-9;]*[34]8;", written), written[:200])
    r = subprocess.run([WEIR, "sweep", "--view", "-f", "88M:92M", "tuner:"], capture_output=True,
                       text=True, stdin=subprocess.DEVNULL)
    check(f"no terminal: {r.stderr}", r.returncode == 64 and "no terminal" in r.stderr)
    program = Program([WEIR, "sweep", "--view", "-f", "88M:92M", "tuner:", "-o", "-"])
    check("standard output is the terminal's", program.wait_for("give a file"), program)
    check("refused", program.finish() == 64)


def main():
    why, _ = skipped()
    if why:
        print("skipped:", why)
        return 77
    for test in (test_switching, test_first_that_opens, test_in_turn,
                 test_source_that_does_not_answer, test_in_turn_to_one_that_does_not_answer,
                 test_one_that_cannot_be_recorded, test_the_key_goes_on_from_the_one_at_work,
                 test_switching_at_random, test_crash_of_the_engines_thread, test_remember,
                 test_sweep):
        directory = tempfile.mkdtemp(prefix="weir-sources-")
        test(directory)
        shutil.rmtree(directory)
    return result()


sys.exit(main())
