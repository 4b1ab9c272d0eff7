/* --diff-png: the check that failed first, or the first one, drawn. Main thread only. */
#ifndef WEIR_APP_COMPARE_PICTURE_H
#define WEIR_APP_COMPARE_PICTURE_H

#include "app/compare_report.h"
#include "base/outfile.h"
#include "display/sink.h"

/* WEIR_ERR_UNSUPPORTED in a build without libpng. */
weir_status weir_comparison_picture_open(weir_outfile **file, const char *path, weir_error *err);
/* Draws and finishes the file. */
weir_status weir_comparison_picture_write(weir_outfile *file, const weir_comparison *comparison,
                                          const weir_stream_info *stream, weir_error *err);

#endif
