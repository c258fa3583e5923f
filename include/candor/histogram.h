/*
 * HDR histogram. It counts 64-bit values over a wide range, each with 1 to 5 significant decimal digits, in memory of fixed size. To
 * record a value is one addition to one counter. The histogram's log consists of tagged intervals in text lines. HdrHistogram's readers
 * in Java and C read this log, and this reader reads theirs.
 *
 *     values      0 .. 2047 | 2048 .. 4095 | 4096 .. 8191 | ...        three digits, lowest 1
 *     one counter     1           2              4           values   (half as fine in each further bucket)
 *     counters      2048        1024           1024
 *
 * Values have whatever unit the caller gives them (Candor uses nanoseconds). Two values that share a counter are *equivalent*. The
 * functions that read values return the lowest or the highest equivalent value, as described at each function.
 *
 * Calling sequence
 *
 *     struct candor_histogram h;
 *     candor_histogram_init(&h, 1, 3600000000000, 3);
 *     candor_histogram_record(&h, ns) ...;
 *     candor_histogram_percentile(&h, 99.9);
 *     candor_histogram_deinit(&h);
 *
 * Threads. A histogram has one owner, except where candor_histogram_record_atomic and the recorder say otherwise. Errors are negative
 * errno values: -EINVAL an argument that makes no sense, -ENOMEM, -ERANGE a value out of range, -EBADMSG bytes that are not a histogram,
 * -ENOTSUP and -EPROTONOSUPPORT kinds of histogram that cannot be read here.
 *
 * Source of the algorithm and of the formats: Gil Tene, HdrHistogram (hdrhistogram.org), according to its documentation. Source of the
 * recorder: his writer-reader phaser (stuff-gil-says.blogspot.com, "WriterReaderPhaser: A story about a new (?) synchronization
 * primitive", 2014). None of his code is used here.
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

/* The counter of value v is counts[(bucket << half_magnitude) + sub]. The highest bit of v selects the bucket. sub consists of the bits
 * of v from that bit downwards; it is at least half of its maximum, except in bucket 0. All fields but the counts are constant after
 * init, unless the range grows automatically. */
struct candor_histogram {
    int64_t *counts;
    int32_t counts_len;
    int32_t unit_magnitude; /* log2 of lowest, rounded down */
    int32_t half_magnitude; /* log2 of half the counters of the first bucket */
    int32_t digits;
    int64_t mask; /* values below its highest bit are in bucket 0 */
    int64_t lowest;
    int64_t highest; /* the value given to init, or the value up to which the range has grown */
    bool auto_range;
    bool common; /* three digits, and values from 1 to less than 2^53: recording uses the faster computation */
};

/* ---- storage ---- */

/* Initializes a histogram of values from 0 to highest, with `digits` significant digits. Values below `lowest` are not distinguished. If
 * highest is 0, the range grows when larger values are recorded. Returns 0; -EINVAL unless 1 <= lowest <= 2^62 / 2^20, 2 * lowest <=
 * highest (or highest is 0), 1 <= digits <= 5; or -ENOMEM. Not for signal handlers. */
int candor_histogram_init(struct candor_histogram *h, int64_t lowest, int64_t highest, int digits);
void candor_histogram_deinit(struct candor_histogram *h);
/* Sets every count to 0. Do not call it while other threads record. */
void candor_histogram_reset(struct candor_histogram *h);
/* Returns the bytes of memory for the counts. */
size_t candor_histogram_bytes(const struct candor_histogram *h);

/* ---- recording ---- */

/* Returns the index of the counter for v. It is beyond counts_len if v is negative or too large. */
static inline int32_t candor_histogram_index(const struct candor_histogram *h, int64_t v)
{
    int32_t width = (63 ^ __builtin_clzll((unsigned long long)(v | h->mask))) - h->half_magnitude; /* log2 of its counter's */
    return ((width - h->unit_magnitude) << h->half_magnitude) + (int32_t)((uint64_t)v >> width);
}

/* Returns the index as an unsigned number, by a faster computation if the histogram has one. It is beyond counts_len if v is out of
 * range. */
static inline uint32_t candor_histogram_place(const struct candor_histogram *h, int64_t v)
{
    if (!__builtin_expect(h->common, 1))
        return (uint32_t)candor_histogram_index(h, v);
#if defined(__x86_64__) && !defined(__LZCNT__)
    /* A double has the same layout as the counters: an exponent above the bits that follow the leading bit. The conversion finds the
     * exponent faster than the one instruction that every x86-64 has. It is exact below 2^53. Numbers that are negative or larger are
     * beyond all counters. */
    double d = (double)v;
    uint64_t bits;
    __builtin_memcpy(&bits, &d, sizeof bits);
    return (uint64_t)v < 1024 ? (uint32_t)v : (uint32_t)(bits >> 42) - (1032u << 10);
#else
    int32_t width = (63 ^ __builtin_clzll((unsigned long long)v | 2047)) - 10;
    return ((uint32_t)width << 10) + (uint32_t)((uint64_t)v >> width);
#endif
}

/* Records a value beyond the last counter: the histogram grows, or the value is refused. */
bool candor_histogram_record_beyond(struct candor_histogram *h, int64_t v, int64_t count);

/* Owner. Counts v `count` times. Returns false, and counts nothing, if v < 0 or v is beyond the range (or no memory is left to grow).
 * Wait-free and fit for signal handlers unless it grows. Other threads may read the histogram while its owner records. */
static inline bool candor_histogram_record_n(struct candor_histogram *h, int64_t v, int64_t count)
{
    uint32_t place = candor_histogram_place(h, v);
    if (__builtin_expect(place >= (uint32_t)h->counts_len, 0))
        return candor_histogram_record_beyond(h, v, count);
    /* Relaxed, in two steps without a lock: no other thread writes, and a count orders nothing. */
    __atomic_store_n(&h->counts[place], __atomic_load_n(&h->counts[place], __ATOMIC_RELAXED) + count, __ATOMIC_RELAXED);
    return true;
}

static inline bool candor_histogram_record(struct candor_histogram *h, int64_t v)
{
    return candor_histogram_record_n(h, v, 1);
}

/* Anyone, concurrently with others. Counts v once. Wait-free (one atomic addition; it never grows) and fit for signal handlers. A
 * concurrent reader sees each count before or after the addition. Returns false, and counts nothing, for a value out of range. */
static inline bool candor_histogram_record_atomic(struct candor_histogram *h, int64_t v)
{
    uint32_t place = candor_histogram_place(h, v);
    if (__builtin_expect(place >= (uint32_t)h->counts_len, 0))
        return false;
    /* Relaxed: a count orders nothing. A reader that needs all counts uses the recorder's phaser, or joins the threads. */
    __atomic_fetch_add(&h->counts[place], 1, __ATOMIC_RELAXED);
    return true;
}

/* Owner. Records v. If v is larger than `expected`, also records v - expected, v - 2 expected, ... down to expected. These are the
 * values that a caller would have measured in the meantime if it sent a request every `expected` units. expected <= 0 adds none. Returns
 * false as record does. */
bool candor_histogram_record_corrected(struct candor_histogram *h, int64_t v, int64_t expected);

/* ---- sums of histograms ---- */

/* Adds every count of `from` at its value. Returns 0, or -ERANGE if some values are beyond the range of `to`; these are left out. */
int candor_histogram_add(struct candor_histogram *to, const struct candor_histogram *from);
/* Adds every count of `from`, corrected as by record_corrected. */
int candor_histogram_add_corrected(struct candor_histogram *to, const struct candor_histogram *from, int64_t expected);
/* Subtracts every count of `from`. Returns 0, or -ERANGE if a count in `to` is smaller than the one in `from`, or a value is beyond the
 * range of `to`. In that case `to` is unchanged. */
int candor_histogram_subtract(struct candor_histogram *to, const struct candor_histogram *from);

/* ---- reading ---- */

/* Values are equivalent if they share a counter. These functions return the smallest value equivalent to v, the largest one, the first
 * value above these, and the middle one. */
int64_t candor_histogram_lowest_equivalent(const struct candor_histogram *h, int64_t v);
int64_t candor_histogram_highest_equivalent(const struct candor_histogram *h, int64_t v);
int64_t candor_histogram_next_non_equivalent(const struct candor_histogram *h, int64_t v);
int64_t candor_histogram_median_equivalent(const struct candor_histogram *h, int64_t v);
/* Returns the lowest value of a counter. */
int64_t candor_histogram_value_at_index(const struct candor_histogram *h, int32_t index);

/* All of these functions take time in proportion to the number of counters. If nothing is recorded, they return 0. */
int64_t candor_histogram_total(const struct candor_histogram *h);
int64_t candor_histogram_min(const struct candor_histogram *h); /* the smallest value, rounded down to its lowest equivalent */
int64_t candor_histogram_max(const struct candor_histogram *h); /* the largest value, rounded up to its highest equivalent */
double candor_histogram_mean(const struct candor_histogram *h);
double candor_histogram_stddev(const struct candor_histogram *h); /* population standard deviation */
/* Returns the smallest value that `percentile` percent of the values do not exceed, rounded up to its highest equivalent. For 0 it is
 * the smallest value, rounded down to its lowest equivalent. A percentile outside 0 .. 100 is treated as 0 or 100. */
int64_t candor_histogram_percentile(const struct candor_histogram *h, double percentile);
/* Returns the values of n percentiles in rising order, in one pass. */
void candor_histogram_percentiles(const struct candor_histogram *h, const double *percentiles, int64_t *values, size_t n);
/* Returns the percentage of values that are at most v, or equivalent to v; 100 if nothing is recorded. */
double candor_histogram_percentile_of(const struct candor_histogram *h, int64_t v);
/* Returns the number of values equivalent to v. count_between returns the number of values equivalent to any value in low .. high. */
int64_t candor_histogram_count_at(const struct candor_histogram *h, int64_t v);
int64_t candor_histogram_count_between(const struct candor_histogram *h, int64_t low, int64_t high);
/* Finds the next counter that is not 0, from *index on, and moves *index past it. Returns false at the end. *value is the lowest value
 * of the counter. */
bool candor_histogram_next(const struct candor_histogram *h, int32_t *index, int64_t *value, int64_t *count);

/* ---- hgrm: the percentile spectrum as text ---- */

enum candor_hgrm { CANDOR_HGRM_JAVA, CANDOR_HGRM_C, CANDOR_HGRM_CSV };

/* Receives each step of the percentile spectrum; the last step is at 100. Each time the distance to 100 % halves, there are `ticks`
 * steps. */
typedef void (*candor_histogram_step)(void *context, int64_t value, double percentile, int64_t total_so_far);
void candor_histogram_spectrum(const struct candor_histogram *h, int ticks, candor_histogram_step step, void *context);
/* Prints the spectrum in one of the dialects, with values divided by `ratio`. Java's dialect has 12 digits of the percentile and no
 * fourth column in its last row. C's dialect has 6 digits, and "inf" in that place. Write errors are kept in the stream. */
void candor_histogram_print_hgrm(const struct candor_histogram *h, FILE *out, int ticks, double ratio, enum candor_hgrm dialect);
/* Reads either dialect (and CSV) back into h, and multiplies the values by `ratio`. Returns 0, -EBADMSG, -ERANGE or -ENOMEM. */
int candor_histogram_read_hgrm(struct candor_histogram *h, FILE *in, double ratio);

/* ---- the encoded form: base64 of a compressed payload; V2 is written, V2, V1 and V0 are read ---- */

/* Encodes a histogram into text that ends with a zero byte. The caller frees the text. Returns 0 or -ENOMEM. */
int candor_histogram_encode(const struct candor_histogram *h, char **text);
/* Decodes `len` characters into h, which must not be initialized. Returns 0, -EBADMSG, -ENOTSUP (a histogram of doubles),
 * -EPROTONOSUPPORT (its counts are shifted: it has a normalizing index offset) or -ENOMEM; after an error h is not initialized. The
 * unpacked payload has at most CANDOR_HISTOGRAM_DECODE_MAX bytes. */
int candor_histogram_decode(struct candor_histogram *h, const char *text, size_t len);
enum { CANDOR_HISTOGRAM_DECODE_MAX = 1 << 26 };

/* ---- interval recorder: many writers, one reader who takes what came since the last time ---- */

struct candor_recorder {
    struct candor_histogram halves[2];
    int64_t start_epoch;  /* number of writers that entered; its sign is the phase */
    int64_t end_epoch[2]; /* number of writers that left, for the even phase and the odd phase */
    int32_t active;
};

/* Initializes a recorder, as candor_histogram_init does for a histogram. However, the range does not grow: highest must not be 0. */
int candor_recorder_init(struct candor_recorder *r, int64_t lowest, int64_t highest, int digits);
void candor_recorder_deinit(struct candor_recorder *r);
/* Anyone, concurrently with other writers and with the reader. Records v. Wait-free (three atomic additions), fit for signal handlers.
 * Returns false for a value out of range. */
bool candor_recorder_record(struct candor_recorder *r, int64_t v);
/* One reader at a time. Ends the interval and returns its values, which the reader may use until its next call. Every record that has
 * returned is included. The call waits for writers in the middle of a record, so it is not for signal handlers. */
const struct candor_histogram *candor_recorder_sample(struct candor_recorder *r);

/* ---- the log, format V2 ---- */

enum candor_log_dialect {
    CANDOR_LOG_JAVA, /* header 1.3, "Interval_Length" */
    CANDOR_LOG_C     /* header 1.2, "EndTimestamp"; the maximum in the values' unit */
};
enum { CANDOR_HISTOGRAM_TAG_MAX = 255 };

/* Writes the head of a log that starts at `start_ns` of CLOCK_REALTIME. `comment` (or NULL) becomes a line "#[comment]". */
void candor_histogram_log_start(FILE *out, uint64_t start_ns, enum candor_log_dialect dialect, const char *comment);
/* Writes one interval. `start` and `length` are in ns, and `start` is counted from the log's start. The maximum is divided by
 * `max_ratio` (1e6, which readers expect for ns). tag NULL or "": there is no tag. Returns 0; -EINVAL for a tag with a comma, a blank or
 * a line end, or a tag that is too long; -ENOMEM. Write errors are kept in the stream. */
int candor_histogram_log_write(FILE *out, const char *tag, uint64_t start, uint64_t length, const struct candor_histogram *h,
                               double max_ratio);

struct candor_histogram_log_entry {
    char tag[CANDOR_HISTOGRAM_TAG_MAX + 1]; /* "" = none */
    double start;                           /* s since 1970 if the log contains that time, otherwise s since the log's start */
    double length;                          /* s */
    double max;                             /* as written in the log */
    const char *payload;                    /* the histogram's text, borrowed until the next call */
    size_t payload_len;
    struct candor_histogram histogram;
};

struct candor_histogram_log_reader {
    FILE *in;                     /* owned by the caller */
    double start_time, base_time; /* s since 1970, as far as the head has been read; otherwise 0 */
    bool has_start, has_base, saw_entry, saw_head;
    uint64_t line; /* number of the last line that was read, from 1 */
    char *text;
    size_t cap;
    char problem[160];
};

void candor_histogram_log_open(struct candor_histogram_log_reader *r, FILE *in);
void candor_histogram_log_close(struct candor_histogram_log_reader *r); /* does not close the stream */
/* Reads the next interval. The caller deinitializes its histogram. Returns 1; 0 at the end; or -EBADMSG, -ENOTSUP, -EPROTONOSUPPORT,
 * -ENOMEM or -EIO, and `problem` describes the error and its line. After an error the next call continues after that line. A line may be
 * 32 MB long. */
int candor_histogram_log_next(struct candor_histogram_log_reader *r, struct candor_histogram_log_entry *entry);

#ifdef __cplusplus
}
#endif

#endif
