/* The store: recordings go in; profiles for a time range and labels come out. One directory, one process.
 *
 *     catalogue.db                    what there is (catalogue.h)
 *     incoming/                       recordings on their way
 *     recordings/XX/IDENTITY          recordings as they were sent (envelope.h): the log that everything else can be made from
 *     segments/DICTIONARY/dictionary  a dictionary (dictionary.h), and beside it its
 *     segments/DICTIONARY/NUMBER.seg  segments (segment.h): of one type; of one recording, or of many that were merged (merge.c)
 *     quarantine/                     what was found damaged
 *
 * A recording counts once it is under recordings/ and in the catalog. Its rows are then sealed into segments, one part for each
 * type and day. Parts that a crash leaves unsealed, or that are found damaged, are sealed again from the recording; so segments need not
 * be synced.
 *
 * Every function may be called by any thread. */
#ifndef CANDOR_STORE_STORE_H
#define CANDOR_STORE_STORE_H

#include "profile/figures/method_sums.h"
#include "profile/profile.h"
#include "profile/prune.h"
#include "store/books.h"
#include "store/catalogue/catalogue.h"
#include "store/missing.h"
#include "store/selector.h"

#include <stdatomic.h>

struct store;
struct store_result;

enum { STORE_LEFT_OUT = 400 };

/* What one recording measures: a profile for each type. */
struct store_profiles {
    struct profile list[CATALOGUE_CONTENTS_MAX];
    uint32_t count;
    char left_out[STORE_LEFT_OUT]; /* what it holds besides, for people; "" = nothing */
};
/* One more, empty and initialized; NULL when there is no memory, or no room. */
struct profile *store_profiles_add(struct store_profiles *of);
void store_profiles_deinit(struct store_profiles *of);

struct store_options {
    const char *path;
    uint64_t retain_s;     /* how long data is kept */
    uint64_t retain_raw_s; /* and recordings as they were sent; 0 = as long */
    uint64_t max_disk;     /* of everything; 0 = no limit, as of the next two */
    uint64_t max_raw;      /* of recordings as they were sent */
    uint64_t max_service;  /* of everything of one service */
    /* Adds the profiles of a recording, at least one; others than the first have samples, and no two the same type. 0 or a code
     * with its line, which store_add returns; the profiles that it has added by then are whole. */
    int (*load)(struct store_profiles *to, const struct envelope *v, struct error *e);
    uint64_t single_rows;              /* beyond so many a profile's rows are added up; 0 = STORE_ROWS_MAX */
    struct catalogue_merge_rule merge; /* zeros = as is good for a fleet */
    const atomic_bool *stop;           /* NULL, or: once it is set, queries and maintenance end soon */
    /* Reports one line to the operator. */
    void (*tell)(const char *text);
};

/* Opens or makes the directory, and mends what a crash has left. 0 or a code with its line; -EBUSY when another process has it. */
int store_open(struct store **out, const struct store_options *o, struct error *e);
void store_close(struct store *s);

/* A new recording: put its bytes with envelope_put, end it with store_add or envelope_abandon. */
int store_begin(struct store *s, struct envelope_writer *w, struct error *e);
/* Takes what was written, which identity says, unless it was taken before. 0, or a code with its line:
 *   -EINVAL           it cannot be read         -EPROTONOSUPPORT   nothing knows its format
 *   -ERANGE           its times are not kept    -EFBIG             it unpacks to too much
 *   -ENOSPC, -EROFS, -EIO, -ENOMEM              not now
 * The writer is ended either way. */
struct store_added {
    uint64_t id;
    bool duplicate;
    char left_out[STORE_LEFT_OUT]; /* of store_profiles; "" for a duplicate */
};
int store_add(struct store *s, struct envelope_writer *w, const struct envelope_note *note, const uint8_t identity[ENVELOPE_IDENTITY],
              struct store_added *out, struct error *e);
/* Seals unsealed parts, deletes data that is too old or too much, merges small segments for a second or two. Call it every few
 * seconds, from one thread at a time. */
void store_maintain(struct store *s);

/* What was deleted since the store was opened, and why: by age, beyond the limit of all recordings as they were sent, beyond that of a
 * service, beyond that of the disk. */
enum store_why { DELETED_AGE, DELETED_RAW, DELETED_QUOTA, DELETED_DISK, DELETED_REASONS };
struct store_deleted {
    uint64_t days[DELETED_REASONS];                                  /* of services */
    uint64_t raw_files[DELETED_REASONS], raw_bytes[DELETED_REASONS]; /* of recordings whose samples stay */
};
struct store_deleted store_deleted(struct store *s);

/* The recording as it was sent; -ENOENT when it is not there any more. envelope_close ends it. */
int store_recording(struct store *s, uint64_t id, struct envelope *v, struct error *e);
struct catalogue *store_catalogue(struct store *s);
/* Reads every byte of all segments with rows before `to`: damaged ones are put aside, and named in the result. 0 or a code. */
int store_check(struct store *s, int64_t to, struct store_result *r, struct error *e);
/* A consistent copy into a new directory: the catalogue by SQLite's backup, files by hard links (or copies elsewhere). */
int store_backup(struct store *s, const char *path, struct error *e);

/* ---- queries ---- */

struct store_query {
    const struct selector *selector;
    int64_t from, to;  /* seconds since the epoch; `to` is excluded */
    const char *type;  /* what weights are of, NULL = CPU time, if there is any, else that of most recordings, "" = whatever they are of */
    uint64_t until_ns; /* 0, or when it is given up, by the monotonic clock */
    bool (*is_gone)(void *client); /* NULL, or whether nobody waits for the answer any more */
    void *client;
    bool books;    /* their sum is wanted, too */
    uint32_t keep; /* of profiles: the heaviest nodes of their trie, as profile_prune keeps them; 0 = all */
};

struct store_result {
    char type[CATALOGUE_TYPE_MAX]; /* "" = there is nothing */
    uint64_t recordings;
    int64_t from, to;           /* seconds: what the recordings cover of the time of the query; `to` is excluded. Equal: nothing */
    uint64_t weight;            /* of all selected rows that could be read */
    struct store_books books;   /* of the selected recordings, if they are asked for */
    struct method_sum *methods; /* with `keep`: of all selected rows, also of those that are pruned; in no order */
    uint32_t method_count;
    struct pruned pruned;     /* what is beyond `keep` */
    struct missing missing;   /* received data that is missing in the answer */
    struct buffer unreadable; /* a line for each segment that could not be */
};

/* Whether the query is to be given up: 0, or -ECANCELED, -ETIMEDOUT or -EPIPE (its client is gone) with its line. */
int store_is_over(const struct store *s, const struct store_query *q, struct error *e);
/* The same for readings of the catalogue: it is asked for as long as `of` exists. */
struct store_asking {
    const struct store *store;
    const struct store_query *query;
};
struct catalogue_patience store_patience(struct store_asking *of);
/* Deleted data that the query asks for; of its labels only the service is still known. 0 or a code. */
int store_forgotten(struct store *s, const struct store_query *q, struct missing *m, struct error *e);

/* All selected rows as one profile, which is empty and initialized. Beyond store_options.single_rows they are added up over time and
 * threads. */
enum { STORE_ROWS_MAX = 1 << 20 };
int store_profile(struct store *s, const struct store_query *q, struct profile *p, struct store_result *r, struct error *e);

struct store_point {
    uint32_t series; /* place in `values` */
    int64_t step;
    uint64_t weight;
};
struct store_series {
    char **values;
    uint32_t value_count, value_cap;
    struct store_point *points; /* by series, then step; those without weight are left out */
    uint32_t point_count, point_cap;
};
/* Weights by steps of `step` seconds from q->from, split by a label (NULL = not), or by several with STORE_BY_SEPARATOR between
 * them, which then stands between their values, too. */
enum { STORE_BY_SEPARATOR = 0x1f };
int store_series(struct store *s, const struct store_query *q, int64_t step, const char *by, struct store_series *out,
                 struct store_result *r, struct error *e);
void store_series_deinit(struct store_series *s);
void store_result_deinit(struct store_result *r);

#endif
