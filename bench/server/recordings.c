/* Recordings of a program that does not exist, for benchmarks of their readers.
 *
 *     recordings FOLDER COUNT SAMPLES SECONDS START_S DISTINCT DEPTH THREADS SEED KINDS
 *
 * Writes FOLDER/0.jfr, 1.jfr, ..., one after the other in time from START_S (seconds since the epoch) on. Each has the given number of
 * samples in the given number of seconds, flushed every second as by the agent. KINDS is `cpu`, or `all`: then each recording has SAMPLES
 * samples of each of six kinds (CPU, wall clock, allocations, waits for locks, lock holders, live objects), and those of CPU and wall clock
 * name one of 16 endpoints, which the first frames of the stack decide. Stacks are paths in one tree, the same for every seed.
 * Of DISTINCT stacks, the r-th most frequent has the share 1/r of the first (Zipf). DISTINCT 0 draws each stack anew among 2^40, so that
 * hardly any comes twice, and they have only their roots in common. Their depths are spread evenly between half of DEPTH and one and a
 * half times DEPTH. Weights of CPU and wall clock are 10 ms, with the variation of a thread's CPU clock at its expiries. Those of objects
 * and waits are spread evenly over the logarithm, from 4 KiB to 4 MiB and from 16 us to 16 ms. */
#include "base/map.h"
#include "base/time_units.h"
#include "jfr/write/writer.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    METHODS = 5000,
    CLASSES = 800,
    SITES = 8,
    INTERVAL_NS = 10 * NS_PER_MS,
    JITTER_NS = 200 * NS_PER_US,
    RARE_BITS = 40,
    DEPTH_MAX = 4096,
    ENDPOINT_BITS = 4
};

struct maker {
    uint64_t state; /* of the random numbers */
    double *shares; /* shares of the stacks, added up */
    uint32_t distinct, depth, threads, bits;
    bool all_kinds;
    uint64_t *keys; /* stack id -> the parts of its path */
    uint32_t key_count, key_cap;
    struct map ids; /* and back */
    char text[64];
};

static void fail(const char *what, const char *why)
{
    fprintf(stderr, "recordings: %s: %s\n", what, why);
    exit(2);
}

static uint64_t draw(struct maker *m)
{
    m->state += 0x9e3779b97f4a7c15u;
    return hash_mix(m->state);
}

/* ---- stacks ---- */

static uint64_t draw_key(struct maker *m)
{
    if (!m->distinct)
        return draw(m) >> (64 - RARE_BITS);
    double at = (double)(draw(m) >> 11) / (double)(1ull << 53) * m->shares[m->distinct - 1];
    uint32_t low = 0, high = m->distinct - 1;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (m->shares[middle] > at)
            high = middle;
        else
            low = middle + 1;
    }
    return low * 2654435761u & ((1u << m->bits) - 1); /* each rank another */
}

static uint32_t id_of(struct maker *m, uint64_t key)
{
    bool added;
    uint32_t *id = map_add(&m->ids, key, &added);
    if (m->key_count == m->key_cap) {
        m->key_cap = m->key_cap ? 2 * m->key_cap : 1024;
        m->keys = realloc(m->keys, m->key_cap * sizeof *m->keys);
    }
    if (!id || !m->keys)
        fail("stacks", "out of memory");
    if (added) {
        m->keys[m->key_count++] = key;
        *id = m->key_count; /* 0 is none */
    }
    return *id;
}

/* The path to a leaf of a tree of 2^bits leaves: the first digits of the key decide where it goes first. */
static size_t answer_stack(void *context, uint32_t id, struct jfr_frame *frames, size_t max, bool *truncated)
{
    const struct maker *m = context;
    uint64_t key = m->keys[id - 1];
    uint32_t depth = m->depth / 2 + (uint32_t)(hash_mix(key) % (m->depth + 1));
    depth = depth ? depth : 1;
    *truncated = false;
    for (uint32_t i = 0; i < depth && i < max; i++) {
        uint32_t level = depth - i, known = m->bits * level / depth; /* digits, from the root */
        uint64_t place = hash_mix((key >> (m->bits - known)) << 12 | level);
        uint32_t method = (uint32_t)(place % METHODS), site = place >> 32 & (SITES - 1);
        frames[i] = (struct jfr_frame){.method = 1 + method,
                                       .line = 1 + (int32_t)(method % 400 + 3 * site),
                                       .bci = 11 * site,
                                       .type = method % 16 ? JFR_FRAME_C2 : JFR_FRAME_INTERPRETED};
    }
    return depth < max ? depth : max;
}

/* ---- names: symbols 1.. are classes, then methods, a descriptor, an outcome and endpoints ---- */

enum {
    METHOD_NAMES = CLASSES + 1,
    DESCRIPTOR = METHOD_NAMES + METHODS,
    COMPLETE,
    ENDPOINT_NAMES,
};

static void answer_method(void *context, uint32_t id, struct jfr_method *method)
{
    *method = (struct jfr_method){1 + id % CLASSES, METHOD_NAMES + id - 1, DESCRIPTOR};
}

static void answer_thread(void *context, uint32_t id, struct jfr_thread *thread)
{
    struct maker *m = context;
    int len = snprintf(m->text, sizeof m->text, "worker-%u", id);
    const struct jfr_name name = {m->text, (size_t)len};
    *thread = (struct jfr_thread){.java_name = name, .os_name = name, .os_id = 1000 + id, .java_id = id};
}

static void answer_work(void *context, uint32_t id, struct jfr_context *out)
{
    *out = (struct jfr_context){.endpoint = ENDPOINT_NAMES + id};
}

static const char *answer_symbol(void *context, uint32_t id, size_t *len)
{
    struct maker *m = context;
    if (id == COMPLETE)
        snprintf(m->text, sizeof m->text, "complete");
    else if (id < METHOD_NAMES)
        snprintf(m->text, sizeof m->text, "com.example.part%u.Component%u", id % 37, id);
    else if (id < DESCRIPTOR)
        snprintf(m->text, sizeof m->text, "handleRequest%u", id);
    else if (id == DESCRIPTOR)
        snprintf(m->text, sizeof m->text, "(Ljava/lang/Object;I)V");
    else
        snprintf(m->text, sizeof m->text, "/shop/%u", id - ENDPOINT_NAMES);
    *len = strlen(m->text);
    return m->text;
}

/* ---- recordings ---- */

/* What the samples of all kinds have. */
struct drawn {
    uint64_t ticks, weight;
    uint32_t stack, thread, context;
};

static struct drawn draw_sample(struct maker *m, uint64_t ticks)
{
    struct drawn d = {.ticks = ticks, .stack = id_of(m, draw_key(m)), .thread = 1 + (uint32_t)(draw(m) % m->threads)};
    d.weight = INTERVAL_NS - JITTER_NS + draw(m) % (2 * JITTER_NS);
    d.context = m->all_kinds ? 1 + (uint32_t)(m->keys[d.stack - 1] >> (m->bits - ENDPOINT_BITS)) : 0;
    return d;
}

/* Draws a number of 2^bits to 2^(bits + 10), spread evenly over the logarithm. */
static uint64_t draw_size(struct maker *m, unsigned bits)
{
    uint64_t at = draw(m);
    return ((uint64_t)1 << (bits + at % 10)) + (at >> 32) % ((uint64_t)1 << (bits + at % 10));
}

static void add_cpu(struct maker *m, struct jfr_writer *w, uint64_t ticks)
{
    struct drawn d = draw_sample(m, ticks);
    jfr_write_cpu_sample(w, &(struct jfr_cpu_sample){.ticks = ticks,
                                                     .thread = d.thread,
                                                     .weight_ns = d.weight,
                                                     .state = JFR_STATE_JAVA,
                                                     .outcome = COMPLETE,
                                                     .stack = d.stack,
                                                     .context = d.context});
    jfr_write_execution_sample(w, ticks, d.thread, d.stack, JFR_STATE_JAVA);
}

static void add_wall(struct maker *m, struct jfr_writer *w, uint64_t ticks)
{
    struct drawn d = draw_sample(m, ticks);
    jfr_write_wall_sample(w, &(struct jfr_wall_sample){.ticks = ticks,
                                                       .thread = d.thread,
                                                       .weight_ns = d.weight,
                                                       .state = d.thread % 4 ? JFR_STATE_PARKED : JFR_STATE_JAVA,
                                                       .outcome = COMPLETE,
                                                       .stack = d.stack,
                                                       .context = d.context});
}

static void add_object(struct maker *m, struct jfr_writer *w, uint64_t ticks)
{
    struct drawn d = draw_sample(m, ticks);
    uint64_t weight = draw_size(m, 12), size = draw_size(m, 4);
    jfr_write_allocation_sample(w, &(struct jfr_allocation_sample){.ticks = ticks,
                                                                   .thread = d.thread,
                                                                   .stack = d.stack,
                                                                   .class_name = 1 + (uint32_t)(size % CLASSES),
                                                                   .weight = weight,
                                                                   .size = size,
                                                                   .outcome = COMPLETE});
}

/* Adds the objects that are alive at the end. */
static void add_live(struct maker *m, struct jfr_writer *w, uint64_t ticks, uint64_t objects)
{
    for (uint64_t i = 0; m->all_kinds && i < objects; i++) {
        struct drawn d = draw_sample(m, ticks);
        jfr_write_old_object(w, &(struct jfr_old_object){.ticks = ticks,
                                                         .thread = d.thread,
                                                         .stack = d.stack,
                                                         .class_name = 1 + (uint32_t)(d.weight % CLASSES),
                                                         .born_ticks = ticks / 2,
                                                         .size = draw_size(m, 4),
                                                         .weight = draw_size(m, 12),
                                                         .outcome = COMPLETE,
                                                         .elements = -1});
    }
}

static void add_waits(struct maker *m, struct jfr_writer *w, uint64_t ticks)
{
    struct drawn d = draw_sample(m, ticks), holder = draw_sample(m, ticks);
    uint64_t waited = draw_size(m, 14);
    uint32_t class_name = 1 + (uint32_t)(d.stack % 64);
    jfr_write_monitor_enter(w, &(struct jfr_lock_wait){.ticks = ticks,
                                                       .duration_ticks = waited,
                                                       .thread = d.thread,
                                                       .stack = d.stack,
                                                       .class_name = class_name,
                                                       .has_class = true,
                                                       .owner = holder.thread,
                                                       .weight_ns = waited,
                                                       .finished = true,
                                                       .outcome = COMPLETE});
    jfr_write_lock_holder(w, &(struct jfr_lock_holder){.ticks = ticks,
                                                       .thread = holder.thread,
                                                       .stack = holder.stack,
                                                       .weight_ns = waited,
                                                       .outcome = COMPLETE,
                                                       .state = JFR_STATE_JAVA,
                                                       .class_name = class_name,
                                                       .has_class = true});
}

static void add_samples(struct maker *m, struct jfr_writer *w, uint64_t ticks)
{
    add_cpu(m, w, ticks);
    if (!m->all_kinds)
        return;
    add_wall(m, w, ticks);
    add_object(m, w, ticks);
    add_waits(m, w, ticks);
}

static void write_one(struct maker *m, const char *path, uint64_t start_s, uint64_t samples, uint64_t seconds)
{
    struct jfr_pools pools = {m, answer_stack, answer_method, answer_thread, answer_symbol, .whose_work = answer_work};
    struct jfr_writer_options options = {.ticks_per_second = NS_PER_S, .start_epoch_ns = start_s * NS_PER_S};
    struct jfr_writer *w;
    struct error e;
    int fd = open(path, O_CREAT | O_TRUNC | O_RDWR | O_CLOEXEC, 0644);
    if (fd < 0)
        fail(path, "cannot be written");
    if (jfr_writer_new(&w, fd, &options, &pools, &e))
        fail(path, e.text);
    jfr_write_setting(w, 0, "interval_ns", "10000000");
    for (uint64_t i = 0, last = 0; i < samples; i++) {
        uint64_t ticks = i * seconds * NS_PER_S / samples;
        if (ticks / NS_PER_S != last && jfr_writer_flush(w, ticks, &e))
            fail(path, e.text);
        last = ticks / NS_PER_S;
        add_samples(m, w, ticks);
    }
    add_live(m, w, seconds * NS_PER_S - 1, samples);
    if (jfr_writer_close(w, seconds * NS_PER_S, &e))
        fail(path, e.text);
}

int main(int argc, char **argv)
{
    struct maker m = {0};
    uint64_t numbers[10] = {0};
    if (argc != 11 || (strcmp(argv[10], "cpu") && strcmp(argv[10], "all")))
        fail("usage", "recordings FOLDER COUNT SAMPLES SECONDS START_S DISTINCT DEPTH THREADS SEED cpu|all");
    for (int i = 2; i < 10; i++)
        numbers[i] = strtoull(argv[i], NULL, 10);
    m.distinct = (uint32_t)numbers[6];
    m.depth = (uint32_t)numbers[7];
    m.threads = (uint32_t)numbers[8];
    m.state = hash_mix(numbers[9]);
    m.all_kinds = !strcmp(argv[10], "all");
    if (!numbers[3] || !numbers[4] || !m.depth || m.depth > DEPTH_MAX / 2 || !m.threads || m.threads > 1000 || m.distinct > 1 << 24)
        fail("usage", "a number is too small or too large");
    m.bits = RARE_BITS;
    if (m.distinct)
        for (m.bits = 1; 1u << m.bits < m.distinct; m.bits++)
            ;
    m.shares = calloc((size_t)m.distinct + 1, sizeof *m.shares);
    for (uint32_t i = 0; m.shares && i < m.distinct; i++)
        m.shares[i] = (i ? m.shares[i - 1] : 0) + 1.0 / (i + 1);
    map_init(&m.ids);
    for (uint64_t i = 0; i < numbers[2]; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%llu.jfr", argv[1], (unsigned long long)i);
        map_clear(&m.ids);
        m.key_count = 0;
        write_one(&m, path, numbers[5] + i * numbers[4], numbers[3], numbers[4]);
    }
    map_deinit(&m.ids);
    free(m.keys);
    free(m.shares);
    return 0;
}
