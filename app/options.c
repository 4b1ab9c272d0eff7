#include "app/options.h"

#include "app/commands.h"
#include "app/option_types.h"
#include "base/text.h"

#include <assert.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

static const char *const iq_choices[] = {"auto", "yes", "no", NULL};
static const char *const engine_choices[] = {"auto", "cpu", "cuda", NULL};
static const char *const plan_choices[] = {"auto", "estimate", "background", "measure", NULL};
static const char *const weighting_choices[] = {"Z", "A", "C", NULL};
static const char *const trace_choices[] = {"mean", "max", "min", "sample", "rms", "average", NULL};
static const char *const reducer_choices[] = {"max", "mean",    "min", "sample",
                                              "rms", "average", NULL};
static const char *const hold_choices[] = {"off", "max", "min", NULL};
static const char *const dc_choices[] = {"off", "interpolate", "remove", NULL};
static const char *const what_choices[] = {"auto", "rf", "audio", NULL};
static const char *const color_choices[] = {"auto", "none", "8", "16", "256", "direct", NULL};
static const char *const axis_choices[] = {"linear", "log", "notes", NULL};
static const char *const graphics_choices[] = {"auto", "kitty", "sixel", "off", NULL};
static const char *const spike_choices[] = {"auto", "offset", "interpolate", "keep", NULL};

static const char *const direct_choices[] = {"off", "I", "Q", NULL};
static const char *const loss_choices[] = {"auto", "exit", "retry", NULL};
static const char *const check_choices[] = {"auto", "mean", "max", "lines", NULL};
static const char *const pad_choices[] = {"none", "smooth", "power", NULL};
static const char *const convolve_choices[] = {"linear", "circular", NULL};
static const char *const mask_choices[] = {"absolute", "peak", "carrier", NULL};

/* Where 0 would not be told from "not given", it is refused. */
static const weir_limits above_zero = {0, true, "write a number above 0, or leave it out"};
static const weir_limits running = {-1e6, true, "write a number above -1000000: the clock runs"};
static const weir_limits from_zero = {0, false, "write 0 or more"};
static const weir_limits from_one = {1, false, "write 1 or more, or leave it out"};
static const weir_limits from_first = {1, false, "the first is 1"};
static const weir_limits from_two = {2, false, "write 2 or more, or leave it out"};
static const weir_limits points = {1, false, "write 2 or more, or leave it out"};

#define FIELD(name) offsetof(weir_settings, name)

static const weir_option options[] = {
    {.name = "format",
     .letter = 'f',
     .argument = "NAME",
     .group = (weir_option_group)(WEIR_GROUP_INPUT | WEIR_GROUP_VECTOR),
     .type = &weir_type_text,
     .offset = FIELD(format),
     .complete = "formats",
     .help = "sample format of raw input: cu8, cs8, cs16, cf32, s16, f32 ... (else from the name)"},
    {.name = "rate",
     .letter = 'r',
     .argument = "HZ",
     .group = WEIR_GROUP_INPUT,
     .type = &weir_type_hz,
     .offset = FIELD(rate_hz),
     .limits = &above_zero,
     .help = "samples a second: 2.4M, 48k (else from the header or the name)"},
    {.name = "center",
     .letter = 'c',
     .argument = "HZ",
     .group = WEIR_GROUP_INPUT,
     .type = &weir_type_hz,
     .offset = FIELD(center_hz),
     .help = "frequency at the centre of complex input: 100.3M"},
    {.name = "channels",
     .argument = "N",
     .group = WEIR_GROUP_INPUT,
     .type = &weir_type_count,
     .offset = FIELD(channels),
     .limits = &from_one,
     .help = "channels in raw input"},
    {.name = "channel",
     .argument = "N",
     .group = WEIR_GROUP_INPUT,
     .type = &weir_type_count,
     .offset = FIELD(channel),
     .limits = &from_first,
     .help = "the channel to analyze, from 1"},
    {.name = "iq",
     .argument = "WHEN",
     .group = WEIR_GROUP_INPUT,
     .type = &weir_type_choice,
     .offset = FIELD(iq),
     .choices = iq_choices,
     .help = "two-channel audio files as I and Q: auto (by metadata and name), yes, no"},
    {.name = "checksum",
     .group = WEIR_GROUP_INPUT,
     .type = &weir_type_flag,
     .offset = FIELD(checksum),
     .help = "verify core:sha512 of SigMF recordings first"},
    {.name = "start",
     .argument = "TIME",
     .group = WEIR_GROUP_INPUT,
     .type = &weir_type_seconds,
     .offset = FIELD(start_seconds),
     .help = "skip this much first: 1.5, 200ms, 1:02:03"},
    {.name = "duration",
     .letter = 'd',
     .argument = "TIME",
     .group = WEIR_GROUP_INPUT,
     .type = &weir_type_seconds,
     .offset = FIELD(duration_seconds),
     .limits = &above_zero,
     .help = "stop after this much"},
    {.name = "loop",
     .group = WEIR_GROUP_INPUT,
     .type = &weir_type_flag,
     .offset = FIELD(loop),
     .help = "begin again at the end (no transform spans the seam)"},
    {.name = "speed",
     .argument = "N",
     .group = WEIR_GROUP_INPUT,
     .type = &weir_type_speed,
     .offset = FIELD(speed),
     .help = "replay speed: 1 (real time), 4, max; view: 1, otherwise max"},

    {.name = "gain",
     .letter = 'g',
     .argument = "DB",
     .group = WEIR_GROUP_DEVICE,
     .type = &weir_type_gain,
     .offset = FIELD(gain),
     .help = "tuner gain in dB, the nearest that it has, or auto"},
    {.name = "agc",
     .group = WEIR_GROUP_DEVICE,
     .type = &weir_type_flag,
     .offset = FIELD(agc),
     .help = "automatic level after the tuner (RTL2832U); levels then mean nothing"},
    {.name = "device-ppm",
     .argument = "N",
     .group = WEIR_GROUP_DEVICE,
     .type = &weir_type_number,
     .offset = FIELD(device_ppm),
     .help = "have the device correct its crystal by parts per million (--ppm: only the axis)"},
    {.name = "tuner-bandwidth",
     .argument = "HZ",
     .group = WEIR_GROUP_DEVICE,
     .type = &weir_type_hz,
     .offset = FIELD(tuner_bandwidth_hz),
     .limits = &above_zero,
     .help = "tuner filter (else chosen by the device)"},
    {.name = "bias-tee",
     .group = WEIR_GROUP_DEVICE,
     .type = &weir_type_flag,
     .offset = FIELD(bias_tee),
     .help = "power for an amplifier at the antenna"},
    {.name = "direct-sampling",
     .argument = "PIN",
     .group = WEIR_GROUP_DEVICE,
     .type = &weir_type_choice,
     .offset = FIELD(direct_sampling),
     .choices = direct_choices,
     .help = "past the tuner: off, I or Q"},
    {.name = "offset-tuning",
     .group = WEIR_GROUP_DEVICE,
     .type = &weir_type_flag,
     .offset = FIELD(offset_tuning),
     .help = "keep the spike at 0 Hz out of the band, where the tuner can"},
    {.name = "antenna",
     .argument = "NAME",
     .group = WEIR_GROUP_DEVICE,
     .type = &weir_type_text,
     .offset = FIELD(antenna),
     .help = "antenna socket (SoapySDR)"},
    {.name = "on-loss",
     .argument = "WHAT",
     .group = WEIR_GROUP_DEVICE,
     .type = &weir_type_choice,
     .offset = FIELD(on_loss),
     .choices = loss_choices,
     .help = "a device is gone: exit, or retry until it is back (auto: view retries)"},
    {.name = "device-option",
     .argument = "KEY=VALUE",
     .group = WEIR_GROUP_DEVICE,
     .type = &weir_type_pairs,
     .offset = FIELD(device_options),
     .not_in_config = true,
     .help = "anything else: settle=20ms (after tuning), channel=1, a SoapySDR driver's setting"},
    {.name = "test",
     .argument = "SOURCE",
     .group = WEIR_GROUP_DEVICE_TEST,
     .type = &weir_type_text,
     .offset = FIELD(test),
     .complete = "sources",
     .not_in_config = true,
     .help = "count what rtlsdr or rtltcp loses, by its own counter, for --duration (10 s)"},

    {.name = "fft",
     .letter = 'n',
     .argument = "N",
     .group = (weir_option_group)(WEIR_GROUP_TRANSFORM | WEIR_GROUP_FFT),
     .type = &weir_type_count,
     .offset = FIELD(n_fft),
     .limits = &points,
     .help = "samples a transform, any number from 2 (4096; of a vector: all there are)"},
    {.name = "rbw",
     .argument = "HZ",
     .group = WEIR_GROUP_TRANSFORM,
     .type = &weir_type_hz,
     .offset = FIELD(rbw_hz),
     .limits = &above_zero,
     .help = "resolution bandwidth: chooses N for the window"},
    {.name = "window",
     .letter = 'w',
     .argument = "NAME",
     .group = WEIR_GROUP_TRANSFORM,
     .type = &weir_type_text,
     .offset = FIELD(window),
     .complete = "windows",
     .help = "hann, blackman-harris, flattop, kaiser:9 ... (hann; `weir windows` lists them)"},
    {.name = "overlap",
     .letter = 'O',
     .argument = "PERCENT",
     .group = WEIR_GROUP_TRANSFORM,
     .type = &weir_type_overlap,
     .offset = FIELD(overlap),
     .help = "how much successive transforms share: 50%, 0.75 (50%)"},
    {.name = "hop",
     .argument = "N",
     .group = WEIR_GROUP_TRANSFORM,
     .type = &weir_type_count,
     .offset = FIELD(hop),
     .limits = &from_one,
     .help = "samples from one transform to the next, instead of --overlap; above N skips samples"},
    {.name = "average",
     .letter = 'a',
     .argument = "HOW",
     .group = WEIR_GROUP_TRANSFORM,
     .type = &weir_type_average,
     .offset = FIELD(average),
     .help = "transforms a line, in linear power: 16, 0.5s, all (0.1s; view 0.04s)"},
    {.name = "smooth",
     .argument = "TIME",
     .group = WEIR_GROUP_TRANSFORM,
     .type = &weir_type_seconds,
     .offset = FIELD(smooth_seconds),
     .help = "exponential average with this time constant instead of a plain mean (0: none)"},
    {.name = "detrend",
     .group = WEIR_GROUP_TRANSFORM,
     .type = &weir_type_flag,
     .offset = FIELD(detrend),
     .help = "take the mean off every transform's samples first"},
    {.name = "iq-swap",
     .group = WEIR_GROUP_TRANSFORM,
     .type = &weir_type_flag,
     .offset = FIELD(iq_swap),
     .help = "exchange I and Q (mirrors the spectrum)"},
    {.name = "engine",
     .letter = 'e',
     .argument = "NAME",
     .group = (weir_option_group)(WEIR_GROUP_TRANSFORM | WEIR_GROUP_VECTOR),
     .type = &weir_type_choice,
     .offset = FIELD(engine),
     .choices = engine_choices,
     .help = "auto (a GPU when there is one), cpu, cuda"},
    {.name = "threads",
     .letter = 't',
     .argument = "N",
     .group = WEIR_GROUP_TRANSFORM,
     .type = &weir_type_count,
     .offset = FIELD(threads),
     .help = "CPU threads (0: one per core); the numbers are the same with any"},
    {.name = "plan",
     .argument = "HOW",
     .group = WEIR_GROUP_TRANSFORM,
     .type = &weir_type_choice,
     .offset = FIELD(plan),
     .choices = plan_choices,
     .help = "FFTW planning: estimate (the same bits every run), background, measure; auto: "
             "estimate, in the view background"},
    {.name = "device",
     .argument = "N",
     .group = (weir_option_group)(WEIR_GROUP_TRANSFORM | WEIR_GROUP_VECTOR),
     .type = &weir_type_count,
     .offset = FIELD(device),
     .help = "which GPU (0; `weir devices` lists them)"},

    {.name = "density",
     .group = WEIR_GROUP_LEVELS,
     .type = &weir_type_flag,
     .offset = FIELD(density),
     .help = "levels per hertz (dBFS/Hz) instead of per tone (dBFS)"},
    {.name = "per-root-hz",
     .group = WEIR_GROUP_LEVELS,
     .type = &weir_type_flag,
     .offset = FIELD(per_root_hz),
     .help = "as --density, but as amplitudes: dBFS/rtHz (the same numbers), --linear FS/rtHz"},
    {.name = "unit",
     .argument = "TEXT",
     .group = WEIR_GROUP_LEVELS,
     .type = &weir_type_text,
     .offset = FIELD(unit),
     .help = "what levels are called after --offset: dBm, \"dB SPL\""},
    {.name = "offset",
     .argument = "DB",
     .group = WEIR_GROUP_LEVELS,
     .type = &weir_type_db,
     .offset = FIELD(offset_db),
     .help = "added to every level: the unit's value of 0 dBFS"},
    {.name = "full-scale",
     .argument = "VOLTS",
     .group = WEIR_GROUP_LEVELS,
     .type = &weir_type_number,
     .offset = FIELD(full_scale_volts),
     .limits = &above_zero,
     .help = "peak voltage of a full-scale sine: levels in dBV, with --ohms in dBm"},
    {.name = "ohms",
     .argument = "OHMS",
     .group = WEIR_GROUP_LEVELS,
     .type = &weir_type_number,
     .offset = FIELD(ohms),
     .limits = &above_zero,
     .help = "the resistance that --full-scale's voltage is at: levels in dBm"},
    {.name = "weighting",
     .argument = "CURVE",
     .group = WEIR_GROUP_LEVELS,
     .type = &weir_type_choice,
     .offset = FIELD(weighting),
     .choices = weighting_choices,
     .help = "A or C weighting of audio (IEC 61672-1); Z: none"},
    {.name = "calibration",
     .argument = "FILE",
     .group = WEIR_GROUP_LEVELS,
     .type = &weir_type_text,
     .offset = FIELD(calibration),
     .complete = "file",
     .help = "frequency response to add: two columns (Hz, dB), .cal or .frd"},

    {.name = "output",
     .letter = 'o',
     .argument = "FILE",
     .group = (weir_option_group)(WEIR_GROUP_OUTPUT | WEIR_GROUP_MEASURE | WEIR_GROUP_RECORD |
                                  WEIR_GROUP_VECTOR),
     .type = &weir_type_outputs,
     .offset = FIELD(outputs),
     .complete = "file",
     .not_in_config = true,
     .help = "where results go; may be given several times; - is standard output. The ending "
             "chooses the kind: .csv .jsonl .npy .png; record: .sigmf-meta .wav .cu8 .cs16 ...; "
             "fft, ifft, convolve: .csv .npy, else text"},
    {.name = "to",
     .letter = 'T',
     .argument = "KIND",
     .group = WEIR_GROUP_OUTPUT | WEIR_GROUP_RECORD,
     .type = &weir_type_text,
     .offset = FIELD(to),
     .complete = "sinks",
     .not_in_config = true,
     .help = "kind of output whatever the ending: csv, rtl_power, hackrf_sweep, jsonl, npy, png, "
             "text, peaks, persistence; record: sigmf, wav, raw"},
    {.name = "trace",
     .argument = "WHICH",
     .group = WEIR_GROUP_OUTPUT,
     .type = &weir_type_choice,
     .offset = FIELD(trace),
     .choices = trace_choices,
     .help = "what a line shows of its transforms: mean (also called rms, average), max, min, or "
             "sample: one transform a line, the rest skipped"},
    {.name = "hold",
     .argument = "HOW",
     .group = WEIR_GROUP_OUTPUT,
     .type = &weir_type_choice,
     .offset = FIELD(hold),
     .choices = hold_choices,
     .help = "every line shows the max or min of all lines so far (off)"},
    {.name = "decay",
     .argument = "TIME",
     .group = (weir_option_group)(WEIR_GROUP_OUTPUT | WEIR_GROUP_VIEW),
     .type = &weir_type_seconds,
     .offset = FIELD(decay_seconds),
     .limits = &above_zero,
     .help = "persistence fades with this time constant (view: 3s, and counts; files: counts)"},
    {.name = "linear",
     .group = WEIR_GROUP_OUTPUT,
     .type = &weir_type_flag,
     .offset = FIELD(linear),
     .help = "power in FS^2 (with --density FS^2/Hz) instead of levels: csv, jsonl, npy"},
    {.name = "reproducible",
     .group = (weir_option_group)(WEIR_GROUP_OUTPUT | WEIR_GROUP_MEASURE),
     .type = &weir_type_flag,
     .offset = FIELD(reproducible),
     .help = "leave out wall-clock times that are not in the recording"},
    {.name = "width",
     .argument = "PIXELS",
     .group = WEIR_GROUP_OUTPUT,
     .type = &weir_type_count,
     .offset = FIELD(width),
     .limits = &from_one,
     .help = "width of a picture's plot"},
    {.name = "height",
     .argument = "PIXELS",
     .group = WEIR_GROUP_OUTPUT,
     .type = &weir_type_count,
     .offset = FIELD(height),
     .limits = &from_one,
     .help = "largest height of a picture's plot"},
    {.name = "title",
     .argument = "TEXT",
     .group = WEIR_GROUP_OUTPUT,
     .type = &weir_type_text,
     .offset = FIELD(title),
     .not_in_config = true,
     .help = "title of a picture"},

    {.name = "reduce",
     .argument = "HOW",
     .group = WEIR_GROUP_PICTURE,
     .type = &weir_type_choice,
     .offset = FIELD(reducer),
     .choices = reducer_choices,
     .help =
         "bins to pixels: max (a narrow peak never vanishes), mean (rms, average), min, sample"},
    {.name = "range",
     .argument = "LOW:HIGH",
     .group = (weir_option_group)(WEIR_GROUP_PICTURE | WEIR_GROUP_MEASURE),
     .type = &weir_type_range_hz,
     .offset = FIELD(range_hz),
     .help = "frequencies to show or write: 99M:101M"},
    {.name = "levels",
     .argument = "LOW:HIGH",
     .group = WEIR_GROUP_PICTURE,
     .type = &weir_type_range_db,
     .offset = FIELD(levels_db),
     .help = "levels from the first colour to the last: -100:-20 (else automatic)"},
    {.name = "colormap",
     .argument = "NAME",
     .group = WEIR_GROUP_PICTURE,
     .type = &weir_type_text,
     .offset = FIELD(colormap),
     .complete = "colormaps",
     .help = "viridis, magma, inferno, turbo, cividis, grey, classic ...; a file (with a . or / in "
             "its name): lines #rrggbb from low to high"},

    {.name = "color",
     .argument = "HOW",
     .group = (weir_option_group)(WEIR_GROUP_VIEW | WEIR_GROUP_SWEEP),
     .type = &weir_type_choice,
     .offset = FIELD(color),
     .choices = color_choices,
     .help = "colours of the terminal: auto, none, 8, 16, 256, direct"},
    {.name = "graphics",
     .argument = "HOW",
     .group = (weir_option_group)(WEIR_GROUP_VIEW | WEIR_GROUP_SWEEP),
     .type = &weir_type_choice,
     .offset = FIELD(graphics),
     .choices = graphics_choices,
     .help = "pictures in the terminal, to the pixel: auto (if it says it can), kitty, sixel, off"},
    {.name = "ascii",
     .group = (weir_option_group)(WEIR_GROUP_VIEW | WEIR_GROUP_SWEEP),
     .type = &weir_type_flag,
     .offset = FIELD(ascii),
     .help = "draw with ASCII characters only"},
    {.name = "utf8",
     .group = (weir_option_group)(WEIR_GROUP_VIEW | WEIR_GROUP_SWEEP),
     .type = &weir_type_flag,
     .offset = FIELD(utf8),
     .help = "draw with block characters whatever the locale"},
    {.name = "fps",
     .argument = "N",
     .group = (weir_option_group)(WEIR_GROUP_VIEW | WEIR_GROUP_SWEEP),
     .type = &weir_type_number,
     .offset = FIELD(fps),
     .limits = &above_zero,
     .help = "pictures a second at most (30)"},
    {.name = "trace-average",
     .argument = "WHAT",
     .group = WEIR_GROUP_VIEW,
     .type = &weir_type_trace_average,
     .offset = FIELD(trace_average),
     .help = "the spectrum trace apart from the waterfall's lines (--average): the mean of 64 "
             "(transforms) or of 0.5s, exponential with exp:1s, or lines (what they are)"},
    {.name = "exit-at-end",
     .group = (weir_option_group)(WEIR_GROUP_VIEW | WEIR_GROUP_SWEEP),
     .type = &weir_type_flag,
     .offset = FIELD(exit_at_end),
     .help = "leave the view when the input ends"},
    {.name = "keys",
     .argument = "LIST",
     .group = (weir_option_group)(WEIR_GROUP_VIEW | WEIR_GROUP_SWEEP),
     .type = &weir_type_text,
     .offset = FIELD(keys),
     .help = "keys of the view that do what others do: \"h=Left l=Right x=q q=none\""},
    {.name = "axis",
     .argument = "KIND",
     .group = (weir_option_group)(WEIR_GROUP_VIEW | WEIR_GROUP_SWEEP),
     .type = &weir_type_choice,
     .offset = FIELD(axis),
     .choices = axis_choices,
     .help = "of frequencies: linear, log, or notes (a log axis with the names of notes)"},
    {.name = "labels",
     .argument = "FILE",
     .group = (weir_option_group)(WEIR_GROUP_VIEW | WEIR_GROUP_SWEEP),
     .type = &weir_type_text,
     .offset = FIELD(labels),
     .complete = "file",
     .help = "names of channels for the frequency axis: lines FREQUENCY,NAME or LOW,HIGH,NAME"},
    {.name = "folder",
     .argument = "DIR",
     .group = (weir_option_group)(WEIR_GROUP_VIEW | WEIR_GROUP_SWEEP),
     .type = &weir_type_text,
     .offset = FIELD(folder),
     .complete = "file",
     .help = "where keys save recordings, pictures and traces (the working directory)"},
    {.name = "record-before",
     .argument = "TIME",
     .group = WEIR_GROUP_VIEW,
     .type = &weir_type_seconds_or_nan,
     .offset = FIELD(record_before_seconds),
     .help =
         "how much of the time before the key a recording begins with (1s, or what 64 MB hold)"},
    {.name = "remember",
     .group = WEIR_GROUP_VIEW,
     .type = &weir_type_flag,
     .offset = FIELD(remember),
     .help = "begin as the last view ended (kept in $XDG_STATE_HOME/weir), and keep how this ends"},
    {.name = "once",
     .group = WEIR_GROUP_VIEW,
     .type = &weir_type_flag,
     .offset = FIELD(once),
     .not_in_config = true,
     .help = "print one picture as text, and stop: of --duration, or until it is full; needs no "
             "terminal"},
    {.name = "png",
     .argument = "FILE",
     .group = WEIR_GROUP_VIEW,
     .type = &weir_type_text,
     .offset = FIELD(png),
     .complete = "file",
     .not_in_config = true,
     .help = "save one picture of the view as PNG, and stop, as --once"},
    {.name = "size",
     .argument = "COLUMNSxROWS",
     .group = WEIR_GROUP_VIEW,
     .type = &weir_type_text,
     .offset = FIELD(size),
     .help = "of the picture of --once and --png (the terminal's, else 120x40)"},

    {.name = "half",
     .group = WEIR_GROUP_FFT,
     .type = &weir_type_flag,
     .offset = FIELD(half),
     .not_in_config = true,
     .help = "real signals: only the N/2 + 1 bins from 0 to half the rate"},
    {.name = "pad",
     .argument = "HOW",
     .group = WEIR_GROUP_FFT,
     .type = &weir_type_choice,
     .offset = FIELD(pad),
     .choices = pad_choices,
     .not_in_config = true,
     .help = "zeros after the values: none, to the next smooth length (factors 2, 3, 5, 7), to "
             "the next power of two; --fft N pads to N"},
    {.name = "mode",
     .argument = "HOW",
     .group = WEIR_GROUP_CONVOLVE,
     .type = &weir_type_choice,
     .offset = FIELD(convolve_mode),
     .choices = convolve_choices,
     .not_in_config = true,
     .help = "linear (all of it), circular (with the longer one's period)"},
    {.name = "correlate",
     .group = WEIR_GROUP_CONVOLVE,
     .type = &weir_type_flag,
     .offset = FIELD(correlate),
     .not_in_config = true,
     .help = "correlation instead, B conjugated and reversed"},
    {.name = "explain",
     .argument = "N",
     .group = WEIR_GROUP_FFT,
     .type = &weir_type_count,
     .offset = FIELD(explain),
     .limits = &from_one,
     .not_in_config = true,
     .help = "say how the GPU would transform N points (with --half: real ones), and stop"},

    {.name = "config",
     .letter = 'C',
     .argument = "FILE",
     .group = WEIR_GROUP_GENERAL,
     .type = &weir_type_text,
     .offset = FIELD(config),
     .complete = "file",
     .not_in_config = true,
     .help = "read settings from FILE (see configs/), before the options"},
    {.name = "dump-config",
     .group = WEIR_GROUP_GENERAL,
     .type = &weir_type_flag,
     .offset = FIELD(dump_config),
     .not_in_config = true,
     .help = "print the settings in force as a configuration file, and stop"},
    {.name = "verbose",
     .letter = 'v',
     .group = WEIR_GROUP_GENERAL,
     .type = &weir_type_counted,
     .offset = FIELD(verbose),
     .not_in_config = true,
     .help = "say more (twice: much more)"},
    {.name = "quiet",
     .letter = 'q',
     .group = WEIR_GROUP_GENERAL,
     .type = &weir_type_flag,
     .offset = FIELD(quiet),
     .not_in_config = true,
     .help = "say nothing but errors"},
    {.name = "help",
     .letter = 'h',
     .group = WEIR_GROUP_GENERAL,
     .type = &weir_type_flag,
     .offset = FIELD(help),
     .not_in_config = true,
     .help = "print this help, and stop"},
    {.name = "version",
     .letter = 'V',
     .group = WEIR_GROUP_GENERAL,
     .type = &weir_type_flag,
     .offset = FIELD(version),
     .not_in_config = true,
     .help = "print the version and what this build has, and stop"},

    {.name = "max-size",
     .argument = "BYTES",
     .group = WEIR_GROUP_RECORD,
     .type = &weir_type_count,
     .offset = FIELD(max_size_bytes),
     .limits = &from_one,
     .help = "end the recording at this many bytes of samples: 500M, 4Gi"},

    {.name = "freq",
     .letter = 'f',
     .argument = "LO:HI[:BIN]",
     .group = WEIR_GROUP_SWEEP,
     .type = &weir_type_texts,
     .offset = FIELD(sweep_ranges),
     .not_in_config = true,
     .help = "what to sweep: 88M:108M, or 88M:108M:10k with bins of at most 10 kHz; may be given "
             "several times"},
    {.name = "view",
     .group = WEIR_GROUP_SWEEP,
     .type = &weir_type_flag,
     .offset = FIELD(sweep_view),
     .not_in_config = true,
     .help = "a waterfall of the passes in the terminal, until q; F and B show another range"},
    {.name = "interval",
     .argument = "TIME",
     .group = WEIR_GROUP_SWEEP,
     .type = &weir_type_seconds_or_nan,
     .offset = FIELD(interval_seconds),
     .help = "begin a pass this often, until told to stop; 0: without a pause (else: one pass)"},
    {.name = "exit-after",
     .argument = "TIME",
     .group = WEIR_GROUP_SWEEP,
     .type = &weir_type_seconds,
     .offset = FIELD(exit_after_seconds),
     .limits = &above_zero,
     .help = "begin no pass after this much time; the last is completed"},
    {.name = "passes",
     .argument = "N",
     .group = WEIR_GROUP_SWEEP,
     .type = &weir_type_count,
     .offset = FIELD(passes),
     .limits = &from_one,
     .help = "end after N passes"},
    {.name = "settle",
     .argument = "TIME",
     .group = WEIR_GROUP_SWEEP,
     .type = &weir_type_seconds_or_nan,
     .offset = FIELD(settle_seconds),
     .help = "throw away this much after every tuning (5ms)"},
    {.name = "crop",
     .argument = "PERCENT",
     .group = WEIR_GROUP_SWEEP,
     .type = &weir_type_overlap,
     .offset = FIELD(crop),
     .help = "how much of the band to leave out, half of it at each edge, where filters fall off "
             "(25%)"},
    {.name = "spike",
     .argument = "HOW",
     .group = WEIR_GROUP_SWEEP,
     .type = &weir_type_choice,
     .offset = FIELD(spike),
     .choices = spike_choices,
     .help = "against the spike in the middle of a tuning: offset (use only what lies above it; "
             "twice the tunings), interpolate, keep; auto: offset, but for rtl_power's rows as "
             "rtl_power"},

    {.name = "alert",
     .argument = "RULE",
     .group = WEIR_GROUP_ALERT,
     .type = &weir_type_texts,
     .offset = FIELD(alerts),
     .not_in_config = true,
     .help = "say when a level is passed: 'band 433.8M:434.0M > -40 dBFS for 50ms'; may be given "
             "several times"},
    {.name = "alert-log",
     .argument = "FILE",
     .group = WEIR_GROUP_ALERT,
     .type = &weir_type_text,
     .offset = FIELD(alert_log),
     .complete = "file",
     .help = "append the JSON lines of alerts to FILE (else standard output, or standard error "
             "where results go there)"},
    {.name = "alert-run",
     .argument = "COMMAND",
     .group = WEIR_GROUP_ALERT,
     .type = &weir_type_text,
     .offset = FIELD(alert_run),
     .not_in_config = true,
     .help = "run COMMAND at every alert, without a shell; WEIR_ALERT_... say what happened"},
    {.name = "alert-shell",
     .group = WEIR_GROUP_ALERT,
     .type = &weir_type_flag,
     .offset = FIELD(alert_shell),
     .not_in_config = true,
     .help = "give the command of --alert-run to /bin/sh"},
    {.name = "alert-record",
     .argument = "FILE",
     .group = WEIR_GROUP_ALERT,
     .type = &weir_type_text,
     .offset = FIELD(alert_record),
     .complete = "file",
     .not_in_config = true,
     .help = "record the samples of every alert: clip-{n}.sigmf-meta; {n} counts, {time} is UTC, "
             "{rule} the rule's name"},
    {.name = "alert-before",
     .argument = "TIME",
     .group = WEIR_GROUP_ALERT,
     .type = &weir_type_seconds_or_nan,
     .offset = FIELD(alert_before_seconds),
     .help = "how much of the time before an alert its recording begins with (1s)"},
    {.name = "alert-after",
     .argument = "TIME",
     .group = WEIR_GROUP_ALERT,
     .type = &weir_type_seconds_or_nan,
     .offset = FIELD(alert_after_seconds),
     .help = "how long a recording goes on after its alert has ended (1s)"},
    {.name = "alert-longest",
     .argument = "TIME",
     .group = WEIR_GROUP_ALERT,
     .type = &weir_type_seconds,
     .offset = FIELD(alert_longest_seconds),
     .limits = &above_zero,
     .help = "end a recording of an alert after this much (60s)"},

    {.name = "span",
     .argument = "HZ",
     .group = WEIR_GROUP_ZOOM,
     .type = &weir_type_hz,
     .offset = FIELD(span_hz),
     .limits = &above_zero,
     .help = "analyze this width only, at a rate of its own: fine resolution without a huge N"},
    {.name = "zoom-center",
     .argument = "HZ",
     .group = WEIR_GROUP_ZOOM,
     .type = &weir_type_hz,
     .offset = FIELD(zoom_center_hz),
     .help = "middle of --span (the centre of the input; of real input half of --span)"},

    {.name = "iq-correct",
     .argument = "HOW",
     .group = WEIR_GROUP_CORRECT,
     .type = &weir_type_text,
     .offset = FIELD(iq_correct),
     .help = "IQ imbalance: auto (estimated from the first second), track[:TIME] (followed from "
             "there, with this time constant; 10 s), or DB:DEGREES, Q against I"},
    {.name = "dc",
     .argument = "HOW",
     .group = WEIR_GROUP_CORRECT,
     .type = &weir_type_choice,
     .offset = FIELD(dc),
     .choices = dc_choices,
     .help = "the spike at the centre: off, interpolate (over the window's main lobe; said in the "
             "output), remove (the mean of every transform)"},
    {.name = "transverter",
     .argument = "HZ",
     .group = WEIR_GROUP_CORRECT,
     .type = &weir_type_hz,
     .offset = FIELD(transverter_hz),
     .help = "added to all frequencies: what a converter in front took off (negative: added)"},
    {.name = "ppm",
     .argument = "N",
     .group = WEIR_GROUP_CORRECT,
     .type = &weir_type_number,
     .offset = FIELD(ppm),
     .limits = &running,
     .help = "by how much the device's clock runs fast, in parts per million"},

    {.name = "peaks",
     .argument = "N",
     .group = WEIR_GROUP_PEAKS,
     .type = &weir_type_count,
     .offset = FIELD(n_peaks),
     .limits = &from_one,
     .help =
         "how many of the strongest peaks are given (--to peaks, measure: 10; JSON lines: none)"},
    {.name = "prominence",
     .argument = "DB",
     .group = WEIR_GROUP_PEAKS,
     .type = &weir_type_db,
     .offset = FIELD(prominence_db),
     .limits = &from_zero,
     .help = "least drop on both sides of a peak before anything higher (6)"},
    {.name = "spacing",
     .argument = "HZ",
     .group = WEIR_GROUP_PEAKS,
     .type = &weir_type_hz,
     .offset = FIELD(spacing_hz),
     .limits = &from_zero,
     .help = "least distance between two peaks"},

    {.name = "what",
     .argument = "KIND",
     .group = WEIR_GROUP_MEASURE,
     .type = &weir_type_choice,
     .offset = FIELD(what),
     .choices = what_choices,
     .help = "rf or audio; auto: rf for complex input, audio for real"},
    {.name = "json",
     .group = WEIR_GROUP_MEASURE,
     .type = &weir_type_flag,
     .offset = FIELD(json),
     .help = "one JSON object a result (schema weir.measure/1) instead of a table"},
    {.name = "kurtosis-bins",
     .group = WEIR_GROUP_MEASURE,
     .type = &weir_type_flag,
     .offset = FIELD(kurtosis_bins),
     .help = "JSON: the spectral kurtosis of every bin (radio), not only what stands out"},
    {.name = "every",
     .argument = "TIME",
     .group = WEIR_GROUP_MEASURE,
     .type = &weir_type_seconds,
     .offset = FIELD(every_seconds),
     .limits = &above_zero,
     .help = "a result for every such time, as CSV (or JSON lines), instead of one for all"},
    {.name = "channel-band",
     .argument = "LOW:HIGH",
     .group = WEIR_GROUP_MEASURE,
     .type = &weir_type_range_hz,
     .offset = FIELD(channel_band),
     .help = "the channel to measure: 433.8M:434M"},
    {.name = "bandwidth",
     .argument = "HZ",
     .group = WEIR_GROUP_MEASURE,
     .type = &weir_type_hz,
     .offset = FIELD(bandwidth_hz),
     .limits = &above_zero,
     .help = "width of the channel about the centre, or about the middle of --channel-band"},
    {.name = "adjacent",
     .argument = "HZ",
     .group = WEIR_GROUP_MEASURE,
     .type = &weir_type_hz,
     .offset = FIELD(adjacent_hz),
     .limits = &above_zero,
     .help = "from the channel's centre to those of the adjacent ones (the channel's width)"},
    {.name = "occupied",
     .argument = "PERCENT",
     .group = WEIR_GROUP_MEASURE,
     .type = &weir_type_number,
     .offset = FIELD(occupied_percent),
     .limits = &above_zero,
     .help = "part of the power in the occupied bandwidth (99)"},
    {.name = "x-db",
     .argument = "DB",
     .group = WEIR_GROUP_MEASURE,
     .type = &weir_type_db,
     .offset = FIELD(x_db),
     .limits = &above_zero,
     .help = "drop at the edges of the x dB bandwidth (26)"},
    {.name = "percentile",
     .argument = "PERCENT",
     .group = WEIR_GROUP_MEASURE,
     .type = &weir_type_number,
     .offset = FIELD(percentile),
     .limits = &above_zero,
     .help = "of the bins, for the noise floor given beside the median (10)"},
    {.name = "harmonics",
     .argument = "N",
     .group = WEIR_GROUP_MEASURE,
     .type = &weir_type_count,
     .offset = FIELD(harmonics),
     .limits = &from_two,
     .help = "highest harmonic in THD (10)"},
    {.name = "fundamental",
     .argument = "HZ",
     .group = WEIR_GROUP_MEASURE,
     .type = &weir_type_hz,
     .offset = FIELD(fundamental_hz),
     .limits = &above_zero,
     .help = "the tone whose distortion is measured (the strongest)"},

    {.name = "bless",
     .group = WEIR_GROUP_COMPARE,
     .type = &weir_type_flag,
     .offset = FIELD(bless),
     .not_in_config = true,
     .help = "make the golden result instead of comparing with it"},
    {.name = "tolerance",
     .argument = "DB",
     .group = WEIR_GROUP_COMPARE,
     .type = &weir_type_tolerances_db,
     .offset = FIELD(tolerances_db),
     .not_in_config = true,
     .help = "how far levels may be from the golden ones: 0.5, or in a band 88M:108M=1; may be "
             "given several times, the last that fits counts (0.1)"},
    {.name = "tolerance-hz",
     .argument = "HZ",
     .group = WEIR_GROUP_COMPARE,
     .type = &weir_type_tolerances_hz,
     .offset = FIELD(tolerances_hz),
     .not_in_config = true,
     .help = "how far aside levels may lie, likewise: 50, or in a band 88M:108M=1k (0)"},
    {.name = "ignore-below",
     .argument = "DB",
     .group = WEIR_GROUP_COMPARE,
     .type = &weir_type_db,
     .offset = FIELD(ignore_below_db),
     .help = "levels below count as this level (150 dB below full scale)"},
    {.name = "ignore-counts",
     .group = WEIR_GROUP_COMPARE,
     .type = &weir_type_flag,
     .offset = FIELD(ignore_counts),
     .help = "do not compare how many samples were received, lost, clipped, for live sources"},
    {.name = "check",
     .argument = "WHAT",
     .group = WEIR_GROUP_COMPARE,
     .type = &weir_type_choice,
     .offset = FIELD(check),
     .choices = check_choices,
     .help = "mean or max hold of the whole stream, or all lines (masks only); auto: mean and max "
             "against a golden result, mean against a mask"},
    {.name = "mask",
     .argument = "FILE",
     .group = WEIR_GROUP_COMPARE,
     .type = &weir_type_text,
     .offset = FIELD(mask),
     .complete = "file",
     .not_in_config = true,
     .help = "limits to keep to: CSV of frequency, upper, lower"},
    {.name = "mask-relative",
     .argument = "TO",
     .group = WEIR_GROUP_COMPARE,
     .type = &weir_type_choice,
     .offset = FIELD(mask_relative),
     .choices = mask_choices,
     .help = "what the mask's levels count from: absolute, peak (the highest level), carrier "
             "(frequencies too)"},
    {.name = "mask-carrier",
     .argument = "HZ",
     .group = WEIR_GROUP_COMPARE,
     .type = &weir_type_hz,
     .offset = FIELD(mask_carrier_hz),
     .help = "where the carrier is (else the strongest bin)"},
    {.name = "mask-log",
     .group = WEIR_GROUP_COMPARE,
     .type = &weir_type_flag,
     .offset = FIELD(mask_log),
     .help = "limits between a mask's points are linear in log f, not in f"},
    {.name = "allow",
     .argument = "PERCENT",
     .group = WEIR_GROUP_COMPARE,
     .type = &weir_type_part,
     .offset = FIELD(allow),
     .help = "how many of the values may be outside of the mask: 1%, 0.01 (none)"},
    {.name = "report",
     .argument = "FILE",
     .group = WEIR_GROUP_COMPARE,
     .type = &weir_type_outputs,
     .offset = FIELD(reports),
     .complete = "file",
     .not_in_config = true,
     .help = "the result for other programs: JUnit (.xml) or JSON (.json); may be given several "
             "times"},
    {.name = "diff-png",
     .argument = "FILE",
     .group = WEIR_GROUP_COMPARE,
     .type = &weir_type_text,
     .offset = FIELD(diff_png),
     .complete = "file",
     .not_in_config = true,
     .help = "a picture of the measured levels, the golden ones or the limits, and the difference"},
};

#define N_OPTIONS (sizeof options / sizeof options[0])
_Static_assert(N_OPTIONS <= WEIR_MOST_OPTIONS, "who keeps a row for each option has so many");

const weir_option *weir_option_at(size_t index)
{
    return index < N_OPTIONS ? &options[index] : NULL;
}

const weir_option *weir_option_find(const char *name)
{
    for (size_t i = 0; i < N_OPTIONS; i++) {
        if (strcmp(options[i].name, name) == 0) {
            return &options[i];
        }
    }
    return NULL;
}

bool weir_option_in_scope(const weir_option *option, const weir_option_scope *scope)
{
    bool is_in = (option->group & scope->groups) != 0;
    for (size_t i = 0; is_in && scope->without && scope->without[i]; i++) {
        is_in = strcmp(scope->without[i], option->name) != 0;
    }
    return is_in;
}

const char *weir_option_group_title(weir_option_group group)
{
    static const struct {
        weir_option_group group;
        const char *title;
    } titles[] = {
        {WEIR_GROUP_INPUT, "Input"},          {WEIR_GROUP_TRANSFORM, "Transform"},
        {WEIR_GROUP_LEVELS, "Levels"},        {WEIR_GROUP_OUTPUT, "Output"},
        {WEIR_GROUP_PICTURE, "Picture"},      {WEIR_GROUP_VIEW, "Terminal"},
        {WEIR_GROUP_GENERAL, "General"},      {WEIR_GROUP_MEASURE, "Measurement"},
        {WEIR_GROUP_CORRECT, "Corrections"},  {WEIR_GROUP_ZOOM, "Zoom"},
        {WEIR_GROUP_PEAKS, "Peaks"},          {WEIR_GROUP_RECORD, "Recording"},
        {WEIR_GROUP_SWEEP, "Sweep"},          {WEIR_GROUP_ALERT, "Alerts"},
        {WEIR_GROUP_COMPARE, "Comparison"},   {WEIR_GROUP_DEVICE, "Device"},
        {WEIR_GROUP_DEVICE_TEST, "Test"},     {WEIR_GROUP_FFT, "Vectors"},
        {WEIR_GROUP_CONVOLVE, "Convolution"},
    };
    for (size_t i = 0; i < sizeof titles / sizeof titles[0]; i++) {
        if (titles[i].group & group) {
            return titles[i].title;
        }
    }
    return "Other";
}

static void mark(weir_option_bits *bits, const weir_option *option, bool is_set)
{
    size_t row = (size_t)(option - options);
    uint64_t bit = UINT64_C(1) << row % 64;
    bits->words[row / 64] = is_set ? bits->words[row / 64] | bit : bits->words[row / 64] & ~bit;
}

static bool is_marked(const weir_option_bits *bits, const char *name)
{
    const weir_option *option = weir_option_find(name);
    assert(option);
    size_t row = (size_t)(option - options);
    return bits->words[row / 64] >> row % 64 & 1;
}

bool weir_option_given(const weir_settings *settings, const char *name)
{
    return is_marked(&settings->given, name);
}

bool weir_option_typed(const weir_settings *settings, const char *name)
{
    return is_marked(&settings->typed, name);
}

void weir_option_forget(weir_settings *settings, const char *name)
{
    mark(&settings->given, weir_option_find(name), false);
    mark(&settings->typed, weir_option_find(name), false);
}

weir_status weir_option_set(const weir_option *option, weir_settings *settings, const char *text,
                            weir_error *err)
{
    weir_status status = option->type->set(option, (char *)settings + option->offset, text, err);
    if (status == WEIR_OK) {
        mark(&settings->given, option, true);
    }
    return status;
}

void weir_option_get(const weir_option *option, const weir_settings *settings, char *text,
                     size_t size)
{
    option->type->get(option, (const char *)settings + option->offset, text, size);
    const char *zero = option->choices ? option->choices[0] : option->type->zero;
    if (!text[0] && zero && is_marked(&settings->given, option->name)) {
        snprintf(text, size, "%s", zero);
    }
}

/* getopt_long's view of the table; val is 256 + the row, or the letter's own row. */
#define LONG_BASE 256

static const weir_option *option_of_code(int code, const weir_option_scope *scope)
{
    if (code >= LONG_BASE) {
        return &options[code - LONG_BASE];
    }
    for (size_t i = N_OPTIONS; i-- > 0;) {
        if (options[i].letter == code && weir_option_in_scope(&options[i], scope)) {
            return &options[i];
        }
    }
    return NULL;
}

char weir_option_letter(const weir_option *option, const weir_option_scope *scope)
{
    return option->letter && option_of_code(option->letter, scope) == option ? option->letter : 0;
}

static void build_getopt_tables(const weir_option_scope *scope, struct option *longs, char *letters)
{
    *letters++ = ':'; /* a missing value is told apart from an unknown option */
    for (size_t i = 0; i < N_OPTIONS; i++) {
        const weir_option *option = &options[i];
        if (!weir_option_in_scope(option, scope)) {
            continue;
        }
        *longs++ =
            (struct option){.name = option->name,
                            .has_arg = option->type->takes_value ? required_argument : no_argument,
                            .val = LONG_BASE + (int)i};
        if (weir_option_letter(option, scope)) {
            *letters++ = option->letter;
            if (option->type->takes_value) {
                *letters++ = ':';
            }
        }
    }
    *longs = (struct option){0};
    *letters = '\0';
}

/* The letter of several options has the same kind of value in all of them. */
static const weir_option_scope anywhere = {.groups = ~0U};

static weir_status not_here(const weir_option *option, weir_error *err)
{
    char commands[200];
    weir_commands_taking(option, commands, sizeof commands);
    return weir_fail(err, WEIR_ERR_USAGE, "--%s does not apply to this command; these take it: %s",
                     option->name, commands);
}

static weir_status unknown_option(const char *argument, const weir_option_scope *scope,
                                  weir_error *err)
{
    const char *names[N_OPTIONS + 1];
    char name[64];
    size_t n = 0;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(argument + 2, "="), argument + 2);
    for (size_t i = 0; i < N_OPTIONS; i++) {
        if (weir_option_in_scope(&options[i], scope)) {
            names[n++] = options[i].name;
        }
    }
    names[n] = NULL;
    const weir_option *elsewhere = weir_option_find(name);
    if (elsewhere) {
        return not_here(elsewhere, err);
    }
    const char *nearest = weir_nearest_name(name, names);
    if (nearest) {
        return weir_fail(err, WEIR_ERR_USAGE, "unknown option --%s; did you mean --%s?", name,
                         nearest);
    }
    return weir_fail(err, WEIR_ERR_USAGE, "unknown option --%s; --help lists them", name);
}

static weir_status bad_option(int code, char **argv, const weir_option_scope *scope,
                              weir_error *err)
{
    const char *argument = argv[optind - 1];
    const weir_option *option = optopt ? option_of_code(optopt, scope) : NULL;
    if (code == ':') {
        return weir_fail(err, WEIR_ERR_USAGE, "%s needs a value: %s", argument,
                         option && option->argument ? option->argument : "VALUE");
    }
    if (option && optopt >= LONG_BASE) {
        return weir_fail(err, WEIR_ERR_USAGE, "--%s takes no value", option->name);
    }
    const weir_option *elsewhere = optopt ? option_of_code(optopt, &anywhere) : NULL;
    if (elsewhere) {
        return not_here(elsewhere, err);
    }
    if (optopt) {
        return weir_fail(err, WEIR_ERR_USAGE, "unknown option -%c; --help lists them", optopt);
    }
    return unknown_option(argument, scope, err);
}

/* Of "name" or "name=value", which may be an abbreviation. */
static const weir_option *option_of_start(const char *text, const weir_option_scope *preferred)
{
    size_t n = strcspn(text, "=");
    const weir_option *any = NULL, *wanted = NULL;
    for (size_t i = 0; i < N_OPTIONS; i++) {
        if (strncmp(options[i].name, text, n) != 0) {
            continue;
        }
        if (options[i].name[n] == '\0') {
            return &options[i];
        }
        any = any ? any : &options[i];
        if (!wanted && weir_option_in_scope(&options[i], preferred)) {
            wanted = &options[i];
        }
    }
    return wanted ? wanted : any;
}

/* Whether the next word is the value of this one, "-x...", "--name" or "--name=value". */
static bool takes_next_word(const char *word, const weir_option_scope *preferred)
{
    if (word[1] == '-') {
        const weir_option *option = option_of_start(word + 2, preferred);
        return option && option->type->takes_value && !strchr(word, '=');
    }
    for (const char *letter = word + 1; *letter; letter++) {
        const weir_option *option = option_of_code(*letter, &anywhere);
        if (option && option->type->takes_value) {
            return letter[1] == '\0';
        }
    }
    return false;
}

int weir_options_first_word(int argc, char **argv, const weir_option_scope *preferred)
{
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i];
        if (strcmp(word, "--") == 0) {
            return argc;
        }
        if (word[0] != '-' || word[1] == '\0') {
            return i;
        }
        i += takes_next_word(word, preferred);
    }
    return argc;
}

weir_status weir_options_parse(int argc, char **argv, const weir_option_scope *scope,
                               weir_settings *settings, int *first_argument, weir_error *err)
{
    struct option longs[N_OPTIONS + 1];
    char letters[2 * N_OPTIONS + 2];
    build_getopt_tables(scope, longs, letters);
    optind = 0; /* the GNU way to begin anew */
    opterr = 0;
    int code;
    while ((code = getopt_long(argc, argv, letters, longs, NULL)) != -1) {
        if (code == '?' || code == ':') {
            return bad_option(code, argv, scope, err);
        }
        const weir_option *option = option_of_code(code, scope);
        if (weir_option_set(option, settings, optarg, err) != WEIR_OK) {
            return weir_fail_context(err, "--%s", option->name);
        }
        mark(&settings->typed, option, true);
    }
    *first_argument = optind;
    return WEIR_OK;
}
