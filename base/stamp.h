/* Names of files that are made while a program runs: by the time, and never one that is there.
 * Thread-safe. */
#ifndef WEIR_BASE_STAMP_H
#define WEIR_BASE_STAMP_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

/* A file of that name, or what would lie beside a .sigmf-meta of that name. */
bool weir_recording_is_there(const char *path);

/* "FOLDER/weir-20261130T120000Z-DETAIL.png", by UTC now; "-2" and so on before the ending where
 * such a recording is there. folder NULL: the working directory. detail "": none. */
weir_status weir_stamp_path(char *path, size_t size, const char *folder, const char *detail,
                            const char *ending, weir_error *err);

#endif
