/* The readers behind the file source: one per family of formats, one row in the table
 * of file.c. Internal to capture/.
 *
 * The file source opens the input, shows each reader in turn the first bytes and the
 * path, and hands the file to the first that knows it by its content, else to the first
 * that knows it by its name. From then on it is that reader's: what it cannot read is an
 * error, and no other reader is asked. Errors need
 * not name the file: the file source puts its name before them.
 */
#ifndef WEIR_CAPTURE_FILE_READER_H
#define WEIR_CAPTURE_FILE_READER_H

#include "capture/input.h"
#include "capture/names.h"
#include "capture/source.h"
#include "capture/stored.h"

#define WEIR_MAX_CHANNELS 256

typedef struct weir_file weir_file;

typedef enum weir_probe { WEIR_NOT_MINE, WEIR_MINE_BY_NAME, WEIR_MINE } weir_probe;

typedef struct weir_file_reader {
    const char *name;
    /* head: the first n bytes, fewer than WEIR_FILE_HEAD_BYTES only if that is all. */
    weir_probe (*probe)(const weir_file *file, const uint8_t *head, size_t n);
    /* Fills base.info (name and defaults are there already) and the reader's own part. */
    weir_status (*open)(weir_file *file, const weir_source_options *options, weir_error *err);
    /* As the source contract. NULL: file->stored is read. */
    weir_status (*read)(weir_file *file, void *memory, size_t max_samples, weir_read *result,
                        weir_error *err);
    weir_status (*seek)(weir_file *file, uint64_t sample, weir_error *err);
    void (*close)(weir_file *file); /* of `own`; also after a failed open; may be NULL */
} weir_file_reader;

#define WEIR_FILE_HEAD_BYTES 512

struct weir_file {
    weir_source base;
    const weir_file_reader *reader;
    const char *path;      /* "-" is standard input */
    weir_input *input;     /* not NULL once probed  */
    weir_name_facts facts; /* of the path           */
    weir_stored *stored;   /* destroyed by the file source */
    void *own;             /* the reader's          */
};

extern const weir_file_reader weir_reader_raw, weir_reader_wav, weir_reader_sdriq,
    weir_reader_sndfile, weir_reader_sigmf;

/* Takes options->rate_hz if given, else `known` (0: not known), else the file name's.
 * Refuses what is no rate; WEIR_ERR_USAGE if none is known. */
weir_status weir_file_choose_rate(weir_file *file, const weir_source_options *options, double known,
                                  weir_error *err);

/* The same for the centre (NAN: not known); 0 if nobody says. */
weir_status weir_file_choose_center(weir_file *file, const weir_source_options *options,
                                    double known, weir_error *err);

/* info.time_unix_ns: `known`, else the file name's. */
void weir_file_choose_time(weir_file *file, int64_t known);

/* n scalars side by side: channels, or I and Q (of n / 2 tuners). is_radio: the metadata
 * say that this is a recording of a receiver. Refuses absurd counts. */
weir_status weir_file_choose_channels(weir_file *file, const weir_source_options *options,
                                      unsigned n, bool is_radio, weir_error *err);

/* "kind, s16le, 2 channels, 48 kHz" into info.description. */
void weir_file_describe(weir_file *file, const char *kind);

/* One extent from offset_bytes to the end of the file: how many whole samples there are
 * (a rest is logged), or WEIR_UNKNOWN_SAMPLES of a stream. n_bytes: all that belong to
 * them, WEIR_INPUT_UNKNOWN_BYTES if only the end says. */
weir_status weir_file_store_one(weir_file *file, uint64_t offset_bytes, uint64_t n_bytes,
                                weir_error *err);

#endif
