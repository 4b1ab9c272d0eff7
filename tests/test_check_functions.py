#!/usr/bin/env python3
# ctest-labels: unit
"""The function-length check counts exactly: fixed awkward cases, and random files whose
lengths are known because this test wrote them."""
import os
import pathlib
import random
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tools"))
import check_functions  # noqa: E402

AWKWARD = r'''/* a { comment } */
#include <x.h>
#define OPENS do { \
    if (x) {
static const char *text = "}{\"}";
static const struct point table[] = {
    {1, 2}, {'{', '}'},
};
struct shape { int a; union { int b; } c; };
enum kind { A, B };

int one(void) { return 1; }

static __attribute__((noinline)) int
two(struct shape *s,
    int n)
{
    // a } comment \
       } that goes on
    for (int i = 0; i < n; i++) {
        s->a += '}';
    }
    return 0;
}
typedef int callback(void *user, int (*inner)(int));
struct weir *three(int (*compare)(const void *, const void *))
{
    struct shape s = {0};
    return (struct weir *){0};
}
static struct shape fixed = (struct shape){ .a = 3 };
#if HAVE_IT
int four(int a)
{
#else
int four(void)
{
#endif
    return 4;
}
#ifdef OTHER
int five(void)
{
}
#else
int six(void)
{

}
#endif
void seven(void) __attribute__((cold));
void seven(void)
{
}
extern "C" {
template <int N, typename T = int>
__global__ void __launch_bounds__(256, 2) eight(const float *in)
{
    __shared__ float s[N];
    auto f = [](int x) { return x; };
}
struct functor {
    int operator()(int x) const { return x; }
    int nine() const
    {
        return 9;
    }
};
}
long ten = 1'000'000;
int eleven(int c)
{
    return c == '"' ? '\'' : '\\';
}
'''
EXPECTED = {
    "one": 1, "two": 11, "three": 5, "four": 8, "five": 3, "six": 4, "seven": 3,
    "eight": 6, "nine": 4, "eleven": 4,
}

failures = 0


def check(is_right, text):
    global failures
    if not is_right:
        failures += 1
        print("failed:", text)


def test_awkward():
    found = {name: last - first + 1 for name, first, last in check_functions.functions(AWKWARD)}
    found = {name: length for name, length in found.items() if "operator" not in name}
    for name, length in EXPECTED.items():
        check(found.get(name) == length, f"{name}: {found.get(name)} lines, not {length}")
    check(set(found) == set(EXPECTED), f"names: {sorted(found)}")


def random_file(rng):
    """Source text and the (name, length) of each of its functions."""
    lines, truth = [], []
    fillers = ["int a{} = 1;", "/* {{ */", "static int b{}[] = {{1, 2}};", "", "#define C{} {{"]
    body = ["    x++;", "", "    if (x) {\n    }", '    puts("}");', "    // }", "    y = '{';"]
    for number in range(rng.randint(1, 30)):
        lines.append(rng.choice(fillers).format(number))
        head = rng.choice(["int f{}(void)\n{{", "static int\nf{}(int a,\n  int b)\n{{",
                           "int f{}(void) {{"]).format(number)
        text = "\n".join([head] + rng.choices(body, k=rng.randint(0, 120)) + ["}"])
        truth.append((f"f{number}", text.count("\n") + 1))
        lines.append(text)
    return "\n".join(lines) + "\n", truth


def test_random(rng):
    for _ in range(100):
        source, truth = random_file(rng)
        found = [(name, last - first + 1)
                 for name, first, last in check_functions.functions(source)]
        check(found == truth, f"random file: {found} is not {truth}")


def test_program(rng):
    """The exit status and the report agree with the limit, on either side of it."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "x.c")
        source, truth = random_file(rng)
        with open(path, "w", encoding="utf-8") as file:
            file.write(source)
        longest = max(length for _, length in truth)
        for limit, status in ((longest, 0), (longest - 1, 1)):
            run = subprocess.run(
                [sys.executable, ROOT / "tools/check_functions.py", "--limit", str(limit), path],
                stdout=subprocess.PIPE, text=True, check=False)
            check(run.returncode == status, f"limit {limit}: exit {run.returncode}")
            check(f"longest {longest}" in run.stdout, run.stdout)
            check(("over" in run.stdout) == (status == 1), run.stdout)


def main():
    seed = int(os.environ.get("WEIR_TEST_SEED", random.SystemRandom().randrange(1 << 32)))
    print(f"# WEIR_TEST_SEED={seed}")
    rng = random.Random(seed)
    test_awkward()
    test_random(rng)
    test_program(rng)
    check(check_functions.percentile([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 0.9) == 9, "percentile")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
