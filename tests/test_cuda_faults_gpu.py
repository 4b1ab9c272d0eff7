# ctest-labels: gpu
# ctest-timeout: 600
"""test_cuda_faults.py with a real GPU, and one that is hidden from the program."""
import os
import subprocess
import sys

os.environ.setdefault("WEIR_CUDA_FAULTS", "20")  # is read by the import
import test_cuda_faults
from test_cuda_faults import SYNTH, check, faults


def test_none_visible():
    """A driver, and no GPU that may be used."""
    for engine, codes in (("cuda", (65, 69)), ("auto", (0,))):
        r = subprocess.run([faults.WEIR, "spectra", SYNTH, "--engine", engine],
                           capture_output=True, env={**faults.ENV, "CUDA_VISIBLE_DEVICES": ""},
                           timeout=60)
        check(r.returncode in codes, f"{engine}: {r}")


test_none_visible()
sys.exit(test_cuda_faults.main(fake=False))
