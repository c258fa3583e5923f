/* Halts in recordings written by hand: several events about one halt become one halt; sums, causes and shares of a time are exact.
 * tier: quick
 * timeout: 20
 * aarch64: yes */
#include "../tap.h"

#include "base/time_units.h"
#include "halts_craft.h"
#include "report/halts/halts.h"
#include "report/halts/timeline.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define START INT64_C(5000000)

/* Objects that each case opens and closes. */
struct crafted {
    struct buffer b;
    struct jfr_file *file;
    struct jfr_problems problems;
    struct halts h;
};

static void craft(struct crafted *c)
{
    *c = (struct crafted){0};
    buffer_init(&c->b, 4 << 20);
}

/* The present text in the buffer. */
static void read_halts(struct crafted *c)
{
    struct error e = {""};
    tap_ok(!jfr_file_open_memory(&c->file, c->b.data, c->b.len, "crafted", &c->problems, &e) &&
               !halts_read(&c->h, c->file, &c->problems, &e) && !c->problems.count,
           "it is read, without problems: %s %s", e.text, c->problems.list[0].text);
}

static void close_halts(struct crafted *c)
{
    halts_deinit(&c->h);
    jfr_file_close(c->file);
    buffer_deinit(&c->b);
}

static bool view_all(struct halt_view *v, const struct halts *h)
{
    return halt_view_make(v, h, h->start_ns, h->start_ns + (int64_t)h->duration_ns, NULL) == 0;
}

static const struct halt *find(const struct halts *h, enum halt_kind kind, uint64_t at)
{
    static const struct halt none = {0};
    for (uint32_t i = 0; i < h->count; i++)
        if (h->list[i].kind == kind && h->list[i].start_ns == START + (int64_t)(at * NS_PER_MS))
            return &h->list[i];
    tap_ok(false, "there is a %s at %" PRIu64 " ms", halt_kinds[kind].name, at);
    return &none;
}

static void text_is(const struct halts *h, uint32_t string, const char *wanted, const char *what)
{
    if (!tap_ok(!strcmp(halts_text(h, string), wanted), "%s", what))
        tap_note("'%s', not '%s'", halts_text(h, string), wanted);
}

static void test_safepoint(const struct halts *h)
{
    const struct halt *s = find(h, HALT_SAFEPOINT, 100);
    tap_ok(s->ns == 25 * NS_PER_MS, "a safepoint is from the begin of its begin to the end of its end");
    tap_ok(s->sync_known && s->sync_ns == 2 * NS_PER_MS && s->sync_from_ns == NS_PER_MS, "it took so long until all threads stood");
    text_is(h, s->what, "G1CollectFull", "what it was for");
    text_is(h, s->by, "main", "who asked for it");
    text_is(h, s->site, "shop.Cart.pay:17", "where: the program's frames, not the JDK's");
    text_is(h, s->late, "late at shop.Sum.loop:9", "who was late: samples of threads that ran Java code meanwhile, each thread once");
    text_is(h, find(h, HALT_VM_OPERATION, 104)->site, "shop.Cart.pay:17", "the operation's stack is that of the call");
    text_is(h, find(h, HALT_VM_OPERATION_BESIDE, 700)->what, "HandshakeAllThreads", "an operation beside the threads is no halt of all");
}

static void test_pauses(const struct halts *h)
{
    const struct halt *full = find(h, HALT_GC, 105), *alone = find(h, HALT_GC, 400), *ours = find(h, HALT_GC, 500);
    text_is(h, full->what, "G1Full, System.gc()", "a pause has its collection's collector and cause");
    text_is(h, full->by, "main", "who asked for it");
    text_is(h, full->site, "shop.Cart.pay:17", "and where");
    tap_ok(alone->ns == 10 * NS_PER_MS && !alone->told_by_agent, "a collection that is all pause is that pause");
    tap_ok(ours->ns == 8 * NS_PER_MS && ours->told_by_agent, "the agent's pauses are there");
    tap_ok(h->told_twice == 1, "one that the JDK told of, too, counts once");
    tap_ok(h->unplaced == 1 && h->unplaced_ns == 5 * NS_PER_MS, "pauses of a concurrent collection that nobody placed are reported");
}

static void test_waits(const struct halts *h)
{
    const struct halt *m = find(h, HALT_MONITOR, 300), *s = find(h, HALT_SOCKET_READ, 335);
    text_is(h, m->what, "shop.Lock", "a monitor has its class");
    text_is(h, m->thread, "worker", "the thread that waited");
    text_is(h, m->by, "main", "and the one that held it");
    text_is(h, s->what, "till/10.0.0.1:80", "a socket has its peer");
    tap_ok(s->bytes == 5, "and what was read");
}

static void test_whole(const struct halts *h)
{
    struct halt_view v;
    tap_ok(view_all(&v, h), "a view of all");
    tap_ok(h->start_ns == START && h->duration_ns == 1000 * NS_PER_MS, "of one second");
    tap_ok(v.stopped_ns == 43 * NS_PER_MS, "all threads stopped: halts within halts count once");
    tap_ok(v.waited_ns == 60 * NS_PER_MS && v.most_waiting == 3, "some waited, at most three at once");
    tap_ok(v.threads == 3 && v.all_waited_ns == 1 * NS_PER_MS, "all three of them for a millisecond");
    tap_ok(v.unexplained_ns == 897 * NS_PER_MS, "the rest is unexplained");
    const struct halt_sums *gc = &v.kinds[HALT_GC];
    tap_ok(gc->count == 3 && gc->total_ns == 36 * NS_PER_MS, "three pauses, and their sum");
    tap_ok(gc->p50_ns == 10 * NS_PER_MS && gc->p90_ns == 18 * NS_PER_MS && gc->p99_ns == 18 * NS_PER_MS && gc->max_ns == 18 * NS_PER_MS,
           "percentiles");
    tap_ok(v.kinds[HALT_EXCEPTION].count == 3, "an Error that is reported twice counts once, and an exception without its time counts");
    tap_ok(v.kinds[HALT_SAFEPOINTS_COUNTED].count == 6 && v.kinds[HALT_SAFEPOINTS_COUNTED].total_ns == 9 * NS_PER_MS, "counted safepoints");
    uint64_t causes = 0, count = 0;
    for (uint32_t i = 0; i < v.cause_count; i++) {
        causes += v.causes[i].kind == HALT_GC ? v.causes[i].total_ns : 0;
        count += v.causes[i].kind == HALT_EXCEPTION ? v.causes[i].count : 0;
    }
    tap_ok(causes == gc->total_ns && count == 3, "causes add up to their kinds");
    halt_view_deinit(&v);
}

static void test_part(const struct halts *h)
{
    struct halt_view v;
    struct regex *worker;
    uint32_t *list;
    halt_view_make(&v, h, START + 110 * NS_PER_MS, START + 320 * NS_PER_MS, NULL);
    tap_ok(v.stopped_ns == 15 * NS_PER_MS && v.waited_ns == 20 * NS_PER_MS && v.unexplained_ns == 175 * NS_PER_MS,
           "of a part: only what lies in it");
    tap_ok(v.kinds[HALT_GC].count == 1 && v.kinds[HALT_GC].total_ns == 13 * NS_PER_MS && v.kinds[HALT_GC].max_ns == 18 * NS_PER_MS,
           "durations are whole, totals are not");
    int64_t n = halt_view_longest(&v, HALT_OF_ALL, 1, &list);
    tap_ok(n == 1 && h->list[list[0]].kind == HALT_SAFEPOINT, "the one that overlaps most");
    free(list);
    halt_view_deinit(&v);
    regex_compile(&worker, "^worker$", REGEX_SOMEWHERE, NULL);
    halt_view_make(&v, h, h->start_ns, h->start_ns + (int64_t)h->duration_ns, worker);
    tap_ok(v.waited_ns == 40 * NS_PER_MS && v.stopped_ns == 43 * NS_PER_MS && !v.kinds[HALT_EXCEPTION].count,
           "of one thread, and what stopped all");
    halt_view_deinit(&v);
    regex_free(worker);
    halt_view_make(&v, h, START + 850 * NS_PER_MS, START + 900 * NS_PER_MS, NULL);
    tap_ok(!v.count && v.unexplained_ns == 50 * NS_PER_MS, "where nothing was, nothing is explained");
    halt_view_deinit(&v);
}

static void contains(const char *text, const char *part)
{
    if (!tap_ok(strstr(text, part) != NULL, "it says '%s'", part))
        tap_note("%s", text);
}

typedef int printer(FILE *out, const struct halt_view *v, const struct halts_report *o);

static char *printed(const struct halts *h, printer *print)
{
    static const struct jfr_problems none;
    const struct halts_report o = {.top = 20, .problems = &none};
    struct halt_view v;
    char *text;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    view_all(&v, h);
    tap_ok(!print(f, &v, &o), "it prints");
    fclose(f);
    halt_view_deinit(&v);
    return text;
}

static void test_printed(const struct halts *h)
{
    char *text = printed(h, halts_report_text), *json = printed(h, halts_report_json);
    contains(text, "GC pause: G1Full, System.gc(); requested by main at shop.Cart.pay:17\n");
    contains(text, "safepoint: G1CollectFull; 2.00 ms until all had stopped, late: late at shop.Sum.loop:9; requested by main");
    contains(text, "    4.30\n"); /* percent of the time */
    contains(text, "monitor: shop.Lock; thread worker; by main at shop.Cart.pay:17\n");
    contains(text, "exception: shop.Oops at shop.Cart.pay:17\n");
    contains(text, "1 collection paused for 5.00 ms");
    contains(json, "\"stopped_ns\": 43000000");
    contains(json, "\"unexplained_ns\": 897000000");
    contains(json, "{\"kind\": \"socket_read\", \"scope\": \"thread\"");
    contains(json, "\"what\": \"till/10.0.0.1:80\"");
    free(text);
    free(json);
}

/* As with the usual settings of the JDK's recorder. */
static void test_not_known_when_asked(struct halts *h)
{
    struct halt *s = &h->list[find(h, HALT_SAFEPOINT, 100) - h->list];
    s->sync_known = false;
    char *text = printed(h, halts_report_text);
    contains(text, "2.00 ms to begin, still running then: late at shop.Sum.loop:9; requested by main");
    s->sync_known = true;
    free(text);
}

static bool row_is(const struct timeline *t, uint32_t i, const char *name, const char *wanted)
{
    bool good = i < t->count && !strcmp(halts_text(t->h, t->rows[i].name), name);
    for (uint32_t c = 0; good && c < t->columns; c++)
        good = timeline_states[timeline_cell(t, &t->rows[i], c)].letter == wanted[c];
    return good;
}

static void draw(char *cells, uint32_t first, uint32_t last, char letter)
{
    for (uint32_t i = first; i <= last; i++)
        cells[i] = letter;
}

/* Columns of 10 ms. */
static void test_timeline(struct halts *h, const struct jfr_file *file)
{
    enum { COLUMNS = 100 };
    struct halt_view v;
    struct timeline t;
    struct error e = {""};
    struct regex *late;
    char worker[COLUMNS + 1], other[COLUMNS + 1], *text, *json;
    size_t size;
    memset(worker, '.', COLUMNS);
    memset(other, '.', COLUMNS);
    draw(worker, 9, 10, 'R');
    draw(worker, 30, 33, 'M');
    draw(other, 10, 10, 'R');
    draw(other, 33, 35, 'P');
    view_all(&v, h);
    tap_ok(!timeline_make(&t, h, &v, file, COLUMNS, 0, NULL, &e) && t.count == 3, "a timeline of three threads: %s", e.text);
    tap_ok(row_is(&t, 0, "worker", worker), "one that ran, and waited for a monitor");
    tap_ok(row_is(&t, 1, "late", other), "one that ran, and was parked");
    tap_ok(t.count == 3 && t.rows[0].sums[TIMELINE_MONITOR] == 40 * NS_PER_MS && t.rows[1].sums[TIMELINE_PARKED] == 30 * NS_PER_MS &&
               t.rows[2].sums[TIMELINE_IO] == 1 * NS_PER_MS,
           "times of halts are exact");
    uint64_t stopped = 0;
    for (uint32_t i = 0; i < COLUMNS; i++)
        stopped += t.stopped[i];
    tap_ok(stopped == v.stopped_ns, "what all threads were stopped for is that of the view");
    tap_ok(timeline_is_stopped(&t, 12) && timeline_is_stopped(&t, 50) && !timeline_is_stopped(&t, 13) && !timeline_is_stopped(&t, 33),
           "half a column is stopped");
    FILE *f = open_memstream(&text, &size);
    timeline_text(f, &t, 2);
    fclose(f);
    contains(text, "  worker                .........RR");
    contains(text, "  all stopped (#)                 ###");
    contains(text, "1 thread more");
    free(text);
    f = open_memstream(&json, &size);
    struct jsonw j;
    jsonw_init(&j, f);
    timeline_json(&j, &t, 0);
    jsonw_finish(&j);
    fclose(f);
    contains(json, "\"monitor\":40000000");
    free(json);
    timeline_deinit(&t);
    halt_view_deinit(&v);
    regex_compile(&late, "late", REGEX_SOMEWHERE, NULL);
    halt_view_make(&v, h, START + 320 * NS_PER_MS, START + 340 * NS_PER_MS, late);
    tap_ok(!timeline_make(&t, h, &v, file, 2, 0, late, &e) && t.count == 1 && row_is(&t, 0, "late", ".P"), "of a part, and of one thread");
    timeline_deinit(&t);
    halt_view_deinit(&v);
    regex_free(late);
}

/* The halt that lasted longest is the last of very many. */
static void test_crowd(void)
{
    enum { THREADS = 3000, COLUMNS = 10, TOP = 2 };
    struct crafted c;
    struct halt_view v;
    struct timeline t;
    struct error e = {""};
    craft(&c);
    craft_halts_crowd(&c.b, THREADS);
    read_halts(&c);
    view_all(&v, &c.h);
    tap_ok(!timeline_make(&t, &c.h, &v, c.file, COLUMNS, TOP, NULL, &e) && t.count == THREADS, "a timeline of %d threads: %s", THREADS,
           e.text);
    tap_ok(row_is(&t, 0, "t2999", "........R."), "the one that ran longest is drawn");
    tap_ok(t.rows[0].sums[TIMELINE_RUNNING] == 50 * NS_PER_MS &&
               t.rows[0].cells[8 * TIMELINE_STATES + TIMELINE_RUNNING] == 50 * NS_PER_MS && t.stopped[1] == v.stopped_ns &&
               v.stopped_ns == 4 * NS_PER_MS,
           "its time counts once, and so do halts of all");
    uint32_t drawn = 0;
    for (uint32_t i = 0; i < t.count; i++)
        drawn += t.rows[i].cells != NULL;
    tap_ok(drawn == TOP, "no row has cells that is not to be drawn: %" PRIu32, drawn);
    timeline_deinit(&t);
    tap_ok(!timeline_make(&t, &c.h, &v, c.file, COLUMNS, 0, NULL, &e) && row_is(&t, 0, "t2999", "........R.") && t.rows[THREADS - 1].cells,
           "all are, where all are asked for");
    timeline_deinit(&t);
    halt_view_deinit(&v);
    close_halts(&c);
}

static void test_who_was_late(void)
{
    struct crafted c;
    craft(&c);
    craft_halts_busy(&c.b);
    read_halts(&c);
    const struct halt *s = find(&c.h, HALT_SAFEPOINT, 100);
    text_is(&c.h, s->late, "late at shop.Sum.loop:9 (1.70 ms); worker at shop.Sum.loop:9 (250 us)",
            "who was late, and how long it ran meanwhile");
    text_is(&c.h, s->late_thread, "late", "of these the one that ran longest");
    text_is(&c.h, s->late_site, "shop.Sum.loop:9", "and where it did");
    tap_ok(s->late_ns == 1950000 && s->late_thread_ns == 1700000, "all of them together, and that one: %" PRIu64, s->late_ns);
    char *json = printed(&c.h, halts_report_json);
    contains(json, "\"late_ns\": 1950000");
    free(json);
    close_halts(&c);
}

/* More threads than the report names: the thread for which all others wait comes last. */
static void test_late_behind_others(void)
{
    struct crafted c;
    craft(&c);
    craft_halts_late(&c.b);
    read_halts(&c);
    const struct halt *s = find(&c.h, HALT_SAFEPOINT, 100);
    text_is(&c.h, s->late_thread, "t7", "who ran longest is known, however many were late");
    tap_ok(s->late_thread_ns == 20 * NS_PER_MS && s->late_ns == 27 * NS_PER_MS,
           "for so long, and all of them together: %" PRIu64 ", %" PRIu64, s->late_thread_ns, s->late_ns);
    close_halts(&c);
}

/* Both recorders reported waits. For the agent's time its own events count; waits that began before the agent was loaded come from the
 * JDK. */
static void test_told_twice(bool later)
{
    static const uint8_t from_310_ms[8] = {0, 0, 0, 0, 0x12, 0xc6, 0x84, 0xc0};
    struct crafted c;
    struct halt_view v;
    const char *when = later ? "from 310 ms on" : "all the time";
    uint64_t shift = later ? 310 : 0;
    craft(&c);
    craft_halts_jdk(&c.b);
    size_t agents = c.b.len;
    craft_halts_waits(&c.b);
    if (later && !c.b.failed)
        memcpy(c.b.data + agents + 32, from_310_ms, sizeof from_310_ms);
    read_halts(&c);
    view_all(&v, &c.h);
    const struct halt_sums *monitors = &v.kinds[HALT_MONITOR], *parks = &v.kinds[HALT_PARK];
    tap_ok(c.h.waits_told_twice == (later ? 1 : 3) && !c.h.told_twice, "agent there %s: so many waits are left out: %" PRIu32, when,
           c.h.waits_told_twice);
    tap_ok(monitors->count == (later ? 3 : 2) && monitors->by_agent == 2 && monitors->total_ns == (later ? 83 : 43) * NS_PER_MS,
           "agent there %s: waits for monitors", when);
    tap_ok(parks->count == (later ? 3 : 2) && parks->by_agent == 2 && parks->total_ns == (later ? 23 : 13) * NS_PER_MS,
           "agent there %s: parks", when);
    tap_ok(find(&c.h, HALT_MONITOR, 301 + shift)->told_by_agent && find(&c.h, HALT_PARK, 700 + shift)->told_by_agent,
           "agent there %s: as the agent has them", when);
    char *text = printed(&c.h, halts_report_text);
    contains(text, later ? "1 wait for monitors and of parked threads was also recorded by the JDK; Candor's records are used, because "
                           "they have owners.\n"
                         : "3 waits for monitors and of parked threads were also recorded by the JDK; Candor's records are used, because "
                           "they have owners.\n");
    free(text);
    halt_view_deinit(&v);
    close_halts(&c);
}

/* If a wait goes on at the agent's end, the JDK's event counts, if there is one, because it has the whole wait. */
static void test_open_waits(void)
{
    struct crafted c;
    struct halt_view v;
    craft(&c);
    craft_halts_jdk(&c.b);
    craft_halts_open(&c.b);
    read_halts(&c);
    view_all(&v, &c.h);
    const struct halt_sums *monitors = &v.kinds[HALT_MONITOR], *parks = &v.kinds[HALT_PARK];
    tap_ok(monitors->count == 2 && monitors->by_agent == 1 && monitors->total_ns == 50 * NS_PER_MS,
           "a wait that continues at the end counts once");
    tap_ok(!find(&c.h, HALT_MONITOR, 300)->told_by_agent && find(&c.h, HALT_MONITOR, 310)->told_by_agent, "whole, where it is known whole");
    tap_ok(parks->count == 1 && !parks->by_agent && parks->total_ns == 30 * NS_PER_MS, "behind the agent's end all waits are the JDK's");
    tap_ok(c.h.waits_told_twice == 2, "those are reported: %" PRIu32, c.h.waits_told_twice);
    halt_view_deinit(&v);
    close_halts(&c);
}

/* The agent has the waits of its own time, and the JDK has everything else; the time of the recording is the agent's. */
static void test_joined(bool parks)
{
    struct crafted c;
    struct halt_view v;
    const char *with = parks ? "with parks" : "without parks";
    craft(&c);
    craft_halts_joined(&c.b, "cpu,lock", parks);
    read_halts(&c);
    view_all(&v, &c.h);
    tap_ok(c.h.joined && c.h.start_ns == START && c.h.duration_ns == 1000 * NS_PER_MS,
           "%s: the time of a joined recording is that of the agent's chunks", with);
    const struct halt_sums *monitors = &v.kinds[HALT_MONITOR], *park = &v.kinds[HALT_PARK], *gc = &v.kinds[HALT_GC];
    tap_ok(monitors->count == 1 && monitors->by_agent == 1 && monitors->total_ns == 40 * NS_PER_MS,
           "%s: a wait that both told of is the agent's", with);
    tap_ok(park->count == (parks ? 0 : 2) && !park->by_agent, "%s: parks are the JDK's where the agent does not see them", with);
    tap_ok(c.h.waits_told_twice == (parks ? 3 : 1), "%s: %u are reported as left out", with, c.h.waits_told_twice);
    tap_ok(gc->count == 2 && !gc->by_agent && v.kinds[HALT_SAFEPOINT].count == 1, "%s: pauses and safepoints are the JDK's", with);
    char *text = printed(&c.h, halts_report_text), *json = printed(&c.h, halts_report_json);
    contains(text, "reported by the JDK's recorder: safepoint, VM operation, GC pause");
    contains(text, "reported by Candor's agent: monitor\n");
    contains(text, parks ? "3 waits for monitors and of parked threads were also recorded by the JDK"
                         : "1 wait for monitors and of parked threads was also recorded by the JDK");
    contains(json, parks ? "\"waits_told_twice\": 3" : "\"waits_told_twice\": 1");
    contains(json, "\"by_agent\": 1");
    free(text);
    free(json);
    halt_view_deinit(&v);
    close_halts(&c);
}

/* If such a stack were walked for each sample, it would take minutes. */
static void test_deep(void)
{
    enum { FRAMES = 40000, SAMPLES = 40000 };
    struct crafted c;
    craft(&c);
    craft_halts_deep(&c.b, FRAMES, SAMPLES);
    read_halts(&c);
    const struct halt *s = find(&c.h, HALT_SAFEPOINT, 100);
    text_is(&c.h, s->late, "late at java.lang.System.gc:1 < java.lang.System.gc:1 < java.lang.System.gc:1 (40.0 ms)",
            "a deep stack is one");
    close_halts(&c);
}

/* Where only some kinds are read, the others still say when an exception without its time was thrown. */
static void test_only_exceptions(void)
{
    struct crafted c;
    struct jfr_problems problems = {0};
    struct error e;
    craft(&c);
    craft_halts_jdk(&c.b);
    read_halts(&c);
    halts_deinit(&c.h);
    bool good = !halts_read_beside(&c.h, c.file, 1u << HALT_EXCEPTION, NULL, 0, &problems, &e);
    for (uint32_t i = 0; i < c.h.count; i++)
        good = good && c.h.list[i].kind != HALT_SOCKET_READ;
    tap_ok(good && find(&c.h, HALT_EXCEPTION, 335), "an exception has the time of what was before it");
    close_halts(&c);
}

int main(void)
{
    struct crafted c;
    craft(&c);
    craft_halts_jdk(&c.b);
    craft_halts_agent(&c.b);
    read_halts(&c);
    test_safepoint(&c.h);
    test_pauses(&c.h);
    test_waits(&c.h);
    test_whole(&c.h);
    test_part(&c.h);
    test_printed(&c.h);
    test_not_known_when_asked(&c.h);
    test_timeline(&c.h, c.file);
    test_who_was_late();
    test_late_behind_others();
    test_deep();
    test_only_exceptions();
    test_told_twice(false);
    test_told_twice(true);
    test_open_waits();
    test_joined(true);
    test_joined(false);
    test_crowd();
    close_halts(&c);
    return tap_done();
}
