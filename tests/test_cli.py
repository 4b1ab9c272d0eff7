# ctest-labels: unit
# ctest-timeout: 180
"""The program as a user meets it: help, errors, exit codes, configuration, pipes."""
import json
import os
import re
import signal
import subprocess
import tempfile
import time

from program import ENV, HOME, WEIR, check, run_tests

SOURCE = os.environ["WEIR_SOURCE_DIR"]
ENV.update(XDG_CONFIG_HOME=HOME + "/config", XDG_CACHE_HOME=HOME + "/cache", LC_ALL="C.UTF-8")


def weir(*args, stdin=b"", env=None):
    return subprocess.run([WEIR, *args], input=stdin, capture_output=True, timeout=60,
                          env={**ENV, **(env or {})})


def refused(code, pattern, *args, **more):
    """Exit code, one line on stderr that says what, nothing on stdout."""
    r = weir(*args, **more)
    err = r.stderr.decode()
    check(r.returncode == code, f"{args}: exit {r.returncode}, expected {code}: {err}")
    check(re.search(pattern, err) is not None, f"{args}: {err!r} does not match {pattern!r}")
    check(r.stdout == b"", f"{args}: wrote {r.stdout[:80]!r} to stdout")
    return err


def test_help_and_version():
    for args in (["--help"], ["help"], ["-h"], ["help", "spectra"], ["spectra", "--help"],
                 ["view", "-h"], ["help", "synth"], ["help", "file"], ["--version"], ["windows"],
                 ["devices"]):
        r = weir(*args)
        check(r.returncode == 0 and r.stdout and not r.stderr, f"{args}: {r}")
        # (the windows' descriptions stand last, and may run on)
        lines = r.stdout.decode().splitlines()
        check(args == ["windows"] or all(len(line) <= 100 for line in lines),
              f"{args}: a line over 100 columns")
    out = weir("windows", "kaiser:14", "rect").stdout.decode().splitlines()[2:]
    check([line.split()[0] for line in out] == ["kaiser:14", "rectangular"], f"windows: {out}")
    refused(64, r"did you mean .dpss", "windows", "hann", "dps:3")
    check(weir("--version").stdout.startswith(b"weir "), "version line")
    refused(64, r"no help on", "help", "nonsense")
    r = weir()
    check(r.returncode == 64 and b"usage:" in r.stderr and not r.stdout, "no arguments")


def test_bad_options():
    refused(64, r"did you mean `weir spectra`", "spectar", "x.wav")
    refused(64, r"did you mean --window", "spectra", "--wndow", "hann", "x.wav")
    refused(64, r"did you mean --overlap", "spectra", "--overlpa", "50%", "x.wav")
    refused(64, r"unknown option -Z", "spectra", "-Z", "x.wav")
    refused(64, r"--fft needs a value", "spectra", "x.wav", "--fft")
    refused(64, r"--loop takes no value", "spectra", "--loop=1", "x.wav")
    refused(64, r"does not apply", "windows", "--fft", "4096")
    refused(64, r"needs a SOURCE", "spectra")
    refused(64, r"unexpected argument", "spectra", "a.wav", "b.wav")
    refused(64, r"--engine: .*auto, cpu, cuda", "spectra", "--engine", "gpu", "synth:")
    refused(64, r"--window: .*(hann|hamming)", "spectra", "--window", "hannn", "synth:")
    refused(64, r"--overlap", "spectra", "--overlap", "100%", "synth:")
    refused(64, r"--overlap", "spectra", "--overlap", "-1", "synth:")
    refused(64, r"2 \.\. ", "spectra", "--fft", "1", "synth:")
    refused(64, r"give one", "spectra", "--fft", "64", "--rbw", "10", "synth:")
    refused(64, r"-o: x\.xyz", "spectra", "synth:", "-o", "x.xyz")
    refused(64, r"twice", "spectra", "synth:", "-o", "-", "-o", "-")
    refused(64, r"--channel 3", "spectra", "synth:seconds=0.1", "--channel", "3")
    refused(64, r"decimal sign is a point", "spectra", "synth:", "--rate", "2,4M")
    for bad in ("0", "-1", "nan", "1e400"):
        refused(64, r"rate", "spectra", "-", "-f", "cu8", "--rate", bad, stdin=b"\x80" * 100)
    refused(64, r"lower end", "spectra", "synth:", "--range", "101M:99M")
    refused(66, r"nowhere\.wav", "spectra", "/nowhere.wav")
    refused(66, r"nowhere\.wav", "/nowhere.wav")
    refused(73, r"/nowhere/x\.csv", "spectra", "synth:seconds=0.1", "-o", "/nowhere/x.csv")


def test_config():
    def config(text):
        with tempfile.NamedTemporaryFile("w", suffix=".conf", delete=False, dir=HOME) as f:
            f.write(text)
        return f.name

    if b"no configuration" in weir("--version").stdout:
        refused(65, r"libconfuse", "spectra", "--config", "x.conf", "synth:")
        return
    refused(78, r":2: .*did you mean window", "spectra", "-C", config("config = 1\nwindw = hann\n"),
            "synth:")
    refused(78, r":3: .*overlap", "spectra", "-C", config("config = 1\n\noverlap = 150%\n"),
            "synth:")
    refused(78, r"config = 1", "spectra", "-C", config("fft = 64\n"), "synth:")
    refused(78, r"format 2", "spectra", "-C", config("config = 2\n"), "synth:")
    refused(66, r"/nowhere\.conf", "spectra", "-C", "/nowhere.conf", "synth:")
    # Options win over --config, which wins over the user's file.
    os.makedirs(HOME + "/config/weir", exist_ok=True)
    user = HOME + "/config/weir/weir.conf"
    with open(user, "w") as f:
        f.write("config = 1\nfft = 128\nwindow = kaiser:9\noverlap = 75%\n")
    given = config("config = 1\nfft = 256\nwindow = \"blackman\"\n")
    dump = weir("spectra", "-C", given, "--fft", "512", "--dump-config").stdout.decode()
    for line in ('fft = "512"', 'window = "blackman"', 'overlap = "75%"'):
        check(re.search("^" + re.escape(line), dump, re.M) is not None, f"{line} in {dump}")
    os.remove(user)
    # What is dumped reads back as the same.
    again = weir("spectra", "-C", config(dump), "--dump-config").stdout.decode()
    check(again == dump, "dump, read, dump differ")
    titles = re.findall(r"^# (\w+)$", dump, re.M)
    check(len(titles) > 8 and len(titles) == len(set(titles)), f"titles of a dump: {titles}")
    unit = '$x"${HOME}\\'
    dump = weir("spectra", "--unit", unit, "--dump-config").stdout.decode()
    again = weir("spectra", "-C", config(dump), "--dump-config").stdout.decode()
    check(again == dump, f"dump, read, dump differ: {dump} {again}")
    # No unit is none, on the command line as in a file: a dump says `unit = ""` of both.
    tone = "synth:format=s16,rate=48k,seconds=0.2,tone=1k@-20"
    bare = weir("spectra", tone, "--offset", "3", "--unit", "")
    check(b"# unit: dBFS" in bare.stdout, "an empty unit is dBFS")
    dump = weir("spectra", "--offset", "3", "--unit", "", "--dump-config").stdout.decode()
    again = weir("spectra", tone, "-C", config(dump))
    check(again.stdout == bare.stdout, "spectra by the dump of an empty unit")
    names = [n for n in os.listdir(SOURCE + "/configs") if n.endswith(".conf")]
    check(len(names) >= 6, "six configurations")
    for name in names:
        r = weir("spectra", "-C", f"{SOURCE}/configs/{name}", "--dump-config")
        check(r.returncode == 0 and not r.stderr, f"{name}: {r.stderr}")


def test_no_level_or_time_is_infinite():
    tone = "synth:format=s16,rate=48k,seconds=0.2,tone=1k@-20"
    for args in (["--offset", "1e300"], ["--offset", "-1e39"], ["--full-scale", "1e300"],
                 ["--full-scale", "1", "--ohms", "1e-320"]):
        refused(64, "are possible", "spectra", tone, *args)
    for ppm in ("-1e6", "-2e6"):
        refused(64, "the clock runs", "spectra", tone, "--ppm", ppm)


def test_an_input_is_never_replaced():
    folder = tempfile.mkdtemp(dir=HOME)
    raw, link = folder + "/x.cu8", folder + "/y.cu8"
    with open(raw, "wb") as f:
        f.write(bytes(range(256)) * 40)
    os.link(raw, link)
    meta = folder + "/x.sigmf-meta"
    check(weir("record", raw, "-r", "1k", "-o", meta).returncode == 0, "a recording to lose")
    for args in (["record", raw, "-r", "1k", "--start", "1", "-o", raw],
                 ["record", raw, "-r", "1k", "-o", link],
                 ["spectra", raw, "-r", "1k", "-T", "csv", "-o", raw],
                 ["record", "fault:short:" + raw, "-r", "1k", "-o", raw],
                 ["spectra", "fault::" + raw, "-r", "1k", "-T", "csv", "-o", link],
                 ["record", folder + "/x.sigmf-data", "-o", meta]):
        refused(64, "is the input", *args)
    tone, golden = "synth:format=s16,rate=48k,seconds=0.2,tone=1k@-20", folder + "/x.golden"
    mask, curve = folder + "/mask.json", folder + "/curve.csv"
    for path, text in ((mask, "0,0\n24000,0\n"), (curve, "10,1\n1000,2\n")):
        with open(path, "w", encoding="ascii") as f:
            f.write(text)
    check(weir("compare", tone, golden, "--bless").returncode == 0, "a golden result to lose")
    for words, args in (("is the input", ["compare", raw, raw, "-r", "1k", "--bless"]),
                        ("is the input", ["compare", tone, golden, "--diff-png", golden]),
                        ("of --mask", ["compare", tone, "--mask", mask, "--report", mask]),
                        ("of --mask", ["compare", tone, "--mask", mask, "--diff-png", mask]),
                        ("of --calibration", ["spectra", tone, "--calibration", curve,
                                              "-o", curve]),
                        ("by -o as well", ["spectra", tone, "-o", folder + "/new.csv",
                                           "-o", folder + "/./new.csv"]),
                        ("by -o as well", ["spectra", tone, "-o", curve, "-o", curve]),
                        ("as well", ["record", raw, "-r", "1k", "-o", folder + "/c-7.sigmf-data",
                                     "--alert", "band > 0", "--alert-record",
                                     folder + "/./c-{n}.sigmf-meta"]),
                        ("as well", ["spectra", raw, "-r", "1k", "-T", "csv", "-o",
                                     folder + "/a*b-k.cu8", "--alert", "k: band > 0",
                                     "--alert-record", folder + "/a*{time}-{rule}.cu8"]),
                        ("by --report as well", ["compare", tone, "--mask", mask,
                                                 "--report", folder + "/new.json",
                                                 "--diff-png", folder + "/new.json"])):
        refused(64, words, *args)
    for name, pattern in (("c.cu8", "c-{n}.cu8"), ("d-1.cu8", "c-{n}.cu8"),
                          ("b.cu8", "[a-z]{n}.cu8")):
        r = weir("record", raw, "-r", "1k", "-o", f"{folder}/{name}", "--alert", "band > 0",
                 "--alert-record", f"{folder}/{pattern}")
        check(r.returncode == 0, f"{name} is none of {pattern}: {r.stderr}")
    r = weir("spectra", tone, "-T", "csv", "-o", "/dev/null", "-o", "/dev/null")
    check(r.returncode == 0, f"twice into /dev/null: {r.stderr}")
    with open(mask, "rb") as f:
        check(f.read() == b"0,0\n24000,0\n", "the mask was changed")
    with open(raw, "rb") as f:
        check(f.read() == bytes(range(256)) * 40, "the input was changed")


def test_generated_texts_agree():
    options = set(re.findall(r"--([a-z0-9-]+)", weir("spectra", "--help").stdout.decode()))
    options |= set(re.findall(r"--([a-z0-9-]+)", weir("view", "--help").stdout.decode()))
    man = weir("man").stdout.decode().replace("\\-", "-")
    for shell in ("bash", "zsh", "fish"):
        r = weir("completions", shell)
        text = r.stdout.decode()
        check(r.returncode == 0, f"completions {shell}")
        for option in options:
            check(re.search(rf"(--|-l ){option}\b", text) is not None, f"{option} not in {shell}")
    for option in options:
        check(f"--{option}" in man, f"{option} not in the man page")
    refused(64, r"bash, zsh, fish", "completions", "csh")
    for shell, flag in (("bash", "-n"), ("zsh", "-n"), ("fish", "-n")):
        try:
            r = subprocess.run([shell, flag], input=weir("completions", shell).stdout,
                               capture_output=True, timeout=30)
        except FileNotFoundError:
            print(f"# no {shell} here: its completion is not parsed")
            continue
        check(r.returncode == 0, f"{shell} {flag}: {r.stderr}")
    try:
        r = subprocess.run(["mandoc", "-T", "lint", "-W", "warning"], input=weir("man").stdout,
                           capture_output=True, timeout=30)
        check(r.returncode == 0, f"mandoc: {r.stdout.decode()}")
    except FileNotFoundError:
        print("# no mandoc here: the man page is not linted")


def test_accounts_and_pipes():
    r = weir("spectra", "synth:rate=1M,seconds=0.1,drop=50000:777", "--fft", "1000",
             "--average", "all")
    check(r.returncode == 0, f"synth: {r.stderr}")
    m = re.search(r"(\d+) samples received = (\d+) transformed \+ (\d+) skipped \+ (\d+) lost "
                  r"\+ (\d+) tail", r.stderr.decode())
    check(m is not None, f"accounts: {r.stderr}")
    if m:
        n = [int(v) for v in m.groups()]
        check(n[0] == sum(n[1:]) and n[3] == 777, f"accounts do not balance: {n}")
    # The reader of a pipe goes away: quiet, exit 0.
    p = subprocess.run(f"'{WEIR}' spectra synth:seconds=2 --average 1 --fft 64 | head -1; "
                       "echo ${PIPESTATUS[0]}", shell=True, executable="/bin/bash",
                       capture_output=True, env=ENV, timeout=60)
    check(p.stdout.decode().split()[-1] == "0" and not p.stderr, f"head -1: {p}")
    r = subprocess.run(f"'{WEIR}' spectra synth:seconds=0.1 > /dev/full", shell=True,
                       capture_output=True, env=ENV, timeout=60)
    check(r.returncode == 74 and b"No space" in r.stderr, f"/dev/full: {r}")
    r = subprocess.run(f"'{WEIR}' --help > /dev/full", shell=True, capture_output=True, env=ENV)
    check(r.returncode == 74, f"help > /dev/full: {r}")


def test_locale_does_not_matter():
    plain = weir("spectra", "synth:seconds=0.05,seed=3", "--average", "all", "--reproducible")
    comma = weir("spectra", "synth:seconds=0.05,seed=3", "--average", "all", "--reproducible",
                 env={"LC_ALL": "de_DE.UTF-8"})
    check(plain.stdout == comma.stdout and plain.stdout, "a comma locale changes the output")


def test_signals_complete_the_output():
    out = HOME + "/endless.csv"
    for number in (signal.SIGINT, signal.SIGTERM):
        p = subprocess.Popen([WEIR, "spectra", "synth:", "--speed", "1", "-o", out], env=ENV,
                             stderr=subprocess.PIPE)
        time.sleep(1.0)
        p.send_signal(number)
        err = p.communicate(timeout=20)[1].decode()
        check(p.returncode == -number, f"signal {number}: exit {p.returncode}")
        check(os.path.exists(out) and "received" in err, f"signal {number}: {err}")
        with open(out) as f:
            check("# totals:" in f.read(), "the accounts are in the file")
        os.remove(out)
    check(not [n for n in os.listdir(HOME) if ".weir-" in n], "no temporary file is left")


def test_text_when_no_terminal():
    r = weir("synth:seconds=0.5", "--speed", "max", env={"TERM": "xterm"})
    check(r.returncode == 0 and r.stdout.count(b"\n") > 5 and b"\x1b" not in r.stdout,
          f"text lines: {r}")


def test_json_is_valid_for_silence():
    zeros = b"\x00" * 40000
    r = weir("spectra", "-", "-f", "s16", "-r", "48k", "--to", "jsonl", stdin=zeros)
    check(r.returncode == 0, f"silence: {r.stderr}")
    for line in r.stdout.decode().splitlines():
        json.loads(line, parse_constant=lambda c: check(False, f"{c} in JSON"))


def test_options_before_the_command():
    def same(before, after):
        a, b = weir(*before), weir(*after)
        check(a.returncode == 0 and (a.stdout, a.stderr) == (b.stdout, b.stderr),
              f"{before}: {a}, not {b}")

    synth = "synth:seconds=0.1"
    for args in (["-q", "sweep", "-f", "88M:90M:1M", "--to", "rtl_power", "tuner:"],
                 ["-f", "88M:90M:1M", "--to=rtl_power", "sweep", "tuner:", "-q"]):
        r = weir(*args)
        check(r.returncode == 0 and not r.stderr and r.stdout.count(b"\n") == 2, f"{args}: {r}")
    same(["-qa", "all", "spectra", synth], ["spectra", "-q", "-a", "all", synth])
    same(["-qaall", "spectra", synth], ["spectra", "-q", "-a", "all", synth])
    same(["--wind", "hamming", "-q", "measure", synth], ["measure", "-w", "hamming", "-q", synth])
    same(["-w", "measure", "--dump-config", "spectra"], ["spectra", "-w", "measure",
                                                         "--dump-config"])  # a value, no command
    same(["-v", "-q", "windows", "hann"], ["windows", "hann"])
    same(["-q", "help", "sweep"], ["help", "sweep"])
    same(["-q", "sweep", "--help"], ["sweep", "--help"])
    same(["--help", "sweep"], ["sweep", "--help"])
    same(["-v", "list", "windows"], ["list", "windows"])
    refused(64, r"did you mean `weir sweep`", "-q", "swep", "synth:")
    refused(64, r"--passes does not apply to this command; these take it: sweep", "--passes", "3",
            "spectra", synth)
    refused(64, r"--bless does not apply .*compare", "--bless", "x.wav")
    refused(64, r"--average does not apply .*spectra", "-a", "3", "measure", synth)
    refused(66, r"sweep: cannot be opened", "-q", "--", "sweep")  # a file of that name


def options_of(command):
    """Name and argument of every option, from --help."""
    text = weir(command, "--help").stdout.decode()
    return re.findall(r"^  (?:-\w, |    )--([a-z0-9-]+)(?: (\S+))?", text, re.M)


def commands():
    return weir("list", "commands").stdout.decode().split()


def test_zero_is_a_value_or_refused():
    """Never the same as nothing: it is in force, or the line is refused, also in a file."""
    numbers = {"HZ", "N", "TIME", "DB", "BYTES", "PIXELS", "VOLTS", "OHMS", "PERCENT"}
    dumped = weir("spectra", "--dump-config").stdout.decode()
    if b"no configuration" in weir("--version").stdout:
        dumped = ""  # no file can be read
    seen = set()
    for command in commands():
        for name, argument in options_of(command):
            if argument not in numbers or name in seen or name in ("tolerance", "tolerance-hz"):
                continue  # (tolerances make a list, and are in no file)
            seen.add(name)
            r = weir(command, f"--{name}", "0", "--dump-config")
            error, out = r.stderr.decode(), r.stdout.decode()
            if r.returncode == 0:
                check(re.search(rf'^{name} = "0[%"]', out, re.M), f"--{name} 0 is in force: {out}")
            else:
                check(r.returncode == 64 and f"--{name}: " in error and " write " in error
                      or "--channel: " in error, f"--{name} 0: {error}")
            if not re.search(rf"^(# )?{name} = ", dumped, re.M):
                continue
            with open(HOME + "/zero.conf", "w") as f:
                f.write(f"config = 1\n{name} = 0\n")
            filed = weir(command, "-C", HOME + "/zero.conf", "--dump-config")
            check(filed.returncode == (78 if r.returncode else 0), f"{name} = 0: {filed}")
    check(len(seen) > 40, f"options with a number: {seen}")
    for name in ("peaks", "bandwidth", "every", "channel", "adjacent", "fps", "passes"):
        check(name in seen, f"{name} was looked at")
    refused(64, r"--every: .*above 0", "measure", "synth:", "--every", "0")
    refused(64, r"--channel: .*first is 1", "measure", "synth:", "--channel", "0")
    refused(64, r"--rate: .*above 0", "spectra", "synth:", "--rate", "-3")


def test_what_a_source_does_not_take():
    """Typed, it is refused; a configuration file speaks of all sources."""
    with open(HOME + "/plain.cu8", "wb") as f:
        f.write(bytes(range(256)) * 64)
    synth, file = "synth:seconds=0.1", HOME + "/plain.cu8"
    absent = weir("--version").stdout.decode()
    takes_it = "" if "no SoapySDR" in absent else ".*soapy"
    for source in (synth, file, "mic"):
        if source == "mic" and "no audio inputs" in absent:
            continue
        for option in ("--gain=3", "--agc", "--device-ppm=2", "--tuner-bandwidth=1M", "--bias-tee",
                       "--direct-sampling=I", "--offset-tuning", "--antenna=A"):
            refused(64, rf"{option.split('=')[0]} does not apply to {takes_it}", "spectra", option,
                    "-r", "48k", source)
    for option in ("--on-loss=exit", "--device-option=settle=1ms"):
        refused(64, r"does not apply", "record", option, file)
    for source, lack in (("rtlsdr", "no RTL-SDR"), ("rtltcp:localhost:1", None),
                         ("soapy", "no SoapySDR")):
        for option in ("--format=cu8", "--channels=1", "--speed=4", "--iq=yes", "--checksum"):
            if not lack or lack not in absent:
                refused(64, r"does not apply to .*file", "spectra", option, source)
    raw = ("-f", "cu8", "-r", "48k", file)
    refused(64, r"plain\.cu8: only a SigMF .*--checksum", "spectra", "--checksum", *raw)
    if "no audio inputs" not in absent:
        refused(64, r"--speed does not apply", "view", "--once", "--speed", "2", "mic")
    refused(64, r"these sources take it: (?!.*fault).*file", "view", "--iq", "yes", synth)
    refused(64, r"--antenna does not apply", "devices", "--test", "rtltcp", "--antenna", "A")
    refused(64, r"--start does not apply .*record", "sweep", "-f", "88M:90M", "--start", "1",
            "tuner:")
    if "no configuration" not in absent:
        with open(HOME + "/dongle.conf", "w") as f:
            f.write("config = 1\ngain = 28\nbias-tee = true\nspeed = 4\niq = yes\n"
                    "checksum = true\n")
        for source in ([synth], ["fault:lose=9/99:" + synth], raw):
            r = weir("spectra", "-q", "-C", HOME + "/dongle.conf", "--speed", "max", *source)
            check(r.returncode == 0 and not r.stderr, f"a file for dongles: {r}")
        r = weir("spectra", "-C", HOME + "/dongle.conf", "mic:no such input")
        check(b"gain" not in r.stderr and b"bias" not in r.stderr, f"a file, and mic: {r}")


def test_help_is_of_the_command():
    text = weir("measure", "--help").stdout.decode()
    named = {name for name, _ in options_of("measure")}
    check(not named & {"average", "smooth"}, "measure lists what it uses")
    for words in ("radio 4096, audio 65536", "radio blackman-harris, audio hft144d"):
        check(words in " ".join(text.split()), f"measure's own defaults: {words}")
    r = weir("measure", "synth:seconds=0.5", "--json")
    check(json.loads(r.stdout)["n_fft"] == 4096, "as the help says")
    check(json.loads(r.stdout)["window"].startswith("blackman-harris"), "as the help says")
    r = weir("measure", "synth:format=s16,seconds=2,tone=1k@-20", "--json")
    check(json.loads(r.stdout)["n_fft"] == 65536, "as the help says")
    check(json.loads(r.stdout)["window"].startswith("hft144d"), "as the help says")


def test_explain_words():
    check(weir("fft", "--explain", "1").stdout.startswith(b"1 point: "), "one point")
    for half in ([], ["--half"]):
        for n in ("1", "2", "3"):
            out = weir("fft", "--explain", n, *half).stdout.decode()
            check(out and not re.search(r"\b1 (\w+ )?(points|ones)", out), f"{n} {half}: {out}")
    refused(64, r"--explain: .*1 or more", "fft", "--explain", "0")


if __name__ == "__main__":
    run_tests(globals())
