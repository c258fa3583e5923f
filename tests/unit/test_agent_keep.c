/* How much of a recording is kept: it stays within its bounds, and its books cover what is there.
 * tier: default
 * timeout: 200 */
#include "base/time_units.h"
#include "jfr_sample.h"
#include "session.h"

#include "../tap.h"
#include "agent/record/keep.h"
#include "base/text/units.h"
#include "jfr/write/writer_ring.h"
#include "profile/load/load_jfr.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static char path[] = "/tmp/candor-test-XXXXXX";
static char copy[64];

/* ---- the rules, with an artificial clock ---- */

static uint64_t ticks_of(unsigned round)
{
    return SAMPLE_START_TICKS + (uint64_t)round * SAMPLE_TICKS_PER_SECOND;
}

struct bounds {
    uint64_t most_bytes, least_bytes; /* size of the file; of the smallest only once it was full */
    uint64_t most_ns, least_ns;       /* how far it went back; of the shortest only once it had been that long */
    unsigned shrunk;
    bool as_reckoned; /* never longer than computed before a flush */
};

/* The contents of a round: a multiple of the usual samples; if it is late, as one in late_every is, more; or stacks that were never met
 * before. */
struct rounds {
    unsigned weight, late_every, late_weight, late_stacks;
};

static void write_round(struct jfr_writer *w, const struct rounds *r, unsigned i, uint32_t *stack)
{
    bool is_late = r->late_every && i % r->late_every == r->late_every - 1;
    for (unsigned k = 0; k < (is_late ? r->late_weight : r->weight); k++)
        sample_round(w, i);
    for (unsigned k = 0; k < (is_late ? r->late_stacks : 0); k++)
        jfr_write_execution_sample(w, ticks_of(i), 1, (*stack)++, JFR_STATE_JAVA);
}

static void see_size(struct bounds *b, uint64_t size)
{
    b->most_bytes = size > b->most_bytes ? size : b->most_bytes;
}

/* A round every second. */
static bool record(const struct keep *keep, unsigned seconds, const struct rounds *rounds, struct bounds *b)
{
    struct error e;
    struct jfr_writer *w = sample_open_ring(path, &e);
    uint64_t chunk_ticks = SAMPLE_START_TICKS, size = 0;
    uint32_t stack = SAMPLE_OWN_STACKS;
    int rc = 0;
    *b = (struct bounds){.as_reckoned = true, .least_ns = UINT64_MAX, .least_bytes = UINT64_MAX};
    for (unsigned i = 0; i < seconds && !rc; i++) {
        uint64_t now = ticks_of(i + 1);
        write_round(w, rounds, i, &stack);
        rc = keep_make_way(keep, w, now, &e);
        if (rc)
            break;
        see_size(b, jfr_writer_size(w));
        uint64_t reckoned = jfr_writer_size(w) + jfr_writer_growth(w);
        bool rotate = now - chunk_ticks >= keep_chunk_ns(keep) || jfr_writer_chunk_size(w) >= keep_chunk_bytes(keep);
        rc = rotate ? jfr_writer_rotate(w, now, SAMPLE_START_EPOCH_NS + (now - SAMPLE_START_TICKS), &e) : jfr_writer_flush(w, now, &e);
        chunk_ticks = rotate ? now : chunk_ticks;
        see_size(b, jfr_writer_size(w));
        b->as_reckoned &= jfr_writer_size(w) <= reckoned;
        if (!rc)
            rc = keep_trim(keep, w, now, &e);
        b->shrunk += jfr_writer_size(w) < size;
        size = jfr_writer_size(w);
        uint64_t back = now - jfr_ring_start_ticks(w);
        b->least_bytes = b->shrunk && size < b->least_bytes ? size : b->least_bytes;
        b->most_ns = back > b->most_ns ? back : b->most_ns;
        if (now - SAMPLE_START_TICKS >= keep->ns && back < b->least_ns)
            b->least_ns = back;
    }
    if (rc)
        tap_note("%s", e.text);
    rc = rc ? rc : keep_finish(keep, w, ticks_of(seconds), &e);
    see_size(b, jfr_writer_size(w) + jfr_writer_growth(w));
    return !jfr_writer_close(w, ticks_of(seconds), &e) && !rc;
}

static bool reads(const char *file)
{
    static struct profile p;
    struct error e;
    profile_init(&p);
    bool good = !profile_load_jfr(&p, file, &e);
    for (uint32_t i = 0; i < p.problem_count; i++)
        good &= !strstr(profile_text(&p, p.problems[i].text), "reading:");
    profile_deinit(&p);
    return good;
}

static void check_late(const struct keep *size, const struct rounds *rounds, const char *what)
{
    struct bounds b;
    bool good = record(size, 200, rounds, &b);
    tap_ok(good && reads(path) && b.as_reckoned && b.most_bytes <= size->bytes && b.shrunk > 3, "nor more where %s: %llu KiB", what,
           (unsigned long long)b.most_bytes >> 10);
}

static void test_rules(void)
{
    struct bounds b;
    struct keep time = {.ns = 20 * NS_PER_S}, size = {.bytes = 2 << 20}, both = {time.ns, size.bytes};
    struct rounds light = {.weight = 1}, heavy = {.weight = 20};
    struct rounds late = {20, 7, 22 * 20, 0}, many = {20, 7, 20, 700}, most = {20, 7, 20, 1200};
    bool good = record(&time, 200, &light, &b);
    tap_ok(good && reads(path) && b.least_ns >= time.ns && b.most_ns <= time.ns + keep_chunk_ns(&time) && b.shrunk > 3,
           "the last 20 s, and a tenth more at most: it went back %.1f to %.1f s", (double)b.least_ns / NS_PER_S,
           (double)b.most_ns / NS_PER_S);
    good = record(&size, 200, &heavy, &b);
    tap_ok(good && reads(path) && b.most_bytes <= size.bytes && b.least_bytes >= size.bytes / 2 && b.shrunk > 3,
           "at most 2 MiB, and half of it at least: %llu to %llu KiB", (unsigned long long)b.least_bytes >> 10,
           (unsigned long long)b.most_bytes >> 10);
    check_late(&size, &late, "a flush is late and brings 22 times as much");
    check_late(&size, &many, "a flush brings 700 stacks never met before");
    check_late(&size, &most, "a flush brings more names than wait in memory");
    good = record(&both, 200, &heavy, &b);
    tap_ok(good && b.most_bytes <= size.bytes && b.most_ns <= time.ns + keep_chunk_ns(&both), "both: whichever is less");
    struct keep none = {0};
    good = record(&none, 100, &light, &b);
    tap_ok(good && !b.shrunk && b.most_ns == 100 * NS_PER_S, "without bounds all of it");
}

/* ---- a recording of this process ---- */

static struct profile profile;

static bool load(const char *file)
{
    struct error e = {""};
    profile_deinit(&profile);
    profile_init(&profile);
    int rc = profile_load_jfr(&profile, file, &e);
    if (rc)
        tap_note("%s", e.text);
    for (uint32_t i = 0; i < profile.problem_count; i++)
        tap_note("%s: %s", file, profile_text(&profile, profile.problems[i].text));
    return !rc;
}

static int64_t sum(void)
{
    static const char *const accounts[] = {"complete", "truncated", "failed", "lost", "unseen", "residual"};
    int64_t ns = 0;
    for (uint32_t i = 0; i < profile.book_count; i++)
        for (size_t k = 0; k < sizeof accounts / sizeof *accounts; k++)
            if (!strcmp(profile_text(&profile, profile.books[i].account), accounts[k]))
                ns += profile.books[i].ns;
    return ns;
}

static int64_t sampled(void)
{
    int64_t ns = 0;
    for (uint32_t i = 0; i < profile.book_count; i++) {
        const char *account = profile_text(&profile, profile.books[i].account);
        if (!strcmp(account, "complete") || !strcmp(account, "truncated") || !strcmp(account, "failed"))
            ns += profile.books[i].ns;
    }
    return ns;
}

static uint64_t samples_counted(void)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < profile.book_count; i++) {
        const char *account = profile_text(&profile, profile.books[i].account);
        if (!strcmp(account, "complete") || !strcmp(account, "truncated") || !strcmp(account, "failed"))
            n += profile.books[i].count;
    }
    return n;
}

static void check_kept(const char *file, const char *what)
{
    bool good = load(file);
    const struct profile_book *cpu = profile_book(&profile, "cpu", "");
    tap_ok(good && !profile.problem_count && profile.discarded, "%s: read without a problem, and known to be an end", what);
    for (uint32_t i = 0; i < profile.problem_count; i++)
        tap_note("problem: %s", profile_text(&profile, profile.problems[i].text));
    tap_ok(cpu && cpu->ns == sum() && cpu->ns > 0, "%s: the books balance to the nanosecond", what);
    tap_ok(profile.sample_count && sampled() == (int64_t)profile.weight && samples_counted() == profile.sample_count,
           "%s: and they are of the %u samples that are there", what, profile.sample_count);
    const char *began = profile_setting(&profile, "began_ns");
    tap_ok(began && strtoll(began, NULL, 10) < profile.start_ns, "%s: it says when the recording began", what);
    for (uint32_t i = 0; i < profile.thread_count; i++) /* CPU time of a thread while it was recorded, which is all the time here */
        if (profile.threads[i].cpu_known && profile.threads[i].cpu_ns > profile.duration_ns)
            tap_ok(false, "%s: a thread used %llu ns in %llu", what, (unsigned long long)profile.threads[i].cpu_ns,
                   (unsigned long long)profile.duration_ns);
}

static _Atomic bool is_over;

static void *busy(void *unused)
{
    while (!is_over)
        burn(NS_PER_MS);
    return NULL;
}

/* This thread is the agent's, and is not sampled. */
static void collect(uint64_t seconds)
{
    uint64_t end = clock_monotonic_ns() + seconds * NS_PER_S;
    while (clock_monotonic_ns() < end) {
        nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
        collect_tick();
    }
}

static void test_session(void)
{
    struct collect_options o = {.events = COLLECT_CPU, .clock = CLOCK_AUTO, .interval_ns = NS_PER_MS, .keep.ns = 2 * NS_PER_S};
    struct collect_status s;
    struct error e = {""};
    uint64_t bytes = 0;
    snprintf(o.file, sizeof o.file, "%s", path);
    if (!tap_ok(session_start_with(&o), "a recording of the last two seconds"))
        return;
    collect(6);
    collect_status(0, &s);
    tap_ok(s.keep.ns == o.keep.ns && s.kept_ns >= o.keep.ns && s.kept_ns < s.elapsed_ns, "it goes back %.2f of %.2f s",
           (double)s.kept_ns / NS_PER_S, (double)s.elapsed_ns / NS_PER_S);
    struct stat st;
    int rc = collect_dump(0, copy, -1, 0, &bytes, &e);
    tap_ok(!rc && !stat(copy, &st) && (uint64_t)st.st_size == bytes, "a dump of it: %s", rc ? e.text : "all bytes");
    check_kept(copy, "the dump");
    collect(2);
    tap_ok(session_stop(), "stopped");
    check_kept(path, "the recording");
    bool has_thread = false;
    for (uint32_t i = 0; i < profile.thread_count; i++)
        has_thread |= profile.threads[i].cpu_known && profile.threads[i].cpu_ns > 0;
    tap_ok(has_thread, "the time of threads is that of what is there");
}

/* ---- automatic dumps ---- */

static unsigned dumps_made(char *last, size_t size)
{
    struct collect_status s;
    collect_status(0, &s);
    snprintf(last, size, "%s", s.dumps->file);
    return s.dumps->made;
}

static unsigned dumps_told(const char *file)
{
    unsigned n = 0;
    if (load(file))
        for (uint32_t i = 0; i < profile.problem_count; i++)
            n += !strncmp(profile_text(&profile, profile.problems[i].text), "dump ", 5);
    return n;
}

static void test_dumps(void)
{
    struct collect_options o = {
        .events = COLLECT_CPU, .clock = CLOCK_AUTO, .interval_ns = NS_PER_MS, .dumps = {.max = 2, .pause_ns = NS_PER_S}};
    struct error e;
    char file[RECORDING_PATH_MAX];
    alarm_rule_parse(&o.dumps.rule, "cpu>0.02/1s", &e);
    snprintf(o.file, sizeof o.file, "%s", path);
    snprintf(o.dumps.folder, sizeof o.dumps.folder, "/nonexistent/folder");
    unlink(path); /* an earlier recording is kept when a new one is refused */
    tap_ok(!session_start_with(&o) && strstr(session_error.text, "/nonexistent/folder") && access(path, F_OK) && !collect_running(),
           "a folder that is not there is refused at once, and nothing is left");
    o.dumps.folder[0] = 0;
    if (!tap_ok(session_start_with(&o), "beside the recording"))
        return;
    for (int i = 0; i < 60 && dumps_made(file, sizeof file) < 2; i++)
        collect(1);
    collect(3);
    unsigned made = dumps_made(file, sizeof file);
    tap_ok(made == 2, "%u dumps, of the two that are allowed", made);
    tap_ok(!strncmp(file, path, strlen(path)) && dumps_told(file) == 2 && profile.sample_count > 0,
           "the last of them, %s, holds samples and the reasons of both", file);
    session_stop();
    tap_ok(dumps_told(path) == 2, "and so does the recording");
    snprintf(file, sizeof file, "rm -f %s-*.jfr", path);
    if (system(file))
        tap_note("%s", file);
}

int main(void)
{
    close(mkstemp(path));
    snprintf(copy, sizeof copy, "%s.copy", path);
    test_rules();
    pthread_t worker;
    pthread_create(&worker, NULL, busy, NULL);
    test_session();
    test_dumps();
    is_over = true;
    pthread_join(worker, NULL);
    unlink(path);
    unlink(copy);
    profile_deinit(&profile);
    return tap_done();
}
