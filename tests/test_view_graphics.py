"""ctest-labels: tui
ctest-timeout: 600

Pictures in the terminal: what weir writes is decoded, sixels and kitty's protocol alike, into the
pixels that a terminal would show, and these are held against the picture that weir saves of the
same moment. Which terminals are asked about pictures, and what becomes of every answer.
"""
import base64
import fcntl
import os
import random
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
import zlib

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from view_terminal import PATIENCE, names_for, start, whole_frames  # noqa: E402

WEIR = os.environ["WEIR"]
CELL_WIDTH, CELL_HEIGHT = 12, 24  # those of the saved picture
UNSENT_LINES = CELL_HEIGHT // 6  # a row of sixels that fills is sent so many lines later, at most
NO_CELL = [None] * CELL_WIDTH
PAGE = (14, 16, 20)  # what weir paints on
passed = failed = 0


def check(what, ok, detail=""):
    global passed, failed
    passed, failed = passed + bool(ok), failed + (not ok)
    if not ok:
        print("failed:", what, detail)


def png_pixels(data):
    """Rows of (r, g, b) or None where it is transparent, of a PNG with a palette."""
    at, idat, palette, alpha, head = 8, b"", b"", b"", None
    while at < len(data):
        n, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + n]
        head = struct.unpack(">IIBBBBB", body) if kind == b"IHDR" else head
        palette = body if kind == b"PLTE" else palette
        alpha = body if kind == b"tRNS" else alpha
        idat += body if kind == b"IDAT" else b""
        at += 12 + n
    width, height, depth, color = head[:4]
    assert color == 3, "a palette"
    colors = [tuple(palette[3 * i:3 * i + 3]) for i in range(len(palette) // 3)]
    for i, a in enumerate(alpha):
        colors[i] = colors[i] if a else None
    raw, rows = zlib.decompress(idat), []
    stride = (width * depth + 7) // 8
    before = bytes(stride)
    for y in range(height):
        line = unfilter(raw[y * (stride + 1)], raw[y * (stride + 1) + 1:(y + 1) * (stride + 1)],
                        before)
        before = line
        rows.append([colors[line[x]] for x in range(width)] if depth == 8 else
                    [colors[line[x * depth // 8] >> (8 - depth - x * depth % 8) & (1 << depth) - 1]
                     for x in range(width)])
    return rows


def unfilter(kind, line, before):
    if kind == 0:
        return line
    out = bytearray(line)
    for i in range(len(out)):
        left = out[i - 1] if i else 0
        up, corner = before[i], before[i - 1] if i else 0
        if kind == 1:
            out[i] = out[i] + left & 255
        elif kind == 2:
            out[i] = out[i] + up & 255
        elif kind == 3:
            out[i] = out[i] + (left + up) // 2 & 255
        elif kind == 4:
            estimate = left + up - corner
            best = min((abs(estimate - left), 0, left), (abs(estimate - up), 1, up),
                       (abs(estimate - corner), 2, corner))
            out[i] = out[i] + best[2] & 255
    return bytes(out)


def sixel_pixels(body, screen, left, top):
    """Draws a sixel sequence, its colours in per cent, on rows of pixels."""
    head, _, data = body.partition("q")
    registers = {}
    x = band = repeat = 0
    color, at = 0, 0
    for token in re.finditer(r'"([0-9;]*)|#(\d+)(?:;2;(\d+);(\d+);(\d+))?|!(\d+)|([$-])|([?-~])',
                             data):
        assert token.start() == at, f"no sixels: {data[at:at + 20]!r}"
        at = token.end()
        _, register, r, g, b, count, move, mask = token.groups()
        if register is not None:
            color = int(register)
            if r is not None:
                registers[color] = tuple(round(int(v) * 2.55) for v in (r, g, b))
        elif count:
            repeat = int(count)
        elif move:
            x = 0
            band += move == "-"
        elif mask:
            bits = ord(mask) - 63
            for _ in range(max(repeat, 1)):
                for row in range(6):
                    if bits >> row & 1:
                        if top + 6 * band + row < len(screen) and left + x < len(screen[0]):
                            screen[top + 6 * band + row][left + x] = registers[color]
                x += 1
            repeat = 0
    assert at == len(data) and head == "0;1;0", f"ends well: {data[at:at + 20]!r}"


class Terminal:
    """A terminal of cells and pixels that weir runs on; answers as it is told to."""

    def __init__(self, arguments, answers, columns=60, rows=20, directory=None, pixels=True,
                 **environment):
        self.answers, self.has_pixels = answers, pixels
        self.cell = (CELL_WIDTH, CELL_HEIGHT)
        self.set_size(columns, rows)
        self.images, self.places, self.chunks, self.chunked = {}, {}, b"", None
        self.pending, self.asked, self.written, self.n_strings = "", [], b"", 0
        names = names_for(environment, ("KITTY_WINDOW_ID", "KITTY_PID", "TERM_PROGRAM",
                                        "KONSOLE_VERSION", "VTE_VERSION"))
        self.pid, self.fd, self.modes = start([WEIR, "view", *arguments], self.size(), names,
                                              directory or "/")

    def set_size(self, columns, rows):
        self.columns, self.rows = columns, rows
        self.text = [[" "] * columns for _ in range(rows)]
        self.sixels = [[None] * (columns * CELL_WIDTH) for _ in range(rows * CELL_HEIGHT)]
        self.row = self.column = 0
        self.top, self.bottom = 0, rows - 1

    def size(self):
        pixels = (self.columns * CELL_WIDTH, self.rows * CELL_HEIGHT)
        return self.rows, self.columns, *(pixels if self.has_pixels else (0, 0))

    def resize(self, columns, rows):
        self.set_size(columns, rows)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", *self.size()))

    # ---- what comes ----

    token = re.compile(r"\x1b\[([?>0-9;]*)([A-Za-z])|\x1b([_P])(.*?)\x1b\\|\x1b[()].|"
                       r"\x1b([^\[()_P])|([^\x1b])", re.S)

    def feed(self, data):
        self.written += data
        text = self.pending + data.decode("utf-8", "surrogateescape")
        text, rest = whole_frames(text) if data else (text, "")  # at the end, all that came
        at = 0
        while found := self.token.match(text, at):
            at = found.end()
            self.take(*found.groups())
        self.pending = text[at:] + rest

    def take(self, parameters, letter, string, body, escape, character):
        if letter:
            self.sequence(parameters, letter)
        elif string == "P":
            self.n_strings += 1
            self.draw_sixels(body)
        elif string:
            self.n_strings += 1
            self.graphics(body)
        elif escape == "M" and self.row == self.top:
            self.reverse_index()
        elif character and character >= " ":
            if self.row < self.rows and self.column < self.columns:
                self.text[self.row][self.column] = character
                self.wipe(self.row, self.column)
            self.column += 1

    def wipe(self, row, column):
        for y in range(row * self.cell[1], (row + 1) * self.cell[1]):
            self.sixels[y][column * self.cell[0]:(column + 1) * self.cell[0]] = NO_CELL

    def reverse_index(self):
        del self.text[self.bottom]
        self.text.insert(self.top, [" "] * self.columns)
        top, end = self.top * self.cell[1], (self.bottom + 1) * self.cell[1]
        del self.sixels[end - self.cell[1]:end]
        self.sixels[top:top] = [[None] * (self.columns * self.cell[0])
                                for _ in range(self.cell[1])]

    def sequence(self, parameters, letter):
        numbers = [int(n) if n.isdigit() else 0 for n in parameters.split(";")]
        if letter == "H":
            self.row = max(numbers[0], 1) - 1
            self.column = max(numbers[1] if len(numbers) > 1 else 1, 1) - 1
        elif letter == "J":
            self.text = [[" "] * self.columns for _ in range(self.rows)]
            self.sixels = [[None] * len(row) for row in self.sixels]
            self.places = {}
        elif letter == "C":
            self.column += max(numbers[0], 1)
        elif letter == "r" and not parameters.startswith("?"):
            self.top = min(max(numbers[0], 1), self.rows) - 1
            end = numbers[1] if len(numbers) > 1 and numbers[1] else self.rows
            self.bottom = min(end, self.rows) - 1
            self.row = self.column = 0
        elif letter in "ctS" and (parameters == "" or letter != "c"):
            if parameters != "22;0;0":  # keeps the window's title: no question
                self.asked.append(parameters + letter)
            self.answer(parameters + letter)

    def answer(self, question):
        if question in self.answers:
            os.write(self.fd, self.answers[question].encode())

    # ---- pictures ----

    def draw_sixels(self, body):
        left, top = self.column * self.cell[0], self.row * self.cell[1]
        sixel_pixels(body, self.sixels, left, top)

    def graphics(self, body):
        assert body[0] == "G", body[:20]
        head, _, data = body[1:].partition(";")
        keys = dict(pair.split("=") for pair in head.split(","))
        if keys.get("a") == "q":
            self.asked.append("kitty")
            self.answer("kitty")
        elif keys.get("a") == "d":
            gone = [int(keys["i"])] if keys["d"] == "I" else list(self.images)
            for name in gone:
                self.images.pop(name, None)
                self.places.pop(name, None)
        elif keys.get("a") == "p":
            name = int(keys["i"])
            assert name in self.images and keys["C"] == "1" and int(keys["z"]) < 0, head
            self.places[name] = (self.column * self.cell[0],
                                 self.row * self.cell[1] + int(keys.get("Y", 0)),
                                 int(keys["w"]), int(keys["h"]))
        else:
            assert len(data) <= 4096, "a chunk"
            self.chunked = int(keys["i"]) if "i" in keys else self.chunked
            self.chunks += base64.b64decode(data)
            if keys["m"] == "0":
                self.images[self.chunked] = self.chunks  # decoded when they are looked at
                self.places.pop(self.chunked, None)
                self.chunks = b""

    def shown(self):
        """Rows of the colours of all pictures, None where there is none."""
        pixels = [list(row) for row in self.sixels]
        for name, (left, top, width, height) in self.places.items():
            for y, row in enumerate(png_pixels(self.images[name])[:height]):
                for x, color in enumerate(row[:width]):
                    if color and top + y < len(pixels) and left + x < len(pixels[0]):
                        pixels[top + y][left + x] = color
        return pixels

    def has_pictures(self):
        return bool(self.places) or any(any(row) for row in self.sixels)

    # ---- running it ----

    def read_some(self, seconds=0.05):
        if not select.select([self.fd], [], [], seconds)[0]:
            return False
        try:
            data = os.read(self.fd, 1 << 20)
        except OSError:
            return None
        self.feed(data)
        return True

    def read_for(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self.read_some() is None:
                return

    def wait_for(self, pattern, is_there=True):
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if bool(re.search(pattern, "\n".join("".join(row) for row in self.text))) == is_there:
                return True
            if self.read_some() is None:
                break
        return False

    def press(self, keys):
        os.write(self.fd, keys.encode())

    def settle(self):
        """Until nothing more comes: in a pause all is on the screen then."""
        while self.read_some(1.2):
            pass

    def wait_until(self, is_so):
        end = time.monotonic() + PATIENCE
        while not is_so() and time.monotonic() < end:
            if self.read_some() is None:
                break
        return is_so()

    def quit(self, key="q"):
        self.press(key)
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            self.read_some()
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                while self.read_some(0.1) is not None and time.monotonic() < end:
                    pass
                self.feed(b"")
                modes = termios.tcgetattr(self.fd) if key == "q" else None
                os.close(self.fd)
                return os.waitstatus_to_exitcode(status), modes
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        return None, None


RECIPE = "synth:format=cf32,rate=1M,center=100M,tone=100k@-20,noise=-70"
FIXED = [RECIPE, "--average", "40ms", "--levels", "-110:-10"]
SIXEL = {"c": "\x1b[?62;4;22c"}
KITTY = {"c": "\x1b[?62;c", "kitty": "\x1b_Gi=31;OK\x1b\\"}
PLAIN = {"c": "\x1b[?6c", "kitty": "\x1b_Gi=31;ENOTSUPPORTED\x1b\\"}


def like(a, b, tolerance):
    return a is not None and b is not None and max(abs(x - y) for x, y in zip(a, b)) <= tolerance


def compare(terminal, saved, rows, shifts, tolerance, what):
    """Pixels of rows [from, end) of cells, right of the gutter, against the saved picture's
    so many pixels further down; text, which differs, may hide some."""
    left, right = 9 * CELL_WIDTH, terminal.columns * CELL_WIDTH
    unsent = UNSENT_LINES * (right - left) if "sixel" in what else 0
    shown, found = terminal.shown(), []
    for shift in shifts:
        same = n = 0
        for y in range(rows[0] * CELL_HEIGHT, rows[1] * CELL_HEIGHT - shift):
            for x in range(left, right):
                want = saved[y + shift][x]
                there = shown[y][x] or PAGE
                n += 1
                same += like(there, want, tolerance)
        found.append((same, n))
        is_same = same + unsent >= 0.985 * n
        if is_same:
            break
    check(f"{what}: {found} pixels are those of the saved picture", is_same)


def shifts_of(kind, terminal, saved):
    """Of the waterfall. Sixels keep to the cells, as the saved picture does; kitty's begin with
    the newest line. Where several lines make one of the pixels', which they do too when a slow
    machine has shown many at once, that is the newest whole one, and the saved picture may have
    one above it."""
    if kind != "kitty":
        return [0]
    top, shift = panels(terminal)[1][0] * CELL_HEIGHT, 0
    while saved[top + shift][9 * CELL_WIDTH] == PAGE:
        shift += 1
    return [shift, shift + 1]


def panels(terminal):
    """Rows of cells of spectrum and waterfall, by what is in the gutter and below."""
    axis = [r for r in range(terminal.rows) if "MHz" in "".join(terminal.text[r][:9])][0]
    return (1, axis - 1), (axis + 1, terminal.rows - 1)


def take_saved(terminal, directory):
    for name in os.listdir(directory):
        os.remove(os.path.join(directory, name))
    terminal.press("P")
    terminal.wait_until(lambda: any(n.endswith(".png") for n in os.listdir(directory)))
    name = next(n for n in os.listdir(directory) if n.endswith(".png"))
    terminal.settle()  # what was pressed before has been seen to, in this order
    with open(os.path.join(directory, name), "rb") as file:
        return png_pixels(file.read())


def see_help(terminal):
    terminal.press("?")
    check("help", terminal.wait_for("keys 1/"))
    terminal.press("\x1b")  # and no key after it before it is seen: that would be one with Alt
    check("no help", terminal.wait_for("keys 1/", is_there=False))


def stop(terminal):
    """It goes on at once, since no shell waits for it."""
    n = terminal.written.count(b"\x1b[?1049h")
    terminal.press("\x1a")
    check("it has been stopped and goes on", terminal.wait_until(
        lambda: terminal.written.count(b"\x1b[?1049h") > n))


def test_pixels(kind, answers, tolerance, directory, environment):
    """After scrolling on its own, after zooming, a help page and looking back: all the same."""
    terminal = Terminal(FIXED, answers, directory=directory, **environment)
    check(f"{kind}: up", terminal.wait_for("q quit"))
    check(f"{kind}: on", wait_for_pixels(terminal))
    terminal.read_for(7)  # some rows of cells
    for press, what in ((" ", "paused"), ("++", "zoomed"), (see_help, "after help"),
                        (stop, "after Ctrl-Z"),
                        ("c", "another colour map"), ("s", "no traces"), ("s0", "traces again")):
        if callable(press):
            press(terminal)
        else:
            terminal.press(press)
        saved = take_saved(terminal, directory)
        check(f"{kind}, {what}: as large as the screen",
              (len(saved[0]), len(saved)) == (terminal.columns * CELL_WIDTH,
                                              terminal.rows * CELL_HEIGHT))
        spectrum, waterfall = panels(terminal)
        compare(terminal, saved, waterfall, shifts_of(kind, terminal, saved), tolerance,
                f"{kind}, {what}, waterfall")
        if spectrum[1] > spectrum[0] + 1:
            compare(terminal, saved, spectrum, [0], tolerance, f"{kind}, {what}, traces")
    code, modes = terminal.quit()
    check(f"{kind}: quits", code == 0 and modes == terminal.modes, f"{code}")
    check(f"{kind}: nothing of it stays", not terminal.has_pictures() and not terminal.images)


def test_resize_storm(kind, answers, tolerance, directory, environment):
    seed = random.randrange(1 << 30)
    rng = random.Random(seed)
    terminal = Terminal(FIXED, answers, directory=directory, **environment)
    check(f"{kind}, storm: on", terminal.wait_for("q quit") and wait_for_pixels(terminal))
    for _ in range(60):
        terminal.resize(rng.randint(1, 90), rng.randint(1, 30))
        terminal.read_some(0.03)
    terminal.resize(66, 22)
    terminal.wait_for("q quit")
    terminal.read_for(1)
    terminal.press(" ")
    saved = take_saved(terminal, directory)
    spectrum, waterfall = panels(terminal)
    compare(terminal, saved, waterfall, shifts_of(kind, terminal, saved), tolerance,
            f"{kind}, 60 sizes ({seed}), waterfall")
    compare(terminal, saved, spectrum, [0], tolerance, f"{kind}, 60 sizes ({seed}), traces")
    code, modes = terminal.quit()
    check(f"{kind}, storm: quits", code == 0 and modes == terminal.modes, f"{code}")


def wait_for_pixels(terminal):
    return terminal.wait_until(terminal.has_pictures)


def lines_in(terminal, rows):
    terminal.read_for(0.5)
    return sum(any(row) for row in
               terminal.shown()[rows[0] * CELL_HEIGHT:rows[1] * CELL_HEIGHT])


def test_tone_in_its_column():
    """By what went in, not by what weir saved: the tone is the brightest thing, in its column."""
    for kind, answers in (("sixel", SIXEL), ("kitty", KITTY)):
        terminal = Terminal([*FIXED, "--colormap", "grey", "--graphics", kind], answers)
        terminal.wait_for("q quit")
        _, waterfall = panels(terminal)
        terminal.wait_until(lambda: lines_in(terminal, waterfall) > 40)
        left, right = 9 * CELL_WIDTH, terminal.columns * CELL_WIDTH
        expected = left + (right - left) * 0.6  # 100 kHz above the middle of 1 MHz
        n = 0
        shown = terminal.shown()
        for y in range(waterfall[0] * CELL_HEIGHT, waterfall[1] * CELL_HEIGHT):
            row = [(shown[y][x][0], x) for x in range(left, right) if shown[y][x]]
            if row:
                n += 1
                best = max(row)
                bright = [x for v, x in row if v > 180]
                check(f"{kind}: the tone at {best} in line {y}",
                      bright and all(abs(x - expected) <= 2 for x in bright))
        check(f"{kind}: {n} lines", n > 40)
        terminal.quit()


def test_questions():
    """Who is asked, and that no answer, or the wrong one, means characters."""
    for what, answers, environment, arguments, asks, pictures in (
            ("a plain terminal", PLAIN, {}, [], ["16t", "?1;1;0S", "c"], False),
            ("sixels", SIXEL, {}, [], ["16t", "?1;1;0S", "c"], True),
            ("sixels of 16 colours", {**SIXEL, "?1;1;0S": "\x1b[?1;0;16S"}, {}, [],
             ["16t", "?1;1;0S", "c"], False),
            ("sixels of 1024 colours", {**SIXEL, "?1;1;0S": "\x1b[?1;0;1024S"}, {}, [],
             ["16t", "?1;1;0S", "c"], True),
            ("kitty", KITTY, {"KITTY_WINDOW_ID": "1"}, [], ["16t", "kitty", "c"], True),
            ("kitty says no", PLAIN, {"KITTY_WINDOW_ID": "1"}, [], ["16t", "kitty", "c"], False),
            ("silence", {}, {}, [], ["16t", "?1;1;0S", "c"], False),
            ("off", SIXEL, {}, ["--graphics", "off"], [], False),
            ("few colours", SIXEL, {"TERM": "linux", "COLORTERM": ""}, [], [], False),
            ("vt100", SIXEL, {"TERM": "vt100", "COLORTERM": ""}, [], [], False),
            ("no colour", SIXEL, {"NO_COLOR": "1"}, [], [], False),
            ("in tmux", SIXEL, {"TMUX": "/tmp/x,1,0"}, [], [], False),
            ("in screen", SIXEL, {"STY": "1.x"}, [], [], False)):
        terminal = Terminal([*FIXED, *arguments], answers, **environment)
        check(f"{what}: up", terminal.wait_for("q quit"))
        if pictures:
            wait_for_pixels(terminal)
        terminal.read_for(0.5)
        check(f"{what}: asked {terminal.asked}", terminal.asked == asks)
        check(f"{what}: pictures {pictures}", terminal.has_pictures() == pictures)
        check(f"{what}: no strings that a terminal might print",
              pictures or terminal.n_strings == (what == "kitty says no"), terminal.n_strings)
        code, modes = terminal.quit()
        check(f"{what}: quits", code == 0 and modes == terminal.modes, f"{code}")
    terminal = Terminal(FIXED, {**SIXEL, "16t": "\x1b[6;24;12t"}, pixels=False)
    check("the size of a cell is asked for", wait_for_pixels(terminal))
    terminal.quit()
    terminal = Terminal([*FIXED, "--graphics", "sixel"], {}, pixels=False)
    terminal.wait_for("q quit")
    check("no size of a cell, no pictures", not terminal.has_pictures())
    terminal.quit()


def test_refusals():
    for environment, word in (({"TMUX": "/tmp/x,1,0"}, "tmux"), ({"STY": "1.x"}, "GNU screen"),
                              ({"TERM": "tmux-256color"}, "tmux")):
        terminal = Terminal([*FIXED, "--graphics", "kitty"], KITTY, **environment)
        code, _ = terminal.quit(key="")
        text = terminal.written.decode("utf-8", "replace")
        check(f"{word}: refused ({code})", code == 64 and word in text, text)


def test_ways_out():
    """A signal in the middle of pictures leaves none behind, and no answer for the shell."""
    for number in (signal.SIGTERM, signal.SIGSEGV):
        terminal = Terminal(FIXED, KITTY, KITTY_WINDOW_ID="1")
        wait_for_pixels(terminal)
        os.kill(terminal.pid, number)
        code, _ = terminal.quit(key="")
        is_sanitized = code is not None and code > 0  # it ends the process its own way
        check(f"signal {number}: ends by it", code == -number or is_sanitized, f"{code}")
        check(f"signal {number}: no picture", not terminal.has_pictures() and not terminal.images)
        check(f"signal {number}: main screen and cursor",
              terminal.written.rstrip().endswith(b"\x1b[?1049l") or is_sanitized or
              b"\x1b[?1049l" in terminal.written[-400:])


def main():
    if not os.access(WEIR, os.X_OK):
        print("skipped: the program is not built")
        return 77
    version = subprocess.run([WEIR, "--version"], capture_output=True, text=True).stdout
    if "no terminal view" in version or "no PNG" in version:
        print("skipped: built without ncurses or libpng")
        return 77
    directory = tempfile.mkdtemp(prefix="weir-graphics-")
    # per cent of 255, rounded twice: 2; kitty's are the colours themselves
    test_pixels("sixel", SIXEL, 2, directory, {})
    test_pixels("kitty", KITTY, 0, directory, {"KITTY_WINDOW_ID": "1"})
    test_resize_storm("sixel", SIXEL, 2, directory, {})
    test_resize_storm("kitty", KITTY, 0, directory, {"KITTY_WINDOW_ID": "1"})
    shutil.rmtree(directory)
    test_tone_in_its_column()
    test_questions()
    test_refusals()
    test_ways_out()
    print(f"{passed} passed, {failed} failed")
    return failed > 0


sys.exit(main())
