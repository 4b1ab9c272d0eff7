# ctest-labels: replay
# ctest-timeout: 240
"""Every command that README.md, docs/*.md and the help show is run, and succeeds: lines of
indented or fenced blocks that start with `weir`, or have it after a pipe. The recordings they name
are made first, with the content their names promise. What cannot be run here is in EXCEPTIONS,
with the reason. docs/compare.md is run by test_compare_docs.py, which also compares what is
printed."""
import array
import glob
import os
import re
import shutil
import subprocess
import wave

from program import HOME as FOLDER, check, env_with_weir, finish, weir

SOURCE = os.environ["WEIR_SOURCE_DIR"]
ENV = env_with_weir()
FEATURES = weir("--version", text=True).stdout

# Documents whose commands another test runs.
ELSEWHERE = {"compare.md": "test_compare_docs.py"}
# (what the command contains, why it is not run as it stands, what is run instead or None)
EXCEPTIONS = [
    ("rtl_sdr ", "needs a dongle; the pipe is fed from a file",
     lambda c: "cat band.cu8 | " + c.split("|", 1)[1]),
    ("arecord ", "needs a microphone; the pipe is fed from a file",
     lambda c: "tail -c +45 tone.wav | " + c.split("|", 1)[1]),
    ("rtltcp:", "needs a server", None),
    ("rtlsdr", "needs a dongle", None),
    ("rtl_power -f", "needs a dongle", None),
    ("hackrf_sweep -f", "needs a HackRF", None),
    ("soapy:", "needs a device", None),
    ("mic", "needs a microphone", None),
    ("tuner:", "goes on until it is stopped, here after 3 s",
     lambda c: f"timeout -s INT 3 {c} || [ $? = 124 ]"),
    ("SOURCE", "a pattern, not a command", None),
    ("synth:\n", "goes on until it is stopped, here after 1 s",
     lambda c: f"timeout -s INT 1 {c} || [ $? = 124 ]"),
]
# Words in a command that need a library or a program that may be absent here.
NEEDS = [(r"sigmf", "no SigMF"), (r"\.flac", "no audio files"), (r"\.png", "no PNG"),
         (r"--config|--dump-config", "no configuration")]
PROGRAMS = ["jq", "man"]


def is_whole(command):
    return command.count("'") % 2 == 0 and not command.endswith(("|", "\\"))


def commands_of(path):
    """Commands with their line numbers; a line that ends in | or \\ goes on in the next."""
    found, pending = [], None
    fenced = False
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if line.startswith("```"):
                fenced = not fenced
                continue
            code = line.strip() if fenced or line.startswith("    ") else None
            if pending and code:
                pending = (pending[0], pending[1] + "\n" + code)
            elif code and re.match(r"(weir|sudo weir)\s|.*\|\s*weir\s", code):
                pending = (number, code)
            if pending and is_whole(pending[1]):
                found.append(pending)
                pending = None
    return found


def commands_of_help(*args):
    """Indented examples; what follows three spaces is a comment."""
    found = []
    for number, line in enumerate(weir(*args, text=True).stdout.splitlines(), 1):
        code = re.sub(r"\s{3,}\S.*", "", line.rstrip()[2:])
        if re.match(r"  (weir|\w.*[|;] weir)\s", line) and code.strip() != "weir":
            found.append((number, code))
    return found


def all_commands():
    """(where, command)"""
    for path in [SOURCE + "/README.md"] + sorted(glob.glob(SOURCE + "/docs/*.md")):
        name = os.path.basename(path)
        for number, shown in [] if name in ELSEWHERE else commands_of(path):
            yield f"{name}:{number}", shown
    for number, shown in commands_of_help("--help"):
        yield f"weir --help:{number}", shown
    for command in weir("list", "commands", text=True).stdout.split():
        for number, shown in commands_of_help(command, "--help"):
            yield f"weir {command} --help:{number}", shown


def made_up_samples(n, scale):
    """n pairs of a slow tone and a little noise, -1 to 1; no library is needed."""
    state, out = 1, []
    for i in range(n):
        state = (state * 1103515245 + 12345) & 0x7FFFFFFF
        out.append(scale * ((i % 40) / 20 - 1) * 0.5 + 0.01 * scale * (state / 2**30 - 1))
    return out


def make_recordings():
    """The names that the documents use."""
    numbers = made_up_samples(96000, 30000)
    s16 = array.array("h", [int(x) for x in numbers])
    for name in ("recording", "tone", "x", "room", "radio", "talk", "a", "b", "c"):
        with wave.open(f"{FOLDER}/{name}.wav", "wb") as out:
            out.setnchannels(1)
            out.setsampwidth(2)
            out.setframerate(48000)
            out.writeframes(s16.tobytes())
    u8 = bytes(int(127.5 + x / 256) for x in numbers) * 10
    for name in ("band.cu8", "recording.cu8", "bursts.cu8", "x.cu8", "g001_433.92M_250k.cu8"):
        write(name, u8)
    write("band.cs8", bytes((b - 128) & 255 for b in u8))
    for name in ("band.cs16", "x.cs16"):
        write(name, s16.tobytes() * 10)
    floats = array.array("f", [x / 32768 for x in numbers]).tobytes()
    write("x.cf32", floats)
    write("gqrx_20240501_120000_100300000_2400000_fc.raw", floats * 5)
    for name in ("recording", "x"):
        write(name + ".sigmf-data", u8 * 3)
        write(name + ".sigmf-meta",
              b'{"global": {"core:datatype": "cu8", "core:sample_rate": 48000,'
              b' "core:version": "1.0.0"}, "captures": [{"core:sample_start": 0,'
              b' "core:frequency": 100000000}], "annotations": []}')
    for name in ("x", "a", "b", "taps"):
        write(name + ".txt", b"1\n2\n3\n-4\n")
    write_npy("signal.npy", numbers[:1000])
    write("limits.csv", b"hz,upper_db\n-1.2M,20\n101.2M,20\n")
    for name in ("night", "song", "x") if shutil.which("flac") else ():
        subprocess.run(["flac", "--silent", "-o", f"{FOLDER}/{name}.flac", FOLDER + "/tone.wav"],
                       check=True)


def write(name, content):
    with open(f"{FOLDER}/{name}", "wb") as out:
        out.write(content)


def write_npy(name, numbers):
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({len(numbers)},), }}"
    header = header.ljust(117) + "\n"
    write(name, b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() +
          array.array("f", numbers).tobytes())


def substitute(command):
    """What is run, or None and why not."""
    for mark, why, instead in EXCEPTIONS:
        if re.search(r"(^|\s)" + re.escape(mark), command + "\n"):
            if not instead:
                return None, why
            command = instead(command)
    for pattern, missing in NEEDS:
        if re.search(pattern, command) and missing in FEATURES:
            return None, missing
    for program in PROGRAMS:
        if re.search(rf"\|\s*{program}\b", command) and not shutil.which(program):
            return None, f"no {program} here"
    if ".flac" in command and not shutil.which("flac"):
        return None, "no flac here"
    return command, None


def run(where, command):
    try:
        r = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True,
                           text=True, timeout=100, cwd=FOLDER, env=ENV, stdin=subprocess.DEVNULL,
                           check=False)
    except subprocess.TimeoutExpired:
        check(False, f"{where}: not done after 100 s: {command}")
        return
    check(r.returncode == 0, f"{where}: exit {r.returncode}: {command}\n{r.stderr}")


def main():
    os.symlink(SOURCE + "/configs", FOLDER + "/configs")
    make_recordings()
    n_run, n_found = 0, 0
    for where, shown in all_commands():
        command, why = substitute(shown)
        n_found += 1
        if command:
            n_run += 1
            run(where, command)
        else:
            print(f"not run: {where}: {why}: {shown}")
    print(f"{n_run} of {n_found} run")
    check(n_found >= 85, f"only {n_found} commands were found in the documents and the help")
    check(n_run >= 40, f"only {n_run} of {n_found} could be run")


main()
finish()
