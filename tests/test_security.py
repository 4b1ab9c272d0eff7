# ctest-labels: unit
"""What docs/security.md promises: hardening of the program, names that cannot speak to the
terminal, files that cannot name others, headers that cannot ask for memory."""
import json
import os
import re
import resource
import shutil
import struct
import subprocess

from program import ENV, HOME, WEIR, check, run_tests

SOURCE = os.environ["WEIR_SOURCE_DIR"]
with open(os.path.join(os.environ["WEIR_BUILD_DIR"], "CMakeCache.txt"), encoding="utf-8") as cache:
    SETTINGS = dict(re.findall(r"^(\w+):\w+=(.*)$", cache.read(), re.M))
IS_SANITIZED = bool(SETTINGS.get("WEIR_SANITIZE"))
ENV["LC_ALL"] = "C.UTF-8"


def weir(*args, **more):
    return subprocess.run([WEIR, *args], capture_output=True, timeout=60, env=ENV, cwd=HOME,
                          stdin=subprocess.DEVNULL, **more)


def test_hardening():
    if IS_SANITIZED or SETTINGS.get("WEIR_HARDEN") != "ON" or not shutil.which("readelf"):
        print("# not a hardened build, or no readelf: flags are not looked at")
        return
    elf = subprocess.run(["readelf", "-hlds", "-W", WEIR], capture_output=True, text=True).stdout
    check("Type:" in elf and re.search(r"Type:\s+DYN", elf), "position independent")
    check("GNU_RELRO" in elf, "RELRO")
    check(re.search(r"BIND_NOW|FLAGS.*NOW", elf) is not None, "immediate binding")
    stack = re.search(r"GNU_STACK.*", elf)
    check(stack is not None and "E" not in stack[0].split()[-2], f"stack: {stack and stack[0]}")
    check("__stack_chk_fail" in elf, "stack protector")
    check(re.search(r"RPATH|RUNPATH", elf) is None or "cuda" in elf, "no run-time path")
    if SETTINGS.get("CMAKE_BUILD_TYPE") != "Debug":
        check("_chk" in elf.replace("__stack_chk", ""), "fortified libc calls")


def test_names_cannot_speak_to_the_terminal():
    evil = "\x1b]0;owned\x07\x1b[2J\u202egnp.\x9b31m"
    for args in (["spectra", evil], [evil], ["spectra", "synth:tone=" + evil],
                 ["spectra", "synth:", "--window", evil], ["spectra", "synth:", "-o", evil],
                 ["spectra", "synth:", "--fft", evil], ["list", evil], ["spectra", "--" + evil],
                 ["spectra", "synth:", "-C", evil], ["spectra", "fault:" + evil + ":synth:"],
                 ["spectra", "synth:", "--to", evil], ["spectra", "synth:", "a", evil],
                 ["spectra", "synth:", "--calibration", evil]):
        r = weir(*args)
        for char in (b"\x1b", b"\x07", "\u202e".encode(), "\x9b".encode()):
            check(char not in r.stderr, f"{args}: {char!r} in {r.stderr!r}")
    path = os.path.join(HOME, "\x1b[31mred.cu8")
    with open(path, "wb") as f:
        f.write(bytes(range(256)) * 64)
    for kind in ("csv", "text", "jsonl"):
        r = weir("spectra", path, "-r", "1k", "--fft", "64", "--to", kind, "--title", "\x1b[0m")
        check(r.returncode == 0 and b"\x1b" not in r.stdout + r.stderr, f"{kind}: {r}")
    r = weir("view", path, "-r", "1M", "--speed", "max")
    check(r.returncode == 0 and b"\x1b" not in r.stdout + r.stderr, f"view: {r}")


def test_metadata_cannot_name_other_files():
    secret = os.path.join(HOME, "secret")
    with open(secret, "wb") as f:
        f.write(b"S" * 4096)
    folder = os.path.join(HOME, "rec")
    os.makedirs(folder)
    for name in ("../secret", secret, "/etc/passwd", "..", "a/../../secret"):
        meta = {"global": {"core:datatype": "cu8", "core:version": "1.0.0",
                           "core:sample_rate": 1000, "core:dataset": name}, "captures": []}
        with open(folder + "/r.sigmf-meta", "w", encoding="utf-8") as f:
            json.dump(meta, f)
        r = weir("spectra", folder + "/r.sigmf-meta", "--fft", "64")
        check(r.returncode in (65, 66) and not r.stdout, f"dataset {name}: {r}")


def test_a_link_is_replaced_and_not_followed():
    target, link = os.path.join(HOME, "precious"), os.path.join(HOME, "out.csv")
    with open(target, "w", encoding="utf-8") as f:
        f.write("precious")
    os.symlink(target, link)
    r = weir("spectra", "synth:seconds=0.01", "--fft", "64", "-o", link)
    with open(target, encoding="utf-8") as f:
        check(r.returncode == 0 and f.read() == "precious", f"the target of a link: {r}")


def test_commands_of_alerts_meet_no_shell():
    r = weir("spectra", "synth:seconds=0.2,tone=1k@-20", "--alert", "band > -60", "-o", "x.csv",
             "--alert-run", "touch one;two $HOME.three *four `id`")
    for name in ("one;two", "$HOME.three", "*four", "`id`"):
        check(os.path.exists(os.path.join(HOME, name)), f"{name} is no word: {r}")


def test_headers_cannot_ask_for_memory():
    def chunk(name, body, size=None):
        return name + struct.pack("<I", len(body) if size is None else size) + body

    fmt = struct.pack("<HHIIHH", 1, 2, 48000, 192000, 4, 16)
    huge = 0xFFFFFFF0
    files = {
        "data.wav": b"RIFF" + struct.pack("<I", huge) + b"WAVE" + chunk(b"fmt ", fmt) +
                    chunk(b"data", bytes(4000), huge),
        "list.wav": b"RIFF" + struct.pack("<I", huge) + b"WAVE" + chunk(b"LIST", b"x", huge),
        "fmt.wav": b"RIFF" + struct.pack("<I", huge) + b"WAVE" + chunk(b"fmt ", fmt, huge),
        "channels.wav": b"RIFF" + struct.pack("<I", huge) + b"WAVE" +
                        chunk(b"fmt ", struct.pack("<HHIIHH", 1, 65535, 48000, 0, 0, 32)) +
                        chunk(b"data", bytes(4000)),
        "big.sdriq": struct.pack("<IQqIII", 0xFFFFFFFF, 2**63, 0, 24, 0, 0) + bytes(400),
    }
    limit = None if IS_SANITIZED else 1 << 30  # a sanitizer's shadow takes terabytes
    for name, content in files.items():
        with open(os.path.join(HOME, name), "wb") as f:
            f.write(content)
        r = weir("spectra", name, "--fft", "64", preexec_fn=None if limit is None else
                 lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
        check(r.returncode in (0, 65, 66), f"{name}: {r}")
    for size in ("2^62", "18446744073709551615", "2^28"):
        r = weir("spectra", "synth:seconds=0.01", "--fft", size, preexec_fn=None if limit is None
                 else lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
        check(r.returncode in (0, 64, 71), f"--fft {size}: {r}")


if __name__ == "__main__":
    run_tests(globals())
