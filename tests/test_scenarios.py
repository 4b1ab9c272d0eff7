# ctest-labels: unit clock
# ctest-timeout: 300
"""Inputs that broke other analyzers, through the whole program. docs/scenarios.md maps
every row of the list to the tests that cover it; the numbers here are its rows: radio_04
is row 4 of its first table, audio_15 row 15 of its second."""
import json
import math
import os
import random
import struct
import subprocess
import sys

from program import ENV, HOME, WEIR, check, finish, weir as run_weir

SEED = int(os.environ.get("WEIR_TEST_SEED", random.randrange(1 << 30)))
rng = random.Random(SEED)


def near(is_, expected, tolerance, what):
    check(abs(is_ - expected) <= tolerance, f"{what}: {is_}, expected {expected} +- {tolerance}")


def weir(*args, stdin=b"", env=None):
    return run_weir(*args, input=stdin, timeout=120, env={**ENV, **(env or {})})


def spectra(source, *args, stdin=b""):
    """(header line, lines): of each line its JSON; the level per bin is in "mean"."""
    r = weir("spectra", source, "--to", "jsonl", *args, stdin=stdin)
    check(r.returncode == 0, f"{source[:80]} {args}: {r.returncode} {r.stderr}")
    lines = [json.loads(line) for line in r.stdout.splitlines()]
    return lines[0], [x for x in lines if "level_db" in x], r.stderr.decode()


def one(source, *args, stdin=b""):
    """Levels of the mean of everything, and frequency of each bin."""
    header, lines, err = spectra(source, "--average", "all", *args, stdin=stdin)
    check(len(lines) == 1, f"{source[:80]}: {len(lines)} lines")
    levels = lines[0]["level_db"]
    return levels, [lines[0]["start_hz"] + i * lines[0]["bin_hz"] for i in range(len(levels))], err


def peak(levels):
    best = max(range(len(levels)), key=lambda i: -1e9 if levels[i] is None else levels[i])
    return best, levels[best]


def refused(codes, word, *args, stdin=b""):
    r = weir(*args, stdin=stdin)
    err = r.stderr.decode()
    check(r.returncode in codes and err.count("weir: error:") == 1 and word in err and
          not r.stdout, f"{args}: {r.returncode} {err} {r.stdout[:100]}")


def chunk(name, body, size=None):
    body = bytes(body)
    return name + struct.pack("<I", len(body) if size is None else size) + body + \
        b"\0" * (len(body) % 2)


def fmt(tag=1, channels=1, rate=8000, bits=16, extra=b"", align=None):
    align = channels * bits // 8 if align is None else align
    return chunk(b"fmt ", struct.pack("<HHIIHH", tag, channels, rate, rate * align, align, bits) +
                 extra)


def wav(*chunks, magic=b"RIFF", size=None):
    body = b"WAVE" + b"".join(chunks)
    return magic + struct.pack("<I", len(body) if size is None else size) + body


def sine16(n, amplitude=0.5, period=8):
    return b"".join(struct.pack("<h", round(32767 * amplitude * math.sin(2 * math.pi * i / period)))
                    for i in range(n))


def file(name, content):
    path = os.path.join(HOME, name)
    with open(path, "wb") as f:
        f.write(content)
    return path


def received(err):
    return int(err.split("samples received")[0].split()[-1])


# ---- radio ----


def radio_01_on_bin_level():
    for window in weir("list", "windows").stdout.decode().split():
        for n in (64, 1000, 4096, 65536):
            source = f"synth:format=cf32,rate=1M,center=0,seconds=0.07,tone={10 * 1e6 / n:.9f}@0"
            levels, _, _ = one(source, "--fft", str(n), "--window", window)
            near(peak(levels)[1], 0, 0.05, f"{window} {n}")
    for window in rng.sample(weir("list", "windows").stdout.decode().split(), 2):
        levels, _, _ = one("synth:format=cf32,rate=1048576,center=0,seconds=1,tone=1000@0", "--fft",
                           "2^20", "--window", window)
        near(peak(levels)[1], 0, 0.05, f"{window}, 2^20 points")


def radio_02_between_bins():
    for window, loss in (("rectangular", 3.92), ("hann", 1.42), ("flattop", 0.01)):
        source = f"synth:format=cf32,rate=1M,center=0,seconds=0.05,tone={100.5 * 1e6 / 4096}@0"
        levels, _, _ = one(source, "--fft", "4096", "--window", window)
        near(peak(levels)[1], -loss, 0.01, f"{window}: scalloping")


def radio_04_averages_do_not_move_the_mean():
    means = []
    for k in (1, 10, 100, 1000):
        _, lines, _ = spectra("synth:format=cf32,rate=1M,seconds=0.6,noise=-20,seed=3", "--fft",
                              "256", "--overlap", "0", "--average", str(k))
        powers = [10 ** (x / 10) for line in lines for x in line["level_db"]]
        means.append(10 * math.log10(sum(powers) / len(powers)))
    # The lines cover the same noise but for a rest of up to 1000 frames of 2300.
    check(max(means) - min(means) < 0.1, f"means {means}")


def radio_05_real_sine():
    levels, hz, _ = one("synth:format=f32,rate=48k,seconds=1,tone=12k@0", "--fft", "4800")
    near(peak(levels)[1], 0, 0.01, "0 dBFS is a full-scale sine")
    check(hz[0] == 0 and hz[-1] == 24000, f"axis {hz[0]} .. {hz[-1]}")
    check(sum(x > -60 for x in levels) <= 5, "no mirror")


def radio_06_sides_and_swap():
    for tone in (200e3, -200e3):
        for swap in ((), ("--iq-swap",)):
            source = f"synth:format=cs16,rate=1M,center=100M,seconds=0.02,tone={tone}@-6"
            levels, hz, _ = one(source, "--fft", "1000", *swap)
            near(hz[peak(levels)[0]], 100e6 + (-tone if swap else tone), 1, f"{tone} {swap}")


def radio_08_large_frequencies():
    for center in (5.8e9, 2147483648, 4294967297, -433920001):
        _, hz, _ = one(f"synth:format=cs8,rate=20M,center={center:.0f},seconds=0.001,silence",
                       "--fft", "64")
        check(hz[32] == center, f"{center}: {hz[32]}")
        r = weir("spectra", f"synth:format=cs8,rate=20M,center={center:.0f},seconds=0.001,silence",
                 "--fft", "64")
        check(f"{center:.0f}".encode() in r.stdout, f"{center}: exact digits in CSV")


def radio_09_a_burst_is_seen_wherever_it_is():
    n = 256
    for _ in range(12):
        offset = rng.randrange(2000, 30000)
        samples = bytearray(b"\x00\x00" * 40000)
        for i in range(n):  # as long as one transform
            angle = 2 * math.pi * 40 * i / n
            samples[2 * (offset + i)] = round(100 * math.cos(angle)) & 255
            samples[2 * (offset + i) + 1] = round(100 * math.sin(angle)) & 255
        levels, _, _ = one("-", "-f", "cs8", "-r", "10M", "--fft", str(n), "--overlap", "50%",
                           "--trace", "max", stdin=bytes(samples))
        at, level = peak(levels)
        # At 50 % overlap some frame lies at most a quarter off: by Hann's autocorrelation,
        # over |shift| <= 64 of 256, the loss stays below 1 dB.
        full = 20 * math.log10(100 / 128)
        check(at == 128 + 40 and full - 1 < level <= full + 0.1, f"burst at {offset}: {at} {level}")


def radio_10_gaps_are_counted_once():
    header, lines, err = spectra("synth:ramp,format=cu8,rate=1M,seconds=0.1,drop=50000:777",
                                 "--fft", "1000", "--average", "10")
    lost = [line["lost_before"] + line["lost_inside"] for line in lines]
    check(sorted(lost)[-2:] == [0, 777] and received(err) == 100000, f"{lost} {err}")


def radio_13_a_device_vanishes():
    out = os.path.join(HOME, "vanish.csv")
    for what, code in (("vanish", 69), ("error", 74)):
        r = weir("spectra", f"fault:{what}=50000:synth:rate=1M,seconds=1", "--fft", "1000", "-o",
                 out)
        err = r.stderr.decode()
        with open(out, encoding="utf-8") as f:
            text = f.read()
        check(r.returncode == code and err.count("\n") == 2 and "50000 samples received" in err and
              "# totals:" in text, f"{what}: {r}")


def radio_15_sdrsharp_wav():
    path = file("SDRSharp_20190708_145003Z_433920000Hz_IQ.wav",
                wav(fmt(channels=2, rate=250000, bits=8), chunk(b"data", b"\x80\x7f" * 5000)))
    levels, hz, err = one(path, "--fft", "1000")
    # (128 - 127.5) / 127.5 in I and its negative in Q: only DC, at the centre of the name.
    at, level = peak(levels)
    check(hz[at] == 433.92e6, f"{hz[at]}")
    near(level, 10 * math.log10(2 * (0.5 / 127.5) ** 2), 0.01, "offset 127.5")
    check(received(err) == 5000, err)


def radio_16_chunks():
    data = chunk(b"data", sine16(2000))
    for name, chunks in {
            "list": (chunk(b"LIST", b"INFOISFT\x03\0\0\0ab\0\0"), fmt(), chunk(b"JUNK", bytes(33)),
                     chunk(b"bext", bytes(602)), data),
            "late": (fmt(), data, chunk(b"auxi", bytes(68))),
            "align": (fmt(align=7), data)}.items():
        levels, hz, err = one(file(name + ".wav", wav(*chunks)), "--fft", "800")
        near(peak(levels)[1], -6.02, 0.02, name)
        check(hz[peak(levels)[0]] == 1000 and received(err) == 2000, f"{name}: {err}")


def radio_18_short_files():
    refused((65,), "empty", "spectra", file("empty.cu8", b""), "-r", "1M")
    refused((65,), "", "spectra", file("one.cu8", b"\x80\x80"), "-r", "1M")
    for size, samples in ((7, 3), (2001, 1000), (200, 100)):
        path = file("short.cu8", bytes(rng.randrange(256) for _ in range(size)))
        _, _, err = one(path, "-r", "1M", "--fft", "4096")
        check(received(err) == samples, f"{size} bytes: {err}")
    # Between gaps, too: a longer transform fits nowhere, and that is said.
    for n, is_empty in (("50001", True), ("50000", False)):
        _, lines, err = spectra("synth:rate=1M,seconds=0.1,drop=50000:1000", "--fft", n)
        check(bool(lines) != is_empty and ("no segment was as long" in err) == is_empty,
              f"{n} between gaps: {len(lines)} lines, {err}")


def radio_19_bad_sdriq():
    header = struct.pack("<IQqII", -1330470576 & 0xFFFFFFFF, 100000000, 0, 16, 0)
    refused((65, 64), "bad.sdriq", "spectra", file("bad.sdriq", header + bytes(4) + bytes(400)))


def radio_20_impossible_rates():
    for rate in ("0", "-1", "nan", "inf", "1e12", "1e400", "x"):
        refused((64,), "rate", "spectra", file("r.cu8", bytes(100)), "--rate", rate)


def radio_22_silence_nan_and_clipping():
    levels, _, _ = one("synth:format=cf32,rate=1M,seconds=0.02,silence", "--fft", "1000")
    check(all(x is None or x <= -200 for x in levels), f"silence: {max(levels)}")
    _, lines, err = spectra("synth:format=cf32,rate=1M,seconds=0.1,tone=1k@-10,nan=5000",
                            "--fft", "1000", "--average", "10", "--smooth", "1ms")
    near(peak(lines[-1]["level_db"])[1], -10, 0.1, "a NaN does not last")
    check(sum(line["nonfinite"] for line in lines) == 1, "one sample is not finite")
    r = weir("spectra", "-", "-f", "cu8", "-r", "1M", "--fft", "100", "--average", "all", "--to",
             "jsonl", stdin=b"\x00\xff" * 1000)
    line = [json.loads(x) for x in r.stdout.splitlines() if b"level_db" in x][0]
    check(line["clipped"] == 1000, f"clipped {line['clipped']}")


def radio_23_comma_locale():
    german = {"LC_ALL": "de_DE.UTF-8"}
    args = ("spectra", "synth:rate=1M,seconds=0.02,center=100.5M", "--average", "all",
            "--reproducible")
    check(weir(*args).stdout == weir(*args, env=german).stdout, "a comma locale")
    r = weir("spectra", "synth:", "--center", "100,5M", env=german)
    check(r.returncode == 64 and b"point" in r.stderr, f"100,5M: {r}")


def radio_24_survey_by_rtl_power():
    """Two ranges, a row missing, the last level twice, CRLF, disorder, and the hour that comes
    twice; against where each level belongs."""
    def row(time, low, *levels):
        high = low + 1000 * len(levels)
        words = [*map(str, levels), str(levels[-1])]
        return f"2019-10-27, {time}, {low}, {high}, 1000.00, 9, " + ", ".join(words) + "\r\n"

    text = (row("02:59:50", 88000000, -1, -2) + row("02:59:50", 88004000, -3, "-inf") +
            row("02:00:00", 88004000, -5, -6) + row("02:00:00", 88000000, -7, -8) +
            row("02:00:10", 88004000, -9, -10) + "2019-10-27, 02:00")
    path = file("survey.csv", text.encode())
    for source, more in ((path, {}), ("-", {"stdin": text.encode()}),
                         (path, {"env": {"LC_ALL": "de_DE.UTF-8"}})):
        r = weir("survey", source, "--to", "jsonl", **more)
        lines = [json.loads(x) for x in r.stdout.splitlines()]
        check(r.returncode == 0 and b"cut off" in r.stderr and len(lines) == 5, r)
        hole = -300
        levels = [[x if x > -299 else hole for x in line["level_db"]] for line in lines[1:-1]]
        check(levels == [[-1, -2, hole, hole, -3, hole], [-7, -8, hole, hole, -5, -6],
                         [hole] * 4 + [-9, -10]], levels)
        check([line["time_s"] for line in lines[1:-1]] == [0, 10, 20], "the hour that comes twice")
        check(lines[1]["start_hz"] == 88e6 and lines[1]["bin_hz"] == 1000, lines[1])
    refused((65,), "line 1", "survey", file("no-survey.csv", b"frequency,upper\n1,2\n"))
    refused((66,), "no-such.csv", "survey", "no-such.csv")
    # What weir itself writes in these forms reads back as it was, in the same places.
    made = ("synth:rate=1M,seconds=0.05,seed=4", "--fft", "64", "--average", "all")
    levels, hz, _ = one(*made)
    for kind in ("rtl_power", "hackrf_sweep"):
        text = weir("spectra", *made, "--to", kind).stdout
        again = json.loads(weir("survey", "-", "--to", "jsonl", stdin=text).stdout.splitlines()[1])
        check(len(again["level_db"]) == len(levels) and
              all(abs(a - b) < 0.0051 for a, b in zip(again["level_db"], levels)) and
              abs(again["start_hz"] - hz[0]) <= 1 and again["bin_hz"] == hz[1] - hz[0],
              f"{kind}: its own rows")


def radio_29_long_streams():
    day = 86400 * 2400000  # samples: beyond 2^31 and 2^32 many times over
    _, lines, err = spectra("synth:format=cu8,rate=2.4M,seconds=86401,ramp", "--start", "86399.5",
                            "--duration", "1", "--fft", "4096", "--average", "all")
    check(lines[0]["first_sample"] == day - 1200000, lines[0]["first_sample"])
    check("2400000 samples received" in err, err)
    r = weir("spectra", "synth:format=cf32,rate=48k,seconds=90000,tone=1k@-6", "--start",
             "89999", "--fft", "4800", "--average", "all", "--to", "jsonl")
    line = [json.loads(x) for x in r.stdout.splitlines() if b"level_db" in x][0]
    near(peak(line["level_db"])[1], -6, 0.01, "a tone after a day")


def radio_30_replay_is_the_same():
    path = file("again.cs16", bytes(rng.randrange(256) for _ in range(40000)))
    args = ("spectra", path, "-r", "100k", "--fft", "512", "--average", "7", "--reproducible")
    first = weir(*args).stdout
    for more in ((), ("--speed", "1"), ("--speed", "10"), ("--speed", "max"), ("--threads", "1"),
                 ("--threads", "3")):
        check(weir(*args, *more).stdout == first and first, f"{more}: the same numbers")
    _, lines, err = spectra(path, "-r", "100k", "--fft", "512", "--loop", "--duration", "0.25",
                            "--average", "7")
    check(received(err) == 25000, err)
    check(all(line["end_sample"] <= 10000 * (line["first_sample"] // 10000 + 1)
              for line in lines if line["frames"] == 1), "no frame goes over the seam")
    _, lines, err = spectra(path, "-r", "100k", "--fft", "16384", "--loop", "--duration", "0.25")
    check(b"using N = 10000" in err.encode() and lines and lines[0]["frames"] > 0,
          f"a loop shorter than a transform: {err}")


# ---- audio ----


def audio_01_unknown_sizes():
    content = wav(fmt(), chunk(b"data", sine16(3000), 0xFFFFFFFF), size=0xFFFFFFFF)
    for args, stdin in (([file("ff.wav", content)], b""), (["-"], content)):
        _, _, err = one(*args, "--fft", "800", stdin=stdin)
        check(received(err) == 3000, f"{args}: {err}")


def audio_03_wrong_count():
    for claimed in (2000, 10000):  # of 6000 bytes
        content = wav(fmt(), chunk(b"data", sine16(3000), claimed))
        _, _, err = one("-", "--fft", "80", stdin=content)
        check(received(err) in (1000, 3000), f"{claimed}: {err}")


def audio_04_size_0_not_finished():
    content = wav(fmt(), chunk(b"data", b"", 0) + sine16(3000))
    for args, stdin in (([file("zero.wav", content)], b""), (["-"], content)):
        r = weir("spectra", *args, "--fft", "800", stdin=stdin)
        ok = r.returncode == 65 and b"no samples" in r.stderr and not r.stdout
        check(ok or (r.returncode == 0 and received(r.stderr.decode()) == 3000), f"{r}")


def audio_05_no_samples():
    out = os.path.join(HOME, "none.csv")
    path = file("none.wav", wav(fmt(), chunk(b"data", b"")))
    refused((65,), "none.wav", "spectra", path, "-o", out)
    check(not os.path.exists(out), "no output")


def audio_07_large_unknown_chunks():
    content = wav(chunk(b"LIST", bytes(5000)), chunk(b"abcd", bytes(130001)), fmt(),
                  chunk(b"data", sine16(2000)))
    for args, stdin in (([file("large.wav", content)], b""), (["-"], content)):
        levels, _, err = one(*args, "--fft", "800", stdin=stdin)
        near(peak(levels)[1], -6.02, 0.02, f"{args}")
        check(received(err) == 2000, err)


def audio_08_extensible():
    guid = bytes.fromhex("000000001000800000aa00389b71")

    def extensible(tag, bits, valid):
        return fmt(0xFFFE, bits=bits, extra=struct.pack("<HHIH", 22, valid, 4, tag) + guid)

    sine = [0.5 * math.sin(2 * math.pi * i / 8) for i in range(2000)]
    cases = {
        "24": (extensible(1, 24, 24), b"".join(struct.pack("<i", round(x * 2**23))[:3]
                                               for x in sine)),
        "24in32": (extensible(1, 32, 24), b"".join(struct.pack("<i", round(x * 2**23) * 256)
                                                   for x in sine)),
        "float": (extensible(3, 32, 32), b"".join(struct.pack("<f", x) for x in sine))}
    for name, (head, data) in cases.items():
        levels, _, _ = one(file(name + ".wav", wav(head, chunk(b"data", data))), "--fft", "800")
        near(peak(levels)[1], -6.02, 0.01, name)


def audio_10_rf64_through_a_pipe():
    ds64 = chunk(b"ds64", struct.pack("<QQQI", 0, 9600, 4800, 0))
    content = wav(ds64, fmt(), chunk(b"data", sine16(4800), 0xFFFFFFFF), magic=b"RF64",
                  size=0xFFFFFFFF)
    for args, stdin in (([file("rf64.wav", content)], b""), (["-"], content)):
        _, _, err = one(*args, "--fft", "800", stdin=stdin)
        check(received(err) == 4800, f"{args}: {err}")


def audio_11_two_formats():
    refused((65,), "two.wav", "spectra", file("two.wav", wav(
        fmt(), fmt(channels=2), chunk(b"data", sine16(2000)))))


def audio_12_what_is_no_wav():
    data = chunk(b"data", sine16(100))
    for name, content in {"rate0": wav(fmt(rate=0), data), "channels0": wav(fmt(channels=0), data),
                          "nofmt": wav(data), "fmtlast": wav(data, fmt()), "nothing": b"",
                          "four": b"RIFF", "text": b"Dear diary, today I\n"}.items():
        refused((64, 65), name, "spectra", file(name + ".wav", content))
    for head, word in ((b"\0\0\0\x18ftypM4A ", "MP4"), (b"wvpk", "WavPack"),
                       (b"\x1f\x8b\x08", "gzip"), (b"PK\3\4", "ZIP")):
        refused({65}, word, "spectra", file("no.samples", head + bytes(64)))


def audio_14_floats_that_are_none():
    values = [0.5 * math.sin(2 * math.pi * i / 8) for i in range(8000)]
    for at, value in ((100, math.nan), (101, math.inf), (102, -math.inf), (103, 1e30),
                      (104, 1e-42)):
        values[at] = value
    path = file("odd.wav", wav(fmt(3, bits=32), chunk(b"data", struct.pack("<8000f", *values))))
    _, lines, err = spectra(path, "--fft", "800", "--average", "1")
    check(sum(line["nonfinite"] for line in lines) == 3, [line["nonfinite"] for line in lines])
    near(peak(lines[-1]["level_db"])[1], -6.02, 0.01, "later frames")


def audio_15_digital_silence():
    for args in (("--to", "jsonl"), ("--to", "csv")):
        r = weir("spectra", "-", "-f", "s16", "-r", "48k", *args, stdin=bytes(48000))
        check(r.returncode == 0 and b"inf" not in r.stdout.lower().replace(b"info", b""), f"{r}")


def audio_17_over_full_scale():
    values = [4.0 * math.sin(2 * math.pi * i / 8) for i in range(8000)]
    path = file("loud.wav", wav(fmt(3, bits=32), chunk(b"data", struct.pack("<8000f", *values))))
    _, lines, _ = spectra(path, "--fft", "800", "--average", "all")
    near(peak(lines[0]["level_db"])[1], 12.04, 0.01, "nothing is clipped on read")
    check(lines[0]["clipped"] == sum(abs(x) > 1 for x in values), lines[0]["clipped"])


def audio_19_dc_and_nyquist():
    for name, period, bin_ in (("nyquist", 2, 400), ("dc", None, 0)):
        values = [0.25 * (math.cos(2 * math.pi * i / period) if period else 1)
                  for i in range(8000)]
        path = file(name + ".wav", wav(fmt(3, bits=32),
                                       chunk(b"data", struct.pack("<8000f", *values))))
        levels, _, _ = one(path, "--fft", "800")
        # A constant of A has power A^2, twice that of a sine of amplitude A.
        near(levels[bin_], 10 * math.log10(2 * 0.25 ** 2), 0.01, name)


def audio_21_shorter_than_a_frame():
    levels, _, err = one(file("short.wav", wav(fmt(), chunk(b"data", sine16(104)))),
                         "--fft", "4096")
    check("N = 104" in err and len(levels) == 53, err)
    near(peak(levels)[1], -6.02, 0.02, "the right level")


def audio_24_no_sound_device():
    r = weir("devices", env={"ALSA_CONFIG_PATH": "/nonexistent"})
    check(r.returncode == 0 and r.stdout, f"devices: {r}")


def audio_29_no_terminal():
    for term in (None, "dumb", "no-such-terminal", ""):
        env = {k: v for k, v in ENV.items() if k != "TERM"}
        if term is not None:
            env["TERM"] = term
        r = subprocess.run([WEIR, "synth:seconds=0.2", "--speed", "max"], capture_output=True,
                           stdin=subprocess.DEVNULL, env=env, timeout=60)
        check(r.returncode == 0 and r.stdout and b"\x1b" not in r.stdout + r.stderr, f"{term}: {r}")


def audio_34_the_reader_goes_away():
    r = subprocess.run(f"'{WEIR}' spectra synth: --fft 64 --average 1 | head -1; "
                       "echo ${PIPESTATUS[0]}", shell=True, executable="/bin/bash",
                       capture_output=True, env=ENV, timeout=60)
    check(r.stdout.split()[-1] == b"0" and not r.stderr, f"{r}")


def audio_35_slow_lines_come_at_once():
    p = subprocess.Popen([WEIR, "spectra", "synth:rate=10k", "--speed", "1", "--fft", "100",
                          "--average", "0.5s"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                         env=ENV)
    lines = [p.stdout.readline() for _ in range(40)]  # would wait for minutes in a full buffer
    data = [line for line in lines if line[:1].isdigit()]
    p.terminate()
    p.communicate(timeout=60)
    check(len(data) >= 2 and p.returncode == -15, f"{len(data)} lines, exit {p.returncode}")
    check(any(line.startswith(b"# ") and b"unit" in line for line in lines), "units are named")


if __name__ == "__main__":
    print("seed", SEED)
    for name, test in sorted(globals().items()):
        if name.startswith(("radio_", "audio_")) and (len(sys.argv) < 2 or name in sys.argv[1:]):
            print("#", name, flush=True)
            test()
    finish()
