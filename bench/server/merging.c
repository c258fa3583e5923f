/* What it costs the store to merge the segments of many hosts, without the recordings of a real program.
 *
 *     merging FOLDER HOSTS ROUNDS ROWS
 *
 * Each of HOSTS, twenty to a service, adds a recording of ROWS rows for each of ROUNDS half minutes. After ten seconds of them the store is
 * maintained, as a server does. For each round it prints: its number, CPU seconds of adding and of maintaining, seconds of maintaining, and
 * segments at its end.
 * bench/arrivals.py takes the costs of merging from it, and compares itself with it. */
#include "base/text/units.h"
#include "base/time_units.h"
#include "compress/intake.h"
#include "format/read/formats.h"
#include "store/store.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { OF_SERVICE = 20, ROUND_S = 30, PASSES = 3 };

static void fail(const char *what)
{
    fprintf(stderr, "merging: %s\n", what);
    exit(1);
}

static int load(struct store_profiles *to, const struct envelope *v, struct error *e)
{
    struct intake in;
    struct profile *p = store_profiles_add(to);
    int rc = p ? intake_open_memory(&in, v->body, v->size, "merging", e) : -ENOMEM;
    return rc ? rc : formats_load_from(p, &in, "merging", "collapsed", "samples", NULL, e);
}

static char *make_body(unsigned rows)
{
    char *text;
    size_t n;
    FILE *out = open_memstream(&text, &n);
    if (!out)
        fail("out of memory");
    for (unsigned i = 0; i < rows; i++)
        fprintf(out, "x.A.main;x.B.part%u;x.C.leaf%u %u\n", i % 50, i, 1 + i % 7);
    if (fclose(out))
        fail("out of memory");
    return text;
}

static void set_label(struct envelope_note *note, const char *name, const char *format, unsigned number)
{
    char value[32];
    struct error e;
    snprintf(value, sizeof value, format, number);
    if (labels_set(&note->labels, name, strlen(name), value, strlen(value), &e))
        fail(e.text);
}

static void add(struct store *s, const char *body, unsigned host, unsigned turn, int64_t at)
{
    struct envelope_writer w;
    struct envelope_note note = {.received_ns = (int64_t)clock_realtime_ns(), .from_ns = at * NS_PER_S};
    uint8_t identity[ENVELOPE_IDENTITY] = {1};
    struct store_added added;
    struct error e;
    memcpy(identity + 1, &host, sizeof host);
    memcpy(identity + 1 + sizeof host, &turn, sizeof turn);
    set_label(&note, "service", "shop-%u", host / OF_SERVICE);
    set_label(&note, "host", "host-%u", host);
    if (store_begin(s, &w, &e) || envelope_put(&w, body, strlen(body), &e) || store_add(s, &w, &note, identity, &added, &e))
        fail(e.text);
    labels_deinit(&note.labels);
}

static double cpu_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int count_segment(void *context, uint32_t dictionary, uint64_t segment)
{
    (void)dictionary;
    (void)segment;
    ++*(uint64_t *)context;
    return 0;
}

static uint64_t segments(struct store *s)
{
    uint64_t n = 0;
    struct error e;
    if (catalogue_each_segment(store_catalogue(s), count_segment, &n, &e))
        fail(e.text);
    return n;
}

int main(int argc, char **argv)
{
    if (argc != 5)
        fail("usage: merging FOLDER HOSTS ROUNDS ROWS");
    unsigned hosts = (unsigned)atoi(argv[2]), rounds = (unsigned)atoi(argv[3]);
    struct store_options o = {.path = argv[1], .limits.retain_s = 30 * 86400, .load = load, .rollup = {-1, -1}};
    int64_t begin = (int64_t)(clock_realtime_ns() / NS_PER_S / 86400 * 86400); /* of one day, which is not over */
    char *body = make_body((unsigned)atoi(argv[4]));
    struct store *s;
    struct error e;
    if (store_open(&s, &o, &e))
        fail(e.text);
    for (unsigned turn = 0; turn < rounds; turn++) {
        double adding = 0, maintaining = 0;
        uint64_t ns = 0;
        for (unsigned pass = 0; pass < PASSES; pass++) {
            double start = cpu_s();
            for (unsigned host = pass; host < hosts; host += PASSES)
                add(s, body, host, turn, begin + (int64_t)turn * ROUND_S);
            double middle = cpu_s();
            uint64_t began = clock_monotonic_ns();
            store_maintain(s);
            ns += clock_monotonic_ns() - began;
            adding += middle - start;
            maintaining += cpu_s() - middle;
        }
        printf("%u %.6f %.6f %.6f %" PRIu64 "\n", turn, adding, maintaining, (double)ns / NS_PER_S, segments(s));
        fflush(stdout);
    }
    store_close(s);
    free(body);
    return 0;
}
