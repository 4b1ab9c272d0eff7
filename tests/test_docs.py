# ctest-labels: replay
# ctest-timeout: 240
"""Every command that README.md and docs/*.md show is run, and succeeds: lines of indented or
fenced blocks that start with `weir`, or have it after a pipe. The recordings they name are made
first, with the content their names promise. What cannot be run here is in EXCEPTIONS, with the
reason. docs/compare.md is run by test_compare_docs.py, which also compares what is printed."""
import array
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import wave

WEIR = os.environ["WEIR"]
SOURCE = os.environ["WEIR_SOURCE_DIR"]
if not os.access(WEIR, os.X_OK):
    print("skipped: the program is not built")
    sys.exit(77)
FOLDER = tempfile.mkdtemp(prefix="weir-docs-")
os.makedirs(FOLDER + "/bin")
os.symlink(os.path.realpath(WEIR), FOLDER + "/bin/weir")
ENV = {**os.environ, "PATH": FOLDER + "/bin:" + os.environ["PATH"], "LC_ALL": "C",
       "XDG_CONFIG_HOME": FOLDER, "XDG_CACHE_HOME": FOLDER}
FEATURES = subprocess.run([WEIR, "--version"], capture_output=True, text=True).stdout

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
    ("soapy:", "needs a device", None),
    ("mic", "needs a microphone", None),
    ("tuner:", "goes on until it is stopped, here after 3 s",
     lambda c: f"timeout -s INT 3 {c} || [ $? = 124 ]"),
    ("SOURCE", "a pattern, not a command", None),
]
# Words in a command that need a library or a program that may be absent here.
NEEDS = [(r"sigmf", "no SigMF"), (r"\.flac", "no audio files"), (r"\.png", "no PNG"),
         (r"--config|--dump-config", "no configuration")]
PROGRAMS = ["jq", "man"]


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
                start, text = pending
                text += "\n" + code
                done = text.count("'") % 2 == 0 and not code.endswith(("|", "\\"))
                pending = None if done else (start, text)
                if done:
                    found.append((start, text))
            elif code and re.match(r"(weir|sudo weir)\s|.*\|\s*weir\s", code):
                if code.endswith(("|", "\\")) or code.count("'") % 2:
                    pending = (number, code)
                else:
                    found.append((number, code))
    return found


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
    for name in ("recording", "tone", "x", "room", "radio", "talk"):
        with wave.open(f"{FOLDER}/{name}.wav", "wb") as out:
            out.setnchannels(1)
            out.setsampwidth(2)
            out.setframerate(48000)
            out.writeframes(s16.tobytes())
    u8 = bytes(int(127.5 + x / 256) for x in numbers) * 10
    for name in ("band.cu8", "recording.cu8", "bursts.cu8"):
        write(name, u8)
    write("band.cs8", bytes((b - 128) & 255 for b in u8))
    write("band.cs16", s16.tobytes() * 10)
    floats = array.array("f", [x / 32768 for x in numbers]).tobytes()
    write("x.cf32", floats)
    write("gqrx_20240501_120000_100300000_2400000_fc.raw", floats * 5)
    write("recording.sigmf-data", u8 * 3)
    write("recording.sigmf-meta", b'{"global": {"core:datatype": "cu8", "core:sample_rate": 48000,'
          b' "core:version": "1.0.0"}, "captures": [{"core:sample_start": 0,'
          b' "core:frequency": 100000000}], "annotations": []}')
    write("limits.csv", b"hz,upper_db\n-1.2M,20\n1.2M,20\n")
    if shutil.which("flac"):
        subprocess.run(["flac", "--silent", "-o", FOLDER + "/night.flac", FOLDER + "/tone.wav"],
                       check=True)


def write(name, content):
    with open(f"{FOLDER}/{name}", "wb") as out:
        out.write(content)


def substitute(command):
    """What is run, or None and why not."""
    for mark, why, instead in EXCEPTIONS:
        if re.search(r"(^|\s)" + re.escape(mark), command):
            if not instead:
                return None, why
            command = instead(command)
    for pattern, missing in NEEDS:
        if re.search(pattern, command) and missing in FEATURES:
            return None, missing
    for program in PROGRAMS:
        if re.search(rf"\|\s*{program}\b", command) and not shutil.which(program):
            return None, f"no {program} here"
    if "night.flac" in command and not os.path.exists(FOLDER + "/night.flac"):
        return None, "no flac here"
    return command, None


def run(where, command):
    try:
        r = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True,
                           text=True, timeout=20, cwd=FOLDER, env=ENV, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        print(f"failed: {where}: not done after 20 s: {command}")
        return False
    if r.returncode != 0:
        print(f"failed: {where}: exit {r.returncode}: {command}\n{r.stderr}")
    return r.returncode == 0


def main():
    os.symlink(SOURCE + "/configs", FOLDER + "/configs")
    make_recordings()
    n_run = n_failed = 0
    for path in [SOURCE + "/README.md"] + sorted(glob.glob(SOURCE + "/docs/*.md")):
        name = os.path.basename(path)
        for number, shown in [] if name in ELSEWHERE else commands_of(path):
            command, why = substitute(shown)
            if not command:
                print(f"not run: {name}:{number}: {why}: {shown}")
                continue
            n_run += 1
            n_failed += not run(f"{name}:{number}", command)
    print(f"{n_run} commands run, {n_failed} failed")
    assert n_run >= 20, "the documents show more commands than were found"
    return 1 if n_failed else 0


try:
    sys.exit(main())
finally:
    shutil.rmtree(FOLDER, ignore_errors=True)
