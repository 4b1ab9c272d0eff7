# ctest-labels: unit
"""Bins that were not measured are told from those that were: after a retune too, in every tuning
of a sweep, and in the view."""
import json

from program import check, run_tests, weir

RETUNED = "synth:format=cs16,seconds=0.1,retune=120000:101M,dc=0.05"
BEFORE, AFTER = "99962500 100037500", "100962500 101037500"


def output_of(*args):
    r = weir(*args, "-q")
    check(r.returncode == 0, f"{args}: {r.stderr}")
    return r.stdout.decode()


def spectra_of(*args):
    rows = [json.loads(line) for line in output_of(*args, "--to", "jsonl").splitlines()]
    return rows[0], [row for row in rows if row["schema"] == "weir.spectrum/1"]


def flags_of(text):
    return [line.split(": ")[1] for line in text.splitlines() if "dc_interpolated_hz" in line]


def test_retune():
    how = (RETUNED, "-n", "64", "--dc", "interpolate")
    for to in ("csv", "text", "peaks"):
        text = output_of("spectra", *how, "-a", "4", "--to", to)
        check(flags_of(text) == [BEFORE, AFTER], f"once for each tuning, {to}: {flags_of(text)}")
        lines = text.splitlines()
        rows = [i for i, line in enumerate(lines) if line.startswith("0.05")]
        check(to == "text" or lines.index(f"# dc_interpolated_hz: {AFTER}") < rows[0], to)
    _, spectra = spectra_of("spectra", *how, "-a", "all")
    check([s["dc_interpolated_hz"] for s in spectra] ==
          [[[99962500, 100037500]], [[100962500, 101037500]]], "in JSON each spectrum says its own")
    _, spectra = spectra_of("spectra", *how, "-a", "all", "--ppm", "100", "--transverter", "1M")
    (low, high), = spectra[1]["dc_interpolated_hz"]
    bin_hz = 37500 * 1.0001
    check(abs(low - (101e6 * 1.0001 + 1e6 - bin_hz)) < 1 and abs(high - low - 2 * bin_hz) < 1,
          f"in true frequencies: {low}, {high}")
    _, spectra = spectra_of("spectra", RETUNED, "-n", "64", "-a", "all")
    check("dc_interpolated_hz" not in spectra[0], "nor where nothing is made up")
    # A zoom whose centre stays while the receiver's moves out of it.
    zoomed = output_of("spectra", RETUNED, "--span", "200k", "-n", "64", "--zoom-center", "100.02M",
                       "--dc", "interpolate", "-a", "100")
    check(len(flags_of(zoomed)) == 2 and flags_of(zoomed)[1] == "none", f"{flags_of(zoomed)}")


def test_measure():
    how = ("measure", RETUNED, "-n", "64", "-w", "hann", "--dc", "interpolate")
    check(flags_of(output_of(*how, "--every", "50ms")) == [BEFORE, AFTER], "CSV")
    table = output_of(*how)
    for band in (BEFORE, AFTER):
        low, high = band.split()
        check(f"{low}.000 Hz to {high}.000 Hz: interpolated" in table, f"table: {table}")
    results = [json.loads(line) for line in output_of(*how, "--json").splitlines()]
    check([r["dc_interpolated_low_hz"] for r in results] == [99962500, 100962500], "JSON")


def is_flagged(spectrum, bin_):
    hz = spectrum["start_hz"] + bin_ * spectrum["bin_hz"]
    slack = spectrum["bin_hz"] / 100
    return any(low - slack <= hz <= high + slack for low, high in spectrum["dc_interpolated_hz"])


def straight(power):
    """Bins in runs of three or more that lie on a line: noise never does, to so many digits."""
    n = len(power)
    on_line = [0 < k < n - 1 and abs(power[k - 1] - 2 * power[k] + power[k + 1]) < 1e-6 * power[k]
               for k in range(n)]
    return {k for k in range(n) if any(all(on_line[max(i, 0):i + 3]) and i + 3 <= n
                                       for i in range(k - 2, k + 1))}


def test_sweep():
    """What is a line between its neighbours is flagged, and no more, but where the tuner misses by
    a few bins, and at the last tuning's end."""
    for more, extra in (("", 0), (",step=25k", 2)):
        for high in ("95M", "94.08M", "93.55M"):
            how = ("sweep", f"tuner:noise=-60,dc=0.1{more}", "-f", f"88M:{high}:12k", "--linear")
            head, (made,) = spectra_of(*how, "--spike", "interpolate")
            _, (kept,) = spectra_of(*how, "--spike", "keep")
            lines = straight(made["power"])
            flagged = {k for k in range(len(made["power"])) if is_flagged(made, k)}
            check(len(lines) > 20 and lines <= flagged, f"{how}: not flagged: {lines - flagged}")
            most = len(lines) + 2 * extra * len(made["dc_interpolated_hz"]) + 4
            check(len(flagged) <= most, f"{how}: {len(flagged)} flagged, {len(lines)} made up")
            check(not straight(kept["power"]) and "dc_interpolated_hz" not in kept, "measured")
            check(head["dc_interpolated_low_hz"] is None, "one band is not all")
    how = ("sweep", "tuner:noise=-60,dc=0.1", "-f", "88M:94M:10k", "--spike", "interpolate")
    (flags,) = flags_of(output_of(*how))
    check(flags == "88870000 88930000 90670000 90730000 92470000 92530000", f"CSV: {flags}")
    two = flags_of(output_of(*how, "-f", "99M:100M:10k"))
    check(two == [flags, "99870000 99930000"], f"of each range: {two}")
    check(not flags_of(output_of(*how[:4], "--spike", "offset")), "offset makes nothing up")
    check(not flags_of(output_of(*how, "--to", "rtl_power")), "other programs' rows have no place")


def ruler_of(text):
    return next(line for line in text.splitlines() if "┼" in line or "+--" in line)


def test_view():
    how = ("view", RETUNED, "--once", "--size", "90x20", "-n", "64")
    ruler = ruler_of(output_of(*how, "--dc", "interpolate"))
    marks = [c for c, glyph in enumerate(ruler) if glyph in "≈~"]
    columns = len(ruler) - 9
    middle = 9 + columns / 2
    check(marks and marks == list(range(marks[0], marks[-1] + 1)), f"one run of marks: {ruler}")
    check(abs((marks[0] + marks[-1]) / 2 - middle) < 3, f"around the tuning shown: {ruler}")
    check(3 <= len(marks) <= columns / 64 * 3 + 2, f"as wide as the bins: {ruler}")
    check("≈" not in ruler_of(output_of(*how)), "and not where nothing is made up")


run_tests(globals())
