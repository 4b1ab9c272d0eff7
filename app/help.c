#include "app/help.h"

#include "app/options.h"
#include "capture/source.h"
#include "weir_config.h"

#include <fftw3.h>
#include <string.h>
#if WEIR_HAVE_SNDFILE
#include <sndfile.h>
#endif
#if WEIR_HAVE_JANSSON
#include <jansson.h>
#endif
#if WEIR_HAVE_PNG
#include <png.h>
#endif
#if WEIR_HAVE_NCURSES
#include <curses.h>
#endif

#define TEXT_WIDTH 79
#define HELP_COLUMN 26

/* Prints text wrapped, its first line beginning at `column` already. */
static void print_wrapped(FILE *out, const char *text, int column)
{
    int at = column;
    while (*text) {
        size_t length = strcspn(text, " \n");
        if (at > column && at + 1 + (int)length > TEXT_WIDTH) {
            fprintf(out, "\n%*s", column, "");
            at = column;
        } else if (at > column) {
            fputc(' ', out);
            at++;
        }
        fprintf(out, "%.*s", (int)length, text);
        at += (int)length;
        text += length;
        text += *text == ' ' || *text == '\n';
    }
    fputc('\n', out);
}

static void print_entry(FILE *out, const char *name, const char *help)
{
    int length = fprintf(out, "  %s", name);
    if (length >= HELP_COLUMN - 1) {
        fprintf(out, "\n%*s", HELP_COLUMN, "");
    } else {
        fprintf(out, "%*s", HELP_COLUMN - length, "");
    }
    print_wrapped(out, help, HELP_COLUMN);
}

static const char *help_in(const weir_command *command, const weir_option *option)
{
    for (const weir_command_option *own = command->own_help; own && own->name; own++) {
        if (strcmp(own->name, option->name) == 0) {
            return own->help;
        }
    }
    return option->help;
}

static void print_option(FILE *out, const weir_option *option, const weir_command *command)
{
    char name[64], letter[8] = "    ";
    if (weir_option_letter(option, &command->scope)) {
        snprintf(letter, sizeof letter, "-%c, ", option->letter);
    }
    snprintf(name, sizeof name, "%s--%s%s%s", letter, option->name, option->argument ? " " : "",
             option->argument ? option->argument : "");
    print_entry(out, name, help_in(command, option));
}

void weir_help_overview(FILE *out)
{
    fputs(
        "weir watches a stream of samples, audio or radio, and measures it.\n\n"
        "usage: weir SOURCE [OPTIONS]           a waterfall of it in the terminal\n"
        "       weir COMMAND [OPTIONS] ...      (options may also stand before it)\n\ncommands:\n",
        out);
    const weir_command *command;
    for (size_t i = 0; (command = weir_command_at(i)); i++) {
        print_entry(out, command->name, command->help);
    }
    fputs("\nsources:\n", out);
    const weir_source_class *source;
    for (size_t i = 0; (source = weir_source_class_at(i)); i++) {
        print_entry(out, source->syntax, source->help);
    }
    fputs("\nexamples:\n"
          "  weir synth:                            a made-up radio band, to look around\n"
          "  weir g001_433.92M_250k.cu8             format, rate and centre from the name\n"
          "  rtl_sdr -f 100.3M -s 2.4M - | weir - -f cu8 -r 2.4M -c 100.3M\n"
          "  weir spectra song.flac -o song.png     a picture of a whole recording\n"
          "  weir spectra x.wav --average all       one mean spectrum as CSV\n\n"
          "`weir COMMAND --help` says more, `weir help synth` how to write a recipe;\n"
          "`weir man | man -l -` has it all.\n",
          out);
}

void weir_help_command(FILE *out, const weir_command *command)
{
    fprintf(out, "usage: weir %s%s%s [OPTIONS]\n\n", command->name,
            command->arguments[0] ? " " : "", command->arguments);
    print_wrapped(out, command->help, 0);
    if (command->more) {
        fprintf(out, "\n%s", command->more);
    }
    const char *title = NULL;
    const weir_option *option;
    for (size_t i = 0; (option = weir_option_at(i)); i++) {
        if (!weir_option_in_scope(option, &command->scope)) {
            continue;
        }
        if (weir_option_group_title(option->group) != title) {
            title = weir_option_group_title(option->group);
            fprintf(out, "\n%s:\n", title);
        }
        print_option(out, option, command);
    }
}

void weir_help_source(FILE *out, const weir_source_class *source)
{
    fprintf(out, "%s\n", source->syntax);
    print_wrapped(out, source->help, 0);
    if (source->manual) {
        fprintf(out, "\n%s", source->manual());
    }
}

/* The versions that are in use now, where a library can say so: a shared one may have been
 * changed since the build. */
static void print_libraries(FILE *out)
{
    fprintf(out, "libraries:\n  %.64s", fftwf_version);
#if WEIR_HAVE_SNDFILE
    fprintf(out, "\n  %.64s", sf_version_string());
#endif
#if WEIR_HAVE_JANSSON
    fprintf(out, "\n  jansson %s", jansson_version_str());
#endif
#if WEIR_HAVE_CONFUSE
    fputs("\n  libconfuse " WEIR_CONFUSE_VERSION, out);
#endif
#if WEIR_HAVE_PNG
    fprintf(out, "\n  libpng %s", png_get_libpng_ver(NULL));
#endif
#if WEIR_HAVE_NCURSES
    fprintf(out, "\n  %s", curses_version());
#endif
#if WEIR_HAVE_CUDA
    fputs("\n  CUDA " WEIR_CUDA_VERSION, out);
#endif
    fputc('\n', out);
}

void weir_help_version(FILE *out)
{
    static const struct {
        const char *name;
        int have;
    } features[] = {
        {"audio files", WEIR_HAVE_SNDFILE},
        {"SigMF", WEIR_HAVE_JANSSON},
        {"configuration", WEIR_HAVE_CONFUSE},
        {"PNG", WEIR_HAVE_PNG},
        {"terminal view", WEIR_HAVE_NCURSES},
        {"audio inputs", WEIR_HAVE_PORTAUDIO},
        {"sound servers", WEIR_HAVE_PULSE},
        {"RTL-SDR", WEIR_HAVE_RTLSDR},
        {"SoapySDR", WEIR_HAVE_SOAPY},
        {"chafa", WEIR_HAVE_CHAFA},
        {"CUDA", WEIR_HAVE_CUDA},
    };
    fprintf(out, "weir %s\nwith:", WEIR_VERSION);
    for (size_t i = 0; i < sizeof features / sizeof features[0]; i++) {
        const char *between = i == 0 ? "" : i == 5 ? ",\n     " : ","; /* two lines */
        fprintf(out, "%s %s%s", between, features[i].have ? "" : "no ", features[i].name);
    }
    fputc('\n', out);
    print_libraries(out);
}
