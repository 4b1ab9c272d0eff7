"""ctest-labels: unit clock
ctest-timeout: 300
The program with live sources: weir devices, --test, losses, exit codes, signals. The dongle
is tests/fakes/fake_rtlsdr.c, loaded in the place of librtlsdr; the server is a thread here."""

import json
import os
import re
import signal
import socket
import subprocess
import threading
import time

from program import HOME, WEIR, check, finish, is_recording, live, path, until

FAKES = os.path.join(os.environ["WEIR_BUILD_DIR"], "tests", "fakes")


def environment(fake=""):
    env = dict(os.environ, FAKE_RTLSDR=fake, HOME=HOME, XDG_RUNTIME_DIR=HOME, LC_ALL="C",
               XDG_CONFIG_HOME=HOME)
    env["LD_LIBRARY_PATH"] = os.path.join(FAKES, "lib")
    env["SOAPY_SDR_PLUGIN_PATH"] = os.path.join(FAKES, "soapy")
    env.pop("PULSE_SERVER", None)
    return env


def weir(*arguments, fake="", timeout=100):
    return subprocess.run([WEIR, *arguments], env=environment(fake), capture_output=True,
                          text=True, timeout=timeout)


def built(what):
    text = weir("devices").stdout
    title = {"rtlsdr": "RTL-SDR dongles", "soapy": "SoapySDR radios", "mic": "Audio inputs"}[what]
    return title + ":\n  not in this build" not in text


def test_devices():
    r = weir("devices", fake="serials=")
    check(r.returncode == 0 and r.stderr == "", f"none is no error: {r.returncode} {r.stderr}")
    for title in ("Audio inputs:", "RTL-SDR dongles:", "SoapySDR radios:", "GPUs:"):
        check(title in r.stdout, f"{title} in {r.stdout}")
    if built("rtlsdr"):
        r = weir("devices", fake="serials=AB12;00000001;AB12")
        for text in ("rtlsdr:AB12  (weir test dongle", "rtlsdr:00000001", "rtlsdr:2  (",
                     "R820T, 225-300 kS/s and 0.9-3.2 MS/s, gain 0.0 to 49.6 dB in 29 steps"):
            check(text in r.stdout, f"{text} in {r.stdout}")
        check(r.stderr == "", f"no chatter: {r.stderr}")
        check("in use" in weir("devices", fake="busy").stdout, "a dongle in use")
    if os.path.exists(os.path.join(FAKES, "soapy", "fake_soapy.so")):
        r = weir("devices", fake="serials=")
        check("soapy:driver=weirfake  (a fake radio)" in r.stdout, r.stdout)
        check("rates 250 k, 1.00 M to 40.0 M" in r.stdout, r.stdout)


def test_broken_alsa():
    with open(path(".asoundrc"), "w", encoding="ascii") as f:
        f.write("pcm.bad {\n")
    r = weir("devices", fake="serials=")
    check(r.returncode == 0 and r.stderr == "", f"devices: {r.returncode} {r.stderr}")
    r = weir("spectra", "synth:seconds=0.1", "--to", "csv")
    check(r.returncode == 0, f"files do not care: {r.stderr}")
    os.remove(path(".asoundrc"))


@live
def test_counter():
    r = weir("devices", "--test", "rtlsdr", "-d", "0.5")
    check(r.returncode == 0, f"nothing lost: {r.returncode} {r.stderr}")
    check("1200000 samples" in r.stdout and "lost: 0 bytes at 0 places" in r.stdout, r.stdout)
    r = weir("devices", "--test", "rtlsdr", "-d", "0.5", fake="drop=500000/37")
    check(r.returncode == 1, f"lost: exit {r.returncode}")
    check("lost: 74 bytes at 1 places" in r.stdout, r.stdout)
    for other in ("synth:", "mic", "soapy:driver=weirfake", "x.wav"):
        r = weir("devices", "--test", other, "-d", "0.5")
        check(r.returncode == 64 and "only rtlsdr and rtltcp" in r.stderr,
              f"only dongles: {r.returncode} {r.stderr}")


@live
def test_loss():
    r = weir("spectra", "rtlsdr", "--average", "all", "--to", "csv", fake="vanish=480000/100000")
    check(r.returncode == 69 and "device lost" in r.stderr, f"{r.returncode} {r.stderr}")
    check(len(r.stdout.splitlines()) >= 2, "what came before is written")
    r = weir("spectra", "rtlsdr", "-d", "2", "--on-loss", "retry", "--average", "all", "--to",
             "csv", fake="vanish=480000/300")
    check(r.returncode == 0 and "device is back" in r.stderr, f"{r.returncode} {r.stderr}")
    lost = re.search(r"4800000 samples received = .* \+ (\d+) lost", r.stderr)
    check(lost and int(lost.group(1)) > 0.25 * 2.4e6, r.stderr)


@live
def test_loss_before_the_first_sample():
    """Nothing has come yet when it is gone: that time is lost too, and accounted for."""
    out = path("first.cu8")
    r = weir("record", "rtlsdr", "-o", out, fake="begin=1,vanish=1/300")
    check(r.returncode == 69 and "0 samples received" in r.stderr, f"{r.returncode} {r.stderr}")
    r = weir("record", "rtlsdr", "-d", "1.5", "--on-loss", "retry", "-o", out,
             fake="begin=1,vanish=1/300")
    m = re.search(r"3600000 samples received = (\d+) written \+ (\d+) lost .* 1 gap\b", r.stderr)
    check(r.returncode == 0 and m, f"{r.returncode} {r.stderr}")
    check(m and int(m[1]) + int(m[2]) == 3600000 and int(m[2]) > 0.25 * 2.4e6
          and os.path.getsize(out) == 2 * int(m[1]), r.stderr)


@live
def test_standstill():
    """Ctrl-Z for 1.5 s, and fg: no loss of the device's, but a gap."""
    out = path("still.cu8")
    p = subprocess.Popen([WEIR, "record", "rtlsdr", "-d", "4", "-o", out], env=environment(),
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    check(until(lambda: is_recording(HOME, 1000000)), "it records")
    p.send_signal(signal.SIGSTOP)
    time.sleep(1.5)
    p.send_signal(signal.SIGCONT)
    _, err = p.communicate(timeout=60)
    check(p.returncode == 0 and "weir stood still" in err and "device is back" in err,
          f"{p.returncode} {err}")
    m = re.search(r"9600000 samples received = (\d+) written \+ (\d+) lost .* 1 gap\b", err)
    check(m and int(m[1]) + int(m[2]) == 9600000 and int(m[2]) > 0, err)


def test_options():
    log = path("log")
    r = weir("spectra", "rtlsdr", "-d", "0.1", "-c", "433.92M", "--gain", "29",
             "--device-ppm", "-2", "--bias-tee", "--device-option", "settle=5ms", "--to", "csv",
             fake=f"log={log}")
    check(r.returncode == 0, r.stderr)
    with open(log, encoding="ascii") as f:
        calls = f.read().splitlines()
    for call in ("center 433920000", "gain 297", "ppm -2", "bias 1", "rate 2400000"):
        check(call in calls, f"{call} in {calls}")
    for arguments, code in ((["--gain", "loud"], 64), (["--device-option", "x"], 64),
                            (["--device-option", "x=1"], 64), (["-r", "500k"], 64),
                            (["--on-loss", "cry"], 64)):
        r = weir("spectra", "rtlsdr", "-d", "0.1", *arguments)
        check(r.returncode == code and r.stderr.count("\n") == 1, f"{arguments}: {r.stderr}")


@live
def ends_by_signal(arguments, fake=""):
    """A signal a second after its first spectrum: an orderly end, at once, with the shell's 130."""
    process = subprocess.Popen([WEIR, *arguments], env=environment(fake), text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    while (line := process.stdout.readline()) and not line[0].isdigit():
        pass
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    begun = time.monotonic()
    _, err = process.communicate(timeout=60)
    took = time.monotonic() - begun
    check(process.returncode == -signal.SIGINT, f"{arguments}: {process.returncode} {err}")
    check(took < 1, f"{arguments}: it took {took:.2f} s to end")
    check("0 lost" in err or "lost" in err, f"{arguments}: {err}")


class Server(threading.Thread):
    """rtl_tcp, in its simplest form: a ramp at 2.4 MS/s to one client after the other."""

    def __init__(self):
        super().__init__(daemon=True)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.silent = False

    def run(self):
        block = bytes(i // 2 & 255 if i % 2 == 0 else i // 2 >> 8 & 255 for i in range(131072))
        while True:
            client, _ = self.listener.accept()
            try:
                client.sendall(b"RTL0" + bytes([0, 0, 0, 5, 0, 0, 0, 29]))
                begun, sent = time.monotonic(), 0
                while True:
                    time.sleep(max(0, begun + sent / 4.8e6 - time.monotonic()))
                    if not self.silent or sent < 2400000:
                        client.sendall(block)
                    sent += len(block)
            except OSError:
                client.close()


def passes(*arguments):
    r = weir("sweep", *arguments, "--to", "jsonl")
    rows = [json.loads(line) for line in r.stdout.splitlines()]
    check(r.returncode == 0 and len(rows) > 2, f"{arguments}: {rows[-1:]} {r.stderr}")
    return [row["lost_before"] + row["lost_inside"] for row in rows[1:-1]], rows[-1]["lost"]


@live
def test_gaps_of_sweeps():
    """What the source drops at every tuning is counted, and no gap in the passes; what is missing
    from an integration (of a million samples here) is both."""
    if built("rtlsdr"):
        gaps, lost = passes("rtlsdr", "-f", "88M:93M:50k", "--passes", "2")
        check(gaps == [0, 0] and lost > 0, f"{gaps}, {lost} lost")
    if os.path.exists(os.path.join(FAKES, "soapy", "fake_soapy.so")):
        gaps, lost = passes("soapy:driver=weirfake,drop_at=700000,drop=500", "-r", "1M", "-f",
                            "100M:100.1M:1k", "--average", "1s")
        check(len(gaps) == 1 and 500 <= gaps[0] < lost, f"{gaps}, {lost} lost")


@live
def test_sweep_as_rtl_power():
    """The server's real rate is a fraction of a hertz beside what rtl_power's plan asks for."""
    server = Server()
    server.start()
    r = weir("sweep", f"rtltcp:127.0.0.1:{server.port}", "-f", "88M:93M:125k", "--to", "rtl_power")
    rows = [line.split(", ") for line in r.stdout.splitlines()]
    check(r.returncode == 0 and [row[2:5] for row in rows] ==
          [["88000000", "90500000", "78125.00"], ["90500000", "93000000", "78125.00"]],
          f"{r.returncode} {r.stderr} {rows}")


@live
def test_sweep_waits():
    """The dongle goes between two passes, and is away when the second begins."""
    r = weir("sweep", "rtlsdr", "-f", "88M:89M:10k", "--interval", "1.5", "--passes", "2",
             "--on-loss", "retry", "--to", "csv", fake="vanish=720000/2500")
    rows = [line for line in r.stdout.splitlines() if line[:1] not in ("#", "t")]
    check(r.returncode == 0 and "device is back" in r.stderr and len(rows) == 2,
          f"{r.returncode} {len(rows)} {r.stderr}")
    r = weir("sweep", "rtlsdr", "-f", "88M:89M:10k", "--interval", "1.5", "--passes", "2",
             "--to", "csv", fake="vanish=720000/2500")
    check(r.returncode == 69 and "device lost" in r.stderr, f"{r.returncode} {r.stderr}")


def test_signals():
    server = Server()
    server.start()
    address = f"rtltcp:127.0.0.1:{server.port}"
    ends_by_signal(["spectra", address, "--to", "csv"])
    server = Server()
    server.silent = True
    server.start()
    address = f"rtltcp:127.0.0.1:{server.port}"
    ends_by_signal(["spectra", address, "--to", "csv"])
    if built("rtlsdr"):
        ends_by_signal(["spectra", "rtlsdr", "--to", "csv"])
        ends_by_signal(["spectra", "rtlsdr", "--to", "csv", "--on-loss", "retry"],
                       fake="vanish=480000/100000")
    if os.path.exists(os.path.join(FAKES, "soapy", "fake_soapy.so")):
        ends_by_signal(["spectra", "soapy:driver=weirfake", "--to", "csv"])


def main():
    test_devices()
    test_broken_alsa()
    test_sweep_as_rtl_power()
    test_gaps_of_sweeps()
    test_signals()
    if built("rtlsdr"):
        test_counter()
        test_sweep_waits()
        test_loss()
        test_loss_before_the_first_sample()
        test_standstill()
        test_options()
    finish()


main()
