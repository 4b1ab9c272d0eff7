"""Modules that a test needs and that not every Python has: looked for here, then in the
distribution's Python, which may not be the first in PATH; else the test is skipped."""
import importlib
import os
import sys

SYSTEM = "/usr/bin/python3"


def need(*modules):
    """Returns the modules. May start this test again in the other Python, or end it."""
    try:
        return [importlib.import_module(name) for name in modules]
    except ImportError as missing:
        elsewhere = os.path.exists(SYSTEM) and \
            os.path.realpath(sys.executable) != os.path.realpath(SYSTEM)
        if elsewhere and "WEIR_RETRIED" not in os.environ:
            os.execve(SYSTEM, [SYSTEM, *sys.argv], {**os.environ, "WEIR_RETRIED": "1"})
        print(f"skipped: {missing} in {sys.executable}")
        sys.exit(77)
