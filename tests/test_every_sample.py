# ctest-labels: unit clock
# ctest-timeout: 400
"""Every sample of a counter ramp, through each kind of source and the whole of `weir record`:
none lost, repeated or changed; where the reader is too slow, the losses are exact.

WEIR_LIVE_SECONDS: how long each takes (2; test_every_sample_soak: a minute). What has fakes in
the place of libraries is left out in a build without them."""
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time

from program import ENV, HOME, WEIR, check, live, path, run_tests

SECONDS = float(os.environ.get("WEIR_LIVE_SECONDS", "2"))
FAKES = os.path.join(os.environ["WEIR_BUILD_DIR"], "tests", "fakes")
SLOW, FAST = 2.4e6, 20e6
# Sample n is n & 255, n >> 8 & 255, as all fakes count.
RAMP = bytes(n >> 8 * q & 255 for n in range(65536) for q in (0, 1))
TWICE = RAMP * 2
LIVE = {**ENV, "LD_LIBRARY_PATH": os.path.join(FAKES, "lib"), "FAKE_RTLSDR": "",
        "SOAPY_SDR_PLUGIN_PATH": os.path.join(FAKES, "soapy")}
with open(WEIR, "rb") as program:
    if b"__tsan_init" in (code := program.read()) or b"__asan_init" in code:
        FAST = 5e6  # instrumented code is slower than the samples come


class Ramp:
    """Takes bytes; counts samples, and where they do not follow on, and by how much."""

    def __init__(self):
        self.n = self.jumps = self.missing = 0
        self.next = None
        self.rest = b""

    def take(self, data):
        data = self.rest + data
        whole = len(data) // 2 * 2
        self.rest, data = data[whole:], data[:whole]
        at = 0
        while at < len(data):
            first = data[at] | data[at + 1] << 8
            if self.next is not None and first != self.next:
                self.jumps += 1
                self.missing += (first - self.next) % 65536
            piece = data[at:at + len(RAMP)]
            expected = TWICE[2 * first:2 * first + len(piece)]
            if piece != expected:
                same = next(i for i in range(0, len(piece), 2)
                            if piece[i:i + 2] != expected[i:i + 2])
                piece = piece[:same]
            self.n += len(piece) // 2
            self.next = (first + len(piece) // 2) % 65536
            at += len(piece)


def accounts(err):
    m = re.search(r"(\d+) samples received = (\d+) written \+ (\d+) lost \+ (\d+) after", err)
    check(m is not None, f"accounts: {err}")
    return tuple(map(int, m.groups())) if m else (0, 0, 0, 0)


def record(name, rate, *args, seconds=SECONDS, pause=None, **more):
    """One recording to a pipe, looked at as it comes; pause: (when, how long) nobody reads."""
    begun = time.monotonic()
    p = subprocess.Popen([WEIR, "record", *args, "-r", f"{rate:.0f}", "-d", f"{seconds}", "-o",
                          "-"], env=LIVE, cwd=HOME, stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, **more)
    ramp = Ramp()
    while data := p.stdout.read1(1 << 20):
        ramp.take(data)
        if pause and ramp.n > pause[0] * rate:
            time.sleep(pause[1])
            pause = None
    err = p.stderr.read().decode()
    check(p.wait(timeout=60) == 0, f"{name}: {p.returncode} {err}")
    received, written, lost, after = accounts(err)
    check(received == written + lost + after and written == ramp.n, f"{name}: {err}")
    print(f"# {name}, {rate / 1e6:g} MS/s, {time.monotonic() - begun:.1f} s: {received} samples, "
          f"{lost} lost, {ramp.jumps} jumps", flush=True)
    return ramp, received, lost


def check_all(name, rate, *args, **more):
    ramp, received, lost = record(name, rate, *args, **more)
    check(received == round(SECONDS * rate) and lost == 0 and ramp.jumps == 0,
          f"{name}: {received} received, {lost} lost, {ramp.jumps} jumps")


def check_losses(name, rate, *args):
    """The reader sleeps for longer than the ring holds: as many are missing as are said to be."""
    ramp, received, lost = record(name, rate, *args, seconds=6, pause=(0.5, 4.8))
    # On a busy machine the samples of the fast ones may come late themselves.
    check(received == round(6 * rate) and (lost > 0 or rate == FAST), f"{name}: {lost} lost")
    # A loss of a multiple of 65536 is no jump of this ramp.
    check(ramp.missing % 65536 == lost % 65536, f"{name}: {lost} lost, {ramp.missing} missing")


def feeder(rate, seconds, come, out):
    """A process that writes the ramp to one end of a pipe at this rate."""
    pid = os.fork()
    if pid:
        return pid
    try:
        os.close(come)
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        begun, sent = time.monotonic(), 0
        while sent < 2 * rate * seconds:
            time.sleep(max(0, begun + sent / 2 / rate - time.monotonic()))
            view = memoryview(RAMP)
            while view:
                view = view[os.write(out, view):]
            sent += len(RAMP)
    finally:
        os._exit(0)


def server(rate):
    """An rtl_tcp server in a process of its own; it ends with its client."""
    listener = socket.create_server(("127.0.0.1", 0))
    pid = os.fork()
    if pid == 0:
        try:
            client, _ = listener.accept()
            client.sendall(b"RTL0" + bytes([0, 0, 0, 0, 0, 0, 0, 29]))
            feeder_of_socket(rate, client)
        finally:
            os._exit(0)
    port = listener.getsockname()[1]
    listener.close()
    return pid, f"rtltcp:127.0.0.1:{port}"


def feeder_of_socket(rate, client):
    begun, sent = time.monotonic(), 0
    while True:
        time.sleep(max(0, begun + sent / 2 / rate - time.monotonic()))
        client.sendall(RAMP)
        sent += len(RAMP)


def has_fake(name):
    return os.path.exists(os.path.join(FAKES, name))


@live
def test_file():
    with open(path("ramp.cu8"), "wb") as f:
        for _ in range(int(SECONDS * SLOW / 65536) + 1):
            f.write(RAMP)
    check_all("file", SLOW, "ramp.cu8", "--speed", "1")
    check_all("file, as fast as it goes", SLOW, "ramp.cu8")
    os.remove(path("ramp.cu8"))


@live
def test_pipe():
    for rate in (SLOW, FAST):
        come, go = os.pipe()
        pid = feeder(rate, SECONDS + 0.5, come, go)
        os.close(go)
        check_all("-", rate, "-", "-f", "cu8", stdin=come)
        os.close(come)
        os.waitpid(pid, 0)


@live
def test_rtltcp():
    for rate, checker in ((SLOW, check_all), (FAST, check_all), (SLOW, check_losses),
                          (FAST, check_losses)):
        pid, address = server(rate)
        checker("rtltcp", rate, address)
        os.waitpid(pid, 0)


@live
def test_rtlsdr():
    if has_fake("lib/librtlsdr.so"):
        check_all("rtlsdr", SLOW, "rtlsdr")
        check_losses("rtlsdr", SLOW, "rtlsdr")


@live
def test_soapy():
    if not has_fake("soapy/fake_soapy.so"):
        return
    for rate in (SLOW, FAST):
        for fmt in ("CS8", "CU8"):
            check_all(f"soapy, {fmt}", rate, f"soapy:driver=weirfake,format={fmt}")
        check_losses("soapy", rate, "soapy:driver=weirfake,format=CU8")


@live
def test_gap_in_its_place():
    """What a driver lost is marked in the recording at the very sample."""
    if not has_fake("soapy/fake_soapy.so"):
        return
    at, lost = 1000003, 12345
    source = f"soapy:driver=weirfake,format=CS8,drop_at={at},drop={lost}"
    r = subprocess.run([WEIR, "record", source, "-r", "2.4M", "-d", "1", "-o",
                        path("gap.sigmf-meta")], env=LIVE, capture_output=True, timeout=60,
                       check=False)
    check(r.returncode == 0, f"{r.stderr}")
    if r.returncode == 0:
        with open(path("gap.sigmf-meta"), encoding="utf-8") as f:
            captures = [(c["core:sample_start"], c["core:global_index"])
                        for c in json.load(f)["captures"]]
        check(captures == [(0, 0), (at, at + lost)], f"{captures}")
        ramp = Ramp()
        with open(path("gap.sigmf-data"), "rb") as f:
            ramp.take(f.read())
        check(ramp.jumps == 1 and ramp.missing == lost and ramp.n == 2400000 - lost, f"{r.stderr}")


sys.stdout.flush()  # before there are children
run_tests(globals())
