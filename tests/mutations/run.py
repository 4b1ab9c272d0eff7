"""Makes the mistakes of list.txt one by one in a copy of the tree and sees whether the
tests notice: ./dev mutate [NAME ...]. Exit 0: every one is caught. --check only sees whether each
stands in the code and names tests that there are.

The copy and its build stay in build/mutate, so that the next run only builds what changed.
"""
import glob
import os
import re
import shutil
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TREE = os.path.join(ROOT, "build", "mutate", "tree")
BUILD = os.path.join(ROOT, "build", "mutate", "build")
LIST = os.path.join(ROOT, "tests", "mutations", "list.txt")


def fail(text):
    print("mutate: " + text, file=sys.stderr)
    sys.exit(2)


def read_list():
    mutations = []
    for number, line in enumerate(open(LIST, encoding="utf-8"), 1):
        if not line.strip() or line.startswith("#"):
            continue
        heading = re.match(r"([a-z0-9-]+): (.+)", line)
        part = re.match(r"  (in|-|\+|caught by) (.+)", line)
        if heading:
            mutations.append({"name": heading[1], "says": heading[2]})
        elif part and mutations:
            mutations[-1][part[1]] = part[2]
        else:
            fail(f"{LIST}:{number}: neither a name nor a part of a mutation")
    for m in mutations:
        if set(m) != {"name", "says", "in", "-", "+", "caught by"}:
            fail(f"{m['name']}: a part is missing")
        with open(os.path.join(ROOT, m["in"]), encoding="utf-8") as f:
            n = f.read().count(m["-"])
        if n != 1:
            fail(f"{m['name']}: \"{m['-']}\" stands {n} times in {m['in']}, must be once")
        for test in m["caught by"].split():
            if not glob.glob(os.path.join(ROOT, "tests", "**", test + ".*"), recursive=True):
                fail(f"{m['name']}: there is no {test}")
    return mutations


def read(path):
    with open(path, "rb") as f:
        return f.read()


def copy_tree():
    """Only what differs, so that times of files stay and little is built anew."""
    names = subprocess.run(["git", "-C", ROOT, "ls-files", "-z", "-c", "-o", "--exclude-standard"],
                           capture_output=True, check=True, text=True).stdout.split("\0")
    names = {n for n in names if n and os.path.isfile(os.path.join(ROOT, n))}
    for name in names:
        source, target = os.path.join(ROOT, name), os.path.join(TREE, name)
        if not os.path.exists(target) or read(source) != read(target):
            os.makedirs(os.path.dirname(target), exist_ok=True)
            shutil.copy(source, target)
    for folder, _, files in os.walk(TREE):
        for file in files:
            path = os.path.join(folder, file)
            if os.path.relpath(path, TREE) not in names:
                os.remove(path)


def targets_of(tests):
    targets = {"weir_test_anchor"}
    for test in tests:
        if os.path.exists(os.path.join(TREE, "tests", test + ".c")):
            targets.add(test)
        elif test.startswith("fuzz_"):
            targets.add(test.replace("fuzz_", "replay_"))
        else:
            targets |= {"weir", "weir_view_demo"}
    return sorted(targets)


def run(*command):
    r = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                       stdin=subprocess.DEVNULL)
    return r.returncode, r.stdout


def build(tests):
    return run("cmake", "--build", BUILD, "-j", str(os.cpu_count()), "--target", *targets_of(tests))


def run_tests(tests):
    return run("ctest", "--test-dir", BUILD, "-R", "^(" + "|".join(tests) + ")$",
               "--no-tests=error", "--stop-on-failure", "-j", str(os.cpu_count()))


def write(path, text):
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)


def try_mutation(m):
    """Returns "caught" or what else came of it."""
    path = os.path.join(TREE, m["in"])
    with open(path, encoding="utf-8") as f:
        right = f.read()
    tests = m["caught by"].split()
    write(path, right.replace(m["-"], m["+"]))
    try:
        code, log = build(tests)
        if code:
            return "DOES NOT BUILD\n" + log[-2000:]
        code, log = run_tests(tests)
    finally:
        write(path, right)
    if "Not Run" in log or "Skipped" in log:
        return "NOT TESTED (a test is skipped here)\n" + log[-2000:]
    return "caught" if code else "MISSED"


def main():
    mutations = read_list()
    if sys.argv[1:] == ["--check"]:
        print(f"{len(mutations)} mutations stand in the code")
        return 0
    chosen = [m for m in mutations if m["name"] in sys.argv[1:]] if sys.argv[1:] else mutations
    unknown = set(sys.argv[1:]) - {m["name"] for m in mutations}
    if unknown:
        fail("no such mutation: " + " ".join(sorted(unknown)))
    os.makedirs(TREE, exist_ok=True)
    copy_tree()
    code, log = run("cmake", "-S", TREE, "-B", BUILD, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                    "-DWEIR_CUDA=OFF", "-DWEIR_BENCH=OFF")
    tests = sorted({t for m in chosen for t in m["caught by"].split()})
    if code == 0:
        code, log = build(tests)
    if code == 0:
        code, log = run_tests(tests)
    if code:
        fail("the tree as it is does not pass:\n" + log[-3000:])
    missed = 0
    for m in chosen:
        began = time.monotonic()
        verdict = try_mutation(m)
        missed += verdict != "caught"
        print(f"{m['name']:28s} {verdict}  ({m['says']}; {time.monotonic() - began:.0f} s)",
              flush=True)
    print(f"{len(chosen) - missed} of {len(chosen)} mutations caught")
    return missed != 0


if __name__ == "__main__":
    sys.exit(main())
