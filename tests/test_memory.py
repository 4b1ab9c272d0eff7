# ctest-labels: replay
# ctest-timeout: 120
"""Memory stays below 100 MB whatever the input's length: 240 MB (of zeros, which take no room on
the disk) into every kind of output, from a file and through a pipe."""
import os
import re
import subprocess
import sys

from program import ENV, HOME, WEIR, check, finish, has, path

LENGTH, LIMIT_KB = 240 << 20, 100_000
RAW = ("-f", "cu8", "-r", "2.4M", "-t", "2", "--engine", "cpu", "-q")

with open(os.path.join(os.environ["WEIR_BUILD_DIR"], "CMakeCache.txt"), encoding="utf-8") as cache:
    if re.search(r"^WEIR_SANITIZE:\w+=.", cache.read(), re.M):
        print("skipped: a sanitizer's own memory is more than the program's")
        sys.exit(77)


def peak_kb(*args, stdin=subprocess.DEVNULL):
    """Of a run that must succeed. numpy is not imported here: a child's peak counts from before
    its exec on."""
    with subprocess.Popen([WEIR, *args], stdin=stdin, stdout=subprocess.DEVNULL, env=ENV,
                          cwd=HOME) as child:
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    check(child.returncode == 0, f"{args}: exit {child.returncode}")
    return usage.ru_maxrss


with open(path("long.cu8"), "wb") as long_file:
    long_file.truncate(LENGTH)
RUNS = [("spectra", "long.cu8", *RAW, "--average", "all", "-o", "mean.csv"),
        ("spectra", "long.cu8", *RAW, "-o", "rows.npy", "-o", "peaks.peaks.csv"),
        ("compare", "long.cu8", "long.golden", *RAW, "--bless")]
if has("PNG"):
    RUNS.append(("spectra", "long.cu8", *RAW, "-o", "x.png", "-o", "x.persistence.png"))
for run in RUNS:
    peak = peak_kb(*run)
    check(peak < LIMIT_KB, f"{run}: {peak} kB")
with subprocess.Popen(["cat", path("long.cu8")], stdout=subprocess.PIPE) as cat:
    peak = peak_kb("spectra", "-", *RAW, "--average", "all", "-o", "pipe.csv", stdin=cat.stdout)
check(peak < LIMIT_KB, f"a pipe: {peak} kB")
finish()
