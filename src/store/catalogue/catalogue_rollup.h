/* What the catalog knows of roll-ups (store/rollup/rollup.h): one entry for each service, day, type and step, which a trigger adds with the
 * first part of a recording.
 *
 *     rollup       id, service, day, type, step (3600 or 86400), until (it covers the day's seconds before this one; 0 = it is not made),
 *                  stale (1 = a part came late, or a file is damaged: it is not used until it is made again), gone (1 = the rows that it
 *                  was made from are deleted), made (when), recordings, rows, weight (at most INT64_MAX), first, last (the time of its
 *                  recordings, in seconds since the epoch), summary
 *     rollup_file  rollup, dictionary -> number (in the file's name), rows, bytes
 *     rolled       labelset, rollup: which label sets it has
 *     rolled_book  hour, labelset -> service, lines: the books of deleted rows' recordings (catalogue_books.c)
 *
 * An entry with `gone` never becomes stale by a late part: such a part is not in it, and is read from its rows. */
#ifndef CANDOR_STORE_CATALOGUE_CATALOGUE_ROLLUP_H
#define CANDOR_STORE_CATALOGUE_CATALOGUE_ROLLUP_H

#include "store/catalogue/catalogue.h"

struct catalogue_rollup {
    uint64_t id, service;
    int64_t day, type;
    const char *type_name, *service_name; /* only catalogue_select sets them */
    uint32_t step, until;
    bool stale, gone;
    const void *summary; /* valid during the call */
    size_t summary_size;
};

/* Which roll-ups are due. */
struct catalogue_rollup_rule {
    int64_t day;    /* days before this one are over, and days after it have not begun */
    uint32_t until; /* of this day, the seconds before this one are over */
    int64_t again;  /* a stale roll-up is made again only if it was made before this second */
};
typedef int catalogue_visit_rollup(void *context, const struct catalogue_rollup *u);
/* Visits the roll-ups with this step that are due, the oldest day first. A roll-up of a day is due when that of its hours is complete. */
int catalogue_rollups_due(struct catalogue *c, uint32_t step, const struct catalogue_rollup_rule *rule, catalogue_visit_rollup *visit,
                          void *context, struct error *e);
/* Visits one roll-up. Returns -ENOENT if there is none, or if it is not complete and current. */
int catalogue_rollup_get(struct catalogue *c, uint64_t service, int64_t day, int64_t type, uint32_t step, catalogue_visit_rollup *visit,
                         void *context, struct error *e);

struct catalogue_rollup_file {
    uint32_t dictionary, rows;
    uint64_t number, bytes;
};
typedef int catalogue_visit_rollup_file(void *context, const struct catalogue_rollup_file *f);
int catalogue_rollup_files(struct catalogue *c, uint64_t rollup, catalogue_visit_rollup_file *visit, void *context, struct error *e);
/* Visits the files of all roll-ups in a dictionary's folder. */
int catalogue_rollup_files_in(struct catalogue *c, uint32_t dictionary, catalogue_visit_rollup_file *visit, void *context, struct error *e);
/* Visits the files of all roll-ups that are not stale. */
int catalogue_good_rollup_files(struct catalogue *c, catalogue_visit_rollup_file *visit, void *context, struct error *e);

struct catalogue_rollup_part {
    enum catalogue_part_state state;
    uint64_t recording, segment, rows, weight, labelset;
    uint32_t dictionary;
    bool flawed;
    int64_t first, last, begun, ended;       /* as in struct catalogue_hit */
    int64_t recording_first, recording_last; /* over all its types and days */
};
typedef int catalogue_visit_rollup_part(void *context, const struct catalogue_rollup_part *p);
/* Visits the parts of the roll-up's service, day and type that have samples in [from, to), seconds since the epoch, by dictionary and
 * segment. */
int catalogue_rollup_parts(struct catalogue *c, const struct catalogue_rollup *u, int64_t from, int64_t to,
                           catalogue_visit_rollup_part *visit, void *context, struct error *e);

struct catalogue_rollup_made {
    uint32_t until;
    int64_t from, to; /* of the visit of the parts; for a day, both are 0 */
    uint64_t parts;   /* how many there were */
    int64_t made;     /* when: seconds since the epoch */
    uint64_t recordings, rows, weight;
    int64_t first, last; /* the time of its recordings within the day; `last` is included */
    const uint64_t *labelsets;
    uint32_t labelset_count;
    const void *summary;
    size_t summary_size;
    const struct catalogue_rollup_file *files;
    uint32_t file_count;
};
/* Replaces the content of the roll-up, in one transaction. Returns -EAGAIN, and changes nothing, if anything has changed that it was made
 * from. */
int catalogue_rollup_made(struct catalogue *c, const struct catalogue_rollup *u, const struct catalogue_rollup_made *m, struct error *e);
/* Records that a file is damaged. Its roll-up is stale. */
int catalogue_rollup_bad(struct catalogue *c, uint64_t number, struct error *e);
/* Returns the highest number of a file. */
int catalogue_rollup_last(struct catalogue *c, uint64_t *number, struct error *e);

/* Whether the roll-ups of the service's day have all its rows, or can never have them. */
int catalogue_rollup_covers(struct catalogue *c, uint64_t service, int64_t day, bool *covers, struct error *e);

/* Visits the days with seconds in [from, to) whose rows are deleted, but not all of their roll-ups. */
int catalogue_rollups_gone(struct catalogue *c, int64_t from, int64_t to, const struct catalogue_patience *patience,
                           catalogue_visit_forgotten *visit, void *context, struct error *e);

/* ---- catalogue_drop_rollups.c ---- */

/* Forgets the roll-ups of a service with this step for days before `day`. Of deleted rows that no other roll-up has, records the reason.
 * The caller removes the files from the disk, and frees the lists in *dropped. */
int catalogue_drop_rollups(struct catalogue *c, uint64_t service, uint32_t step, int64_t day, enum catalogue_why why,
                           struct catalogue_dropped *dropped, struct error *e);

#endif
