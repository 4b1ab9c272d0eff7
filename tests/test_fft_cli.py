# ctest-labels: unit
"""weir fft, ifft and convolve as a user meets them, on the CPU: files, pipes, errors."""
import cmath
import os
import random
import re
import struct
import subprocess

from program import ENV, HOME, WEIR, check, run_tests, weir as run_weir

seed = int(os.environ.get("WEIR_TEST_SEED", str(random.SystemRandom().getrandbits(32))))
print(f"# WEIR_TEST_SEED={seed}")
rng = random.Random(seed)


def weir(*args, stdin=b""):
    return run_weir(*args, input=stdin)


def result(*args, stdin=b""):
    r = weir(*args, stdin=stdin)
    check(r.returncode == 0, f"{args}: exit {r.returncode}: {r.stderr.decode()}")
    return [[float(w) for w in line.split()] for line in r.stdout.decode().splitlines()]


def refused(code, pattern, *args, stdin=b""):
    r = weir(*args, stdin=stdin)
    err = r.stderr.decode()
    check(r.returncode == code and r.stdout == b"" and re.search(pattern, err),
          f"{args}: exit {r.returncode}, expected {code} and {pattern!r}: {err!r}")


def path(name, data):
    full = os.path.join(HOME, name)
    with open(full, "wb") as f:
        f.write(data if isinstance(data, bytes) else data.encode())
    return full


def dft(x, sign=-1):
    n = len(x)
    return [sum(v * cmath.exp(sign * 2j * cmath.pi * (i * k % n) / n) for i, v in enumerate(x))
            for k in range(n)]


def near(rows, exact, what, tolerance=1e-6):
    """Relative to the largest value: the transform is one of single precision."""
    got = [complex(*r) for r in rows]
    scale = max(map(abs, exact)) or 1
    check(len(got) == len(exact) and all(abs(a - b) <= tolerance * scale
                                         for a, b in zip(got, exact)), what)


def npy(kind, values, version=1, fortran=False):
    head = f"{{'descr': '{kind}', 'fortran_order': {fortran}, 'shape': ({len(values)},), }}"
    head += " " * (117 - len(head)) + "\n"
    flat = [p for v in values for p in ((v.real, v.imag) if "c" in kind else (v,))]
    code = {"f2": "e", "f4": "f", "f8": "d", "c8": "f", "c16": "d", "i1": "b", "i2": "h", "i4": "i",
            "i8": "q", "u1": "B", "u2": "H", "u4": "I", "u8": "Q", "b1": "?"}[kind[1:]]
    order = ">" if kind[0] == ">" else "<"
    return (b"\x93NUMPY" + bytes([version, 0]) + struct.pack("<H" if version == 1 else "<I", 118) +
            head.encode() + struct.pack(f"{order}{len(flat)}{code}", *flat))


def test_forward_and_back():
    for n in (1, 2, 3, 17, 64, 100):
        x = [rng.gauss(0, 1) for _ in range(n)]
        z = [complex(rng.gauss(0, 1), rng.gauss(0, 1)) for _ in range(n)]
        real = "# a comment\n\n" + "".join(f"{v!r}\n" for v in x)
        cplx = "".join(f"{v.real!r},{v.imag!r}\r\n" for v in z)
        near(result("fft", "-", "-e", "cpu", stdin=real.encode()), dft(x), f"real {n}")
        near(result("fft", path("z.csv", cplx), "-e", "cpu"), dft(z), f"complex {n}")
        near(result("ifft", path("z.csv", cplx), "-e", "cpu"), [v / n for v in dft(z, 1)],
             f"inverse {n}")
        half = weir("fft", "--half", "-", "-e", "cpu", stdin=real.encode())
        check(len(half.stdout.splitlines()) == n // 2 + 1, f"half of {n}")
        back = result("ifft", "--half", "-", "--fft", str(n), "-e", "cpu", stdin=half.stdout)
        near(back, x, f"half and back {n}")


def test_padding():
    x = [1.0, 2.0, 3.0]
    text = b"1\n2\n3\n"
    near(result("fft", "-", "--fft", "8", "-e", "cpu", stdin=text), dft(x + [0] * 5), "padded")
    near(result("fft", "-", "--pad", "power", "-e", "cpu", stdin=text), dft(x + [0]), "to 4")
    x = [rng.gauss(0, 1) for _ in range(11)]
    text = column(x).encode()
    for pad, n in (("none", 11), ("smooth", 12), ("power", 16)):
        near(result("fft", "-", "--pad", pad, "-e", "cpu", stdin=text), dft(x + [0] * (n - 11)),
             f"padded {pad}")
    refused(64, "one of them", "fft", "-", "--fft", "20", "--pad", "power", stdin=text)
    refused(64, "cuts nothing off", "fft", "-", "--fft", "2", stdin=text)


def test_kinds_of_files():
    z = [complex(rng.uniform(-1, 1), rng.uniform(-1, 1)) for _ in range(12)]
    x = [v.real for v in z]
    near(result("fft", path("a.npy", npy("<c16", z)), "-e", "cpu"), dft(z), "c16")
    near(result("fft", path("a.npy", npy("<c8", z)), "-e", "cpu"), dft(z), "c8")
    near(result("fft", path("a.npy", npy("<f4", x)), "-e", "cpu"), dft(x), "f4")
    whole = [rng.randrange(-128, 128) for _ in range(9)]
    near(result("fft", path("a.npy", npy("|i1", whole)), "-e", "cpu"), dft(whole), "i1")
    raw = path("a.cs8", struct.pack("18b", *(rng.randrange(-128, 128) for _ in range(18))))
    values = struct.unpack("18b", open(raw, "rb").read())
    near(result("fft", raw, "-f", "cs8", "-e", "cpu"),
         dft([complex(values[2 * i], values[2 * i + 1]) / 128 for i in range(9)]), "raw cs8")
    out = os.path.join(HOME, "out.npy")
    check(weir("fft", path("a.npy", npy("<c16", z)), "-o", out, "-e", "cpu").returncode == 0,
          "npy out")
    data = open(out, "rb").read()
    check(b"'<c16'" in data[:128] and len(data) == 128 + 16 * len(z), "npy layout")
    got = struct.unpack(f"<{2 * len(z)}d", data[128:])
    near([got[2 * i:2 * i + 2] for i in range(len(z))], dft(z), "npy values")


def test_numpy_types():
    """Every type of numbers, in either byte order, in every version of the format."""
    real = [rng.randrange(-100, 100) for _ in range(11)]
    for kind in ("f2", "f4", "f8", "i2", "i4", "i8", "u2", "u4", "u8", "c8", "c16"):
        values = [abs(v) for v in real] if kind[0] == "u" else real
        if kind[0] == "c":
            values = [complex(v, -7 * v) for v in values]
        for order, version in (("<", 1), (">", 2), ("<", 3)):
            near(result("fft", path("n.npy", npy(order + kind, values, version, version == 3)),
                        "-e", "cpu"), dft(values), f"{order}{kind} {version}")
    near(result("fft", path("n.npy", npy("|u1", [200, 3])), "-e", "cpu"), [203, 197], "u1")
    near(result("fft", path("n.npy", npy("|b1", [True, False])), "-e", "cpu"), [1, 1], "b1")
    halves = [2.0**-24, -2.0**-14, 65504.0, -0.0, 1 / 1024]
    near(result("fft", path("n.npy", npy("<f2", halves)), "-e", "cpu"), dft(halves), "halves")
    # Known by the first bytes under any name, and by the ending alone whatever else it says.
    array = npy("<f8", [1.0, 2.0])
    near(result("fft", "-", "-e", "cpu", stdin=array), [3, -1], "npy from a pipe")
    near(result("fft", path("a_u8.npy", array), "-e", "cpu"), [3, -1], "npy called u8")
    near(result("fft", path("a_cs16.txt", "1\n2\n"), "-e", "cpu"), [3, -1], "text called cs16")
    near(result("fft", path("a.cs16", struct.pack("<4h", 16384, 0, 0, 8192)), "-e", "cpu"),
         [0.5 + 0.25j, 0.5 - 0.25j], "raw by its name")


def test_numpy_refused():
    array = npy("<f8", [1.0, 2.0])
    for pattern, old, new in (("one dimension", "(2,)", "()  "), ("one dimension", "(2,)", "(0,)"),
                              ("bytes of data", "(2,)", "(3,)"), ("one dimension", "(2,)", "(-2)"),
                              ("not one of", "<f8", "<f9"), ("not one of", "<f8", "<U2"),
                              ("not one of", "<f8", "|O8"), ("not one of", "'descr'", "'desc.'"),
                              ("not one of", "'<f8'", "[('a', '<f8')]")):
        refused(65, pattern, "fft", path("x.npy", array.replace(old.encode(), new.encode())))
    for cut in (3, 7, 11, 60, 127, 129, 143):
        refused(65, r"not a NumPy array|bytes of data", "fft", path("x.npy", array[:cut]))
    refused(65, r"bytes of data", "fft", path("x.npy", array + b"!"))
    for bad in (float("nan"), float("inf")):
        refused(65, r"value 1 \(from 0\) is not a finite", "fft",
                path("x.npy", npy("<f4", [0, bad])))
        refused(65, r"value 1 \(from 0\) is not a finite", "fft",
                path("x.npy", npy("<c16", [0j, complex(0, bad)])))
        refused(65, r"1 values are not finite", "fft", path("x.f32", struct.pack("<2f", 0, bad)))
    refused(65, r"1e17", "fft", path("x.f64", struct.pack("<2d", 0, 1e20)))


def test_text_as_it_comes():
    z = [1 + 2j, -3 - 4.5j, 2j, 5 + 0j]
    for text in ("1+2j\n-3-4.5j\n2j\n5+0j\n", "(1+2j)\n (-3+-4.5j)\n(0e0+2e0j)\n(5+0j)",
                 "1+2i\r\n-3-4.5i\r\n2i\r\n5+0i\r\n", "1 2\n-3;-4.5\n0,2\n5+0j\n",
                 "\ufeff1,2\n-3,-4.5,\n# 3\n\n0, 2\n5\t0 # last"):
        near(result("fft", "-", "-e", "cpu", stdin=text.encode()), dft(z), repr(text))
    near(result("fft", "-", "-e", "cpu", stdin=b"+1\n0x10\n-.5\n0." + b"1" * 100), dft(
        [1, 16, -.5, 1 / 9]), "notations of numbers")
    for line, text in ((1, "1j2\n"), (2, "1\n1+j\n"), (1, "(1\n"), (1, "1+2\n"), (1, "()\n"),
                       (1, "1+2k\n"), (3, "1\n2\n3-infj\n"), (2, "1\n0,0x\n"), (1, "j\n"),
                       (1, "1e400"), (1, "1+2j3\n")):
        refused(65, rf"input:{line}: .* is not a finite number", "fft", "-", stdin=text.encode())
    refused(65, r"input:2: 2 columns, but line 1 has 1", "fft", "-", stdin=b"1\n1j\n")
    refused(65, r"input:1: 4 columns", "fft", "-", stdin=b"1j 2j\n")
    refused(65, r"input:2: nothing before a \",\"", "fft", "-", stdin=b"1,2\n1,,2\n")
    refused(65, r"input:1: nothing before a \";\"", "fft", "-", stdin=b";2\n")
    refused(65, r"not text", "fft", "-", stdin=b"1\0002\n3\n")
    refused(65, r"not text.*UTF-8", "fft", "-", stdin="1\n2\n".encode("utf-16"))
    esc = weir("fft", "-", stdin=b"\x1b[31m\n").stderr
    check(b"\x1b" not in esc, f"control characters in a message: {esc}")


def test_sizes_of_values():
    """Far outside single precision's range: the same digits, or an error; never inf or 0."""
    x = [3.0, -1.0, 0.5, 0.25, -2.0]
    for scale in (1e-300, 1e-60, 1e39, 1e200):
        text = column([repr(v * scale) for v in x]).encode()
        near(result("fft", "-", "-e", "cpu", stdin=text), [v * scale for v in dft(x)],
             f"times {scale}")
        near(result("ifft", "-", "-e", "cpu", stdin=text), [v * scale / 5 for v in dft(x, 1)],
             f"back, times {scale}")
    a, b = path("a.txt", column(repr(v * 1e-100) for v in x)), path("b.txt", column(
        repr(v * 1e-50) for v in x))
    near(result("convolve", a, b, "-e", "cpu"), [v * 1e-150 for v in schoolbook(x, x)], "tiny")
    refused(65, r"value 0 \(from 0\).*double precision", "fft", "-", stdin=b"1e308\n1e308\n")
    near(result("ifft", "-", "-e", "cpu", stdin=b"1e308\n1e308\n"), [1e308, 0], "largest")
    near(result("fft", "-", "-e", "cpu", stdin=b"0\n0\n0\n"), [0, 0, 0], "nothing at all")


def test_outputs():
    z = path("z.txt", "1 2\n3 4\n")
    for name in ("x.png", "x.jsonl", "x.wav", "x.cs16", "x.sigmf-meta", "x.PNG", "x.Cs16"):
        refused(64, r"text, \.csv or \.npy", "fft", z, "-o", os.path.join(HOME, name))
        check(not os.path.exists(os.path.join(HOME, name)), f"{name} was made")
    for name in ("z.CSV", "z.csv"):
        out = os.path.join(HOME, name)
        check(weir("fft", z, "-o", out, "-e", "cpu").returncode == 0 and
              open(out).read() == "4,6\n-2,-2\n", name)
    check(weir("convolve", z, z, "-o", out).returncode == 0 and
          open(out).read() == "-3,4\n-10,20\n-7,24\n", "csv of integers")
    out = os.path.join(HOME, "c.Npy")
    for values, kind, want in (("1\n-2\n", "<i8", [1, -4, 4]), ("1 2\n", "<c16", [-3 + 4j])):
        a = path("a.txt", values)
        check(weir("convolve", a, a, "-o", out).returncode == 0 and
              open(out, "rb").read() == npy(kind, want), f"{kind} of integers")
    for text, what in ((f"{2**62}\n3\n", "63"), (f"{2**52} 1\n3 3\n", "53")):
        before = open(out, "rb").read()
        a = path("a.txt", text)
        refused(65, rf"beyond 2\^{what}: write text", "convolve", a, a, "-o", out)
        check(open(out, "rb").read() == before, "a refused result left its file alone")


def test_configuration_is_of_streams():
    """What a user's file says about streams does not reach a vector; the engine does."""
    if b"no configuration" in weir("--version").stdout:
        return
    conf = path("x.conf", "config = 1\nfft = 64\nformat = cs8\nengine = cpu\n")
    near(result("fft", "-", "-C", conf, stdin=b"1\n2\n"), [3, -1], "configuration")
    near(result("fft", "-", "-C", conf, "-n", "4", "-f", "s8", stdin=b"\x40\x40"),
         dft([0.5, 0.5, 0, 0]), "options")
    conf = path("x.conf", "config = 1\nengine = cuda\ndevice = 1000\n")
    r = weir("fft", "-", "-C", conf, stdin=b"1\n")
    check(r.returncode not in (0, 64), "engine of the file")


def test_reader_goes_away():
    """Quiet, exit 0, of whichever command: more than a pipe holds is written."""
    many = path("many.txt", column(rng.randrange(10**9) for _ in range(30000)))
    for command in (f"fft '{many}'", f"ifft '{many}'", f"convolve '{many}' '{many}'"):
        p = subprocess.run(f"'{WEIR}' {command} -e cpu | head -1; echo ${{PIPESTATUS[0]}}",
                           shell=True, executable="/bin/bash", capture_output=True, env=ENV,
                           timeout=60)
        check(p.stdout.split()[-1] == b"0" and not p.stderr, f"{command} | head: {p}")
    p = subprocess.run(f"'{WEIR}' fft '{many}' > /dev/full", shell=True, capture_output=True,
                       env=ENV)
    check(p.returncode == 74 and b"No space" in p.stderr, f"/dev/full: {p}")


def test_options_of_the_others():
    one = path("one.txt", "1\n")
    product = ("convolve", one, one)
    for command, *option in ((("fft", one), "--mode", "circular"), (("ifft", one), "--correlate"),
                             (product, "--fft", "8"), (product, "--half"),
                             (product, "--pad", "power"), (product, "--explain", "8")):
        refused(64, rf"{option[0]} does not apply", *command, *option)
    refused(64, r"--pad does not go with half", "ifft", "--half", "--pad", "power", one)
    refused(64, r"cannot be both A and B", "convolve", "-", "-", stdin=b"1\n")


def schoolbook(a, b):
    c = [0] * (len(a) + len(b) - 1)
    for i, u in enumerate(a):
        for j, v in enumerate(b):
            c[i + j] += u * v
    return c


def column(values):
    return "".join(f"{v}\n" for v in values)


def test_convolve():
    for n, m in ((1, 1), (3, 5), (40, 7), (100, 100)):
        a = [rng.randrange(-10**9, 10**9) for _ in range(n)]
        b = [rng.randrange(-10**9, 10**9) for _ in range(m)]
        fa, fb = path("a.txt", column(a)), path("b.txt", column(b))
        exact = schoolbook(a, b)
        check([int(v) for v in weir("convolve", fa, fb).stdout.split()] == exact, f"{n} x {m}")
        period = max(n, m)
        wrapped = [sum(exact[i::period]) for i in range(period)]
        check([int(v) for v in weir("convolve", fa, fb, "--mode", "circular").stdout.split()]
              == wrapped, f"{n} x {m} circular")
        check([int(v) for v in weir("convolve", fa, fb, "--correlate").stdout.split()]
              == schoolbook(a, b[::-1]), f"{n} x {m} correlation")
    a = [complex(rng.gauss(0, 1), rng.gauss(0, 1)) for _ in range(30)]
    b = [rng.gauss(0, 1) for _ in range(11)]
    fa = path("a.txt", "".join(f"{v.real} {v.imag}\n" for v in a))
    fb = path("b.txt", column(b))
    near(result("convolve", fa, fb, "-e", "cpu"), schoolbook(a, b), "complex")
    exact = schoolbook(a, b)
    near(result("convolve", fa, fb, "--mode", "circular", "-e", "cpu"),
         [sum(exact[i::30]) for i in range(30)], "complex circular")
    near(result("convolve", fb, fa, "--correlate", "-e", "cpu"),
         schoolbook(b, [v.conjugate() for v in a[::-1]]), "complex correlation")


def integers(*args):
    r = weir("convolve", *args)
    check(r.returncode == 0, f"{args}: {r.stderr}")
    return [complex_of(line) for line in r.stdout.decode().splitlines()]


def complex_of(line):
    re, _, im = line.partition(" ")
    return int(re), int(im or 0)


def gaussian(a, b):
    """The product of polynomials whose coefficients are pairs of integers."""
    c = [(0, 0)] * (len(a) + len(b) - 1)
    for i, (p, q) in enumerate(a):
        for j, (r, s) in enumerate(b):
            c[i + j] = (c[i + j][0] + p * r - q * s, c[i + j][1] + p * s + q * r)
    return c


def test_complex_integers():
    """Exact as real ones are: to the last digit, at the ends of 64 bits, conjugated too."""
    def pairs(n, largest):
        return [(rng.randint(-largest, largest), rng.randint(-largest, largest)) for _ in range(n)]

    for n, m, largest in ((1, 1, 2**62), (5, 3, 10**9), (40, 33, 10**18), (2, 2, 2**61)):
        a, b = pairs(n, largest), pairs(m, largest)
        fa = path("a.txt", "".join(f"{p} {q}\n" for p, q in a))
        fb = path("b.txt", "".join(f"{p}{q:+d}j\n" for p, q in b))
        exact = gaussian(a, b)
        check(integers(fa, fb) == exact, f"{n} x {m} to {largest}")
        conjugated = gaussian(a, [(p, -q) for p, q in b[::-1]])
        check(integers(fa, fb, "--correlate") == conjugated, f"{n} x {m} correlation")
        period = max(n, m)
        wrapped = [tuple(map(sum, zip(*exact[i::period]))) for i in range(period)]
        check(integers(fa, fb, "--mode", "circular") == wrapped, f"{n} x {m} circular")
        real = path("r.txt", column(p for p, _ in b))
        check(integers(fa, real) == gaussian(a, [(p, 0) for p, _ in b]), f"{n} x {m} real")
    low = path("a.txt", f"{-2**63} {-2**63}\n")
    check(integers(low, path("b.txt", "1 0\n0 1\n"), "--correlate") ==
          [(-2**63, 2**63), (-2**63, -2**63)], "-2^63 conjugated")


def test_integers_however_written():
    a = path("a.txt", "1e9\n2.0\n1.000000007e9\n")
    b = path("b.txt", "9.99999937e8\n0x10\n-0.0\n")
    whole = [(10**9, 0), (2, 0), (1000000007, 0)]
    check(integers(a, b) == gaussian(whole, [(999999937, 0), (16, 0), (0, 0)]),
          "with points and exponents")
    # Integers that 64 bits do not hold: an error with the place, never rounded in silence.
    big = path("b.txt", f"1\n{2**63}\n")
    refused(65, r"b\.txt:2: an integer that 64 bits", "convolve", a, big)
    refused(65, r"b\.txt:2: an integer that 64 bits", "convolve", big, a)
    refused(65, r"u\.npy: value 1: an integer that 64 bits", "convolve", a,
            path("u.npy", npy("<u8", [1, 2**64 - 1])))
    check(integers(a, path("u.npy", npy("<u8", [2**63 - 1]))) ==
          gaussian(whole, [(2**63 - 1, 0)]), "u8")
    near(result("convolve", big, path("c.txt", "0.5\n"), "-e", "cpu"), [0.5, 2.0**62],
         "a float among them")
    near(result("fft", big, "-e", "cpu"), [2.0**63, -2.0**63], "transformed all the same")


def test_large_product():
    """Degree 2000 with the largest coefficients there can be, against Python's integers."""
    a = [rng.randrange(-10**17, 10**17) for _ in range(2001)]
    b = [rng.randrange(-10**17, 10**17) for _ in range(2001)]
    got = weir("convolve", path("a.npy", npy("<i8", a)), path("b.npy", npy("<i8", b)))
    got = [int(v) for v in got.stdout.split()]
    shift = 200  # Kronecker: one product of two large integers
    product = sum(v << (shift * i) for i, v in enumerate(a)) * sum(
        v << (shift * i) for i, v in enumerate(b))
    check(sum(v << (shift * i) for i, v in enumerate(got)) == product and len(got) == 4001,
          "degree 2000")


def test_errors():
    refused(65, r"x\.txt:3: \"1\.2\.3\" is not a finite number", "fft",
            path("x.txt", "1\n2\n1.2.3\n"))
    refused(65, r"x\.txt:4: 2 columns, but line 2 has 1", "fft", path("x.txt", "#\n1\n\n2 3\n"))
    refused(65, r"x\.txt:2: 1 column, but line 1 has 2", "fft", path("x.txt", "1 2\n3\n"))
    refused(65, r"x\.txt:1: 3 columns", "fft", path("x.txt", "1 2 3\n"))
    refused(65, r"x\.txt:1: \"nan\"", "fft", path("x.txt", "nan\n"))
    refused(65, r"x\.txt:2: \"inf\"", "ifft", path("x.txt", "1\ninf\n"))
    refused(65, r"no numbers", "fft", path("x.txt", "# nothing\n"))
    refused(65, r"no numbers", "fft", "-")
    refused(66, r"absent", "fft", HOME + "/absent.txt")
    refused(65, r"not a NumPy array", "fft", path("x.npy", "hello"))
    refused(65, r"bytes of data", "fft", path("x.npy", npy("<f8", [1.0, 2.0])[:-3]))
    refused(65, r"one dimension", "fft",
            path("x.npy", npy("<f8", [1.0, 2.0]).replace(b"(2,)", b"(2,1)")))
    refused(65, r"whole number of cs16", "fft", path("x.raw", b"123"), "-f", "cs16")
    refused(64, r"--half is for real", "fft", "--half", path("x.txt", "1 2\n"))
    refused(64, r"half a spectrum of --fft 7 has 4 bins, not 3", "ifft", "--half", "--fft", "7",
            path("x.txt", "1 0\n2 0\n3 0\n"))
    refused(64, r"needs a FILE", "fft")
    for command in (["fft", "-"], ["convolve", "-", path("x.txt", "1\n")]):
        r = weir(*command, "-e", "cuda", "--device", "1000", stdin=b"1\n2\n")
        check(r.returncode not in (0, 64) and b"CUDA" in r.stderr and not r.stdout, str(r))
    refused(64, r"convolve needs A B", "convolve", "x")
    refused(64, r"one --output at most", "fft", "-", "-o", "a", "-o", "b", stdin=b"1\n")
    refused(65, r"2\^126", "convolve", path("x.txt", column([2**62] * 9)),
            path("y.txt", column([2**63 - 1] * 9)))


def test_explain():
    for n, pattern in ((4096, "one kernel"), (61440, "2 kernels"), (17, "the prime 17 first"),
                       (4099 * 2, "Bluestein, one kernel"), (2**27, "3 kernels"),
                       (1000003, "Bluestein, three kernels")):
        r = weir("fft", "--explain", str(n))
        check(r.returncode == 0 and pattern in r.stdout.decode(), f"explain {n}: {r}")
    r = weir("fft", "--half", "--explain", "1000")
    check("as 500 complex ones" in r.stdout.decode(), f"explain real: {r}")
    refused(65, r"2\^23 is the largest", "fft", "--explain", str(10**8 + 7))


run_tests(globals())
