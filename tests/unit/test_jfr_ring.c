/* A recording that removes its oldest chunks and moves the rest to the front: the file is whole at every instant, contains nothing
 * twice, and lacks only what was removed.
 * tier: quick
 * timeout: 300 */
#include "base/time_units.h"
#include "jfr_sample.h"
#include "jfr_walk.h"
#include "jfr_watch.h"

#include "../tap.h"
#include "jfr/write/writer_ring.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ROUNDS = 36, ROUNDS_MAX = 64, ROUNDS_OF_CHUNK = 3, CHUNKS_KEPT = 3 };

static char path[] = "/tmp/candor-test-XXXXXX";
static struct jfr_walk walk; /* large */

/* ---- the contents of the file ---- */

struct holding {
    unsigned samples[ROUNDS_MAX];
    unsigned first, last; /* rounds with samples */
    bool good;            /* these rounds are whole, without a gap between them, and the file has no errors */
};

static void count_chunk(struct jfr_chunk *chunk, struct holding *h)
{
    struct jfr_event event;
    for (struct jfr_cursor cursor = jfr_cursor_init(chunk); jfr_cursor_next(&cursor, &event);) {
        if (strcmp(event.type->name, "candor.CpuSample"))
            continue;
        uint64_t round = ((uint64_t)jfr_event_epoch_ns(&event) - SAMPLE_START_EPOCH_NS) / NS_PER_S;
        if (round < ROUNDS_MAX)
            h->samples[round]++;
        else
            h->good = false;
    }
}

static struct holding holding(void)
{
    struct holding h = {.first = ROUNDS_MAX, .good = true};
    struct jfr_problems problems = {0};
    struct jfr_bytes b = jfr_bytes_of(path);
    struct jfr_file *file;
    struct error e;
    h.good = !jfr_walk_copy(b.data, b.size, &walk) && !walk.problems.count &&
             !jfr_file_open_memory(&file, b.data, b.size, "test", &problems, &e);
    for (uint32_t i = 0; h.good && i < jfr_file_chunks(file); i++) {
        struct jfr_chunk *chunk;
        jfr_chunk_open(&chunk, file, i, &problems, &e);
        if (chunk)
            count_chunk(chunk, &h);
        jfr_chunk_close(chunk);
    }
    if (h.good)
        jfr_file_close(file);
    free(b.data);
    for (unsigned r = 0; r < ROUNDS_MAX; r++)
        if (h.samples[r]) {
            h.first = h.first == ROUNDS_MAX ? r : h.first;
            h.last = r;
            h.good &= h.samples[r] == SAMPLE_CPU_SAMPLES;
        }
    for (unsigned r = h.first; r <= h.last && h.first < ROUNDS_MAX; r++)
        h.good &= h.samples[r] != 0;
    return h;
}

/* ---- a recording of many chunks ---- */

static unsigned flushed; /* rounds that were */
static unsigned kept;    /* the first round that must be there, whatever happens */

static uint64_t ticks_of(unsigned round)
{
    return SAMPLE_START_TICKS + (uint64_t)round * SAMPLE_TICKS_PER_SECOND;
}

/* Keeps this many chunks, and moves them if that is possible. */
static int keep_end(struct jfr_writer *w, unsigned *moves, struct error *e)
{
    uint32_t chunks = jfr_ring_chunks(w);
    int rc = 0;
    if (chunks > CHUNKS_KEPT) {
        kept += (chunks - CHUNKS_KEPT) * ROUNDS_OF_CHUNK;
        rc = jfr_ring_give_up(w, chunks - CHUNKS_KEPT, e);
    }
    if (rc || !jfr_ring_can_close_up(w))
        return rc;
    ++*moves;
    return jfr_ring_close_up(w, e);
}

static int write_rounds(unsigned rounds, unsigned *moves, struct error *e)
{
    *moves = flushed = kept = 0;
    struct jfr_writer *w = sample_open_ring(path, e);
    int rc = w ? 0 : -EIO;
    for (unsigned i = 0; i < rounds && !rc; i++) {
        sample_round(w, i);
        rc = i % ROUNDS_OF_CHUNK == ROUNDS_OF_CHUNK - 1
                 ? jfr_writer_rotate(w, ticks_of(i + 1), SAMPLE_START_EPOCH_NS + (i + 1) * NS_PER_S, e)
                 : jfr_writer_flush(w, ticks_of(i + 1), e);
        flushed += !rc;
        if (!rc)
            rc = keep_end(w, moves, e);
    }
    int closed = w ? jfr_writer_close(w, ticks_of(rounds), e) : 0;
    return rc ? rc : closed;
}

static bool is_right(const struct holding *h)
{
    unsigned rounds = h->first == ROUNDS_MAX ? 0 : h->last + 1;
    return h->good && (!flushed || h->first <= kept) && rounds >= flushed && rounds <= flushed + 1;
}

/* ---- the tests ---- */

static void test_end(void)
{
    struct error e;
    struct stat st;
    unsigned moves;
    int rc = write_rounds(ROUNDS, &moves, &e);
    struct holding h = holding();
    stat(path, &st);
    tap_ok(!rc && moves > 3, "%d rounds in chunks of %d, of which %d are kept: moved to the front %u times", ROUNDS, ROUNDS_OF_CHUNK,
           CHUNKS_KEPT, moves);
    tap_ok(is_right(&h) && h.first == kept && h.last == ROUNDS - 1, "rounds %u to %u are there, whole", h.first, h.last);
    off_t kept_size = st.st_size;
    rc = sample_write(path, ROUNDS / ROUNDS_OF_CHUNK, ROUNDS_OF_CHUNK, &e);
    stat(path, &st);
    tap_ok(!rc && kept_size * 2 < st.st_size, "the file has %lld bytes, that of all rounds %lld", (long long)kept_size,
           (long long)st.st_size);
}

static uint64_t moments, wrong;

static void look(void)
{
    struct holding h = holding();
    if (!is_right(&h) && !wrong++)
        tap_note("after call %u: rounds %u to %u, %s; %u flushed, %u to be kept", jfr_watch.calls, h.first, h.last,
                 h.good ? "whole" : "not whole", flushed, kept);
    moments++;
}

static void test_each_write(bool page_by_page)
{
    struct error e;
    unsigned moves;
    jfr_watch = (struct jfr_watch){.look = look, .page_by_page = page_by_page};
    moments = wrong = 0;
    int rc = write_rounds(ROUNDS / 2, &moves, &e);
    jfr_watch = (struct jfr_watch){0};
    tap_ok(!rc && moves && moments > 100 && !wrong, "dead after any of %llu %s: nothing twice, nothing missing",
           (unsigned long long)moments, page_by_page ? "pages that are written" : "system calls");
}

/* What was kept remains, whichever call fails. */
static void test_each_error(void)
{
    struct error e;
    unsigned moves, failures = 0, bad = 0;
    for (unsigned n = 1;; n++) {
        jfr_watch = (struct jfr_watch){.fail_at = n};
        int rc = write_rounds(ROUNDS / 2, &moves, &e);
        jfr_watch = (struct jfr_watch){0};
        if (!rc)
            break;
        failures++;
        struct stat st;
        stat(path, &st);
        struct holding h = st.st_size ? holding() : (struct holding){.first = ROUNDS_MAX, .good = true};
        if ((rc != -EIO || !is_right(&h)) && !bad++)
            tap_note("call %u: %d, %s; rounds %u to %u of %u flushed, %u to be kept", n, rc, e.text, h.first, h.last, flushed, kept);
    }
    tap_ok(failures > 50 && !bad, "EIO in each of %u calls: what was kept is there", failures);
}

static void test_nothing_to_do(void)
{
    struct error e;
    struct jfr_writer *w = sample_open_ring(path, &e);
    sample_round(w, 0);
    jfr_writer_flush(w, ticks_of(1), &e);
    uint64_t size = jfr_writer_size(w);
    bool good = !jfr_ring_chunks(w) && !jfr_ring_can_close_up(w) && !jfr_ring_give_up(w, 0, &e) && !jfr_ring_close_up(w, &e) &&
                jfr_writer_size(w) == size && jfr_ring_start_offset(w) == 0 && jfr_ring_start_ticks(w) == SAMPLE_START_TICKS;
    jfr_writer_close(w, ticks_of(1), &e);
    tap_ok(good, "with one chunk there is nothing to give up, and nothing moves");
}

int main(void)
{
    close(mkstemp(path));
    test_end();
    test_each_write(false);
    test_each_write(true);
    test_each_error();
    test_nothing_to_do();
    unlink(path);
    return tap_done();
}
