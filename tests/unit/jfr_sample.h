/* Small recordings with known contents, for the tests of writer and reader and for the seeds of the fuzzer. */
#ifndef TESTS_JFR_SAMPLE_H
#define TESTS_JFR_SAMPLE_H

#include "base/time_units.h"
#include "jfr/write/writer.h"

enum {
    SAMPLE_THREADS = 3,      /* ids 1..3: "main", "wörker-日本-𝄞", and "GC Thread#0", which is not a Java thread */
    SAMPLE_STACKS = 6,       /* ids 1..6 */
    SAMPLE_DEEP_STACK = 5,   /* 2048 frames, truncated */
    SAMPLE_FAILED_STACK = 6, /* one pseudo frame */
    SAMPLE_DEEP_FRAMES = 2048,
    SAMPLE_OWN_STACKS = 1000, /* from this id on, each id is a separate stack with this many frames: */
    SAMPLE_OWN_FRAMES = 200,
    SAMPLE_CPU_SAMPLES = 60, /* candor.CpuSample per round */
    SAMPLE_EXECUTION_SAMPLES = 50,
    SAMPLE_ALLOCATIONS = 7,
    SAMPLE_ALLOCATED = 4096, /* bytes, each */
    SAMPLE_WAITS = 5,        /* waits for a monitor, and the same number of parks */
    SAMPLE_WAITED = 2000000, /* ns, each */
};

#define SAMPLE_TICKS_PER_SECOND NS_PER_S
#define SAMPLE_START_TICKS      (5 * NS_PER_S)
#define SAMPLE_START_EPOCH_NS   1700000000123456789u

/* The answers of an imaginary collector for these ids. */
struct jfr_pools sample_pools(void);
const char *sample_symbol(uint32_t id);
/* The symbol id of a text of the sample. */
uint32_t sample_symbol_id(const char *text);

/* A writer for the file at path, or NULL (then errno or e has the reason). */
struct jfr_writer *sample_open(const char *path, struct error *e);
/* The same, for a recording that may remove its oldest chunks. */
struct jfr_writer *sample_open_ring(const char *path, struct error *e);
/* One round of events, one second long; round counts from 0. */
void sample_round(struct jfr_writer *w, unsigned round);
/* A file of `chunks` chunks with `flushes` rounds each. Returns 0 or the writer's error. */
int sample_write(const char *path, unsigned chunks, unsigned flushes, struct error *e);
/* The smallest file that uses every pool, for tests that try each byte of it. */
int sample_write_small(const char *path, struct error *e);

#endif
