/* Where the rows of recordings are, and the sums of these (roll-ups). This is a table of functions, so that the store has the same answers
 * wherever they are: in files of its directory (../rows_files.c), or elsewhere. What refers to rows stays in the
 * directory: the catalog, the dictionaries, and the recordings as they were sent, of which rows can be made again.
 *
 * Rows come in segments, each with a number that is never used twice. A segment is part of the store once the catalog knows its number.
 * Rows with any other number are never read, so a write that failed halfway does no harm. */
#ifndef CANDOR_STORE_ROWS_ROWS_H
#define CANDOR_STORE_ROWS_ROWS_H

#include "store/catalogue/catalogue.h"
#include "store/files/segment.h"
#include "store/rollup/rollup.h"

struct store;

/* One or more segments of a dictionary and type. */
struct rows_wanted {
    uint32_t dictionary;
    const char *type; /* as in store_type_of; NULL = it is not known */
    int64_t second;   /* any second of its day */
    const struct rows_one {
        uint64_t number;
        uint64_t rows, weight; /* what the catalog knows of its selected recordings: the segment has no less, without merging no more */
    } * list;
    uint32_t count;
    uint64_t rows; /* of all of them */
};

/* Rows that were read together with others, because they are needed next. `read` keeps them here between its calls. */
struct rows_ahead {
    struct segment *list; /* owned */
    uint64_t *numbers;
    unsigned columns;
    uint32_t dictionary, count;
    uint64_t unsummed; /* segments up to this number are not added up where they are, because some of them lack rows */
};
void rows_ahead_empty(struct rows_ahead *a);
void rows_ahead_deinit(struct rows_ahead *a);

/* Appends a part of a segment to the wanted ones in `list`, which has room for `most` of at most ROWS_AHEAD_MAX. Parts of one segment come
 * one after the other. Returns false if it does not fit. */
enum { ROWS_AHEAD_MAX = 1024, ROWS_SUM_MAX = 20000, ROWS_READ_AHEAD = 1 << 17 };
bool rows_want(struct rows_wanted *w, struct rows_one *list, uint32_t most, uint64_t number, uint64_t rows, uint64_t weight);

enum rows_sums { ROWS_BY_STACK, ROWS_BY_SECOND };

/* A segment that is written, with rows of one recording. */
struct rows_part {
    uint64_t number;
    uint32_t dictionary;
    const char *service, *type;
    struct segment *rows;
    uint64_t bytes; /* that it takes in files of the directory */
};
enum { ROWS_DAYS_MAX = 32 }; /* of segments that are written at once */

struct rows_kind {
    uint32_t ahead; /* how many segments may be named to `read` at once, at most ROWS_AHEAD_MAX */
    uint32_t sums;  /* the same for `sum`, at most ROWS_SUM_MAX */
    bool merges;    /* whether small segments are merged (merge.c) */
    bool is_away;   /* rows may be missing for a while: only store_check puts segments aside */

    /* Writes a segment, and enters it in the catalog (catalogue_seal): at once, or together with others, at the latest when `flush` is
     * called. Until then its part counts as not sealed. Sets done->rows and done->bytes. Takes over the memory of the rows. Returns 0, or a
     * code with a message in e; -EALREADY if another segment has the part. */
    int (*seal)(struct store *s, struct catalogue_segment *done, const char *service, struct segment *g, struct error *e);
    /* Writes segments that the catalog does not know yet, before it returns: for a copy. Sorts and adds up their rows, and sets `bytes`.
     * They may have rows of at most ROWS_DAYS_MAX days. Returns 0, or a code with a message in e; then some may be written. */
    int (*write)(struct store *s, struct rows_part *list, uint32_t count, struct error *e);
    /* Reads the first segment that is wanted. Those after it will be asked for next, and may be read ahead. columns: as in segment_read.
     * Returns 0, or a code with a message in e: -EBADMSG or -ENOENT if the rows are damaged or lost, any other if they cannot be read now.
     * The caller ends with segment_deinit. */
    int (*read)(struct store *s, struct rows_ahead *ahead, const struct rows_wanted *wanted, unsigned columns, struct segment *out,
                struct error *e);
    /* NULL, or: adds up all wanted segments where they are, into the sums of one that has no rows, with the squares of their weights.
     * Returns 0, or a code with a message in e; -ENOENT if they do not come to the weights that are wanted. */
    int (*sum)(struct store *s, const struct rows_wanted *wanted, enum rows_sums which, struct segment *out, struct error *e);

    /* The same for a roll-up. */
    int (*write_rollup)(struct store *s, uint32_t dictionary, uint64_t number, struct rollup_file *f, uint64_t *bytes, struct error *e);
    int (*read_rollup)(struct store *s, uint32_t dictionary, uint64_t number, struct rollup_file *f, struct error *e);

    /* Removes a segment or a roll-up that the catalog no longer knows. */
    void (*remove)(struct store *s, uint32_t dictionary, uint64_t number, bool rollup);
    /* Removes everything of a dictionary that the catalog no longer knows. */
    void (*remove_dictionary)(struct store *s, uint32_t dictionary);
    /* Puts something aside that is damaged. */
    void (*put_aside)(struct store *s, uint32_t dictionary, uint64_t number, bool rollup);

    /* NULL, or: whether rows can be written now. Pending parts wait otherwise. */
    bool (*is_ready)(struct store *s);
    /* NULL, or: whether the recording has parts that wait to be written. */
    bool (*waits)(struct store *s, uint64_t recording);
    /* NULL, or: writes segments that wait, if it is time; now: in any case. */
    void (*flush)(struct store *s, bool now);
};

extern const struct rows_kind rows_in_files;

#endif
