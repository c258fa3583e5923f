/* A profile that grows with its recording is equal to the profile that is read at the end; its views have the right time and books.
 * tier: quick
 * timeout: 60 */
#include "base/time_units.h"
#include "jfr_sample.h"

#include "../tap.h"
#include "profile/figures/reroot.h"
#include "profile/figures/stats.h"
#include "profile/load/live.h"
#include "profile/load/load_jfr.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROUNDS = 8, ROTATE_AT = 5 };

static char path[64];
static struct jfr_writer *writer;

static uint64_t ticks(unsigned round)
{
    return SAMPLE_START_TICKS + (uint64_t)round * SAMPLE_TICKS_PER_SECOND;
}

static void write_round(unsigned round)
{
    struct error e;
    sample_round(writer, round);
    if (round == ROTATE_AT)
        jfr_writer_rotate(writer, ticks(round + 1), SAMPLE_START_EPOCH_NS + (round + 1) * NS_PER_S, &e);
    else
        jfr_writer_flush(writer, ticks(round + 1), &e);
}

static int64_t book_ns(const struct profile *p, const char *account, const char *reason)
{
    const struct profile_book *b = profile_book(p, account, reason);
    return b ? b->ns : -1;
}

static void test_view(const struct live *l, unsigned seconds, unsigned rounds)
{
    struct live_view v;
    struct live_part part = {.span_ns = seconds * NS_PER_S};
    if (!tap_ok(!live_look(l, &part, &v), "a view of %u s", seconds))
        return;
    const struct profile *p = &v.profile;
    uint64_t weight = 0;
    for (uint32_t i = 0; i < p->sample_count; i++)
        weight += p->samples[i].weight;
    tap_ok(p->sample_count == rounds * SAMPLE_CPU_SAMPLES && p->sampled == p->sample_count && p->weight == weight,
           "it has the samples of %u rounds (%u)", rounds, p->sample_count);
    tap_ok(book_ns(p, "cpu", "") == rounds * 600000000ll && book_ns(p, "failed", "not_walkable") == rounds * 100000000ll,
           "and their books");
    tap_ok(rounds == ROUNDS || p->duration_ns == rounds * NS_PER_S, "and their time (%llu)", (unsigned long long)p->duration_ns);
    live_look_away(&v);
}

static void test_thread(const struct live *l)
{
    struct live_view v;
    struct live_part part = {.one_thread = true, .thread = live_profile(l)->samples[0].thread};
    uint32_t of_it = 0;
    const struct profile *all = live_profile(l);
    for (uint32_t i = 0; i < all->sample_count; i++)
        of_it += all->samples[i].thread == part.thread;
    tap_ok(!live_look(l, &part, &v) && v.profile.sample_count == of_it && of_it && of_it < all->sample_count,
           "a view of one thread has its samples (%u of %u)", of_it, all->sample_count);
    live_look_away(&v);
}

/* A view by label is the same as a view by a pattern that only that label matches. */
static void test_reroot(const struct profile *p)
{
    struct profile by_label, by_pattern;
    struct stats s;
    struct regex *pattern;
    struct error e;
    stats_compute(&s, p);
    uint32_t label = s.methods.rows[0].label;
    char text[512] = "^";
    size_t n = 1;
    for (const char *c = profile_text(p, label); *c && n < sizeof text - 4; c++) {
        if (strchr(".[]()*+?{}|^$\\", *c))
            text[n++] = '\\';
        text[n++] = *c;
    }
    text[n++] = '$';
    text[n] = 0;
    tap_ok(!regex_compile(&pattern, text, REGEX_SOMEWHERE, &e), "pattern");
    int rc = reroot_init(&by_pattern, p, REROOT_CALLERS, pattern);
    rc |= reroot_init_label(&by_label, p, REROOT_CALLERS, label);
    tap_ok(!rc && by_label.weight && by_label.weight == by_pattern.weight && by_label.node_count == by_pattern.node_count,
           "callers by label are those by pattern");
    reroot_deinit(&by_label);
    reroot_deinit(&by_pattern);
    regex_free(pattern);
    stats_deinit(&s);
}

static void test_growing(void)
{
    struct live *l;
    struct profile p;
    struct error e;
    bool news;
    unsigned quiet = 0;
    writer = sample_open(path, &e);
    if (!tap_ok(writer && !live_new(&l, open(path, O_RDONLY), false, &e), "a recording is followed"))
        return;
    for (unsigned i = 0; i < ROUNDS; i++) {
        write_round(i);
        tap_ok(!live_read(l, &news, &e) && news, "round %u: there is news", i);
        quiet += !live_read(l, &news, &e) && !news;
    }
    tap_ok(quiet == ROUNDS, "and when it was read there is none");
    test_view(l, 0, ROUNDS);
    test_view(l, 1, 1);
    test_view(l, 3, 3);
    test_view(l, 3600, ROUNDS);
    test_thread(l);
    test_reroot(live_profile(l));
    jfr_writer_close(writer, ticks(ROUNDS), &e);
    tap_ok(!live_read(l, &news, &e) && live_ended(l), "the end is seen");
    const struct profile *grown = live_profile(l);
    profile_init(&p);
    tap_ok(!profile_load_jfr(&p, path, &e) && p.sample_count == grown->sample_count && p.weight == grown->weight &&
               p.node_count == grown->node_count && p.method_count == grown->method_count && p.interval_ns == grown->interval_ns &&
               p.thread_count == grown->thread_count && book_ns(&p, "cpu", "") == book_ns(grown, "cpu", ""),
           "the profile is that of the finished file");
    profile_deinit(&p);
    live_free(l);
}

static void test_joined(void)
{
    struct live *l;
    struct live_view v;
    struct error e;
    bool news;
    writer = sample_open(path, &e);
    write_round(0);
    write_round(1);
    tap_ok(!live_new(&l, open(path, O_RDONLY), true, &e) && !live_read(l, &news, &e), "a recording that runs is joined");
    live_look(l, &(struct live_part){0}, &v);
    tap_ok(!v.profile.sample_count && !book_ns(&v.profile, "cpu", ""), "what was before is not shown");
    live_look_away(&v);
    write_round(2);
    tap_ok(!live_read(l, &news, &e) && news, "then there is news");
    live_look(l, &(struct live_part){0}, &v);
    tap_ok(v.profile.sample_count == SAMPLE_CPU_SAMPLES && book_ns(&v.profile, "cpu", "") == 600000000 && v.profile.duration_ns == NS_PER_S,
           "of one round");
    live_look_away(&v);
    jfr_writer_close(writer, ticks(3), &e);
    live_free(l);
}

int main(void)
{
    snprintf(path, sizeof path, "/tmp/candor-live-%d.jfr", getpid());
    test_growing();
    test_joined();
    unlink(path);
    return tap_done();
}
