/* Declarations that the files of the store share. */
#ifndef CANDOR_STORE_STORE_INTERNAL_H
#define CANDOR_STORE_STORE_INTERNAL_H

#include "store/files/cache.h"
#include "store/files/segment.h"
#include "store/rows/rows.h"
#include "store/store.h"

#include <stdatomic.h>

/* Files that nothing refers to any more, except queries that began earlier. */
struct obsolete {
    struct obsolete_file {
        uint32_t dictionary;
        uint64_t segment;
        bool rollup; /* the file of a roll-up, not of a segment */
    } * list;
    uint32_t count, cap;
};

/* Recordings that are in the catalog, but not acknowledged yet. */
struct arrivals {
    pthread_mutex_t lock;
    uint64_t last; /* the highest id of a recording so far */
    uint64_t *list;
    uint32_t count, cap;
};

enum { SEALING_LOCKS = 16 };

struct store {
    struct store_options options;  /* only the thread of store_maintain uses its limits */
    atomic_uint_fast64_t retain_s; /* in force; it orders no other memory access */
    char path[DISK_PATH_MAX / 2];
    int lock;
    struct catalogue *catalogue;
    const struct rows_kind *rows; /* where the rows are */
    struct away *away;            /* of rows_clickhouse.c; NULL = they are in files */
    struct cold *cold;            /* of cold.h; NULL = recordings are in files only */
    atomic_bool checking;         /* store_check runs */
    int64_t rounded_since;        /* as in struct missing */
    struct cache cache;
    struct recall recall; /* stacks of the services' recordings */
    atomic_uint_fast64_t last_segment;
    pthread_mutex_t sealing[SEALING_LOCKS]; /* one is held while a part is sealed, by its service: a dictionary has only one writer */
    pthread_mutex_t reading;                /* protects readers and epoch */
    uint32_t readers[2];                    /* number of readers, by the epoch in which they began */
    unsigned epoch;
    struct arrivals arrivals;
    atomic_uint_fast64_t waiting, waiting_since_ns; /* as store_note_waiting says; they order no other memory access */
    struct reread *reread;                          /* of reread.c */
    struct obsolete gone, leaving; /* for merge.c. gone: obsolete since this epoch began; leaving: obsolete before, perhaps read by queries
                                    * of the other epoch */
    uint32_t merge_from;           /* the dictionary at which the next search for segments to merge begins */
    bool merging_failed;           /* the last merge failed, and this was reported */
    bool rollup_failed;            /* the same of roll-ups */
    bool copy_failed;              /* the same of the copy of the catalog */
    uint64_t copy_due_ns;          /* when the next copy is made, in monotonic time */
    bool files_stay;               /* files of forgotten recordings could not be removed; the next start does it */
    uint64_t rollup_unmade[2];     /* the roll-ups of hours and of a day that could not be made last: the next attempt begins after them */
    pthread_mutex_t deleting;      /* protects `deleted` */
    struct store_deleted deleted;
};

enum { SECONDS_PER_DAY = 86400 };

/* Paths of files. `out` has DISK_PATH_MAX bytes. Each function returns `out`. */
char *store_path(const struct store *s, char *out, const char *name);
char *store_recording_path(const struct store *s, char *out, const uint8_t identity[ENVELOPE_IDENTITY]);
char *store_dictionary_path(const struct store *s, char *out, uint32_t dictionary); /* the folder of a dictionary */
char *store_dictionary_file(const struct store *s, char *out, uint32_t dictionary);
char *store_segment_path(const struct store *s, char *out, uint32_t dictionary, uint64_t segment);
char *store_rollup_path(const struct store *s, char *out, uint32_t dictionary, uint64_t number);

/* Opens the recording of this identity, wherever its file is. Returns as envelope_open does, and -EHOSTUNREACH if it is an object that
 * cannot be fetched now. */
int store_open_recording(struct store *s, const uint8_t identity[ENVELOPE_IDENTITY], struct envelope *v, struct error *e);

bool store_is_stopping(const struct store *s);
void store_tell(const struct store *s, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- arrivals.c ---- */

void arrivals_init(struct arrivals *a);
void arrivals_deinit(struct arrivals *a);
/* arrivals_begin notes that the recording is in the catalog; arrivals_end, that it is acknowledged. */
void arrivals_begin(struct arrivals *a, uint64_t id);
void arrivals_end(struct arrivals *a, uint64_t id);
/* Returns an id: no recording with this id or a higher one has been acknowledged yet. Call this before you read the catalog. Unsealed
 * recordings from this id on are about to be sealed. */
uint64_t arrivals_from(struct arrivals *a);

/* ---- seal.c ---- */

enum { SEAL_DAYS_MAX = 32, SEAL_PARTS_MAX = SEAL_DAYS_MAX * CATALOGUE_CONTENTS_MAX };

/* A recording that is about to enter the catalog. */
struct sealing {
    struct store_profiles profiles;
    struct catalogue_recording recording; /* its labels are borrowed; its contents describe the profiles */
    struct catalogue_part parts[SEAL_PARTS_MAX];
    uint32_t part_count;
    struct catalogue_book *books; /* the memory of recording.books */
};

/* Returns the time for samples that have none: the start of the recording, or the best approximation of it. */
int64_t seal_start_ns(const struct profile *p, const struct envelope_note *note);
/* Loads a recording that the store already has. An earlier version may have accepted it for only one of its types. If the other types
 * cannot be read, the readable ones are kept, and *partly is set. Returns 0 or the result of `load`. */
int seal_load_again(const struct store *s, struct store_profiles *to, const struct envelope *v, bool *partly, struct error *e);
/* Loads the recording, and fills in its entry for the catalog. again: the store already has it. Returns 0 or the result of `load`. Returns
 * -ERANGE if a new recording has times that are not kept, or if any recording has too many days. In each case call seal_deinit. */
int seal_init(struct sealing *l, struct store *s, const struct envelope *v, bool again, struct error *e);
void seal_deinit(struct sealing *l);
/* Seals a recording that has just entered the catalog. */
void seal_arrival(struct store *s, struct sealing *l, const struct envelope_note *note);
/* Writes the segments of all unsealed parts of the recording, and enters them in the catalog. */
int seal_pending(struct store *s, struct store_profiles *profiles, const struct envelope_note *note, uint64_t recording, struct error *e);

/* ---- rows_clickhouse.c ---- */

/* Has the rows of the store in ClickHouse, if the options say so; sets s->rows. Call it when the catalog is open. has_segments: the
 * catalog knows some. is_new: the catalog has replaced another one, and knows nothing yet. Returns 0, or a code with a message in e. Call
 * rows_clickhouse_close in each case. */
int rows_clickhouse_open(struct store *s, bool has_segments, bool is_new, struct error *e);
void rows_clickhouse_close(struct store *s);
/* For a copy: gives the folder, which has no server yet, a number in ClickHouse, if that answers. */
int rows_clickhouse_claim(const struct store_options *o, const char *folder, struct error *e);
/* Removes all that ClickHouse has under the folder's number, if the folder has one; even if the store is stopping. */
int rows_clickhouse_give_up(const struct store_options *o, const char *folder, struct error *e);

/* ---- rows_move.c ---- */

/* Writes the rows and roll-ups of `from` to `to`, whose catalog was copied from that of `from` and still has its segments. Each part gets a
 * segment of its own. If something is damaged, its parts are to be sealed again in `to`, or are lost. *damaged: how many segments and
 * roll-ups that were; each is told. Nobody else may use either of them. Returns 0, or a code with a message in e; then `to` is of no
 * use. */
int rows_move(struct store *from, struct store *to, store_copy_progress *progress, uint64_t *damaged, struct error *e);

/* ---- cold.c ---- */

/* Uses the place that the options name, if any; sets s->cold. is_new: the catalog may not know all objects. Call it when the catalog is
 * open. Returns 0, or a code with a message in e. Call cold_close in each case. */
int cold_open(struct store *s, bool is_new, struct error *e);
void cold_close(struct store *s);

/* Opens a recording whose file is an object, as envelope_open does. Returns -ENOENT if there is no such object, and -EHOSTUNREACH if it
 * cannot be fetched now. */
int cold_fetch(struct store *s, const uint8_t identity[ENVELOPE_IDENTITY], struct envelope *v, struct error *e);

/* Whether the catalog may not know all objects. */
bool cold_must_adopt(const struct store *s);
/* Notes that for a folder that was restored from a backup, if its recordings may be objects: some were made after the backup. */
int cold_note_restored(const char *folder, struct error *e);
/* Visits the identities of all objects. */
typedef int cold_visit(void *context, const uint8_t identity[ENVELOPE_IDENTITY], struct error *e);
int cold_each(struct store *s, cold_visit *visit, void *context, struct error *e);
/* Notes that the catalog knows all objects. */
int cold_adopted(struct store *s, struct error *e);

/* ---- recover.c ---- */

/* Repairs what a crash has left. Call it when the store is opened. */
int recover_all(struct store *s, struct error *e);
/* Whether what failed with this code would fail in the same way again. */
bool recover_is_final(int rc);
/* Seals all unsealed parts. */
void recover_pending(struct store *s);
/* Whether rows that are missing may come back by themselves: rc is the code of their reading. Such rows are not put aside, only counted as
 * missing, except by store_check. */
bool recover_may_return(const struct store *s, int rc);
/* Puts a segment aside. Its parts must be sealed again. */
void recover_quarantine(struct store *s, uint32_t dictionary, uint64_t segment, const char *why);
/* Moves a file to quarantine/, if it exists, with the time before its name, and reports it. */
void recover_put_aside(struct store *s, const char *path, const char *name);

/* ---- rebuild.c ---- */

struct rebuild_found {
    uint64_t missing; /* recordings that only the old catalog had, each for each of its days */
    uint64_t unread;  /* segments and folders that could not be read: they may name more */
};

struct rebuild;

/* Looks at the segments of a catalog that is gone, which are in that folder. rollups: the catalog has no roll-ups, so those in the folder
 * count, too. limit: higher ids of recordings are not that catalog's. Returns 0 or -ENOMEM. Call rebuild_free in each case. */
int rebuild_look(struct rebuild **out, const char *segments, bool rollups, uint64_t limit, struct error *e);
/* Returns the highest id of a recording that they name. */
uint64_t rebuild_last_recording(const struct rebuild *n);
/* Call it when the recordings are in the catalog: notes the data that only the segments had. It may be called again. before_ns: recordings
 * that were received since then are others. */
int rebuild_note_missing(struct store *s, const struct rebuild *n, int64_t before_ns, struct rebuild_found *found, struct error *e);
void rebuild_free(struct rebuild *n);

/* ---- backup.c ---- */

/* Copies a folder with all that it has. Files that never change are linked. */
int backup_copy_folder(const char *from, const char *to, struct error *e);
/* Makes a backup in an empty folder that has neither rows nor roll-ups, nor the note that they are in ClickHouse. */
int backup_without_rows(struct store *s, const char *path, struct error *e);

/* ---- copy.c ---- */

/* Makes the copy of the catalog, if it is time. Only the thread of store_maintain may call it. */
void copy_make(struct store *s);
/* Opens the catalog. If it is damaged or lost, its copy takes its place, if there is one, and otherwise a new one. */
int copy_open_catalogue(struct store *s, struct error *e);
/* Whether a copy took the catalog's place, and the rest of the store does not agree with it yet. */
bool copy_is_in_use(const struct store *s);
/* Call copy_begin then, before anything is added to the store: what is added gets none of the numbers that the lost catalog gave. Call
 * copy_agree when the recordings are in the catalog. Both may be called again. */
int copy_begin(struct store *s, const struct rebuild *former, struct error *e);
int copy_agree(struct store *s, const struct rebuild_found *found, struct error *e);

/* ---- merge.c ---- */

/* Merges small segments into large ones, for a limited time, and removes the small ones. Only one thread at a time may call it. */
bool merge_some(struct store *s);
/* Has a file removed that the catalog no longer knows, when the queries that began earlier have ended. Only the thread of store_maintain
 * may call it. */
void merge_note_gone(struct store *s, uint32_t dictionary, uint64_t number, bool rollup);
/* Removes the files in segments/ that are not in the catalog. */
void merge_sweep(struct store *s);
/* Removes the remaining obsolete files. Call it when there are no readers any more. */
void merge_deinit(struct store *s);
/* merge_read_begin and merge_read_end enclose the reading of segments from the catalog. The segments stay on the disk until merge_read_end,
 * which needs the result of merge_read_begin. */
unsigned merge_read_begin(struct store *s);
void merge_read_end(struct store *s, unsigned epoch);

/* ---- rollup_make.c ---- */

/* Makes roll-ups (rollup/rollup.h) that are due, for a limited time. Call it from the thread of store_maintain. */
void rollup_some(struct store *s);
/* Puts a damaged file aside. Its roll-up is not used until it is made again from rows. */
void rollup_quarantine(struct store *s, uint32_t dictionary, uint64_t number, const char *why);

/* ---- retain.c ---- */

void retain_all(struct store *s);

#endif
