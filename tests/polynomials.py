"""A product of polynomials by weir convolve against big-integer arithmetic on the CPU: both
polynomials evaluated at 10^26, multiplied as decimal numbers (libmpdec), and the digits of
the product read off again."""
import decimal
import os
import random
import subprocess
import tempfile

WIDTH = 26  # |coefficient of the product| < 10^26 / 2


def number(values):
    """sum values[i] 10^(WIDTH i)"""
    return (decimal.Decimal("".join(f"{max(v, 0):0{WIDTH}}" for v in reversed(values))) -
            decimal.Decimal("".join(f"{max(-v, 0):0{WIDTH}}" for v in reversed(values))))


def exact_product(a, b):
    half = 10**WIDTH // 2
    n = len(a) + len(b) - 1
    digits = f"{number(a) * number(b) + number([half] * n):f}".rjust(WIDTH * n, "0")
    assert len(digits) == WIDTH * n
    return [int(digits[i:i + WIDTH]) - half for i in range(WIDTH * (n - 1), -1, -WIDTH)]


def check(degree, engine):
    """None, or what is wrong."""
    decimal.setcontext(decimal.Context(prec=decimal.MAX_PREC, Emax=decimal.MAX_EMAX,
                                       Emin=decimal.MIN_EMIN))
    seed = int(os.environ.get("WEIR_TEST_SEED", str(random.SystemRandom().getrandbits(32))))
    print(f"# WEIR_TEST_SEED={seed}")
    rng = random.Random(seed)
    a, b = ([rng.randint(-10**9, 10**9) for _ in range(degree + 1)] for _ in range(2))
    a[-1] = b[-1] = 10**9  # the largest there may be
    with tempfile.TemporaryDirectory(prefix="weir-poly-") as folder:
        for name, values in (("a", a), ("b", b)):
            with open(f"{folder}/{name}", "w") as f:
                f.writelines(f"{v}\n" for v in values)
        run = subprocess.run([os.environ["WEIR"], "convolve", "--engine", engine, f"{folder}/a",
                              f"{folder}/b", "-o", f"{folder}/c"], capture_output=True,
                             env={**os.environ, "HOME": folder}, timeout=300)
        if run.returncode:
            return run.stderr.decode()
        with open(f"{folder}/c") as f:
            got = [int(line) for line in f]
    want = exact_product(a, b)
    wrong = sum(x != y for x, y in zip(got, want)) + abs(len(got) - len(want))
    print(f"# degree {degree}: {len(want)} coefficients, {wrong} wrong")
    return f"{wrong} wrong coefficients" if wrong else None
