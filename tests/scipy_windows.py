"""weir's windows by SciPy's names: (weir's name, what scipy.signal takes or makes at n points)."""
from other_python import need

np, signal = need("numpy", "scipy.signal")

WINDOWS = [
    ("rectangular", lambda n: "boxcar"),
    ("bartlett", lambda n: "bartlett"),
    ("hann", lambda n: "hann"),
    ("hamming", lambda n: "hamming"),
    ("blackman", lambda n: "blackman"),
    ("blackman-harris", lambda n: "blackmanharris"),
    ("nuttall", lambda n: "nuttall"),
    ("flattop", lambda n: "flattop"),
    ("kaiser:9.42", lambda n: ("kaiser", 9.42)),
    ("tukey:0.25", lambda n: ("tukey", 0.25)),
    ("gaussian:0.125", lambda n: ("gaussian", 0.125 * n)),
    # Symmetric: dsp/window.h says why.
    ("dolph-chebyshev:100", lambda n: signal.windows.chebwin(n, 100)),
]
