/* The store: it takes recordings, and returns profiles for a time range and labels. A store is one directory, which one process uses.
 *
 *     catalogue.db                    the list of everything in the store (catalogue.h)
 *     catalogue.db.copy               a copy of it, made about once an hour (copy.c)
 *     incoming/                       recordings that are being received
 *     recordings/XX/IDENTITY          recordings as they were sent (envelope.h); everything else can be made from them
 *     segments/DICTIONARY/dictionary  a dictionary (dictionary.h), and beside it its
 *     segments/DICTIONARY/NUMBER.seg  segments (segment.h), each of one type, and of one recording or of several that were merged (merge.c)
 *     segments/DICTIONARY/NUMBER.roll roll-ups (rollup.h): sums of their rows by hour or for the day
 *     quarantine/                     files that were found damaged
 *     cold, cold-cache/               if recordings become objects elsewhere: whose, and those that were fetched (cold.h)
 *     rounded                         if rows may have rounded weights: since when, in seconds
 *     clickhouse                      if there is no .seg and no .roll: the number of the store in ClickHouse (rows_clickhouse.c)
 *
 * A recording is part of the store once it is under recordings/ and in the catalog. Its rows are then sealed into segments, one part for
 * each type and day. Parts that are unsealed after a crash, or that are found damaged, are sealed again from the recording. Therefore
 * segments need not be synced.
 *
 * Any thread may call these functions, unless noted otherwise. */
#ifndef CANDOR_STORE_STORE_H
#define CANDOR_STORE_STORE_H

#include "profile/figures/method_sums.h"
#include "profile/profile.h"
#include "profile/prune.h"
#include "store/books.h"
#include "store/catalogue/catalogue.h"
#include "store/files/recall.h"
#include "store/missing.h"
#include "store/selector.h"

#include <stdatomic.h>

struct store;
struct store_result;

enum { STORE_LEFT_OUT = 400 };

/* The content of one recording: a profile for each type that it measures. */
struct store_profiles {
    struct profile list[CATALOGUE_CONTENTS_MAX];
    uint32_t count;
    bool shares; /* the samples of all profiles refer to the stacks of `recalled`; otherwise each profile has its own */
    struct recalled *recalled;
    struct recall *recall;      /* NULL, or who has `recalled`, for */
    const char *service;        /* the recording's service; borrowed */
    struct key_minute *minutes; /* its key metrics, sorted by minute, each minute once; from malloc */
    uint32_t minute_count;
    char left_out[STORE_LEFT_OUT]; /* other content that is not kept, as a text for people; "" = nothing */
};
/* Adds an empty, initialized profile, and returns it. Returns NULL if there is no memory, or no room. */
struct profile *store_profiles_add(struct store_profiles *of);
/* Sets `recalled`, for stacks that the profiles share. Set `shares` when they are complete. Returns 0 or -ENOMEM. */
int store_profiles_share(struct store_profiles *of);
void store_profiles_deinit(struct store_profiles *of);
/* Names the type of the profile's weights, for example "cpu:ns". Returns out. */
const char *store_type_of(const struct profile *p, char out[CATALOGUE_TYPE_MAX]);

/* Returns the bytes of memory of the dictionaries that are in memory. */
uint64_t store_dictionaries_bytes(struct store *s);
/* Returns the bytes of memory of what is remembered of services' stacks. */
uint64_t store_recall_bytes(struct store *s);

struct store_limits {
    uint64_t retain_s;       /* how long samples are kept */
    uint64_t retain_raw_s;   /* how long recordings are kept as they were sent; 0 = as long as samples */
    uint64_t retain_hours_s; /* how long the sums of samples by hour are kept; 0 = none are made, by hour or by day */
    uint64_t retain_days_s;  /* how long the sums of samples by day are kept */
    uint64_t max_disk;       /* limit for all files, in bytes; for this and the next two, 0 = no limit */
    uint64_t max_raw;        /* limit for recordings as they were sent */
    uint64_t max_service;    /* limit for all files of one service */
    uint64_t memory;         /* limit for the dictionaries that no query and no recording uses at the moment, in bytes */
};

/* When roll-ups are made. In seconds; zeros = defaults that suit a fleet, negative = none. */
struct store_rollup_rule {
    int64_t late_s;  /* an hour is over when this much more time has passed */
    int64_t again_s; /* how often a roll-up for which parts come late is made again */
};

struct store_options {
    const char *path;
    struct store_limits limits; /* those of the start; store_set_limits changes them */
    /* Adds the profiles of a recording, at least one. Each profile after the first has samples, and no two have the same type. Returns 0,
     * or a code with a message in e, which store_add returns. The profiles that it has added before a failure are complete. */
    int (*load)(struct store_profiles *to, const struct envelope *v, struct error *e);
    uint64_t single_rows;              /* a profile with more rows has them added up; 0 = STORE_ROWS_MAX */
    struct catalogue_merge_rule merge; /* zeros = defaults that suit a fleet */
    struct store_rollup_rule rollup;
    bool round_weights;     /* rows get rounded weights (segment_round); the sum of each recording stays exact */
    const char *clickhouse; /* NULL = rows are in files; otherwise "http://HOST:PORT/DATABASE" of ClickHouse, or https */
    const char *clickhouse_user, *clickhouse_password_file, *clickhouse_ca; /* NULL = the user `default`, none, the system's */
    const char *cold; /* NULL = recordings stay in files; otherwise "s3://BUCKET/PREFIX", where they become objects (cold.h) */
    const char *s3_endpoint, *s3_region, *s3_credentials, *s3_ca; /* as in struct s3_options */
    uint64_t cold_after_ns;                                       /* how long after it was received a recording becomes an object */
    uint64_t cold_cache;         /* limit for objects that were fetched, in bytes; it is not part of max_disk */
    bool cold_take_over;         /* use objects that another store has made */
    uint64_t clickhouse_wait_ns; /* how long rows may wait for others, to be written with them; 0 = 1 s */
    uint64_t reread_wait_ns;     /* how long store_open may read recordings again, before others go on with it; 0 = until all are read */
    const atomic_bool *stop;     /* NULL, or a flag; once it is set, queries and maintenance end soon */
    /* Reports one line to the operator. */
    void (*tell)(const char *text);
};

/* Opens the directory, or makes it, and repairs what a crash has left. If the catalog was lost, the recordings are read again; see
 * reread_wait_ns, and store_note_unread for what answers say meanwhile. Returns 0, or a code with a message in e; -EBUSY if another process
 * uses the store. */
int store_open(struct store **out, const struct store_options *o, struct error *e);
void store_close(struct store *s);
/* Starts the threads that make objects of recordings, if the options name a place for these; store_close ends them. */
int store_start_moving(struct store *s, struct error *e);

/* Begins a new recording. Add its bytes with envelope_put, and end it with store_add or envelope_abandon. */
int store_begin(struct store *s, struct envelope_writer *w, struct error *e);
/* store_add adds the recording that was written, with this identity, unless the store already has a recording with this identity or key
 * (then it is a duplicate). It returns 0, or a code with a message in e:
 *   -EINVAL           the recording cannot be read    -EPROTONOSUPPORT   its format is unknown
 *   -ERANGE           its times are not kept          -EFBIG             it is too large when it is unpacked, or has too many samples
 *   -ENOSPC, -EROFS, -EIO, -ENOMEM                    it cannot be stored now
 * It ends the writer in each case. */
struct store_added {
    uint64_t id;
    bool duplicate;
    char left_out[STORE_LEFT_OUT]; /* that of store_profiles; "" for a duplicate */
};
int store_add(struct store *s, struct envelope_writer *w, const struct envelope_note *note, const uint8_t identity[ENVELOPE_IDENTITY],
              struct store_added *out, struct error *e);
/* Seals unsealed parts, deletes data that is too old or exceeds a limit, and merges small segments for a second or two. Call it every few
 * seconds, from one thread at a time; sooner if it returns true: then there is more to merge. */
bool store_maintain(struct store *s);
/* Checks that the catalog can be read and synced, and that the disk takes a file. Returns 0, or a code with a message in e that names no
 * path. */
int store_check_ready(struct store *s, struct error *e);
/* Changes the limits. Call it from the thread that calls store_maintain, which applies them. */
void store_set_limits(struct store *s, const struct store_limits *l);

/* What was deleted since the store was opened, by reason. In this order: because of its age, because of the limit for recordings as they
 * were sent, because of the limit for a service, because of the limit for the disk. */
enum store_why { DELETED_AGE, DELETED_RAW, DELETED_QUOTA, DELETED_DISK, DELETED_REASONS };
struct store_deleted {
    uint64_t days[DELETED_REASONS];                                  /* days of samples, summed over services */
    uint64_t raw_files[DELETED_REASONS], raw_bytes[DELETED_REASONS]; /* files of recordings whose samples stay */
    uint64_t evidence; /* recordings that were evidence of open findings, or kept for an alert */
};
struct store_deleted store_deleted(struct store *s);

/* What became of recordings as objects since the store was opened. */
struct store_moves {
    uint64_t moved, moved_bytes;     /* made */
    uint64_t fetched, fetched_bytes; /* read again */
    uint64_t hits;                   /* found among those that were read before */
    uint64_t removed, failed;        /* failed: requests, after all tries */
};
/* Returns false if there is no place for objects. */
bool store_moves(const struct store *s, struct store_moves *out);

/* Opens a recording as it was sent. Returns -ENOENT if it no longer exists, and -EHOSTUNREACH if it is an object that cannot be fetched
 * now. The caller ends with envelope_close. */
int store_recording(struct store *s, uint64_t id, struct envelope *v, struct error *e);
/* Reads the content of a recording. Each profile has its own stacks: `shares` is false. Samples without a time get the one that their rows
 * have. Returns 0, or what store_options.load returns. The caller ends with store_profiles_deinit. */
int store_recording_profiles(const struct store *s, const struct envelope *v, struct store_profiles *out, struct error *e);
/* Writes the path of the file of a recording, which exists until the recording is deleted or becomes an object. Returns out. */
char *store_recording_file(const struct store *s, const uint8_t identity[ENVELOPE_IDENTITY], char out[DISK_PATH_MAX]);
struct catalogue *store_catalogue(struct store *s);
/* Reads every byte of all segments with rows before `to`. Puts damaged segments aside, and names them in the result. Returns 0 or a
 * code. */
int store_check(struct store *s, int64_t to, struct store_result *r, struct error *e);
/* Makes a consistent copy of the store in a new directory: copies the catalog by SQLite's backup, and other files by hard links, or as
 * copies on another file system. */
int store_backup(struct store *s, const char *path, struct error *e);
/* Makes a store of a backup, in a directory that does not exist yet, or is empty. The backup stays as it is. If it is interrupted, there is
 * no such directory. Returns 0, or a code with a message in e. */
int store_restore(const char *backup, const char *path, struct error *e);
/* Whether the rows of the store in this directory are in ClickHouse. */
bool store_is_in_clickhouse(const char *path);
/* Copies the store of the options, which nobody else uses, to a directory as store_restore makes it. Its rows are in ClickHouse if those
 * of the store are in files, and in files if they are there: the options name ClickHouse in both cases. The store stays as it is.
 * *damaged: how many of its segments and roll-ups are damaged; each is told. progress: NULL, or called for each segment. Returns 0, or a
 * code with a message in e; then neither the directory nor its rows are left. */
typedef void store_copy_progress(uint64_t done, uint64_t all);
int store_copy(const struct store_options *o, const char *to, store_copy_progress *progress, uint64_t *damaged, struct error *e);

/* Copies the recordings that are objects, of the store of the options, which nobody else uses: to another place, "s3://BUCKET/PREFIX" with
 * the same service, which the store then has instead; or, if `to` is STORE_COLD_DISK, back to files. It may be interrupted, and goes on
 * when it is called again. The former objects stay. */
#define STORE_COLD_DISK "disk"
struct store_cold_copied {
    uint64_t copied, bytes, present; /* present: were there already */
    uint64_t damaged;                /* missing or damaged where they should be; each is told, and the recording stays known */
};
/* Returns 0, or a code with a message in e; then the store has its former place. */
int store_copy_cold(const struct store_options *o, const char *to, store_copy_progress *progress, struct store_cold_copied *out,
                    struct error *e);

/* ---- queries ---- */

struct store_query {
    const struct selector *selector;
    int64_t from, to;  /* seconds since the epoch; `to` is excluded */
    const char *type;  /* the type of weights; NULL = CPU time if there is any, otherwise the type of most recordings; "" = any type */
    uint64_t until_ns; /* when the query is abandoned, on the monotonic clock; 0 = never */
    bool (*is_gone)(void *client); /* NULL, or a function: whether the answer is not wanted any more */
    void *client;
    bool books;                 /* whether the result must have the sum of the books */
    bool labels;                /* for profiles: whether samples must have their labels; without it, they have none */
    uint32_t keep;              /* for profiles: how many of the heaviest nodes of the call tree stay, as in profile_prune; 0 = all */
    const uint64_t *recordings; /* only these recordings, if recording_count is not 0; no order */
    uint32_t recording_count;
};

struct store_result {
    char type[CATALOGUE_TYPE_MAX]; /* "" = no data was found */
    uint64_t recordings;
    int64_t from, to;           /* seconds within the query's time that the recordings cover; `to` is excluded; equal = none */
    uint64_t weight;            /* of all selected rows that could be read */
    struct store_books books;   /* of the selected recordings, if the query asks for them */
    struct method_sum *methods; /* if the query has `keep`: sums over all selected rows, even pruned ones; in no order */
    uint32_t method_count;
    struct pruned pruned;   /* what was left out because of `keep` */
    struct missing missing; /* received data that the answer lacks */
    struct store_coarse {   /* times whose samples are deleted: of these, sums are left, by hour (first) and by day (second) */
        int64_t from, to;   /* in seconds; `to` is excluded; equal = none */
    } coarse[2];
    struct buffer unreadable; /* one line for each segment that could not be read */
};

/* Whether to give the query up. Returns 0 if not. Otherwise returns -ECANCELED, -ETIMEDOUT, or -EPIPE (the client is gone), with a message
 * in e. */
int store_is_over(const struct store *s, const struct store_query *q, struct error *e);
/* Makes a catalogue_patience that gives up when store_is_over does. `of` must exist as long as the result is used. */
struct store_asking {
    const struct store *store;
    const struct store_query *query;
};
struct catalogue_patience store_patience(struct store_asking *of);
/* Says how many recordings wait elsewhere for this store: acknowledged since then (in monotonic time), but not added yet. Answers lack
 * them, and say so. Any thread may call it. */
void store_note_waiting(struct store *s, uint64_t recordings, uint64_t since_ns);
/* Whether some of them may wait for longer than on their usual way: a minute. */
bool store_waits_long(const struct store *s);
/* Adds recordings that are not in the store yet: those that are still to be read again, because the catalog was lost, and those that wait
 * elsewhere. Call it before you read the catalog. */
void store_note_unread(const struct store *s, const struct store_query *q, struct missing *m);
/* Adds deleted data that the query selects to m. Of the labels of deleted data, only the service is still known. Returns 0 or a code. */
int store_forgotten(struct store *s, const struct store_query *q, struct missing *m, struct error *e);
/* Does the same, and also adds data that are left only as sums by hour or day: for answers that need the recordings. */
int store_forgotten_recordings(struct store *s, const struct store_query *q, struct missing *m, struct error *e);

/* Puts all selected rows into one profile, which must be empty and initialized. If there are more than store_options.single_rows, adds the
 * rows up over time and threads, and, unless q->labels, over labels. */
enum { STORE_ROWS_MAX = 1 << 20 };
int store_profile(struct store *s, const struct store_query *q, struct profile *p, struct store_result *r, struct error *e);

struct store_point {
    uint32_t series; /* place in `values` */
    int64_t step;
    uint64_t weight;
};
struct store_series {
    char **values;
    uint32_t value_count;
    struct store_point *points; /* sorted by series, then by step; steps without weight are left out */
    uint32_t point_count, point_cap;
};
/* Sums up weights by steps of `step` seconds from q->from, split by a label (NULL = not split). `by` may name several labels with
 * STORE_BY_SEPARATOR between them. Their values then have the same separator between them. A name means a label of samples if
 * selector_sample_label says so; rows whose labels are unknown have CONTEXT_UNKNOWN_VALUE. */
enum { STORE_BY_SEPARATOR = 0x1f };
int store_series(struct store *s, const struct store_query *q, int64_t step, const char *by, struct store_series *out,
                 struct store_result *r, struct error *e);
void store_series_deinit(struct store_series *s);

/* What one recording has in one step of time. */
struct store_value {
    uint32_t series; /* place in `values` */
    int64_t step;
    uint64_t recording, weight; /* the weight is not 0 */
};
struct store_values {
    char **values;
    uint32_t value_count;
    struct store_value *list; /* sorted by series, then by step, then by recording */
    uint32_t count, cap;
};
/* Sums up weights as store_series does, but for each recording alone. So what the recordings of a step have adds up to its point there.
 * Returns -E2BIG beyond STORE_VALUES_MAX. */
enum { STORE_VALUES_MAX = 1 << 21 };
int store_values(struct store *s, const struct store_query *q, int64_t step, const char *by, struct store_values *out,
                 struct store_result *r, struct error *e);
void store_values_deinit(struct store_values *v);

/* The weight of one value of a label in one step of time, for the stacks of one dictionary. */
struct store_split_sum {
    uint32_t stack;
    uint64_t weight, count;
    double squares; /* the sum of the squares of the single weights */
};
struct store_split_part {
    const char *value;
    uint32_t step;
    uint32_t dictionary;         /* calls in a row with this number have the same `names`, with the same ids; others may be added between */
    const struct profile *names; /* from the dictionary; locked, and to be read, only during the call */
    const struct store_split_sum *sums;
    uint32_t count;
};
struct store_split {
    const char *by;      /* as of store_series */
    uint32_t few, steps; /* if recordings have fewer values of the first label than `few`, time is also split, into `steps` equal steps */
    int (*visit)(void *context, const struct store_split_part *part); /* returns 0, or a code that ends the query */
    void *context;
    uint64_t seconds; /* set: the time that the recordings cover, summed up over all of them */
};
/* Visits all selected rows, added up by stack, for each dictionary, value and step. */
int store_split(struct store *s, const struct store_query *q, struct store_split *of, struct store_result *r, struct error *e);
void store_result_deinit(struct store_result *r);

#endif
