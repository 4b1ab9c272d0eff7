/* Files that a command reads are not written over by it, and none is written twice. */
#ifndef WEIR_APP_KEPT_FILES_H
#define WEIR_APP_KEPT_FILES_H

#include "app/settings.h"
#include "base/status.h"
#include "capture/source.h"

/* A result takes its file's place at the end: an input, a mask, a calibration of the same name
 * would be gone, and so would the first of two results, or what --alert-record wrote meanwhile.
 * Main thread only, before anything is opened. What is no regular file (/dev/null, a FIFO) may be
 * named as often as one likes. */
weir_status weir_keep_files(const weir_settings *settings, int n_arguments, char *const *arguments,
                            weir_error *err);
/* The same of the file that an open source reads: standard input, or one that a recording's
 * metadata names (core:dataset), is known only then. Any thread. */
weir_status weir_keep_samples(const weir_settings *settings, const weir_source_info *info,
                              weir_error *err);

#endif
