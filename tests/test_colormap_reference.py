# ctest-labels: unit
# The colour maps against matplotlib's tables, within 2/255 (the 52 control points of each map
# are exact, linear interpolation between them is not). Skipped without matplotlib.
import os
import subprocess
import sys

from other_python import need

matplotlib, = need("matplotlib")
colormaps = matplotlib.colormaps
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
