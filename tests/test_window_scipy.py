# ctest-labels: unit
"""dsp/window.h against scipy.signal.get_window, where SciPy is installed."""
import os
import subprocess
import sys

try:
    import numpy as np
    from scipy.signal import get_window
    from scipy.signal.windows import chebwin
except ImportError:
    # Another Python may come first in PATH than the distribution's, which has SciPy.
    system = "/usr/bin/python3"
    if os.path.exists(system) and os.path.realpath(sys.executable) != os.path.realpath(system):
        os.execv(system, [system] + sys.argv)
    print("skipped: no SciPy")
    sys.exit(77)

PROGRAM = os.path.join(os.environ["WEIR_BUILD_DIR"], "tests", "test_window")
ROWS = [
    ("rectangular", lambda n: "boxcar"),
    ("bartlett", lambda n: "bartlett"),
    ("hann", lambda n: "hann"),
    ("hamming", lambda n: "hamming"),
    ("blackman", lambda n: "blackman"),
    ("blackman-harris", lambda n: "blackmanharris"),
    ("nuttall", lambda n: "nuttall"),
    ("flattop", lambda n: "flattop"),
    ("kaiser:0", lambda n: ("kaiser", 0.0)),
    ("kaiser:9.42", lambda n: ("kaiser", 9.42)),
    ("kaiser:40", lambda n: ("kaiser", 40.0)),
    ("dolph-chebyshev:50", lambda n: chebwin(n, 50)),
    ("dolph-chebyshev:100", lambda n: chebwin(n, 100)),
    ("tukey:0.25", lambda n: ("tukey", 0.25)),
    ("tukey:1", lambda n: ("tukey", 1.0)),
    ("tukey:0", lambda n: ("tukey", 0.0)),
    ("gaussian:0.125", lambda n: ("gaussian", 0.125 * n)),
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
            theirs = get_window(theirs, n, fftbins=True)
        worst = np.max(np.abs(ours - theirs))
        # Doubles near 1, through a long computation; SciPy loses some digits of chebwin near
        # the argument 1 of its polynomial, which weir does not.
        if ours.shape != theirs.shape or not worst < (1e-9 if "cheb" in name else 1e-10):
            print(f"{name}, n = {n}: differs by {worst:.3g}")
            failed += 1
print(f"{len(ROWS)} windows, {failed} failures")
sys.exit(1 if failed else 0)
