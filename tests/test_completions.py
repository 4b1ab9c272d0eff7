# ctest-labels: unit
# ctest-timeout: 120
"""The completions, asked as a shell asks them: what is offered at the end of a line."""
import os
import pty
import re
import select
import shutil
import subprocess
import time

import program
from program import check

with open(program.path("two words.cu8"), "wb") as f:
    f.write(b"\x80\x80")
ENV = {**program.ENV, "PATH": os.path.dirname(program.WEIR) + ":" + os.environ["PATH"],
       "TERM": "xterm", "LC_ALL": "C"}

# The line up to the cursor, what must be offered, what must not.
LINES = [
    ("weir sp", {"spectra"}, {"view"}),
    ("weir syn", {"synth:"}, {"view"}),
    ("weir spectra syn", {"synth:"}, {"spectra"}),
    ("weir spectra tw", {"two words.cu8"}, {"two", "words.cu8"}),
    ("weir spectra --wi", {"--window", "--width"}, {"--iq"}),
    ("weir spectra --window bl", {"blackman", "blackman-harris"}, {"hann"}),
    ("weir spectra --window=bl", {"blackman", "blackman-harris"}, {"hann"}),
    ("weir spectra -w bl", {"blackman", "blackman-harris"}, {"hann"}),
    ("weir spectra -f cs", {"cs8", "cs16le"}, {"cu8"}),
    ("weir sweep -f cs", set(), {"cs8"}),
    ("weir spectra --trace m", {"mean", "max", "min"}, {"sample"}),
    ("weir x.wav --colorm", {"--colormap"}, set()),
    ("weir fft --", {"--half", "--fft"}, {"--gain", "--window"}),
    ("weir list f", {"formats"}, {"two words.cu8"}),
    ("weir list t", set(), {"two words.cu8"}),
    ("weir completions ", {"bash", "zsh", "fish"}, {"two words.cu8"}),
    ("weir help sw", {"sweep"}, set()),
    ("weir windows t", {"tukey"}, {"two words.cu8"}),
    ("weir man t", set(), {"two words.cu8"}),
    ("weir devices --test rt", {"rtlsdr", "rtltcp"}, {"mic"}),
    ("weir spectra x.wav -C tw", {"two words.cu8"}, set()),
    ("weir -q sp", {"spectra"}, {"view"}),
    ("weir --window hann sp", {"spectra"}, {"view"}),
    ("weir --window=hann -r 2.4M sp", {"spectra"}, {"view"}),
    ("weir -q sweep --pas", {"--passes"}, set()),
    ("weir -w list --pas", set(), {"--passes"}),
    ("weir -v --window=hann -r 2.4M sweep --pas", {"--passes"}, set()),
    ("weir -q spectra -f cs", {"cs8", "cs16le"}, {"cu8"}),
    ("weir -q list f", {"formats"}, {"two words.cu8"}),
]


def shell(*args, **more):
    return subprocess.run(args, capture_output=True, text=True, timeout=60, env=ENV,
                          cwd=program.HOME, check=False, **more)


def bash_offers(line):
    """As readline calls the function: = is a word of its own."""
    words = re.split(r" |(=)", line)
    words = " ".join("'" + w + "'" for w in words if w is not None)
    r = shell("bash", "-c", "source <(weir completions bash); compopt() { :; }\n"
              f"COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); _weir\n"
              "printf '%s\\n' \"${COMPREPLY[@]}\"")
    check(not r.stderr, f"bash, {line}: {r.stderr}")
    return set(r.stdout.splitlines())


def fish_offers(line):
    r = shell("fish", "-c", "weir completions fish | source; complete -C $argv[1]", line)
    check(not r.stderr, f"fish, {line}: {r.stderr}")
    words = (w.split("\t")[0].replace("\\ ", " ") for w in r.stdout.splitlines())
    return {re.sub(r"^--window=", "", w) for w in words}


def check_lines(name, offers):
    if not shutil.which(name):
        print(f"# no {name} here")
        return
    for line, wanted, unwanted in LINES:
        offered = offers(line)
        check(wanted <= offered, f"{name}, {line}: {wanted - offered} not offered")
        check(not unwanted & offered, f"{name}, {line}: {unwanted & offered} offered")


class Zsh:
    """One that is typed to, since its completion runs in its editor only."""

    def __init__(self):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(program.HOME)
            os.execvpe("zsh", ["zsh", "-f", "-i"], ENV)
        os.makedirs(program.path("zsh"), exist_ok=True)
        with open(program.path("zsh/_weir"), "wb") as f:
            f.write(program.weir("completions", "zsh").stdout)
        self.type("stty cols 200; autoload -Uz compinit; fpath=($PWD/zsh $fpath); "
                  "compinit -u -D; bindkey '^I' complete-word; echo rea''dy\n")
        self.wait_for("ready")

    def type(self, text):
        os.write(self.fd, text.encode())

    def wait_for(self, text):
        """What came until then, without colours; up to 20 s."""
        seen, end = "", time.monotonic() + 60
        while text not in seen and time.monotonic() < end:
            if select.select([self.fd], [], [], 0.5)[0]:
                try:
                    seen += os.read(self.fd, 65536).decode(errors="replace")
                except OSError:
                    break
                seen = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]|\x1b[=>]|[\r\x07]", "", seen)
        return seen

    def end(self):
        self.type("\x15exit\n")
        os.close(self.fd)
        os.waitpid(self.pid, 0)


def check_zsh():
    if not shutil.which("zsh"):
        print("# no zsh here")
        return
    zsh = Zsh()
    for line, expected in (("weir sp", "weir spectra "), ("weir syn", "synth:"),
                           ("weir spectra -T pn", "-T png"),
                           ("weir spectra -w blackman-", "-harris"),
                           ("weir spectra --window=blackman-", "-harris"),
                           ("weir list f", "formats"), ("weir help sw", "sweep"),
                           ("weir spectra --range 1:2 --iq y", "yes"),
                           ("weir spectra two", "two\\ words.cu8"),
                           ("weir sweep --passe", "--passes"),
                           ("weir -q -r 1M sweep --passe", "--passes"),
                           ("weir -q sp", "spectra "), ("weir -q list f", "formats")):
        zsh.type(line + "\t")
        seen = zsh.wait_for(expected)
        check(expected in seen and "bad option" not in seen, f"zsh, {line}: {seen!r}")
        zsh.type("\x15")
    zsh.end()


check_lines("bash", bash_offers)
check_lines("fish", fish_offers)
check_zsh()
program.finish()
