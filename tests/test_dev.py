# ctest-labels: unit
"""./dev itself, with stand-ins for what it calls: when it installs, configures and says what."""
import os
import shutil
import subprocess
import tempfile

SOURCE = os.environ["WEIR_SOURCE_DIR"]
HOME = tempfile.mkdtemp(prefix="weir dev ")  # a space on purpose
TREE, BIN = HOME + "/tree", HOME + "/bin"
SYSTEM = ["bash", "env", "awk", "sort", "cat", "grep", "rm", "mktemp", "mkdir", "readlink",
          "dirname", "nproc"]
STAND_INS = {
    "cc": "", "ninja": "", "python3": "", "sudo": "exit 1",
    # Knows every library but those that are listed in the file "absent".
    "pkg-config": 'if grep -qx "$2" "$DEV_TEST/absent"; then exit 1; fi',
    "apt-get": 'echo "apt-get $*" >>"$DEV_TEST/calls"; exit 1',
    "cmake": 'echo "cmake $*" >>"$DEV_TEST/calls"\n'
             'if [[ $* != *--preset* ]]; then exit 0; fi\n'
             'mkdir -p build/release; echo >build/release/build.ninja\n'
             'echo "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD" >build/release/CMakeCache.txt',
}


def write(path, text):
    with open(path, "w", encoding="utf-8") as out:
        out.write(text)


def make_tree():
    for folder in (BIN, TREE + "/app", TREE + "/build/release"):
        os.makedirs(folder)
    for name in ("dev", "CMakePresets.json"):
        shutil.copy(f"{SOURCE}/{name}", TREE)
    write(TREE + "/app/main.c", "")
    for name in SYSTEM:
        os.symlink(shutil.which(name), f"{BIN}/{name}")
    for name, body in STAND_INS.items():
        write(f"{BIN}/{name}", f"#!{shutil.which('bash')}\n{body}\n")
        os.chmod(f"{BIN}/{name}", 0o755)
    write(TREE + "/build/release/weir", f"#!{shutil.which('bash')}\necho \"weir $*\"\n")
    os.chmod(TREE + "/build/release/weir", 0o755)
    os.chmod(HOME, 0o777)
    subprocess.run(["chmod", "-R", "a+rwX", HOME], check=True)


def dev(*args, absent=(), user=None):
    """(process, what it called)"""
    write(HOME + "/absent", "\n".join(absent) + "\n")
    write(HOME + "/calls", "")
    os.chmod(HOME + "/calls", 0o666)
    r = subprocess.run([TREE + "/dev", *args], capture_output=True, text=True, timeout=60,
                       cwd="/", stdin=subprocess.DEVNULL, user=user, check=False,
                       env={"PATH": BIN, "DEV_TEST": HOME, "TMPDIR": HOME})
    with open(HOME + "/calls", encoding="utf-8") as calls:
        return r, calls.read()


def test_configures_when_needed():
    r, calls = dev("run", "a b")
    assert r.returncode == 0 and r.stdout == "weir a b\n", r
    assert "--preset release" in calls and "apt-get" not in calls, calls
    r, calls = dev("run")
    assert r.stdout == "weir view synth:\n" and "--preset" not in calls, (r, calls)
    # A library that has gone, or come, since: the build is made anew.
    r, calls = dev("run", absent=["libpng"])
    assert r.returncode == 0 and "--fresh --preset" in calls, calls
    assert "going on without libpng-dev" in r.stderr, r.stderr
    r, calls = dev("run", absent=["libpng"])
    assert "--preset" not in calls and "apt-get" not in calls, calls  # nor tried again
    r, calls = dev("run")
    assert "--fresh --preset" in calls, calls


def test_setup_says_what_is_there():
    r, _ = dev("setup")
    assert r.returncode == 0 and "everything is there" in r.stderr, r
    r, _ = dev("setup", absent=["libpng"])
    assert r.returncode == 0 and "everything" not in r.stderr, r
    r, calls = dev("run", absent=["fftw3f"])
    assert r.returncode == 1 and "still missing: libfftw3-dev" in r.stderr, r
    assert r.stdout == "" and "cmake" not in calls, (r, calls)
    assert dev("setup", "x")[0].returncode == 1


def test_who_may_not_install():
    """Neither root nor let by sudo: what to type, once, and nothing tried."""
    user = 65534 if os.geteuid() == 0 else None
    for why in ("sudo was refused", "there is no sudo"):
        r, calls = dev("run", absent=["fftw3f"], user=user)
        assert r.returncode == 1 and why in r.stderr, r
        assert "apt-get install --no-install-recommends libfftw3-dev\n" in r.stderr, r.stderr
        assert "apt-get" not in calls and r.stderr.count("\n") <= 3, (r.stderr, calls)
        if os.path.exists(BIN + "/sudo"):
            os.remove(BIN + "/sudo")


try:
    make_tree()
    test_configures_when_needed()
    test_setup_says_what_is_there()
    test_who_may_not_install()
finally:
    shutil.rmtree(HOME, ignore_errors=True)
print("dev: what it says and calls is right")
