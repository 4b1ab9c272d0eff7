# ctest-labels: unit
"""Other tools' output through `-`, by the tools themselves where they are installed: rtl_sdr (with
the fake librtlsdr), parec (from a sound server's null sink), arecord (from ALSA's file plugin)."""
import array
import os
import shutil
import subprocess
import sys
import time

from program import ENV, HOME, WEIR, check, live, path, read, run_tests

FAKES = os.path.join(os.environ["WEIR_BUILD_DIR"], "tests", "fakes", "lib")
SOUND = {**ENV, "XDG_RUNTIME_DIR": HOME, "PULSE_RUNTIME_PATH": path("pulse")}
SOUND.pop("PULSE_SERVER", None)


def through(tool, env, *args):
    """What `tool | weir record -` makes of it: the samples."""
    with subprocess.Popen(tool, env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as p:
        r = subprocess.run([WEIR, "record", "-", *args, "-o", path("out"), "--to", "raw"],
                           stdin=p.stdout, env=ENV, capture_output=True, timeout=90, check=False)
        p.kill()
    check(r.returncode == 0 and b" 0 lost" in r.stderr, f"{tool}: {r.stderr}")
    return read("out") if r.returncode == 0 else b""


def follow_on(values, bits, what):
    first = values[0] if values else 0
    check(len(values) > 0 and all((first + i) % (1 << bits) == v for i, v in enumerate(values)),
          f"{what}: every sample, in order")


def can_be_loaded(library):
    """There, and without a sanitizer, which a program built without one cannot load."""
    if not os.path.exists(library):
        return False
    with open(library, "rb") as f:
        code = f.read()
    return b"__asan_init" not in code and b"__tsan_init" not in code


@live
def test_rtl_sdr():
    if not shutil.which("rtl_sdr") or not can_be_loaded(os.path.join(FAKES, "librtlsdr.so")):
        print("# no rtl_sdr, or no stand-in that it can load: left out")
        return
    env = {**ENV, "LD_LIBRARY_PATH": FAKES, "FAKE_RTLSDR": ""}
    data = through(["rtl_sdr", "-f", "100M", "-s", "2400000", "-n", "480000", "-"], env, "-f",
                   "cu8", "-r", "2.4M")
    check(len(data) == 2 * 480000, f"{len(data)} bytes")
    follow_on([a | b << 8 for a, b in zip(data[::2], data[1::2])], 16, "rtl_sdr")


@live
def test_parec():
    if not shutil.which("pulseaudio") or not shutil.which("parec") or not shutil.which("pacat"):
        print("# no pulseaudio: left out")
        return
    os.makedirs(path("pulse"), 0o700, exist_ok=True)
    with open(path("ramp"), "wb") as f:
        for _ in range(8):
            f.write(array.array("H", range(65536)).tobytes())
    server = subprocess.Popen(
        ["pulseaudio", "-n", "--daemonize=no", "--exit-idle-time=-1", "--disable-shm=yes", "-L",
         "module-null-sink sink_name=weirnull rate=48000 channels=1 format=s16le", "-L",
         "module-native-protocol-unix"], env=SOUND, stderr=subprocess.DEVNULL)
    player = None
    try:
        for _ in range(300):
            if subprocess.run(["pactl", "info"], env=SOUND, capture_output=True,
                              check=False).returncode == 0:
                break
            time.sleep(0.1)
        player = subprocess.Popen(["pacat", "--playback", "--raw", "--format=s16le", "--rate=48000",
                                   "--channels=1", "--device=weirnull", path("ramp")], env=SOUND)
        time.sleep(1.5)
        data = through(["parec", "--raw", "--format=s16le", "--rate=48000", "--channels=1",
                        "--device=weirnull.monitor"], SOUND, "-f", "s16", "-r", "48k", "-d", "1")
        values = array.array("H", data).tolist()
        check(len(values) == 48000, f"{len(values)} samples")
        begun = next((i for i, v in enumerate(values) if v), 0)  # silence until it plays
        follow_on(values[begun:], 16, "parec")
    finally:
        for p in (player, server):
            if p:
                p.kill()
                p.wait()


def test_arecord():
    if not shutil.which("arecord"):
        print("# no arecord: left out")
        return
    with open(path(".asoundrc"), "w", encoding="ascii") as f:
        f.write("pcm.weirramp { type file; slave.pcm null; file /dev/null; "
                f'infile "{path("ramp")}"; format raw }}\n')
    with open(path("ramp"), "wb") as f:
        f.write(array.array("H", range(65536)).tobytes())
    data = through(["arecord", "-D", "weirramp", "-t", "raw", "-f", "S16_LE", "-r", "48000",
                    "-c", "1"], ENV, "-f", "s16", "-r", "48k", "-d", "1")
    check(len(data) == 2 * 48000, f"{len(data)} bytes")


sys.stdout.flush()
run_tests(globals())
