#include "app/commands.h"

#include "app/options.h"

#include <string.h>

static const weir_command commands[] = {
    {.name = "view",
     .arguments = "SOURCE",
     .help = "a spectrum and a waterfall in the terminal (the default command)",
     .more = "Files are replayed in real time unless --speed says otherwise. Keys: q quits,\n"
             "? shows all keys. Where standard output is no terminal, a line of text a\n"
             "spectrum is printed instead.\n\n"
             "  weir synth:\n"
             "  weir recording.sigmf-meta --start 10 --speed 4\n"
             "  rtl_sdr -f 100.3M -s 2.4M - | weir - -f cu8 -r 2.4M -c 100.3M\n",
     .groups = WEIR_GROUP_INPUT | WEIR_GROUP_TRANSFORM | WEIR_GROUP_LEVELS | WEIR_GROUP_PICTURE |
               WEIR_GROUP_VIEW | WEIR_GROUP_GENERAL,
     .min_arguments = 1,
     .max_arguments = 1,
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
             "  weir spectra x.cs16 -r 20M --to rtl_power --average 1s\n",
     .groups = WEIR_GROUP_INPUT | WEIR_GROUP_TRANSFORM | WEIR_GROUP_LEVELS | WEIR_GROUP_OUTPUT |
               WEIR_GROUP_PICTURE | WEIR_GROUP_GENERAL,
     .min_arguments = 1,
     .max_arguments = 1,
     .run = weir_cmd_spectra},
    {.name = "fft",
     .arguments = "FILE",
     .help = "the Fourier transform of a vector of any length, on the GPU or the CPU",
     .more = "FILE is text (a number a line, or two: real and imaginary part), a NumPy array\n"
             "(.npy), or raw samples with --format; - is standard input. All N bins are written,\n"
             "from frequency 0 up, not divided by N. --fft N pads with zeros.\n\n"
             "  weir fft x.txt\n"
             "  weir fft x.cs16 -f cs16 -o spectrum.npy\n"
             "  weir fft --explain 61440\n",
     .groups = WEIR_GROUP_VECTOR | WEIR_GROUP_GENERAL,
     .max_arguments = 1,
     .run = weir_cmd_fft},
    {.name = "ifft",
     .arguments = "FILE",
     .help = "the inverse of weir fft, divided by N",
     .more = "With --half, FILE has the N/2 + 1 bins of a real signal; --fft N says which N\n"
             "(else it is even).\n\n"
             "  weir fft --half x.txt | weir ifft --half -\n",
     .groups = WEIR_GROUP_VECTOR | WEIR_GROUP_GENERAL,
     .max_arguments = 1,
     .run = weir_cmd_ifft},
    {.name = "convolve",
     .arguments = "A B",
     .help = "the convolution of two vectors; a product of polynomials",
     .more = "Coefficients from the lowest degree up. Where all of them are integers the result\n"
             "is exact, to the last digit; a product too large for that is refused. The first\n"
             "value of a correlation is that of B shifted furthest to the left.\n\n"
             "  weir convolve a.txt b.txt\n"
             "  weir convolve signal.npy taps.txt -o filtered.npy\n",
     .groups = WEIR_GROUP_VECTOR | WEIR_GROUP_GENERAL,
     .min_arguments = 2,
     .max_arguments = 2,
     .run = weir_cmd_convolve},
    {.name = "windows",
     .arguments = "",
     .help = "the window functions, with their figures",
     .groups = WEIR_GROUP_GENERAL,
     .run = weir_cmd_windows},
    {.name = "devices",
     .arguments = "",
     .help = "what this machine has to compute with",
     .groups = WEIR_GROUP_GENERAL,
     .run = weir_cmd_devices},
    {.name = "list",
     .arguments = "TOPIC",
     .help = "names for scripts: commands, sources, formats, windows, sinks, colormaps",
     .groups = WEIR_GROUP_GENERAL,
     .min_arguments = 1,
     .max_arguments = 1,
     .run = weir_cmd_list},
    {.name = "completions",
     .arguments = "SHELL",
     .help = "print completions for bash, zsh or fish",
     .more = "  source <(weir completions bash)\n",
     .groups = WEIR_GROUP_GENERAL,
     .min_arguments = 1,
     .max_arguments = 1,
     .run = weir_cmd_completions},
    {.name = "man",
     .arguments = "",
     .help = "print the manual page, weir(1), for man",
     .more = "  weir man | man -l -\n",
     .groups = WEIR_GROUP_GENERAL,
     .run = weir_cmd_man},
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
