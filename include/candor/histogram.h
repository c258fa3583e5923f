/*
 * HDR histogram: counts of 64-bit values over a wide range, each kept to 1 to 5 significant decimal digits, in memory of fixed
 * size. Recording is one addition to one counter. With its log: tagged intervals in text lines that HdrHistogram's readers
 * in Java and C read, and theirs that this one reads.
 *
 *     values      0 .. 2047 | 2048 .. 4095 | 4096 .. 8191 | ...        three digits, lowest 1
 *     one counter     1           2              4           values   (half as fine in each further bucket)
 *     counters      2048        1024           1024
 *
 * Values have whatever unit the caller gives them (Candor's own are nanoseconds). Two values that share a counter are
 * *equivalent*; what is read back is the lowest or the highest of them, as said below.
 *
 * Calling sequence
 *
 *     struct candor_histogram h;
 *     candor_histogram_init(&h, 1, 3600000000000, 3);
 *     candor_histogram_record(&h, ns) ...;
 *     candor_histogram_percentile(&h, 99.9);
 *     candor_histogram_deinit(&h);
 *
 * Threads. One owner per histogram, except for candor_histogram_record_atomic and the recorder, where it says so.
 * Errors are negative errno values: -EINVAL an argument that makes no sense, -ENOMEM, -ERANGE a value out of range, -EBADMSG
 * bytes that are no histogram, -ENOTSUP and -EPROTONOSUPPORT kinds of histogram that are not read here.
 *
 * Source of the algorithm and of the formats: Gil Tene, HdrHistogram (hdrhistogram.org), as its documentation describes them;
 * of the recorder: his writer-reader phaser (stuff-gil-says.blogspot.com, "WriterReaderPhaser: A story about a new (?)
 * synchronization primitive", 2014). No code of theirs is in here.
 */
#ifndef CANDOR_HISTOGRAM_H
#define CANDOR_HISTOGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The counter of value v is counts[(bucket << half_magnitude) + sub], where v's highest bit chooses the bucket and the bits from
 * it on down are sub, at least half of what fits except in bucket 0. All fields but the counts are constant after init, unless it
 * ranges by itself. */
struct candor_histogram {
    int64_t *counts;
    int32_t counts_len;
    int32_t unit_magnitude; /* log2 of lowest, rounded down */
    int32_t half_magnitude; /* log2 of half the counters of the first bucket */
    int32_t digits;
    int64_t mask; /* values below its highest bit are in bucket 0 */
    int64_t lowest;
    int64_t highest; /* what init was told, or has grown to */
    bool auto_range;
    bool common; /* three digits of values from 1 to less than 2^53: recording takes the short way */
};

/* ---- storage ---- */

/* A histogram of values from 0 to highest, with `digits` significant digits. Values below `lowest` are not distinguished. highest 0:
 * it grows as larger values come. 0; -EINVAL unless 1 <= lowest <= 2^62 / 2^20, 2 * lowest <= highest (or 0), 1 <= digits <= 5;
 * -ENOMEM. Not for signal handlers. */
int candor_histogram_init(struct candor_histogram *h, int64_t lowest, int64_t highest, int digits);
void candor_histogram_deinit(struct candor_histogram *h);
/* Sets every count to 0. Not while others record. */
void candor_histogram_reset(struct candor_histogram *h);
/* Bytes that its counts take. */
size_t candor_histogram_bytes(const struct candor_histogram *h);

/* ---- recording ---- */

/* The index of the counter for v. It is beyond counts_len if v is negative or too large. */
static inline int32_t candor_histogram_index(const struct candor_histogram *h, int64_t v)
{
    int32_t width = (63 ^ __builtin_clzll((unsigned long long)(v | h->mask))) - h->half_magnitude; /* log2 of its counter's */
    return ((width - h->unit_magnitude) << h->half_magnitude) + (int32_t)((uint64_t)v >> width);
}

/* The same as an unsigned number, by a faster computation if the histogram has one. It is beyond counts_len if v is out of range. */
static inline uint32_t candor_histogram_place(const struct candor_histogram *h, int64_t v)
{
    if (!__builtin_expect(h->common, 1))
        return (uint32_t)candor_histogram_index(h, v);
#if defined(__x86_64__) && !defined(__LZCNT__)
    /* A double has the same layout as the counters, an exponent over the bits behind the leading one, and finds the exponent faster than
     * the one instruction that every x86-64 has. The conversion is exact below 2^53; what is negative or larger is past all counters. */
    double d = (double)v;
    uint64_t bits;
    __builtin_memcpy(&bits, &d, sizeof bits);
    return (uint64_t)v < 1024 ? (uint32_t)v : (uint32_t)(bits >> 42) - (1032u << 10);
#else
    int32_t width = (63 ^ __builtin_clzll((unsigned long long)v | 2047)) - 10;
    return ((uint32_t)width << 10) + (uint32_t)((uint64_t)v >> width);
#endif
}

/* What record does with a value beyond the last counter: grow, or refuse. */
bool candor_histogram_record_beyond(struct candor_histogram *h, int64_t v, int64_t count);

/* Owner. Counts v `count` times. False, and nothing counted, when v < 0 or beyond the range (or no memory is left to grow). Wait-free
 * and fit for signal handlers unless it grows. One records, others may read meanwhile. */
static inline bool candor_histogram_record_n(struct candor_histogram *h, int64_t v, int64_t count)
{
    uint32_t place = candor_histogram_place(h, v);
    if (__builtin_expect(place >= (uint32_t)h->counts_len, 0))
        return candor_histogram_record_beyond(h, v, count);
    /* Relaxed, and two steps, which need no lock: nobody else writes, and a count orders nothing. */
    __atomic_store_n(&h->counts[place], __atomic_load_n(&h->counts[place], __ATOMIC_RELAXED) + count, __ATOMIC_RELAXED);
    return true;
}

static inline bool candor_histogram_record(struct candor_histogram *h, int64_t v)
{
    return candor_histogram_record_n(h, v, 1);
}

/* Anyone, at the same time as others; wait-free (one atomic addition; it never grows) and fit for signal handlers. A reader that
 * runs meanwhile sees each count before or after. False, and nothing counted, for a value out of range. */
static inline bool candor_histogram_record_atomic(struct candor_histogram *h, int64_t v)
{
    uint32_t place = candor_histogram_place(h, v);
    if (__builtin_expect(place >= (uint32_t)h->counts_len, 0))
        return false;
    /* Relaxed: a count orders nothing; whoever wants all of them has the recorder's phaser, or joins the threads. */
    __atomic_fetch_add(&h->counts[place], 1, __ATOMIC_RELAXED);
    return true;
}

/* Owner. Records v. If v is larger than `expected`, also records the values that a caller would have measured meanwhile who sends a
 * request every `expected` units: v - expected, v - 2 expected, ... down to expected. expected <= 0 adds none. False as for record. */
bool candor_histogram_record_corrected(struct candor_histogram *h, int64_t v, int64_t expected);

/* ---- together ---- */

/* Adds every count of `from` at its value. 0, or -ERANGE when some are beyond the range of `to`, which are then left out. */
int candor_histogram_add(struct candor_histogram *to, const struct candor_histogram *from);
/* The same with each count corrected as by record_corrected. */
int candor_histogram_add_corrected(struct candor_histogram *to, const struct candor_histogram *from, int64_t expected);
/* Subtracts every count of `from`. 0, or -ERANGE if a count in `to` is smaller than the one in `from`, or a value is beyond the range of
 * `to`, which is then unchanged. */
int candor_histogram_subtract(struct candor_histogram *to, const struct candor_histogram *from);

/* ---- reading ---- */

/* Values are equivalent if they share a counter. These return the smallest and the largest value equivalent to v, the first value
 * above these, and the one in their middle. */
int64_t candor_histogram_lowest_equivalent(const struct candor_histogram *h, int64_t v);
int64_t candor_histogram_highest_equivalent(const struct candor_histogram *h, int64_t v);
int64_t candor_histogram_next_non_equivalent(const struct candor_histogram *h, int64_t v);
int64_t candor_histogram_median_equivalent(const struct candor_histogram *h, int64_t v);
/* The lowest value of a counter. */
int64_t candor_histogram_value_at_index(const struct candor_histogram *h, int32_t index);

/* All of these take time in proportion to the counters; with nothing recorded they are 0. */
int64_t candor_histogram_total(const struct candor_histogram *h);
int64_t candor_histogram_min(const struct candor_histogram *h); /* lowest equivalent of the smallest value */
int64_t candor_histogram_max(const struct candor_histogram *h); /* highest equivalent of the largest value */
double candor_histogram_mean(const struct candor_histogram *h);
double candor_histogram_stddev(const struct candor_histogram *h); /* of the whole population */
/* The smallest value that `percentile` percent of the values do not exceed, rounded up to its highest equivalent. For 0 it is the
 * smallest value, rounded down to its lowest equivalent. A percentile outside 0 .. 100 is taken as 0 or 100. */
int64_t candor_histogram_percentile(const struct candor_histogram *h, double percentile);
/* The same of n percentiles in rising order, in one pass. */
void candor_histogram_percentiles(const struct candor_histogram *h, const double *percentiles, int64_t *values, size_t n);
/* The percentage of values that are at most v, or equivalent to it; 100 if nothing is recorded. */
double candor_histogram_percentile_of(const struct candor_histogram *h, int64_t v);
/* Values equivalent to v; values equivalent to anything in low .. high. */
int64_t candor_histogram_count_at(const struct candor_histogram *h, int64_t v);
int64_t candor_histogram_count_between(const struct candor_histogram *h, int64_t low, int64_t high);
/* Finds the next counter that is not 0, from *index on, and moves *index past it. False at the end. *value is the lowest value of the
 * counter. */
bool candor_histogram_next(const struct candor_histogram *h, int32_t *index, int64_t *value, int64_t *count);

/* ---- hgrm: the percentile spectrum as text ---- */

enum candor_hgrm { CANDOR_HGRM_JAVA, CANDOR_HGRM_C, CANDOR_HGRM_CSV };

/* Called with each step of the percentile spectrum; the last step is at 100. Each time the distance to 100 % halves, there are
 * `ticks` steps. */
typedef void (*candor_histogram_step)(void *context, int64_t value, double percentile, int64_t total_so_far);
void candor_histogram_spectrum(const struct candor_histogram *h, int ticks, candor_histogram_step step, void *context);
/* Prints it in one of the dialects, values divided by `ratio`. Java's has 12 digits of the percentile and no fourth column in its last
 * row, C's 6 digits and "inf" there. Write errors stay in the stream. */
void candor_histogram_print_hgrm(const struct candor_histogram *h, FILE *out, int ticks, double ratio, enum candor_hgrm dialect);
/* Reads either dialect (and CSV) back into h, whose values are multiplied by `ratio`. 0, -EBADMSG, -ERANGE or -ENOMEM. */
int candor_histogram_read_hgrm(struct candor_histogram *h, FILE *in, double ratio);

/* ---- the encoded form: base64 of a compressed payload; V2 is written, V2, V1 and V0 are read ---- */

/* Encodes into text that the caller frees, ended by a zero byte. 0 or -ENOMEM. */
int candor_histogram_encode(const struct candor_histogram *h, char **text);
/* Makes h, not initialized before, from `len` characters. 0, -EBADMSG, -ENOTSUP (a histogram of doubles), -EPROTONOSUPPORT (its
 * counts are shifted: it has a normalizing index offset) or -ENOMEM; h is then not initialized. The unpacked payload has at most
 * CANDOR_HISTOGRAM_DECODE_MAX bytes. */
int candor_histogram_decode(struct candor_histogram *h, const char *text, size_t len);
enum { CANDOR_HISTOGRAM_DECODE_MAX = 1 << 26 };

/* ---- interval recorder: many writers, one reader who takes what came since the last time ---- */

struct candor_recorder {
    struct candor_histogram halves[2];
    int64_t start_epoch;  /* writers that came in; its sign says into which half */
    int64_t end_epoch[2]; /* writers that went out, of the even phase and the odd */
    int32_t active;
};

/* As candor_histogram_init, but the range does not grow: highest must not be 0. */
int candor_recorder_init(struct candor_recorder *r, int64_t lowest, int64_t highest, int digits);
void candor_recorder_deinit(struct candor_recorder *r);
/* Anyone, at the same time as others and as the reader; wait-free (three atomic additions), fit for signal handlers. False for a value
 * out of range. */
bool candor_recorder_record(struct candor_recorder *r, int64_t v);
/* One reader at a time. The values of the interval that ends now; they are the reader's until its next call, and no record
 * that has returned is missed. It waits for writers that are in the middle of a record, so it is not for signal handlers. */
const struct candor_histogram *candor_recorder_sample(struct candor_recorder *r);

/* ---- the log, format V2 ---- */

enum candor_log_dialect {
    CANDOR_LOG_JAVA, /* header 1.3, "Interval_Length" */
    CANDOR_LOG_C     /* header 1.2, "EndTimestamp"; the maximum in the values' unit */
};
enum { CANDOR_HISTOGRAM_TAG_MAX = 255 };

/* Head of a log that starts at `start_ns` of CLOCK_REALTIME; `comment` (or NULL) becomes a line "#[comment]". */
void candor_histogram_log_start(FILE *out, uint64_t start_ns, enum candor_log_dialect dialect, const char *comment);
/* One interval, `start` and `length` in ns, start counted from the log's. The maximum is written divided by `max_ratio` (1e6:
 * what readers expect of ns). tag NULL or "": none. 0; -EINVAL for a tag with a comma, a blank or a line end, or one too
 * long; -ENOMEM. Write errors stay in the stream. */
int candor_histogram_log_write(FILE *out, const char *tag, uint64_t start, uint64_t length, const struct candor_histogram *h,
                               double max_ratio);

struct candor_histogram_log_entry {
    char tag[CANDOR_HISTOGRAM_TAG_MAX + 1]; /* "" = none */
    double start;                           /* s since 1970 where the log tells, else since it began */
    double length;                          /* s */
    double max;                             /* as written */
    const char *payload;                    /* the histogram's text, borrowed until the next call */
    size_t payload_len;
    struct candor_histogram histogram;
};

struct candor_histogram_log_reader {
    FILE *in;                     /* the caller's */
    double start_time, base_time; /* s since 1970; of what has been read of the head, else 0 */
    bool has_start, has_base, saw_entry, saw_head;
    uint64_t line; /* of what was read last, from 1 */
    char *text;
    size_t cap;
    char problem[160];
};

void candor_histogram_log_open(struct candor_histogram_log_reader *r, FILE *in);
void candor_histogram_log_close(struct candor_histogram_log_reader *r); /* not the stream */
/* The next interval, whose histogram the caller deinits. 1; 0 at the end; -EBADMSG, -ENOTSUP, -EPROTONOSUPPORT, -ENOMEM or
 * -EIO with `problem` saying what is wrong in which line: the next call goes on behind that line. A line may be 32 MB long. */
int candor_histogram_log_next(struct candor_histogram_log_reader *r, struct candor_histogram_log_entry *entry);

#ifdef __cplusplus
}
#endif

#endif
