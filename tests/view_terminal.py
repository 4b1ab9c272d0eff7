"""A pseudo terminal for tests of the view: runs a program on it, and is read as a screen;
and the steps that these tests share.

The screen is only as much of a terminal as weir writes to: cursor moves, text, erasing,
the scroll region. Nothing here is timed: what is waited for is polled for.
"""
import codecs
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time

PATIENCE = 60  # seconds; a loaded machine is slow, and a failure may take its time


def whole_frames(text):
    """What a terminal shows of it, and the rest: a frame is shown when all of it is there."""
    begin = text.rfind("\x1b[?2026h")
    if begin > text.rfind("\x1b[?2026l"):
        return text[:begin], text[begin:]
    return text, ""


class Screen:
    def __init__(self, columns, rows):
        self.columns, self.rows = columns, rows
        self.cells = [[" "] * columns for _ in range(rows)]
        self.row = self.column = 0
        self.top, self.bottom = 0, rows - 1
        self.decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self.pending = ""

    def feed(self, data):
        text = self.pending + self.decoder.decode(data)
        text, rest = whole_frames(text)
        token = re.compile(r"\x1b\[([?0-9;]*)([A-Za-z])|\x1b[()].|\x1b([^\[()])|([^\x1b])", re.S)
        at = 0
        while at < len(text):
            found = token.match(text, at)
            if not found:
                break  # the rest of a sequence is still to come
            at = found.end()
            self.take(found)
        self.pending = text[at:] + rest

    def take(self, found):
        parameters, letter, escape, character = found.groups()
        if letter:
            self.sequence(parameters, letter)
        elif escape == "M":
            self.reverse_index()
        elif character == "\r":
            self.column = 0
        elif character == "\n":
            self.row = min(self.row + 1, self.rows - 1)
        elif character == "\b":
            self.column = max(self.column - 1, 0)
        elif character and character >= " ":
            if self.row < self.rows and self.column < self.columns:
                self.cells[self.row][self.column] = character
            self.column += 1

    def reverse_index(self):
        if self.row == self.top:
            del self.cells[self.bottom]
            self.cells.insert(self.top, [" "] * self.columns)
        else:
            self.row = max(self.row - 1, 0)

    def sequence(self, parameters, letter):
        numbers = [int(n) if n.isdigit() else 0 for n in parameters.split(";")]
        if letter == "H":
            self.row = max(numbers[0], 1) - 1
            self.column = max(numbers[1] if len(numbers) > 1 else 1, 1) - 1
        elif letter == "J":
            self.cells = [[" "] * self.columns for _ in range(self.rows)]
        elif letter == "K":
            self.cells[self.row][self.column:] = [" "] * (self.columns - self.column)
        elif letter == "C":
            self.column += max(numbers[0], 1)
        elif letter == "G":
            self.column = max(numbers[0], 1) - 1
        elif letter == "d":
            self.row = max(numbers[0], 1) - 1
        elif letter == "X":
            n = max(numbers[0], 1)
            self.cells[self.row][self.column:self.column + n] = [" "] * n
        elif letter == "r" and not parameters.startswith("?"):
            self.top = max(numbers[0], 1) - 1
            self.bottom = (numbers[1] if len(numbers) > 1 and numbers[1] else self.rows) - 1
            self.row = self.column = 0

    def lines(self):
        return ["".join(row).rstrip() for row in self.cells]

    def text(self):
        return "\n".join(self.lines())


def names_for(more=(), unset=()):
    """The environment: a terminal of direct colour and UTF-8, in nothing else that draws."""
    names = dict(os.environ, TERM="xterm-256color", COLORTERM="truecolor", LANG="C.UTF-8")
    for name in ("NO_COLOR", "LC_ALL", "LC_CTYPE", "STY", "TMUX", *unset):
        names.pop(name, None)
    names.update(more)
    return names


def start(arguments, size, names, directory=None, descriptors=()):
    """A program on a new terminal of that size, (rows, columns, width, height); pairs of
    descriptors are (ours, its). Its pid, the terminal, and the modes that it finds there: it does
    not begin before size and modes are what they should be, however slow this process is."""
    wait, go = os.pipe()
    pid, fd = pty.fork()
    if pid == 0:
        try:
            os.close(go)
            os.read(wait, 1)
            for ours, its in descriptors:
                os.dup2(ours, its)
            os.chdir(directory or ".")
            os.execve(arguments[0], arguments, names)
        finally:
            os._exit(127)
    os.close(wait)
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", *size))
    modes = termios.tcgetattr(fd)
    os.close(go)
    return pid, fd, modes


class Program:
    """A program on a pseudo terminal of its own."""

    def __init__(self, arguments, columns=100, rows=30, environment=None, directory=None):
        self.screen = Screen(columns, rows)
        self.pid, self.fd, _ = start(arguments, (rows, columns, 0, 0),
                                     names_for(environment or {}), directory)
        self.status = None
        self.written = b""

    def read_some(self, seconds=0.05):
        if not select.select([self.fd], [], [], seconds)[0]:
            return True
        try:
            data = os.read(self.fd, 65536)
        except OSError:
            return False
        self.written = (self.written + data)[-200000:]
        self.screen.feed(data)
        return bool(data)

    def press(self, keys):
        os.write(self.fd, keys.encode())

    def wait_for(self, pattern, seconds=None):
        end = time.monotonic() + (seconds or PATIENCE)
        while time.monotonic() < end:
            found = re.search(pattern, self.screen.text(), re.M)
            if found:
                return found
            if not self.read_some():
                break
        return None

    def wait_until_gone(self, pattern, seconds=None):
        end = time.monotonic() + (seconds or PATIENCE)
        while time.monotonic() < end:
            if not re.search(pattern, self.screen.text(), re.M):
                return True
            if not self.read_some():
                break
        return False

    def finish(self, seconds=None):
        """Its exit code (negative: a signal), None if it did not end and was killed."""
        end = time.monotonic() + (seconds or PATIENCE)
        while time.monotonic() < end:
            more = self.read_some()
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                while more and time.monotonic() < end:
                    more = self.read_some()
                os.close(self.fd)
                return os.waitstatus_to_exitcode(status)
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.fd)
        return None


# ---- steps that most tests of the view share ----

WEIR = os.environ.get("WEIR", "")
counts = {"passed": 0, "failed": 0}


def check(what, ok, program=None):
    counts["passed" if ok else "failed"] += 1
    if not ok:
        print("failed:", what)
        if program:
            print("\n".join("    |" + line for line in program.screen.lines()))


def run(arguments, **more):
    """The view, when its first picture is there."""
    program = Program([WEIR, *arguments], **more)
    check(f"{arguments}: up", program.wait_for("q quit"), program)
    return program


def press_and_see(program, *steps):
    """Pairs of keys and what is on the screen after them; one pattern that begins with a "-" is
    what is gone from it."""
    for keys, pattern in steps:
        program.press(keys)
        if pattern.startswith("-"):
            check(f"{keys!r}: no {pattern[1:]}", program.wait_until_gone(pattern[1:]), program)
        else:
            check(f"{keys!r}: {pattern}", program.wait_for(pattern), program)


def quit_well(program, what, keys="q"):
    """What it printed after the screen was given back."""
    program.press(keys)
    code = program.finish()
    check(f"{what}: exit code {code}", code == 0, program)
    return program.written.decode(errors="replace").rsplit("\x1b[?1049l", 1)[-1]


def skipped():
    """Why the view cannot be tested, if so; and what the program says of itself."""
    if not os.access(WEIR, os.X_OK):
        return "the program is not built", ""
    version = subprocess.run([WEIR, "--version"], capture_output=True, text=True).stdout
    return ("built without ncurses" if "no terminal view" in version else None), version


def result():
    print(f"{counts['passed']} passed, {counts['failed']} failed")
    return counts["failed"] > 0
