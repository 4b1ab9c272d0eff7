# ctest-labels: replay
"""docs/compare.md does what it says: every sh block is run, in order and in one folder, and the
text block after it is its output (numbers within 0.02); the CMake and shell recipes are used as
they stand, with a comparison that passes and one that fails."""
import os
import random
import re
import shutil
import struct
import subprocess
import wave

from program import HOME as FOLDER, check, env_with_weir, finish, has

MANUAL = os.path.join(os.environ["WEIR_SOURCE_DIR"], "docs", "compare.md")
ENV = env_with_weir()
HAVE_PNG = has("PNG")
NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?")


def run(*command, **more):
    return subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=FOLDER,
                          env=ENV, **more)


def blocks():
    """(info, text) of the manual's fenced blocks."""
    with open(MANUAL, encoding="utf-8") as file:
        found = re.findall(r"^```(\S[^\n]*)\n(.*?)^```$", file.read(), flags=re.M | re.S)
    if not HAVE_PNG:
        found = [(info, re.sub(r"\s--diff-png [^\s)]+", "", text)) for info, text in found]
    return found


def same_text(actual, expected):
    if NUMBER.sub("#", actual) != NUMBER.sub("#", expected):
        return False
    pairs = zip(NUMBER.findall(actual), NUMBER.findall(expected))
    return all(abs(float(a) - float(b)) <= 0.02 for a, b in pairs)


def test_examples(found):
    n = 0
    for (info, text), following in zip(found, found[1:] + [("", "")]):
        if info != "sh":
            continue
        r = run("sh", "-c", text)
        assert r.stderr == "", r.stderr
        if following[0] == "text":
            assert same_text(r.stdout, following[1]), f"\n{r.stdout}\nexpected\n{following[1]}"
        n += 1
    assert n >= 6, n
    assert os.path.exists(FOLDER + "/tone-diff.png") == HAVE_PNG


def test_cmake(found):
    if not shutil.which("cmake") or not shutil.which("ctest"):
        print("the CMake recipe was not run: no cmake")
        return
    text, = [text for info, text in found if info == "cmake"]
    project = FOLDER + "/project"
    os.makedirs(project)
    with open(project + "/CMakeLists.txt", "w", encoding="utf-8") as file:
        # And a recording that says nothing of itself: the options are for blessing it, too.
        file.write(text + "weir_golden_test(raw ${CMAKE_CURRENT_SOURCE_DIR}/x.raw -f s16 -r 48k "
                   "-n 1000 --tolerance 0.5)\n")
    with open(project + "/x.raw", "wb") as file:
        file.write(bytes(random.Random(1).randrange(256) for _ in range(20000)))
    r = run("cmake", "-S", project, "-B", project + "/build")
    assert r.returncode == 0, r.stdout + r.stderr
    ctest = ("ctest", "--test-dir", project + "/build", "--output-on-failure")
    r = run(*ctest)
    assert r.returncode != 0 and "tone.golden" in r.stdout, "passed without a golden file"
    r = run("cmake", "--build", project + "/build", "--target", "bless")
    assert r.returncode == 0 and os.path.exists(project + "/tone.golden"), r.stdout + r.stderr
    r = run(*ctest)
    assert r.returncode == 0, r.stdout + r.stderr
    assert os.path.exists(project + "/build/tone.xml")
    assert os.path.exists(project + "/build/raw.xml")
    with open(project + "/CMakeLists.txt", "w", encoding="utf-8") as file:
        file.write(text.replace("tone=3k@-20", "tone=3k@-21"))
    run("cmake", project + "/build")
    r = run(*ctest)
    assert r.returncode != 0 and "-1.00 dB" in r.stdout, r.stdout


def make_wav(path, gain):
    rng = random.Random(1)
    with wave.open(path, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(48000)
        file.writeframes(struct.pack("<30000h", *(int(gain * rng.gauss(0, 3000))
                                                  for _ in range(30000))))


def test_shell(found):
    text, = [text for info, text in found if info == "sh check-recordings.sh"]
    script = FOLDER + "/check-recordings.sh"
    with open(script, "w", encoding="utf-8") as file:
        file.write(text)
    recordings = FOLDER + "/record ings"  # a name that needs quotes
    os.makedirs(recordings)
    make_wav(recordings + "/a b.wav", 1)
    make_wav(recordings + "/c.wav", 0.5)
    assert run("sh", script, recordings).returncode == 1  # nothing is blessed yet
    assert run("sh", script, recordings, "--bless").returncode == 0
    r = run("sh", script, recordings)
    assert r.returncode == 0 and r.stdout.count("same:") == 2, r.stdout + r.stderr
    make_wav(recordings + "/c.wav", 0.6)
    r = run("sh", script, recordings)
    assert r.returncode == 1 and r.stdout.count("same:") == 1, r.stdout + r.stderr
    assert os.path.exists(recordings + "/a b.xml") and os.path.exists(recordings + "/c.xml")


everything = blocks()
test_examples(everything)
test_cmake(everything)
test_shell(everything)
check(True, "all blocks do what they say")
finish()
