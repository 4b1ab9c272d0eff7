# ctest-labels: gpu
# ctest-timeout: 300
"""weir convolve multiplies polynomials exactly: degree 10^6, coefficients to 10^9, on the
GPU, against big-integer arithmetic on the CPU."""
import os
import subprocess
import sys

import polynomials

weir = os.environ["WEIR"]
if not os.access(weir, os.X_OK):
    print("skipped: the program is not built")
    sys.exit(77)
if b"none" in subprocess.run([weir, "devices"], capture_output=True).stdout.split(b"GPU")[-1]:
    print("skipped: no GPU")
    sys.exit(77)
sys.exit(polynomials.check(1000000, "cuda"))
