/* What weir says about itself, generated from the option and command tables. */
#ifndef WEIR_APP_HELP_H
#define WEIR_APP_HELP_H

#include "app/commands.h"
#include "capture/source.h"

#include <stdio.h>

void weir_help_overview(FILE *out);
void weir_help_command(FILE *out, const weir_command *command);
/* A source by its name ("synth"): its syntax, and all there is to say. */
void weir_help_source(FILE *out, const weir_source_class *source);
void weir_help_version(FILE *out);

#endif
