/* Keeps a recording as it was sent, in one file with all its metadata. The store can be rebuilt from these files alone.
 *
 *     head, 128 bytes: "CANDREC1" | u64 body bytes | u64 its XXH3 | u64 note bytes | u64 its XXH3 | identity, 32 bytes |
 *                      zeros | u64 XXH3 of the 120 bytes before                                           (little-endian)
 *     body             the recording, byte for byte as it was received
 *     note             lines "name value": labels, received, ...
 *
 *   envelope_begin -> envelope_put ... -> envelope_end -> (the caller renames w.path) or envelope_abandon
 *
 * A file is written under a temporary name, and its head is written last. So a file with a valid head is complete. */
#ifndef CANDOR_STORE_FILES_ENVELOPE_H
#define CANDOR_STORE_FILES_ENVELOPE_H

#include "base/error.h"
#include "store/files/disk.h"
#include "store/files/labels.h"

#include <stdbool.h>
#include <stdint.h>

/* ENVELOPE_MORE: the bytes of a file besides its body, at most. */
enum { ENVELOPE_IDENTITY = 32, ENVELOPE_KEY_MAX = 128, ENVELOPE_HEAD = 128, ENVELOPE_MORE = ENVELOPE_HEAD + (1 << 20) };

#define ENVELOPE_LEFT_OUT "-"

/* The metadata of a recording. */
struct envelope_note {
    struct labels labels;
    int64_t received_ns;
    int64_t from_ns, until_ns; /* nanoseconds since the epoch that the sender named; 0 = not named */
    uint64_t period_ns;        /* the value of a sample without a weight; 0 = not named */
    char format[16];           /* a format of formats.h; "" = the content shows it */
    struct labels values;      /* name of a value in the recording -> its name in the store; ENVELOPE_LEFT_OUT = it is not kept */
    char family[64];           /* a value is stored as FAMILY_NAME, unless `values` has it; "" = as the recording names it */
    char key[ENVELOPE_KEY_MAX + 1];
    struct {
        uint64_t bytes, samples;
        uint32_t text, frames; /* bytes of a text, and frames of a stack; more is cut */
    } most;                    /* limits for a profile in pprof's format, unpacked, when it arrives; 0 = no limit. Not in the file */
    bool elsewhere;            /* another server received it, and `received_ns` is of its clock. Not in the file */
    bool forwarded;            /* that server sends it to all others itself. Not in the file */
};

struct envelope_writer {
    char path[DISK_PATH_MAX];
    int fd; /* -1 = none */
    uint64_t size;
    void *checksum;
};

/* Begins a file with a unique temporary name in the folder. */
int envelope_begin(struct envelope_writer *w, const char *folder, struct error *e);
int envelope_put(struct envelope_writer *w, const void *bytes, size_t n, struct error *e);
/* Writes the note and the head, and calls fsync. The file keeps its temporary name, w.path. */
int envelope_end(struct envelope_writer *w, const struct envelope_note *note, const uint8_t identity[ENVELOPE_IDENTITY], struct error *e);
/* Closes the file, and removes it unless the caller has renamed it and emptied w.path. Can be called again. */
void envelope_abandon(struct envelope_writer *w);

struct envelope {
    const uint8_t *body;
    uint64_t size;
    uint8_t identity[ENVELOPE_IDENTITY];
    struct envelope_note note;
    void *map; /* NULL = the bytes are the caller's */
    uint64_t map_size;
};

/* Opens a file, and checks every byte of it. Returns 0, or a code with a message in e; -EBADMSG if the file is damaged. */
int envelope_open(struct envelope *v, const char *path, struct error *e);
/* Does the same with a file's bytes in memory, which must stay as long as the envelope. name: for messages. */
int envelope_read(struct envelope *v, const void *bytes, uint64_t n, const char *name, struct error *e);
void envelope_close(struct envelope *v);
void envelope_note_deinit(struct envelope_note *n);

#endif
