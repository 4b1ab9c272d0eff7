# ctest-labels: unit
"""dsp/window.h against scipy.signal.get_window, where SciPy is installed."""
import os
import subprocess
import sys

from scipy_windows import WINDOWS, np, signal

PROGRAM = os.path.join(os.environ["WEIR_BUILD_DIR"], "tests", "test_window")
ROWS = WINDOWS + [
    ("kaiser:0", lambda n: ("kaiser", 0.0)),
    ("kaiser:40", lambda n: ("kaiser", 40.0)),
    ("dolph-chebyshev:50", lambda n: signal.windows.chebwin(n, 50)),
    ("tukey:1", lambda n: ("tukey", 1.0)),
    ("tukey:0", lambda n: ("tukey", 0.0)),
    ("dpss:2.5", lambda n: ("dpss", 2.5)),
    ("dpss:4", lambda n: ("dpss", 4)),
]

failed = 0
for name, scipy_name in ROWS:
    for n in (12, 13, 64, 255, 1000, 4096):
        out = subprocess.run([PROGRAM, "--print", name, str(n)], check=True, capture_output=True)
        ours = np.array(out.stdout.split(), dtype=float)
        theirs = scipy_name(n)
        if not isinstance(theirs, np.ndarray):
            theirs = signal.get_window(theirs, n, fftbins=True)
        worst = np.max(np.abs(ours - theirs))
        # Doubles near 1, through a long computation; SciPy loses some digits of chebwin near
        # the argument 1 of its polynomial, which weir does not.
        if ours.shape != theirs.shape or not worst < (1e-9 if "cheb" in name else 1e-10):
            print(f"{name}, n = {n}: differs by {worst:.3g}")
            failed += 1
print(f"{len(ROWS)} windows, {failed} failures")
sys.exit(1 if failed else 0)
