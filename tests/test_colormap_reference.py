# ctest-labels: unit
# The colour maps against matplotlib's tables, within 2/255 (the 52 control points of each map
# are exact, linear interpolation between them is not). Skipped without matplotlib.
import os
import subprocess
import sys

try:
    from matplotlib import colormaps
except ImportError:
    SYSTEM = "/usr/bin/python3"
    if sys.executable != SYSTEM and os.path.exists(SYSTEM) and "WEIR_RETRIED" not in os.environ:
        os.execve(SYSTEM, [SYSTEM] + sys.argv, dict(os.environ, WEIR_RETRIED="1"))
    print("skipped: no matplotlib for", sys.executable)
    sys.exit(77)

program = os.path.join(os.environ["WEIR_BUILD_DIR"], "tests", "test_colormap")
failed = False
for name in ("viridis", "magma", "inferno", "plasma", "turbo", "cividis"):
    lines = subprocess.run([program, name], capture_output=True, text=True, check=True).stdout
    ours = [tuple(map(int, line.split())) for line in lines.splitlines()]
    theirs = [tuple(round(255 * c) for c in colormaps[name](i)[:3]) for i in range(256)]
    assert len(ours) == 256
    worst = max(abs(a - b) for o, t in zip(ours, theirs) for a, b in zip(o, t))
    print(f"{name}: at most {worst}/255 off")
    failed |= worst > 2
sys.exit(1 if failed else 0)
