/* The part of `convert` that writes recordings: a copy, a packed one (if the name is OUT.jfr.zst, or with --compress) or an unpacked
 * one. */
#ifndef CANDOR_CLI_CONVERT_RECORDING_H
#define CANDOR_CLI_CONVERT_RECORDING_H

#include "cli/cli.h"

#include "compress/codec.h"

/* Writes a JFR recording if the command line asks for it. Returns true if it does, and *status is then the exit status. */
bool convert_to_recording(const struct cli_args *args, int *status);

struct packing {
    const struct codec *codec; /* NULL = not packed */
    int level;                 /* 0 = the default */
};

/* Whether the file's name is that of a recording: "app.jfr", or "app.jfr.zst" with its codec. *p is set accordingly. */
bool convert_names_recording(const char *path, struct packing *p);
/* Writes a recording. If writing fails, no file appears. Returns an exit status. */
int convert_write_recording(const char *path, const uint8_t *bytes, uint64_t size, const struct packing *p);

#endif
