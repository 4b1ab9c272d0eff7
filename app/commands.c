#include "app/commands.h"

#include "app/view_sources.h"
#include "base/text.h"

#include <string.h>

static const char *const not_of_sweep[] = {"center", "channel", "start", "loop", "hold", NULL};
static const char *const not_of_survey[] = {"hold", NULL};
static const char *const not_of_devices[] = {"format", "channels", "channel", "iq", "checksum",
                                             "start",  "loop",     "speed",   NULL};
static const weir_command_option help_of_measure[] = {
    {"fft", "samples a transform, any number from 2 (radio 4096, audio 65536; with --every what "
            "fits the time)"},
    {"window", "flattop, blackman-harris, hann ... (radio blackman-harris, audio hft144d; `weir "
               "windows` lists them)"},
    {"overlap", "how much successive transforms share: 50%, 0.75 (radio 0, audio 50%)"},
    {"peaks", "how many of the strongest peaks are given (10)"},
    {"output", "where the result goes; - is standard output. The ending chooses the kind: .csv, "
               ".json, .jsonl, else a table"},
    {NULL, NULL}};
/* One result is the mean of all, or of --every; its levels are powers, its densities say so. */
static const char *const not_of_measure[] = {"average", "smooth", "density", "per-root-hz", NULL};

static const weir_command commands[] = {
    {.name = "view",
     .arguments = "SOURCE...",
     .help = "a spectrum and a waterfall in the terminal (the default command)",
     .more = "Files are replayed in real time unless --speed says otherwise. Keys: q quits,\n"
             "? shows all keys. Where standard output is no terminal, a line of text a\n"
             "spectrum is printed instead.\n\n"
             "  weir synth:\n"
             "  weir recording.sigmf-meta --start 10 --speed 4\n"
             "  weir rtlsdr -c 100.3M --gain 28\n"
             "  weir mic\n"
             "  weir a.wav b.wav c.wav          (F and B go from one to the next)\n"
             "  rtl_sdr -f 100.3M -s 2.4M - | weir - -f cu8 -r 2.4M -c 100.3M\n",
     .scope.groups = WEIR_GROUP_INPUT | WEIR_GROUP_DEVICE | WEIR_GROUP_TRANSFORM |
                     WEIR_GROUP_LEVELS | WEIR_GROUP_PICTURE | WEIR_GROUP_VIEW | WEIR_GROUP_CORRECT |
                     WEIR_GROUP_ZOOM | WEIR_GROUP_GENERAL,
     .min_arguments = 1,
     .max_arguments = WEIR_MAX_SOURCES,
     .run = weir_cmd_view},
    {.name = "spectra",
     .arguments = "SOURCE",
     .help = "spectra as CSV, JSON lines, NumPy arrays or pictures, without a terminal",
     .more = "Reads as fast as it can and writes one line for every --average. Without -o, CSV\n"
             "goes to standard output. At the end the accounts are given on standard error:\n"
             "received = transformed + skipped + lost + tail, always.\n\n"
             "  weir spectra x.wav -o x.png -o x.csv\n"
             "  weir spectra band.cu8 -f cu8 -r 2.4M -c 433.92M --average all --density\n"
             "  weir spectra x.flac --rbw 1 --window blackman-harris -o x.npy\n"
             "  weir spectra x.cs16 -r 20M --to rtl_power --average 1s\n"
             "  weir spectra band.cu8 -r 2.4M -c 100.3M --span 2k --rbw 1 -o carrier.csv\n"
             "  weir spectra band.cu8 -r 2.4M -c 100.3M --to peaks --peaks 5\n"
             "  weir spectra rtltcp:192.0.2.1 -c 433.92M -d 1h --on-loss retry -o x.csv\n"
             "  weir spectra x.cu8 -r 2.4M -c 433.92M --alert 'band 433.8M:434M > -40 for 50ms' "
             "-o x.csv\n",
     .scope.groups = WEIR_GROUP_INPUT | WEIR_GROUP_DEVICE | WEIR_GROUP_TRANSFORM |
                     WEIR_GROUP_LEVELS | WEIR_GROUP_OUTPUT | WEIR_GROUP_PICTURE |
                     WEIR_GROUP_CORRECT | WEIR_GROUP_ZOOM | WEIR_GROUP_PEAKS | WEIR_GROUP_ALERT |
                     WEIR_GROUP_GENERAL,
     .min_arguments = 1,
     .max_arguments = 1,
     .run = weir_cmd_spectra},
    {.name = "measure",
     .arguments = "SOURCE",
     .help = "figures instead of spectra: channel power, occupied bandwidth, noise; distortion, "
             "weighted levels, octave bands",
     .more = "Radio for complex input, audio for real input, or as --what says. One result for\n"
             "all of the input as a table, or one for --every TIME as CSV; --json writes objects.\n"
             "docs/levels.md tells what every figure means and how it is measured.\n\n"
             "  weir measure tone.wav\n"
             "  weir measure room.wav --offset 120 --unit \"dB SPL\" --every 1s -o levels.csv\n"
             "  weir measure band.cu8 -r 2.4M -c 433.92M --bandwidth 200k --json\n",
     .scope.groups = WEIR_GROUP_INPUT | WEIR_GROUP_DEVICE | WEIR_GROUP_TRANSFORM |
                     WEIR_GROUP_LEVELS | WEIR_GROUP_MEASURE | WEIR_GROUP_CORRECT | WEIR_GROUP_ZOOM |
                     WEIR_GROUP_PEAKS | WEIR_GROUP_GENERAL,
     .min_arguments = 1,
     .max_arguments = 1,
     .scope.without = not_of_measure,
     .own_help = help_of_measure,
     .run = weir_cmd_measure},
    {.name = "compare",
     .arguments = "SOURCE [GOLDEN]",
     .help = "hold a stream against a golden result or the limits of a mask",
     .more = "--bless makes the golden result, with its settings; a comparison takes them from "
             "it.\n"
             "Exit code 0: the same; 1: it differs, with a line for every region that does.\n\n"
             "  weir compare x.wav x.golden --bless\n"
             "  weir compare x.wav x.golden --tolerance 0.5 --diff-png x-diff.png\n"
             "  weir compare x.cu8 -f cu8 -r 2.4M -c 100M --mask limits.csv --report x.xml\n",
     .scope.groups = WEIR_GROUP_INPUT | WEIR_GROUP_DEVICE | WEIR_GROUP_TRANSFORM |
                     WEIR_GROUP_LEVELS | WEIR_GROUP_COMPARE | WEIR_GROUP_CORRECT | WEIR_GROUP_ZOOM |
                     WEIR_GROUP_GENERAL,
     .min_arguments = 1,
     .max_arguments = 2,
     .run = weir_cmd_compare},
    {.name = "fft",
     .arguments = "FILE",
     .help = "the Fourier transform of a vector of any length, on the GPU or the CPU",
     .more =
         "FILE is text (a number a line: 1.5 or 1.5+2j; or two: real and imaginary part), a\n"
         "NumPy array (.npy), or raw samples (x.cs16, or --format; integers are scaled to full\n"
         "scale 1); - is standard input. All N bins are written, from frequency 0 up, not divided\n"
         "by N, in single precision. --fft N or --pad adds zeros, nothing else does. --engine "
         "auto\n"
         "takes a GPU from a million points on: below, starting it would take longer than the\n"
         "transform. Of a configuration file only engine and device count here.\n\n"
         "  weir fft x.txt\n"
         "  weir fft x.cs16 -o spectrum.npy\n"
         "  weir fft --explain 61440\n",
     .scope.groups = WEIR_GROUP_VECTOR | WEIR_GROUP_FFT | WEIR_GROUP_GENERAL,
     .max_arguments = 1,
     .run = weir_cmd_fft},
    {.name = "ifft",
     .arguments = "FILE",
     .help = "the inverse of weir fft, divided by N",
     .more =
         "FILE as of weir fft. With --half it has the N/2 + 1 bins of a real signal; --fft N\n"
         "says which N (else it is even). Imaginary parts of the first bin, and with an even N\n"
         "of the last, do not count then.\n\n"
         "  weir fft --half x.txt | weir ifft --half -\n",
     .scope.groups = WEIR_GROUP_VECTOR | WEIR_GROUP_FFT | WEIR_GROUP_GENERAL,
     .max_arguments = 1,
     .run = weir_cmd_ifft},
    {.name = "convolve",
     .arguments = "A B",
     .help = "the convolution of two vectors; a product of polynomials",
     .more =
         "A and B as FILE of weir fft; one of them may be standard input. Coefficients from the\n"
         "lowest degree up. Where all of them are integers (2.0 and 1e3 are; a .npy of an integer\n"
         "type), the result is exact, to the last digit: it takes (terms of the shorter) x\n"
         "(largest A) x (largest B) below 2^126, and is refused beyond. Anything else is done in\n"
         "single precision. The first value of a correlation is that of B shifted furthest to\n"
         "the left.\n\n"
         "  weir convolve a.txt b.txt\n"
         "  weir convolve signal.npy taps.txt -o filtered.npy\n",
     .scope.groups = WEIR_GROUP_VECTOR | WEIR_GROUP_CONVOLVE | WEIR_GROUP_GENERAL,
     .min_arguments = 2,
     .max_arguments = 2,
     .run = weir_cmd_convolve},
    {.name = "windows",
     .arguments = "[NAME...]",
     .help = "the window functions, with their figures",
     .more =
         "Equivalent noise bandwidth, coherent gain, loss half a bin off, highest side lobe and\n"
         "first null, of 1024 points: of all windows with their usual parameters, or of some.\n\n"
         "  weir windows\n"
         "  weir windows kaiser:14 dpss:3 tukey:0.1\n",
     .scope.groups = WEIR_GROUP_GENERAL,
     .max_arguments = 64,
     .run = weir_cmd_windows},
    {.name = "devices",
     .arguments = "",
     .help = "audio inputs, radios and GPUs that are there, and what they can do",
     .more = "Nothing found is no error. --test counts the samples that a dongle loses on its\n"
             "way, exactly, by the counter that it can send instead of samples; exit 1 if any.\n\n"
             "  weir devices\n"
             "  weir devices --test rtlsdr -r 2.4M -d 1m\n",
     .scope.groups =
         WEIR_GROUP_INPUT | WEIR_GROUP_DEVICE | WEIR_GROUP_DEVICE_TEST | WEIR_GROUP_GENERAL,
     .scope.without = not_of_devices,
     .run = weir_cmd_devices},
    {.name = "list",
     .arguments = "TOPIC",
     .help = "names for scripts: commands, sources, formats, windows, sinks, colormaps",
     .scope.groups = WEIR_GROUP_GENERAL,
     .min_arguments = 1,
     .max_arguments = 1,
     .run = weir_cmd_list},
    {.name = "completions",
     .arguments = "SHELL",
     .help = "print completions for bash, zsh or fish",
     .more = "  source <(weir completions bash)\n",
     .scope.groups = WEIR_GROUP_GENERAL,
     .min_arguments = 1,
     .max_arguments = 1,
     .run = weir_cmd_completions},
    {.name = "man",
     .arguments = "",
     .help = "print the manual page, weir(1), for man",
     .more = "  weir man | man -l -\n",
     .scope.groups = WEIR_GROUP_GENERAL,
     .run = weir_cmd_man},
    {.name = "record",
     .arguments = "SOURCE",
     .help = "the samples of a source into a file, bit for bit",
     .more = "The ending of -o says how: .sigmf-meta (with every gap, retune and time, and a\n"
             "checksum), .wav (RF64 beyond 4 GiB), or raw samples (.cu8, .cs16, .raw ...; - is\n"
             "standard output). Nothing is converted. Ctrl-C, --duration, --max-size or a full\n"
             "disk end a recording, and the file is complete.\n\n"
             "  weir record rtlsdr --rate 2.4M --center 433.92M -o band.sigmf-meta\n"
             "  weir record mic -o talk.wav --duration 10m\n"
             "  weir record x.sigmf-meta --start 10 --duration 1 -o part.cu8\n\n"
             "--alert analyses the stream on its way; transform and levels are for that.\n",
     .scope.groups = WEIR_GROUP_INPUT | WEIR_GROUP_DEVICE | WEIR_GROUP_RECORD | WEIR_GROUP_ALERT |
                     WEIR_GROUP_TRANSFORM | WEIR_GROUP_LEVELS | WEIR_GROUP_GENERAL,
     .min_arguments = 1,
     .max_arguments = 1,
     .run = weir_cmd_record},
    {.name = "sweep",
     .arguments = "SOURCE",
     .help = "a spectrum wider than the receiver's band, by tuning through it",
     .more =
         "Tunes along each range, waits until the receiver has settled, integrates (--average),\n"
         "and joins what it saw: edges cropped, the spike at the centre avoided. One pass, or\n"
         "passes until --exit-after, --passes or Ctrl-C. --to rtl_power gives rtl_power's\n"
         "rows, one a tuning; without --rate also its plan of tunings and bins (of\n"
         "1 MHz and more: a tuning each).\n\n"
         "  weir sweep -f 88M:108M:10k rtlsdr -o fm.png -o fm.csv\n"
         "  weir sweep -f 430M:440M:5k -f 868M:870M:5k rtlsdr --interval 10 --to jsonl\n"
         "  weir sweep -f 88M:108M:125k tuner: --to rtl_power --interval 10 --exit-after 1h\n",
     .scope.groups = WEIR_GROUP_SWEEP | WEIR_GROUP_ALERT | WEIR_GROUP_INPUT | WEIR_GROUP_DEVICE |
                     WEIR_GROUP_TRANSFORM | WEIR_GROUP_LEVELS | WEIR_GROUP_CORRECT |
                     WEIR_GROUP_OUTPUT | WEIR_GROUP_PICTURE | WEIR_GROUP_GENERAL,
     .min_arguments = 1,
     .max_arguments = 1,
     .scope.without = not_of_sweep,
     .run = weir_cmd_sweep},
    {.name = "survey",
     .arguments = "FILE",
     .help = "what rtl_power or hackrf_sweep wrote, as a picture or other output",
     .more = "FILE is their CSV; - is standard input. Levels are placed by their frequency, and\n"
             "holes stay holes: rows may come in any order, of several ranges, or be missing.\n\n"
             "  rtl_power -f 88M:108M:10k -i 10 -e 1h fm.csv; weir survey fm.csv -o fm.png\n"
             "  hackrf_sweep -f 2400:2500 -N 100 | weir survey - -o wifi.png -o wifi.npy\n",
     .scope.groups = WEIR_GROUP_OUTPUT | WEIR_GROUP_PICTURE | WEIR_GROUP_GENERAL,
     .min_arguments = 1,
     .max_arguments = 1,
     .scope.without = not_of_survey,
     .run = weir_cmd_survey},
};

const weir_command *weir_command_at(size_t index)
{
    return index < sizeof commands / sizeof commands[0] ? &commands[index] : NULL;
}

const weir_command *weir_command_find(const char *name)
{
    const weir_command *command;
    for (size_t i = 0; (command = weir_command_at(i)); i++) {
        if (strcmp(command->name, name) == 0) {
            return command;
        }
    }
    return NULL;
}

void weir_commands_taking(const weir_option *option, char *text, size_t size)
{
    const weir_command *command;
    text[0] = '\0';
    for (size_t i = 0; (command = weir_command_at(i)); i++) {
        if (weir_option_in_scope(option, &command->scope)) {
            weir_list_add(text, size, "%s", command->name);
        }
    }
}
