# ctest-labels: unit
"""The tests and mutations that docs/scenarios.md and docs/security.md name exist."""
import os
import re
import sys

ROOT = os.environ["WEIR_SOURCE_DIR"]


def read(name):
    with open(os.path.join(ROOT, name), encoding="utf-8") as f:
        return f.read()


there = {os.path.splitext(name)[0] for name in os.listdir(os.path.join(ROOT, "tests"))}
there |= {os.path.splitext(name)[0] for name in os.listdir(os.path.join(ROOT, "tests/fuzz"))}
scenarios = set(re.findall(r"^def ((?:radio|audio)_\d\d)", read("tests/test_scenarios.py"), re.M))
mutations = set(re.findall(r"^([a-z0-9-]+): ", read("tests/mutations/list.txt"), re.M))
table = read("docs/scenarios.md")
words = set(re.findall(r"`(\w+)`", table + read("docs/security.md")))

problems = [w for w in words if re.match(r"(test|fuzz)_", w) and w not in there]
problems += [w for w in words if re.match(r"(radio|audio)_\d", w) and w not in scenarios]
problems += [f"{s} is in no row" for s in scenarios if f"`{s}`" not in table]
problems += [m for m in re.findall(r"mutation `([a-z0-9-]+)`", table) if m not in mutations]
problems += [line for line in table.splitlines()
             if re.match(r"\| \d", line) and not re.search(r"`(test|radio|audio)_\w+`", line)]
for problem in problems:
    print("failed:", problem, file=sys.stderr)
print(f"{len(words)} names, {len(problems)} failed")
sys.exit(bool(problems) or not words)
