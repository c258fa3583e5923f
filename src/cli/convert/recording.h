/* The part of `convert` whose output is a recording again: copied, packed (by the name OUT.jfr.zst or --compress) or unpacked. */
#ifndef CANDOR_CLI_CONVERT_RECORDING_H
#define CANDOR_CLI_CONVERT_RECORDING_H

#include "cli/cli.h"

#include "compress/codec.h"

/* Writes a JFR recording, if the command line asks for it. True: it asked, and *status is the exit status. */
bool convert_to_recording(const struct cli_args *args, int *status);

struct packing {
    const struct codec *codec; /* NULL = plain */
    int level;                 /* 0 = the default */
};

/* Whether the file's name is one of a recording: "app.jfr", or "app.jfr.zst" with its codec. */
bool convert_names_recording(const char *path, struct packing *p);
/* Writes a recording, whole or not at all. An exit status. */
int convert_write_recording(const char *path, const uint8_t *bytes, uint64_t size, const struct packing *p);

#endif
