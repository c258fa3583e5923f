/* The inside of the store: what its files share. */
#ifndef CANDOR_STORE_STORE_INTERNAL_H
#define CANDOR_STORE_STORE_INTERNAL_H

#include "store/files/cache.h"
#include "store/files/segment.h"
#include "store/store.h"

#include <stdatomic.h>

/* Files that nothing refers to any more, but for queries that began before. */
struct obsolete {
    struct obsolete_file {
        uint32_t dictionary;
        uint64_t segment;
    } * list;
    uint32_t count, cap;
};

/* Recordings that are being received: they are in the catalogue, and not acknowledged yet. */
struct arrivals {
    pthread_mutex_t lock;
    uint64_t last; /* the highest id so far */
    uint64_t *list;
    uint32_t count, cap;
};

struct store {
    struct store_options options;
    char path[DISK_PATH_MAX / 2];
    int lock;
    struct catalogue *catalogue;
    struct cache cache;
    atomic_uint_fast64_t last_segment;
    pthread_mutex_t sealing; /* one part at a time: a dictionary has one writer, and files that are written are bounded */
    pthread_mutex_t reading; /* over readers and epoch */
    uint32_t readers[2];     /* by the epoch in which they began */
    unsigned epoch;
    struct arrivals arrivals;
    struct obsolete gone, leaving; /* merge.c's: gone since this epoch began; before, and read by who began then */
    bool merging_failed;           /* and it was told */
    pthread_mutex_t deleting;      /* over the next */
    struct store_deleted deleted;
};

enum { SECONDS_PER_DAY = 86400 };

/* Paths; out has DISK_PATH_MAX bytes. Each returns out. */
char *store_path(const struct store *s, char *out, const char *name);
char *store_recording_path(const struct store *s, char *out, const uint8_t identity[ENVELOPE_IDENTITY]);
char *store_dictionary_path(const struct store *s, char *out, uint32_t dictionary); /* the folder */
char *store_dictionary_file(const struct store *s, char *out, uint32_t dictionary);
char *store_segment_path(const struct store *s, char *out, uint32_t dictionary, uint64_t segment);

bool store_is_stopping(const struct store *s);
void store_tell(const struct store *s, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- arrivals.c ---- */

void arrivals_init(struct arrivals *a);
void arrivals_deinit(struct arrivals *a);
/* The recording is in the catalogue; it is acknowledged. */
void arrivals_begin(struct arrivals *a, uint64_t id);
void arrivals_end(struct arrivals *a, uint64_t id);
/* An id: no recording with this id or a higher one has been acknowledged yet. Read it before the catalog: unsealed recordings from
 * this id on are about to be sealed. */
uint64_t arrivals_from(struct arrivals *a);

/* ---- seal.c ---- */

enum { SEAL_DAYS_MAX = 32, SEAL_PARTS_MAX = SEAL_DAYS_MAX * CATALOGUE_CONTENTS_MAX };

/* A recording on its way into the catalogue. */
struct sealing {
    struct store_profiles profiles;
    struct catalogue_recording recording; /* its labels are borrowed; its contents are the profiles */
    struct catalogue_part parts[SEAL_PARTS_MAX];
    uint32_t part_count;
    struct catalogue_book *books; /* of recording.books */
};

/* Loads a recording that was taken before. An earlier version may have taken it for one of its types alone: if others cannot be read, what
 * can be is kept, and *partly is set. 0 or the result of `load`. */
int seal_load_again(const struct store *s, struct store_profiles *to, const struct envelope *v, bool *partly, struct error *e);
/* Loads the recording, and fills in its entry for the catalog. again: it was taken before. 0, the result of `load`, or -ERANGE if a new
 * one has times beyond what is kept, or any has too many days; in either case call seal_deinit. */
int seal_init(struct sealing *l, const struct store *s, const struct envelope *v, bool again, struct error *e);
void seal_deinit(struct sealing *l);
/* Writes the segment of one profile and day, and enters it in the catalog. */
int seal_part(struct store *s, const struct profile *p, const struct envelope_note *note, uint64_t recording, int64_t day, struct error *e);
/* The same for all parts of the recording that are not sealed. */
int seal_pending(struct store *s, const struct store_profiles *profiles, const struct envelope_note *note, uint64_t recording,
                 struct error *e);

/* ---- recover.c ---- */

/* Call it at the start: repairs what a crash left. */
int recover_all(struct store *s, struct error *e);
/* Seals all parts that are not sealed. */
void recover_pending(struct store *s);
/* Puts a segment aside; its parts are to be sealed again. */
void recover_quarantine(struct store *s, uint32_t dictionary, uint64_t segment, const char *why);

/* ---- rebuild.c ---- */

struct rebuild_found {
    uint64_t missing; /* recordings that only the old catalog had, each for each of its days */
    uint64_t unread;  /* segments and folders that could not be read: they may name more */
};

/* Call it when the recordings are in the new catalog: notes what the old one's segments, which are in that folder, had besides. It may be
 * called again. */
int rebuild_note_missing(struct store *s, const char *segments, struct rebuild_found *found, struct error *e);

/* ---- merge.c ---- */

/* Makes large segments of small ones, for a bounded time, and removes those. To be called by one thread at a time. */
void merge_some(struct store *s);
/* Removes the files in segments/ that are not in the catalog. */
void merge_sweep(struct store *s);
/* Call it when there are no readers any more. */
void merge_deinit(struct store *s);
/* Brackets the reading of segments from the catalog: they stay until merge_read_end, which needs the result. */
unsigned merge_read_begin(struct store *s);
void merge_read_end(struct store *s, unsigned epoch);

/* ---- retain.c ---- */

void retain_all(struct store *s);

#endif
