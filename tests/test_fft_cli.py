# ctest-labels: unit
"""weir fft, ifft and convolve as a user meets them, on the CPU: files, pipes, errors."""
import cmath
import os
import random
import re
import struct
import subprocess
import sys
import tempfile

WEIR = os.environ["WEIR"]
if not os.access(WEIR, os.X_OK):
    print("skipped: the program is not built")
    sys.exit(77)

HOME = tempfile.mkdtemp(prefix="weir-fft-")
ENV = {**os.environ, "HOME": HOME, "XDG_CONFIG_HOME": HOME + "/config",
       "XDG_CACHE_HOME": HOME + "/cache", "LC_ALL": "C.UTF-8"}
passed = failed = 0
seed = int(os.environ.get("WEIR_TEST_SEED", str(random.SystemRandom().getrandbits(32))))
print(f"# WEIR_TEST_SEED={seed}")
rng = random.Random(seed)


def check(ok, what):
    global passed, failed
    if ok:
        passed += 1
    else:
        failed += 1
        print("failed:", what, file=sys.stderr)


def weir(*args, stdin=b""):
    return subprocess.run([WEIR, *args], input=stdin, capture_output=True, timeout=60, env=ENV)


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


def npy(kind, values):
    head = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': ({len(values)},), }}"
    head += " " * (117 - len(head)) + "\n"
    flat = [p for v in values for p in ((v.real, v.imag) if "c" in kind else (v,))]
    code = {"<f4": "f", "<f8": "d", "<c8": "f", "<c16": "d", "|i1": "b", "<i8": "q"}[kind]
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", 118) + head.encode() + struct.pack(
        f"<{len(flat)}{code}", *flat)


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
    refused(64, r"convolve needs a A B", "convolve", "x")
    refused(64, r"one --output at most", "fft", "-", "-o", "a", "-o", "b", stdin=b"1\n")
    refused(65, r"2\^126", "convolve", path("x.txt", column([2**62] * 9)),
            path("y.txt", column([2**63 - 1] * 9)))


def test_explain():
    for n, pattern in ((4096, "one kernel"), (61440, "2 kernels"), (17, "Rader"),
                       (4099 * 2, "Bluestein, one kernel"), (2**27, "3 kernels"),
                       (1000003, "Bluestein, three kernels")):
        r = weir("fft", "--explain", str(n))
        check(r.returncode == 0 and pattern in r.stdout.decode(), f"explain {n}: {r}")
    r = weir("fft", "--half", "--explain", "1000")
    check("as 500 complex ones" in r.stdout.decode(), f"explain real: {r}")
    refused(65, r"2\^23 is the largest", "fft", "--explain", str(10**8 + 7))


for test in [v for k, v in sorted(globals().items()) if k.startswith("test_")]:
    test()
print(f"{passed} passed, {failed} failed")
sys.exit(bool(failed))
