# ctest-labels: unit
"""weir convolve multiplies polynomials exactly: degree 100000, coefficients to 10^9, on the
CPU, against big-integer arithmetic."""
import os
import sys

import polynomials

if not os.access(os.environ["WEIR"], os.X_OK):
    print("skipped: the program is not built")
    sys.exit(77)
sys.exit(polynomials.check(100000, "cpu"))
