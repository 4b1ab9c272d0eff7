"""ctest-labels: tui
ctest-timeout: 300

The terminal view on a pseudo terminal that this test holds the other end of: how much it
writes, that a terminal which takes nothing stops neither the engine nor quitting, that
keys come from the terminal while standard input is data, and that it ends when the
terminal goes away.
"""
import os
import re
import select
import signal
import subprocess
import sys
import termios
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from view_terminal import PATIENCE, names_for, start  # noqa: E402

DEMO = os.path.join(os.environ.get("WEIR_BUILD_DIR", "build"), "tests", "weir_view_demo")
passed = failed = 0
is_sanitized = False


def check(what, ok, detail=""):
    global passed, failed
    if ok:
        passed += 1
    else:
        failed += 1
        print(f"failed: {what} {detail}")


class Terminal:
    """The demo on a pseudo terminal, standard error into a pipe (it has the figures)."""

    def __init__(self, columns, rows, arguments, term="xterm-256color", stdin_is_data=False):
        self.stderr, stderr_in = os.pipe()
        data_out, data_in = os.pipe()
        self.pid, self.fd, self.modes = start(
            [DEMO, *arguments], (rows, columns, 0, 0), names_for({"TERM": term}),
            descriptors=[(stderr_in, 2)] + [(data_out, 0)] * stdin_is_data)
        os.close(stderr_in)
        os.close(data_out)
        self.data_in = data_in
        self.status = None

    def read(self, until=None):
        """What it writes until a text, or until its end."""
        end, out = time.monotonic() + PATIENCE, b""
        while (left := end - time.monotonic()) > 0:
            if not select.select([self.fd], [], [], left)[0]:
                break
            try:
                piece = os.read(self.fd, 65536)
            except OSError:  # the other end is closed
                break
            if not piece:
                break
            out += piece
            if until and until in out:
                break
        return out

    def wait_until_it_draws(self):
        """The modes are its own then, and so are keys."""
        end = time.monotonic() + PATIENCE
        while termios.tcgetattr(self.fd) == self.modes and time.monotonic() < end:
            time.sleep(0.01)

    def wait(self, seconds=PATIENCE):
        """Exit status, or None if it still runs after that time."""
        end = time.monotonic() + seconds
        while self.status is None and time.monotonic() < end:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.status = status
            else:
                time.sleep(0.01)
        return self.status

    def close(self):
        if self.wait(0.01) is None:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        for fd in (self.fd, self.stderr, self.data_in):
            try:
                os.close(fd)
            except OSError:
                pass

    def figures(self):
        text = b""
        while piece := os.read(self.stderr, 65536):
            text += piece
        return text.decode()


def test_output_rate():
    for _ in range(4):  # the machine may be busy
        terminal = Terminal(200, 50, ["seconds=6", "lps=30", "stats=1"])
        out = terminal.read()
        status = terminal.wait()
        figures = terminal.figures()
        terminal.close()
        check("ends by itself", status == 0, f"status {status}")
        seconds, frames = map(float, re.search(r"seconds (\S+) frames (\S+)", figures).groups())
        if frames / seconds > 15:
            break
    rate = len(out) / seconds
    check("drew about 30 frames a second", frames / seconds > 15, figures)
    check("at most 0.5 MB/s at 200x50 in direct colour", rate <= 0.5e6, f"{rate:.0f} B/s")
    check("scrolls by the terminal", out.count(b"\033M") > 40, str(out.count(b"\033M")))
    check("clears once", out.count(b"\033[2J") == 1, str(out.count(b"\033[2J")))
    check("synchronised updates are closed", out.count(b"\033[?2026l") >= out.count(b"\033[?2026h"))
    below = [(int(us), int(n)) for us, n in re.findall(r"below_us (\d+) frames (\d+)", figures)]
    slow = sum(n for us, n in below if us > 4096)
    check("99 % of the frames cost under 5 ms", is_sanitized or slow <= frames / 100, figures)
    print(f"# {rate / 1e3:.0f} kB/s, {frames / seconds:.1f} frames/s, {figures}")


def test_blocked_terminal():
    # Nothing is read: after a few kB the terminal takes nothing more.
    terminal = Terminal(200, 50, ["seconds=2", "lps=100", "stats=1"])
    status = terminal.wait()
    figures = terminal.figures()
    check("the stream ends on time although the terminal is blocked", status == 0, str(status))
    skipped = int(re.search(r"skipped (\d+)", figures).group(1))
    check("frames were skipped", skipped > 10, figures)
    check("modes are back", termios.tcgetattr(terminal.fd) == terminal.modes)
    terminal.close()
    for how in ("q", signal.SIGTERM):
        terminal = Terminal(200, 50, ["lps=100"])
        terminal.wait_until_it_draws()
        time.sleep(0.5)  # in which it fills the terminal, on a machine that is not too slow
        began = time.monotonic()
        if how == "q":
            os.write(terminal.fd, b"q")
        else:
            os.kill(terminal.pid, how)
        status = terminal.wait()
        took = time.monotonic() - began
        check(f"{how}: ends when blocked", status is not None and took < 15.0, f"{took:.2f} s")
        check(f"{how}: status", status == (0 if how == "q" else signal.SIGTERM), str(status))
        check(f"{how}: modes are back", termios.tcgetattr(terminal.fd) == terminal.modes)
        terminal.close()


def first_picture_seconds():
    began = time.monotonic()
    terminal = Terminal(80, 24, [])
    out = terminal.read(b"\033[?2026l")
    took = time.monotonic() - began
    terminal.close()
    return took if b"MHz" in out else 99.0


def test_first_picture():
    limit = 1.0 if is_sanitized else 0.2
    took = first_picture_seconds()
    for _ in range(15):
        if took >= limit:  # the machine may be busy
            took = first_picture_seconds()
    check("first picture within 0.2 s", took < limit, f"{took:.3f} s")


def test_keys_beside_data():
    terminal = Terminal(80, 24, [], stdin_is_data=True)
    terminal.read(b"q quit")
    os.write(terminal.data_in, b"qqqqqqqqqqqq")  # samples, not keys
    check("samples are not keys", terminal.wait(0.4) is None)
    os.write(terminal.fd, b"q")
    terminal.read()
    check("keys come from the terminal", terminal.wait() == 0)
    terminal.close()


def test_mouse():
    terminal = Terminal(120, 30, [])
    out = terminal.read(b"q quit")
    check("the mouse is asked for", b"\033[?1003h\033[?1006h" in out)
    os.write(terminal.fd, b"q")
    out = terminal.read()
    check("the mouse is given back", b"\033[?1003l\033[?1006l" in out)
    check("ends", terminal.wait() == 0)
    terminal.close()


def test_restore_order():
    terminal = Terminal(80, 24, [])
    terminal.read(b"q quit")
    os.kill(terminal.pid, signal.SIGINT)
    out = terminal.read()
    check("ended by the signal", terminal.wait() == signal.SIGINT)
    end = out.rfind(b"\033[?1049l")
    check("leaves the alternate screen last", end > 0 and b"\033[" not in out[end + 8 : -12])
    check("shows the cursor", b"\033[?25h" in out)
    check("wraps again", out.rfind(b"\033[?7h") > out.rfind(b"\033[?7l"))
    check("modes are back", termios.tcgetattr(terminal.fd) == terminal.modes)
    terminal.close()


def test_terminal_goes_away():
    terminal = Terminal(80, 24, [])
    terminal.read(b"q quit")
    os.close(terminal.fd)
    status = terminal.wait()
    check("ends when the terminal is gone", status is not None, str(status))
    terminal.close()


if not os.path.exists(DEMO):
    print("skipped: no weir_view_demo")
    sys.exit(77)
weir = os.environ.get("WEIR", "weir")
if os.access(weir, os.X_OK) and b"no terminal view" in subprocess.run(
        [weir, "--version"], capture_output=True).stdout:
    print("skipped: built without ncurses")
    sys.exit(77)
refusal = subprocess.run([DEMO, "seconds=1"], capture_output=True, text=True, check=False).stderr
if "no terminal view" in refusal:
    print("skipped: built without ncurses")
    sys.exit(77)
with open(DEMO, "rb") as program:
    is_sanitized = re.search(rb"__(asan|tsan)_init", program.read()) is not None
for test in (test_output_rate, test_blocked_terminal, test_first_picture, test_keys_beside_data,
             test_mouse, test_restore_order, test_terminal_goes_away):
    print(f"# {test.__name__}", flush=True)
    test()
print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0)
