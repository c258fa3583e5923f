/* A recording as it was sent, in a file with all its metadata. The store can be rebuilt from these files alone.
 *
 *     head, 128 bytes: "CANDREC1" | u64 body bytes | u64 its XXH3 | u64 note bytes | u64 its XXH3 | identity, 32 bytes |
 *                      zeros | u64 XXH3 of the 120 bytes before                                           (little-endian)
 *     body             byte for byte as it came
 *     note             lines "name value": labels, received, ...
 *
 *   envelope_begin -> envelope_put ... -> envelope_end -> (the caller renames w.path) or envelope_abandon
 *
 * A file is written under another name and gets its head last, so a file with a valid head is whole. */
#ifndef CANDOR_STORE_FILES_ENVELOPE_H
#define CANDOR_STORE_FILES_ENVELOPE_H

#include "base/error.h"
#include "store/files/disk.h"
#include "store/files/labels.h"

#include <stdbool.h>
#include <stdint.h>

enum { ENVELOPE_IDENTITY = 32, ENVELOPE_KEY_MAX = 128, ENVELOPE_HEAD = 128 };

#define ENVELOPE_LEFT_OUT "-"

/* The metadata of a recording. */
struct envelope_note {
    struct labels labels;
    int64_t received_ns;
    int64_t from_ns, until_ns; /* 0 = not said */
    uint64_t period_ns;        /* what a sample without weight stands for, 0 = not said */
    char format[16];           /* of formats.h, "" = by content */
    struct labels values;      /* other names for what it measures, by its own; ENVELOPE_LEFT_OUT = not kept */
    char family[64];           /* what it measures is called FAMILY_NAME, unless `values` has it; "" = as it says */
    char key[ENVELOPE_KEY_MAX + 1];
};

struct envelope_writer {
    char path[DISK_PATH_MAX];
    int fd; /* -1 = none */
    uint64_t size;
    void *checksum;
};

/* Begins a file in the folder, with a unique temporary name. */
int envelope_begin(struct envelope_writer *w, const char *folder, struct error *e);
int envelope_put(struct envelope_writer *w, const void *bytes, size_t n, struct error *e);
/* Writes the note and the head, and calls fsync. The file keeps its temporary name, w.path. */
int envelope_end(struct envelope_writer *w, const struct envelope_note *note, const uint8_t identity[ENVELOPE_IDENTITY], struct error *e);
/* Closes; removes the file unless it was renamed. Can be repeated. */
void envelope_abandon(struct envelope_writer *w);

struct envelope {
    const uint8_t *body;
    uint64_t size;
    uint8_t identity[ENVELOPE_IDENTITY];
    struct envelope_note note;
    void *map;
    uint64_t map_size;
};

/* 0, or a code with one line; -EBADMSG when it is damaged. Every byte is checked. */
int envelope_open(struct envelope *v, const char *path, struct error *e);
void envelope_close(struct envelope *v);
void envelope_note_deinit(struct envelope_note *n);

#endif
