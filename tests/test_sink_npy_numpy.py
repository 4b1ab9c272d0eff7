# ctest-labels: unit
# NumPy reads the array that test_sink_npy writes. Skipped without NumPy.
import os
import subprocess
import sys
import tempfile

from other_python import need

numpy, = need("numpy")
program = os.path.join(os.environ["WEIR_BUILD_DIR"], "tests", "test_sink_npy")
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "a.npy")
    subprocess.run([program, path], check=True)
    levels = numpy.load(path, allow_pickle=False)
assert levels.shape == (7, 301) and levels.dtype == numpy.dtype("<f4"), levels
expected = -(numpy.arange(7)[:, None] + numpy.arange(301) / 8)
worst = abs(levels - expected).max()
print("at most", worst, "dB off")
sys.exit(0 if worst < 2e-5 else 1)
