# ctest-labels: unit
# JSON lines as another program reads them: every line valid JSON (no NaN, no Infinity), with the
# members that docs/json.md lists, and no others.
import json
import os
import re
import subprocess
import sys
import tempfile

program = os.path.join(os.environ["WEIR_BUILD_DIR"], "tests", "test_sink_jsonl")
manual = os.path.join(os.environ["WEIR_SOURCE_DIR"], "docs", "json.md")


def refuse(token):
    raise ValueError("not JSON: " + token)


with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "out.jsonl")
    subprocess.run([program, path], check=True)
    with open(path, encoding="utf-8") as file:
        objects = [json.loads(line, parse_constant=refuse) for line in file]

assert [o["schema"] for o in objects] == [
    "weir.stream/1", "weir.spectrum/1", "weir.spectrum/1", "weir.totals/1"]
header, tone, silence, totals = objects
assert header["source"] == 'a "quoted"\tname \ufffd'
assert len(tone["level_db"]) == 513 and max(tone["level_db"]) == tone["level_db"][100] == 0
assert tone["start_hz"] + 100 * tone["bin_hz"] == 4687.5
assert tone["peaks"][0]["hz"] == 4687.5 and tone["peaks"][0]["level_db"] == 0
assert tone["peaks"][0]["note"].startswith("D8 ") and len(tone["peaks"]) <= 2
assert tone["dc_interpolated_hz"] == [[0, 93.75], [1500, 1593.75]]
assert "dc_interpolated_hz" not in silence
assert set(silence["level_db"]) == {-300} and silence["partial"] is True
assert silence["lost_before"] == 2**53 + 1

# The manual names every member, and no member that is not there.
sections = re.split(r"^## ", open(manual, encoding="utf-8").read(), flags=re.M)
for example in (header, tone, totals):
    section = next(s for s in sections if s.startswith("`" + example["schema"] + "`"))
    documented = set(re.findall(r"^\| `(\w+)`", section, flags=re.M))
    difference = documented ^ set(example)
    assert not difference, (example["schema"], difference)
print("4 lines valid, members as documented")
sys.exit(0)
