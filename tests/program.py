"""What the tests of the program share: where it is, a home of its own, checks and their sum.

Importing it ends the test as skipped where the program is not built.
"""
import functools
import os
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time
import traceback

WEIR = os.environ["WEIR"]
if not os.access(WEIR, os.X_OK):
    print("skipped: the program is not built")
    sys.exit(77)
HOME = tempfile.mkdtemp(prefix="weir-test-")
ENV = {**os.environ, "HOME": HOME, "XDG_CONFIG_HOME": HOME, "XDG_CACHE_HOME": HOME, "TZ": "UTC"}
_results = {True: 0, False: 0}
_failures = []


def check(ok, what):
    _results[bool(ok)] += 1
    if not ok:
        _failures.append(str(what))
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


def until(condition, seconds=60):
    """Waits for what has to happen some time; what the condition has become."""
    end = time.monotonic() + seconds
    while not (there := condition()) and time.monotonic() < end:
        time.sleep(0.01)
    return there


def is_recording(folder, least=1):
    """A file that is being written there has so many bytes."""
    return any(".weir-" in e.name and e.stat().st_size >= least for e in os.scandir(folder))


# What comes in real time is promised by program and machine together.
CHANCES = 6
LATE_SECONDS = 0.01
LATE_PART = 0.3  # of the time, in sum; what Python itself takes is half of that
IDLE_PART = 0.25  # of the processors' time: who always has work is late, and not who mostly sleeps
# What no busy machine is to blame for: a sanitizer's words, and the exit codes of crashes.
FINDING = re.compile(r"Sanitizer|runtime error|Assertion .* failed"
                     r"|(^|[ :])(-4|-6|-7|-8|-11|66)( |$)")


def _cpu_times():
    """Of the processors there are for this process: idle, and all."""
    names = {f"cpu{n}" for n in os.sched_getaffinity(0)}
    with open("/proc/stat", encoding="ascii") as f:
        rows = [list(map(int, words[1:9])) for line in f if (words := line.split())[0] in names]
    return sum(row[3] for row in rows), sum(map(sum, rows))


def _watch(stop, result):
    """A process that is due every millisecond, until the pipe is closed: was it late, or was there
    little time to spare?"""
    begun = before = time.monotonic()
    worst = total = 0
    idle, all_time = _cpu_times()
    while not select.select([stop], [], [], 0.001)[0]:
        now = time.monotonic()
        worst, total, before = max(worst, now - before - 0.001), total + now - before - 0.001, now
    idle, all_time = (then - at_first for then, at_first in zip(_cpu_times(), (idle, all_time)))
    is_late = (worst > LATE_SECONDS or total > LATE_PART * (before - begun)
               or idle < IDLE_PART * all_time)
    os.write(result, b"1" if is_late else b"0")


class MachineWatch:
    """Beside what runs inside of it; afterwards .late says whether the machine was."""

    def __enter__(self):
        self.late = False
        stop, self.stop = os.pipe()
        self.result, result = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            try:
                os.close(self.stop)
                _watch(stop, result)
            finally:
                os._exit(0)
        os.close(stop)
        os.close(result)
        return self

    def __exit__(self, *failure):
        os.close(self.stop)
        self.late = os.read(self.result, 1) == b"1"
        os.close(self.result)
        os.waitpid(self.pid, 0)


def live(test):
    """For a test, or a part of one, of what comes in real time: where it failed and the machine
    was late, it proves nothing, and gets another chance. On one that was not late it has failed."""
    @functools.wraps(test)
    def with_chances(*args, **more):
        before = dict(_results)
        _failures.clear()
        for chance in range(1, CHANCES + 1):
            with MachineWatch() as watch:
                try:
                    test(*args, **more)
                except Exception:  # what follows on a failed check, or a time limit
                    check(False, traceback.format_exc())
            found = any(FINDING.search(what) for what in _failures)
            if _results[False] == before[False] or not watch.late or found:
                return
            if chance < CHANCES:
                print(f"# the machine was late; chance {chance + 1} of {CHANCES}", flush=True)
                _results.update(before)
                _failures.clear()
    return with_chances


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
