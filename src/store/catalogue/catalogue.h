/* Lists what the store contains, in SQLite: recordings with their labels and the types that they measure, the parts of recordings (by type
 * and day), segments and dictionaries.
 *
 *     recording   id, identity, key, service, labelset, received_ns, first, last, begun, ended, bytes, raw, flaws, measured (1 = it has
 *                 rows in metric; NULL = it was received by a version without key metrics), agent (the version of Candor's agent that
 *                 made it; NULL = unknown)
 *     type        id, name: "cpu:ns"
 *     content     recording, place (0 = the first) -> type, weight, samples
 *     part        recording, type, day -> segment (NULL = not sealed yet, -1 = lost), rows, weight, first, last
 *     segment     id, dictionary, rows, bytes, bad (the reason, or NULL if it is good), small (it may be merged with others)
 *     dictionary  id, service, day, bytes, closed
 *     label       labelset, name, value: one label of a set
 *     usage       service -> recordings, raw_bytes, segments, segment_bytes, dictionary_bytes, pending, lost, bad, rollup_bytes,
 *                 cold_recordings, cold_bytes: sums over the other tables, which triggers keep current
 *     going       identity: recordings that are forgotten, while their files are removed
 *     cold_going  identity: objects to remove (catalogue_cold.h, which also has recording.cold)
 *     rollup, rollup_file, rolled, rolled_book   sums of rows by hour and day (catalogue_rollup.h)
 *     book        minute, recording -> what each account of the recording's books gained in that minute (catalogue_books.c)
 *     account     id, name: an account, and its reason, if it has one, after a blank
 *     finding, waiting, judging      what rules found in recordings (catalogue_findings.h)
 *     kept        recording -> service, rule, until: recordings that alerts keep (catalogue_keep.h)
 *     metric      id, hour, service, labelset, minutes: the key metrics by minute, of the label set's recordings (catalogue_metrics.c)
 *     forgotten   service, day, type, why -> parts, rows, weight, first, last: what was deleted, so that answers can report it
 *
 * first and last are times of samples, in seconds since the epoch; both are included. A day is seconds / 86400. A part is what a recording
 * has of one type and day; it is the unit of sealing. Every function is one transaction, which is on the disk when the function returns
 * (WAL, synchronous=FULL), and any thread may call it. Functions return 0, or a negative code with a message in e: -EROFS, -ENOSPC or -EIO
 * if the disk is at fault, -EBADMSG if the file is damaged. */
#ifndef CANDOR_STORE_CATALOGUE_CATALOGUE_H
#define CANDOR_STORE_CATALOGUE_CATALOGUE_H

#include "base/agreed/key_metrics.h"
#include "base/error.h"
#include "store/files/envelope.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct catalogue;

enum { CATALOGUE_TYPE_MAX = 128, CATALOGUE_CONTENTS_MAX = 16, CATALOGUE_AGENT_MAX = 32 };

/* One type that a recording measures. */
struct catalogue_content {
    char type[CATALOGUE_TYPE_MAX];
    uint64_t weight, samples;
};

struct catalogue_part {
    int64_t day, first, last;
    uint32_t rows;
    uint32_t content; /* place of its type in the recording's contents */
    uint64_t weight;
};

/* What one line of a recording's books (base/agreed/accounts.h) gained in one minute. */
struct catalogue_book {
    int64_t minute; /* minutes since the epoch */
    const char *account, *reason;
    int64_t ns, count;
};

struct catalogue_recording {
    uint64_t id;
    uint8_t identity[ENVELOPE_IDENTITY];
    char key[ENVELOPE_KEY_MAX + 1];
    struct labels labels; /* owned */
    int64_t received_ns, first, last;
    int64_t begun,
        ended; /* seconds: the time that it covers, with samples or without; `ended` is excluded. Only catalogue_add reads them */
    uint64_t bytes;
    char agent[CATALOGUE_AGENT_MAX];    /* the version of Candor's agent; "" = another profiler's, or a catalog before version 14 had it */
    uint64_t flaws;                     /* places where the recording was damaged when it was received */
    bool raw;                           /* the file of the recording, as it was sent, still exists */
    const struct catalogue_book *books; /* borrowed; only catalogue_add reads them */
    uint32_t book_count;
    const struct key_minute *minutes; /* its key metrics, sorted by minute; borrowed; only catalogue_add reads them */
    uint32_t minute_count;
    uint32_t content_count;
    struct catalogue_content contents[CATALOGUE_CONTENTS_MAX];
};

/* The catalog calls is_over at intervals during a search or a backup. If is_over returns a code other than 0, with a message in e, the
 * search or backup ends. A caller may pass NULL instead of this struct; then nothing ends early. */
struct catalogue_patience {
    int (*is_over)(void *context, struct error *e);
    void *context;
};

int catalogue_open(struct catalogue **out, const char *path, struct error *e);
void catalogue_close(struct catalogue *c);
/* Writes a copy of the catalog, with its digest. Returns -EBADMSG if the catalog is found damaged; then the copy is, too. */
int catalogue_backup(struct catalogue *c, const char *path, const struct catalogue_patience *patience, struct error *e);

/* The recording with this identity, if there is one, was received before that time. */
int catalogue_received_before(struct catalogue *c, const uint8_t identity[ENVELOPE_IDENTITY], int64_t ns, struct error *e);
/* Finds the recording with this identity or this key, and sets *id. *id = 0 if there is none. */
int catalogue_find(struct catalogue *c, const uint8_t identity[ENVELOPE_IDENTITY], const char *key, uint64_t *id, struct error *e);
/* Adds a recording, and sets r->id. Its books must be sorted by minute. After 0 it is on the disk; recordings that several threads add at
 * the same time share a sync. Returns -EEXIST if there is a recording with its identity or key already. */
int catalogue_add(struct catalogue *c, struct catalogue_recording *r, const struct catalogue_part *parts, uint32_t n, struct error *e);
/* Waits until each recording that catalogue_find can find is on the disk. */
int catalogue_sync(struct catalogue *c, struct error *e);
int catalogue_get(struct catalogue *c, uint64_t id, struct catalogue_recording *r, bool *found, struct error *e);
void catalogue_recording_deinit(struct catalogue_recording *r);

/* Finds the dictionary for new rows of the service and day. Adds one if necessary. Neither this nor catalogue_seal waits for the disk: if
 * the host fails, it may be forgotten, and the parts are pending again. */
int catalogue_dictionary(struct catalogue *c, const char *service, int64_t day, uint32_t *id, struct error *e);
/* Closes a dictionary. From then on, rows are added to a new one. */
int catalogue_close_dictionary(struct catalogue *c, uint32_t id, struct error *e);
/* Returns the highest number of a segment, and the highest id of a recording, so far. */
int catalogue_last_ids(struct catalogue *c, uint64_t *segment, uint64_t *recording, struct error *e);
/* From now on, dictionaries and recordings get ids above these. */
int catalogue_skip_ids(struct catalogue *c, uint64_t dictionary, uint64_t recording, struct error *e);

struct catalogue_segment {
    uint64_t id, bytes, dictionary_bytes, recording;
    uint32_t dictionary, rows;
    int64_t day;
    const char *type; /* type of the part */
};
/* Records that the segment exists and contains the recording's part of that type and day. Returns -EALREADY if another segment contains
 * that part. */
int catalogue_seal(struct catalogue *c, const struct catalogue_segment *segment, struct error *e);
/* Records that the segment is bad. Its parts must be sealed again if their recording still exists; the other parts are lost. */
int catalogue_segment_bad(struct catalogue *c, uint64_t segment, const char *why, struct error *e);

/* A set of small segments that are merged into one. They have the same dictionary and type, and are sorted by label set. A segment with
 * more than CATALOGUE_SMALL_ROWS rows is never merged. */
#define CATALOGUE_SMALL_ROWS 262144
enum { CATALOGUE_MERGE_MAX = 256 };
struct catalogue_merge {
    uint32_t dictionary, count;
    uint64_t segments[CATALOGUE_MERGE_MAX];
};
struct catalogue_merge_rule {
    uint32_t same; /* merge this many segments with the same label set */
    uint32_t all;  /* otherwise, merge this many segments of a dictionary with any label sets */
    int64_t ended; /* merge as few as two segments if their dictionary's day is before this one */
    uint64_t rows; /* the most rows that a merged segment may have */
};
/* Finds the next set of segments to merge, of this dictionary or a later one. m->count = 0 if there is none. It looks at each small segment
 * until then, so a caller with many sets goes on where the last one was. */
int catalogue_mergeable(struct catalogue *c, const struct catalogue_merge_rule *rule, uint32_t from, struct catalogue_merge *m,
                        struct error *e);
/* Replaces the set by the segment `to`, which contains all `parts` parts of the set. Returns -EAGAIN, and changes nothing, if the segments
 * have changed since the set was chosen. */
int catalogue_merged(struct catalogue *c, const struct catalogue_merge *m, const struct catalogue_segment *to, uint64_t parts,
                     struct error *e);
/* Records that this set must not be merged. */
int catalogue_leave(struct catalogue *c, const struct catalogue_merge *m, struct error *e);
/* Visits the good segments of a dictionary. *known: whether the dictionary exists. */
typedef int catalogue_visit_segment(void *context, uint64_t segment);
int catalogue_segments(struct catalogue *c, uint32_t dictionary, bool *known, catalogue_visit_segment *visit, void *context,
                       struct error *e);
/* Visits the good segments of all dictionaries. */
typedef int catalogue_visit_any_segment(void *context, uint32_t dictionary, uint64_t segment);
int catalogue_each_segment(struct catalogue *c, catalogue_visit_any_segment *visit, void *context, struct error *e);

struct catalogue_pending {
    uint64_t recording;
    uint8_t identity[ENVELOPE_IDENTITY];
};
/* Lists at most `max` recordings that have unsealed parts, the oldest first. Begins after the recording `after`. */
int catalogue_pending(struct catalogue *c, uint64_t after, struct catalogue_pending *list, uint32_t max, uint32_t *n, struct error *e);
typedef int catalogue_visit_part(void *context, const char *type, int64_t day);
/* Calls visit for each unsealed part of the recording. */
int catalogue_pending_parts(struct catalogue *c, uint64_t recording, catalogue_visit_part *visit, void *context, struct error *e);
/* Records that parts of a recording are lost. Such parts can no longer be sealed, because the recording is gone or damaged. type NULL = all
 * types and days. */
int catalogue_lose(struct catalogue *c, uint64_t recording, const char *type, int64_t day, struct error *e);

/* The functions from here on read with separate connections. Therefore no other function waits for them, even if a visitor takes long. They
 * call the visitor for each row, in order. If the visitor returns a value other than 0, they end and return that value. */

enum catalogue_part_state { PART_SEALED, PART_UNSEALED, PART_LOST };
struct catalogue_hit { /* one part */
    enum catalogue_part_state state;
    uint64_t recording, segment, rows, weight, flaws; /* segment: its id, if the part is sealed; flaws: those of the recording */
    uint32_t dictionary;
    int64_t first, last, begun, ended; /* first, last: of the part; begun, ended: of its recording */
    uint64_t labelset, service;
    int64_t day, type_id;
    const char *type;
};
typedef int catalogue_visit_hit(void *context, const struct catalogue_hit *hit);
/* Visits the books of recordings for the minutes that overlap [from, to), and, where rows are deleted, for the hours within it. The visitor
 * gets one line at a time. All lines of one recording and minute come one after the other. */
struct catalogue_book_hit {
    uint64_t recording;
    uint64_t recordings; /* 0 = it is of this recording; otherwise it is the sum over the line's hour of so many whose rows are deleted */
    unsigned mark;       /* of the line's account */
    struct catalogue_book line;
};
struct catalogue_book_visitor {
    bool (*selects)(void *context, uint64_t labelset);    /* whether lines of a recording with these labels are to be read */
    unsigned (*mark)(void *context, const char *account); /* asked once for each account; 0 = its lines are left out */
    int (*visit)(void *context, const struct catalogue_book_hit *hit);
    void *context;
};
int catalogue_books(struct catalogue *c, int64_t from, int64_t to, const struct catalogue_patience *patience,
                    const struct catalogue_book_visitor *visitor, struct error *e);
/* Visits the key metrics of recordings for the minutes in [from, to), which are minutes since the epoch, not seconds. The order is by hour,
 * then by labelset, then by the time at which the recordings were added. */
struct catalogue_metric_hit {
    uint64_t recording, labelset;
    struct key_minute minute; /* `known` has wanted metrics only; the other amounts are undefined */
};
struct catalogue_metric_visitor {
    bool (*selects)(void *context, uint64_t labelset); /* whether recordings with these labels are to be read */
    int (*visit)(void *context, const struct catalogue_metric_hit *hit);
    void *context;
    uint64_t wanted; /* bits 1 << enum key_metric */
};
int catalogue_metrics(struct catalogue *c, int64_t from, int64_t to, const struct catalogue_patience *patience,
                      const struct catalogue_metric_visitor *visitor, struct error *e);
/* Visits the label sets of recordings with rows in [from, to) that have no key metrics, with the number of these recordings. */
typedef int catalogue_visit_unmeasured(void *context, uint64_t labelset, uint64_t recordings);
int catalogue_unmeasured(struct catalogue *c, int64_t from, int64_t to, const struct catalogue_patience *patience,
                         catalogue_visit_unmeasured *visit, void *context, struct error *e);
/* The data of [from, to) that were deleted: by service, day, type and reason. */
enum catalogue_why { FORGOTTEN_RETAIN, FORGOTTEN_DISK, FORGOTTEN_QUOTA, FORGOTTEN_REBUILT };
struct catalogue_forgotten {
    const char *service, *type;
    enum catalogue_why why;
    uint64_t parts, rows, weight;
};
typedef int catalogue_visit_forgotten(void *context, const struct catalogue_forgotten *f);
int catalogue_forgotten(struct catalogue *c, int64_t from, int64_t to, const struct catalogue_patience *patience,
                        catalogue_visit_forgotten *visit, void *context, struct error *e);
/* An earlier catalog had this many recordings with rows of that day, all received before before_ns. The recordings that this catalog lacks
 * are forgotten. *missing: how many. A further call for the same day replaces the number. */
int catalogue_note_rebuilt(struct catalogue *c, int64_t day, uint64_t recordings, int64_t before_ns, uint64_t *missing, struct error *e);
typedef int catalogue_visit_recording(void *context, const struct catalogue_recording *r);
/* Visits the recordings that have rows in [from, to), the latest received first. */
int catalogue_recordings(struct catalogue *c, int64_t from, int64_t to, const struct catalogue_patience *patience,
                         catalogue_visit_recording *visit, void *context, struct error *e);
typedef int catalogue_visit_stream(void *context, uint64_t labelset, const char *type);
/* Visits the label sets of recordings that have rows in [from, to), with each type that these recordings measure. The order is by
 * labelset. */
int catalogue_streams(struct catalogue *c, int64_t from, int64_t to, const struct catalogue_patience *patience,
                      catalogue_visit_stream *visit, void *context, struct error *e);
typedef int catalogue_visit_label(void *context, uint64_t labelset, const char *name, const char *value);
/* Visits all label sets that recordings have, ordered by labelset. */
int catalogue_labels(struct catalogue *c, const struct catalogue_patience *patience, catalogue_visit_label *visit, void *context,
                     struct error *e);

struct catalogue_sums {
    uint64_t recordings, recording_bytes, segments, segment_bytes, dictionary_bytes, rollup_bytes, pending, lost, bad;
    uint64_t cold_recordings, cold_bytes, cold_going; /* recordings elsewhere, which recording_bytes lacks; objects to remove */
    int64_t oldest_day, newest_day;                   /* 0 = there is no such day */
};
/* Returns the sums, which the catalog updates whenever data is added or deleted. */
int catalogue_sums(struct catalogue *c, struct catalogue_sums *sums, struct error *e);

/* The data that one service has in the store. */
struct catalogue_usage {
    uint64_t service;
    const char *name;
    uint64_t recordings, raw_bytes, segment_bytes, dictionary_bytes, rollup_bytes;
    uint64_t cold_bytes;               /* of recordings elsewhere, which raw_bytes lacks */
    int64_t oldest_day;                /* the oldest day with rows of the service; INT64_MAX = none */
    int64_t oldest_hours, oldest_days; /* the oldest day with a roll-up of the service by hour, and for the day; INT64_MAX = none */
};
typedef int catalogue_visit_usage(void *context, const struct catalogue_usage *u);
/* Visits the services that have data, the largest first. */
int catalogue_usage(struct catalogue *c, catalogue_visit_usage *visit, void *context, struct error *e);

/* Files to remove from the disk. */
struct catalogue_dropped {
    struct catalogue_dropped_file {
        uint32_t dictionary;
        uint64_t number;
        bool rollup; /* otherwise it is a segment */
    } * files;       /* in the folders of dictionaries that stay */
    uint32_t file_count, file_cap;
    uint32_t day_count;     /* dictionaries whose rows are gone */
    uint32_t *dictionaries; /* whose folders go */
    uint8_t (*identities)[ENVELOPE_IDENTITY];
    uint32_t dictionary_count, dictionary_cap, identity_count, identity_cap;
    uint64_t raw_bytes;      /* the size of the recordings' files in this list */
    uint32_t evidence_count; /* recordings in this list that are evidence of open findings, or that alerts keep */
};
/* Forgets all rows of one service for days before `day`, sealed or not. Also forgets recordings without any part left. Roll-ups that
 * have the whole day stay; of what none has, records the reason. The caller removes the files from the disk, and frees the lists in
 * *dropped. */
int catalogue_drop_before(struct catalogue *c, uint64_t service, int64_t day, enum catalogue_why why, struct catalogue_dropped *dropped,
                          struct error *e);
/* Visits the recordings that catalogue_drop_before has forgotten after the last catalogue_gone. After a crash, the files of some may still
 * be there. */
typedef int catalogue_visit_going(void *context, const uint8_t identity[ENVELOPE_IDENTITY]);
int catalogue_going(struct catalogue *c, catalogue_visit_going *visit, void *context, struct error *e);
/* Records that the files of all these are removed. */
int catalogue_gone(struct catalogue *c, struct error *e);
/* Forgets the raw files of the oldest recordings of a service (0 = of all services) that ended before the second `before`. Stops when these
 * files have `bytes` bytes together, or are CATALOGUE_DROP_MAX. With before = INT64_MAX, those whose files are elsewhere
 * (catalogue_cold.h) stay, because they take no disk. A recording with an unsealed part keeps its file, and, if
 * spares_evidence is set, one that is evidence of an open finding or that an alert keeps. */
enum { CATALOGUE_DROP_MAX = 4096 };
int catalogue_drop_raw(struct catalogue *c, uint64_t service, int64_t before, uint64_t bytes, bool spares_evidence,
                       struct catalogue_dropped *dropped, struct error *e);
void catalogue_dropped_deinit(struct catalogue_dropped *dropped);

#endif
