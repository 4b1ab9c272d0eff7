"""What the tests of the program share: where it is, a home of its own, checks and their sum.

Importing it ends the test as skipped where the program is not built.
"""
import os
import shutil
import subprocess
import sys
import tempfile

WEIR = os.environ["WEIR"]
if not os.access(WEIR, os.X_OK):
    print("skipped: the program is not built")
    sys.exit(77)
HOME = tempfile.mkdtemp(prefix="weir-test-")
ENV = {**os.environ, "HOME": HOME, "XDG_CONFIG_HOME": HOME, "XDG_CACHE_HOME": HOME, "TZ": "UTC"}
_results = {True: 0, False: 0}


def check(ok, what):
    _results[bool(ok)] += 1
    if not ok:
        print("failed:", what, file=sys.stderr)


def path(name):
    return os.path.join(HOME, name)


def read(name):
    with open(path(name), "rb") as f:
        return f.read()


def weir(*args, **more):
    """Runs it to its end in its home."""
    return subprocess.run([WEIR, *args], **{"capture_output": True, "timeout": 90, "env": ENV,
                                            "cwd": HOME, "check": False, **more})


def env_with_weir():
    """An environment in which a shell finds the program by its name, in the C locale."""
    os.makedirs(path("bin"))
    os.symlink(os.path.realpath(WEIR), path("bin/weir"))
    return {**ENV, "PATH": path("bin") + ":" + os.environ["PATH"], "LC_ALL": "C"}


def has(part):
    """What `weir --version` lists, as in "SigMF"."""
    return f", {part}" in weir("--version", text=True).stdout


def finish():
    """Takes the home away, says the sum, and ends."""
    shutil.rmtree(HOME, ignore_errors=True)
    print(f"{_results[True]} passed, {_results[False]} failed")
    sys.exit(_results[False] > 0 or _results[True] == 0)


def run_tests(names):
    """Calls every test_... of globals(), by name, and ends."""
    for name, test in sorted(names.items()):
        if name.startswith("test_"):
            print("#", name, flush=True)
            test()
    finish()
