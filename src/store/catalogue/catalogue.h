/* The content of the store, in SQLite: recordings with their labels, what they measure, their parts by type and day, segments,
 * dictionaries.
 *
 *     recording   id, identity, key, service, labelset, received_ns, first, last, begun, ended, bytes, raw, flaws
 *     type        id, name: "cpu:ns"
 *     content     recording, place (0 = the first) -> type, weight, samples
 *     part        recording, type, day -> segment (NULL = not sealed yet, -1 = lost), rows, weight, first, last
 *     segment     id, dictionary, rows, bytes, bad (why, else NULL), small (to be merged with others)
 *     dictionary  id, service, day, bytes, closed
 *     label       labelset, name, value
 *     usage       service -> recordings, raw_bytes, segments, segment_bytes, dictionary_bytes, pending, lost, bad: sums over the
 *                 other tables, which triggers keep current
 *     book        minute, recording -> what each account of the recording's books gained in that minute (catalogue_books.c)
 *     account     id, name: an account, and its reason, if it has one, after a blank
 *     forgotten   service, day, type, why -> parts, rows, weight, first, last: what was deleted, so that answers can say so
 *
 * first and last are seconds since the epoch, both included, of samples; a day is seconds / 86400. A part is the unit of sealing: what a
 * recording has of one type and day. Every function is one transaction, on the disk when it returns (WAL, synchronous=FULL), and may be
 * called by any thread. They return 0 or a negative code with its line; -EROFS, -ENOSPC, -EIO where the disk is at fault, -EBADMSG where
 * the file is. */
#ifndef CANDOR_STORE_CATALOGUE_CATALOGUE_H
#define CANDOR_STORE_CATALOGUE_CATALOGUE_H

#include "base/error.h"
#include "store/files/envelope.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct catalogue;

enum { CATALOGUE_TYPE_MAX = 128, CATALOGUE_CONTENTS_MAX = 16 };

/* One of the types that a recording measures. */
struct catalogue_content {
    char type[CATALOGUE_TYPE_MAX];
    uint64_t weight, samples;
};

struct catalogue_part {
    int64_t day, first, last;
    uint32_t rows;
    uint32_t content; /* its place among those of the recording */
    uint64_t weight;
};

/* What a line of a recording's books (base/agreed/accounts.h) gained in one minute. */
struct catalogue_book {
    int64_t minute; /* since the epoch */
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
    uint64_t flaws;                     /* places where it was damaged when it came */
    bool raw;                           /* the recording itself is still there */
    const struct catalogue_book *books; /* borrowed; only catalogue_add reads them */
    uint32_t book_count;
    uint32_t content_count;
    struct catalogue_content contents[CATALOGUE_CONTENTS_MAX];
};

int catalogue_open(struct catalogue **out, const char *path, struct error *e);
void catalogue_close(struct catalogue *c);
int catalogue_backup(struct catalogue *c, const char *path, struct error *e);

/* The recording with this identity, or with this key; *id = 0 when there is none. */
int catalogue_find(struct catalogue *c, const uint8_t identity[ENVELOPE_IDENTITY], const char *key, uint64_t *id, struct error *e);
/* Sets r->id. Its books must be in the order of minutes. -EEXIST when its identity, or key, is there already. */
int catalogue_add(struct catalogue *c, struct catalogue_recording *r, const struct catalogue_part *parts, uint32_t n, struct error *e);
int catalogue_get(struct catalogue *c, uint64_t id, struct catalogue_recording *r, bool *found, struct error *e);
void catalogue_recording_deinit(struct catalogue_recording *r);

/* The dictionary to which the service's rows of a day are added. */
int catalogue_dictionary(struct catalogue *c, const char *service, int64_t day, uint32_t *id, struct error *e);
/* Closes a dictionary: rows are added to a new one from now on. */
int catalogue_close_dictionary(struct catalogue *c, uint32_t id, struct error *e);
/* The highest number of a segment, and of a recording, so far. */
int catalogue_last_ids(struct catalogue *c, uint64_t *segment, uint64_t *recording, struct error *e);

struct catalogue_segment {
    uint64_t id, bytes, dictionary_bytes, recording;
    uint32_t dictionary, rows;
    int64_t day;
    const char *type; /* of the part */
};
/* Notes that the segment exists, and contains the recording's part of that type and day. -EALREADY if another segment contains that
 * part. */
int catalogue_seal(struct catalogue *c, const struct catalogue_segment *segment, struct error *e);
/* Notes that the segment is bad. Its parts must be sealed again if their recording still exists; the others are lost. */
int catalogue_segment_bad(struct catalogue *c, uint64_t segment, const char *why, struct error *e);

/* A set of small segments to be merged into one. They have the same dictionary and type, and are in the order of their label sets. A
 * segment with more than CATALOGUE_SMALL_ROWS rows is never merged. */
#define CATALOGUE_SMALL_ROWS 262144
enum { CATALOGUE_MERGE_MAX = 256 };
struct catalogue_merge {
    uint32_t dictionary, count;
    uint64_t segments[CATALOGUE_MERGE_MAX];
};
struct catalogue_merge_rule {
    uint32_t same; /* so many of one label set */
    uint32_t all;  /* else so many of a dictionary, of whatever label set */
    int64_t ended; /* of dictionaries of days before this one every two */
    uint64_t rows; /* at most, together */
};
/* The next such set; count = 0: there is none. */
int catalogue_mergeable(struct catalogue *c, const struct catalogue_merge_rule *rule, struct catalogue_merge *m, struct error *e);
/* Replaces the set by the segment `to`, which contains their `parts` parts. -EAGAIN, and no change, if the segments have changed
 * since. */
int catalogue_merged(struct catalogue *c, const struct catalogue_merge *m, const struct catalogue_segment *to, uint64_t parts,
                     struct error *e);
/* Notes that this set must not be merged. */
int catalogue_leave(struct catalogue *c, const struct catalogue_merge *m, struct error *e);
/* The good segments of a dictionary; *known: there is such a dictionary. */
typedef int catalogue_visit_segment(void *context, uint64_t segment);
int catalogue_segments(struct catalogue *c, uint32_t dictionary, bool *known, catalogue_visit_segment *visit, void *context,
                       struct error *e);

struct catalogue_pending {
    uint64_t recording;
    uint8_t identity[ENVELOPE_IDENTITY];
};
/* At most `max` recordings with parts that are not sealed, the oldest first, after the recording `after`. */
int catalogue_pending(struct catalogue *c, uint64_t after, struct catalogue_pending *list, uint32_t max, uint32_t *n, struct error *e);
typedef int catalogue_visit_part(void *context, const char *type, int64_t day);
/* Calls visit for each part of the recording that is not sealed. */
int catalogue_pending_parts(struct catalogue *c, uint64_t recording, catalogue_visit_part *visit, void *context, struct error *e);
/* Notes that parts of a recording are lost: they cannot be sealed any more, because the recording is gone or damaged. type NULL = all
 * types and days. */
int catalogue_lose(struct catalogue *c, uint64_t recording, const char *type, int64_t day, struct error *e);

/* The functions from here on read with connections of their own, so nothing waits for them, however long a visitor takes. They call
 * the visitor for each row, in order. If it returns a value other than 0, they end with that result. */

/* is_over is called from time to time while the catalog is searched. If it returns a code other than 0, with a line in e, the search
 * ends. NULL instead of this struct: the search has no end of this kind. */
struct catalogue_patience {
    int (*is_over)(void *context, struct error *e);
    void *context;
};

enum catalogue_part_state { PART_SEALED, PART_UNSEALED, PART_LOST };
struct catalogue_hit { /* one part */
    enum catalogue_part_state state;
    uint64_t recording, segment, rows, weight, flaws; /* segment: of one that is sealed; flaws: of the recording */
    uint32_t dictionary;
    int64_t first, last, begun, ended; /* of the part; of its recording */
    uint64_t labelset;
    const char *type;
};
typedef int catalogue_visit_hit(void *context, const struct catalogue_hit *hit);
/* Parts that have rows in [from, to), in no order. */
int catalogue_hits(struct catalogue *c, int64_t from, int64_t to, const struct catalogue_patience *patience, catalogue_visit_hit *visit,
                   void *context, struct error *e);
/* The books of recordings for the minutes that are, in whole or in part, in [from, to): line by line, and together those of one recording
 * and minute. */
struct catalogue_book_hit {
    uint64_t recording;
    unsigned mark; /* of the line's account */
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
/* What of [from, to) was deleted: by service, day, type and reason. */
enum catalogue_why { FORGOTTEN_RETAIN, FORGOTTEN_DISK, FORGOTTEN_QUOTA, FORGOTTEN_REBUILT };
struct catalogue_forgotten {
    const char *service, *type;
    enum catalogue_why why;
    uint64_t parts, rows, weight;
};
typedef int catalogue_visit_forgotten(void *context, const struct catalogue_forgotten *f);
int catalogue_forgotten(struct catalogue *c, int64_t from, int64_t to, const struct catalogue_patience *patience,
                        catalogue_visit_forgotten *visit, void *context, struct error *e);
/* An earlier catalog had so many recordings with rows of that day: what this one does not have of them is forgotten. *missing: how many.
 * Called again for a day, it replaces the number. */
int catalogue_note_rebuilt(struct catalogue *c, int64_t day, uint64_t recordings, uint64_t *missing, struct error *e);
typedef int catalogue_visit_recording(void *context, const struct catalogue_recording *r);
/* Recordings that have rows in [from, to), the latest received first. */
int catalogue_recordings(struct catalogue *c, int64_t from, int64_t to, const struct catalogue_patience *patience,
                         catalogue_visit_recording *visit, void *context, struct error *e);
typedef int catalogue_visit_stream(void *context, uint64_t labelset, const char *type);
/* The label sets of recordings that have rows in [from, to), with each type that they measure, by labelset. */
int catalogue_streams(struct catalogue *c, int64_t from, int64_t to, const struct catalogue_patience *patience,
                      catalogue_visit_stream *visit, void *context, struct error *e);
typedef int catalogue_visit_label(void *context, uint64_t labelset, const char *name, const char *value);
/* All label sets that are used, by labelset. */
int catalogue_labels(struct catalogue *c, const struct catalogue_patience *patience, catalogue_visit_label *visit, void *context,
                     struct error *e);

struct catalogue_sums {
    uint64_t recordings, recording_bytes, segments, segment_bytes, dictionary_bytes, pending, lost, bad;
    int64_t oldest_day, newest_day; /* 0 = there is none */
};
/* The sums that the catalog maintains as data is added and deleted. */
int catalogue_sums(struct catalogue *c, struct catalogue_sums *sums, struct error *e);

/* What a service has. */
struct catalogue_usage {
    uint64_t service;
    const char *name;
    uint64_t recordings, raw_bytes, segment_bytes, dictionary_bytes;
    int64_t oldest_day; /* that it has rows of; INT64_MAX = none */
};
typedef int catalogue_visit_usage(void *context, const struct catalogue_usage *u);
/* Visits the services that have data, the largest first. */
int catalogue_usage(struct catalogue *c, catalogue_visit_usage *visit, void *context, struct error *e);

/* Files to remove from the disk. */
struct catalogue_dropped {
    uint32_t *dictionaries;
    uint8_t (*identities)[ENVELOPE_IDENTITY];
    uint32_t dictionary_count, dictionary_cap, identity_count, identity_cap;
    uint64_t raw_bytes; /* of files that are named here */
};
/* Forgets all data of one service of days before `day`, sealed or not, and recordings of which no part is left. It notes the reason. The
 * caller removes the files, and frees the lists in *dropped. */
int catalogue_drop_before(struct catalogue *c, uint64_t service, int64_t day, enum catalogue_why why, struct catalogue_dropped *dropped,
                          struct error *e);
/* Recordings of the service (0 = of all) that end before a second lose their raw file: the oldest ones, until these come to `bytes`, or are
 * CATALOGUE_DROP_MAX. One with a part that is not sealed keeps it. */
enum { CATALOGUE_DROP_MAX = 4096 };
int catalogue_drop_raw(struct catalogue *c, uint64_t service, int64_t before, uint64_t bytes, struct catalogue_dropped *dropped,
                       struct error *e);
void catalogue_dropped_deinit(struct catalogue_dropped *dropped);

#endif
