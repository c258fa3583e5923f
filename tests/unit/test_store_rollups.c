/*
 * Roll-ups: a store that has them answers as one that has none, to the unit, for random selectors, times and steps, when parts come late,
 * after damage, and when the rows are deleted; what only a whole hour or day could answer is counted; kill -9 between any two steps loses
 * and doubles nothing and leaves no file behind.
 * tier: default
 * timeout: 300
 */
#include "../tap.h"
#include "store_place.h"

#include "base/text/units.h"
#include "base/time_units.h"
#include "compress/intake.h"
#include "format/read/formats.h"
#include "store/functions.h"
#include "store/catalogue/catalogue_internal.h"
#include "store/catalogue/catalogue_rollup.h"
#include "store/query/gather.h"
#include "store/rollup/rollup.h"
#include "store/store_internal.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { DAY = 86400, HOUR = 3600, DAYS = 4, RECORDINGS = 240, LATE = 20, QUERIES = 120 };

static char folder[] = "/tmp/candor-rollups-XXXXXX";
static int64_t today;
static unsigned seed = 20260711;

/* ---- steps: the linker has these called for what the store calls ---- */

static int steps_left = -1; /* until this process is killed; -1 = never */
static int failing_syncs;   /* how many calls of syncfs fail */
static uint64_t refused;    /* the service whose roll-ups cannot be made; 0 = none */

static void step(void)
{
    if (steps_left > 0 && !--steps_left)
        kill(getpid(), SIGKILL);
}

int __real_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to);
int __real_unlink(const char *name);
int __wrap_unlink(const char *name);
int __real_fsync(int fd);
int __wrap_fsync(int fd);
int __real_syncfs(int fd);
int __wrap_syncfs(int fd);
int __real_catalogue_rollup_made(struct catalogue *c, const struct catalogue_rollup *u, const struct catalogue_rollup_made *m,
                                 struct error *e);
int __wrap_catalogue_rollup_made(struct catalogue *c, const struct catalogue_rollup *u, const struct catalogue_rollup_made *m,
                                 struct error *e);
int __real_catalogue_drop_before(struct catalogue *c, uint64_t service, int64_t day, enum catalogue_why why,
                                 struct catalogue_dropped *dropped, struct error *e);
int __wrap_catalogue_drop_before(struct catalogue *c, uint64_t service, int64_t day, enum catalogue_why why,
                                 struct catalogue_dropped *dropped, struct error *e);

int __wrap_rename(const char *from, const char *to)
{
    step();
    return __real_rename(from, to);
}

int __wrap_unlink(const char *name)
{
    step();
    return __real_unlink(name);
}

int __wrap_fsync(int fd)
{
    step();
    return __real_fsync(fd);
}

int __wrap_syncfs(int fd)
{
    if (!failing_syncs)
        return __real_syncfs(fd);
    failing_syncs--;
    errno = EIO;
    return -1;
}

int __wrap_catalogue_rollup_made(struct catalogue *c, const struct catalogue_rollup *u, const struct catalogue_rollup_made *m,
                                 struct error *e)
{
    step();
    int rc = u->service == refused ? error_set(e, -EIO, "refused") : __real_catalogue_rollup_made(c, u, m, e);
    step();
    return rc;
}

int __wrap_catalogue_drop_before(struct catalogue *c, uint64_t service, int64_t day, enum catalogue_why why,
                                 struct catalogue_dropped *dropped, struct error *e)
{
    step();
    int rc = __real_catalogue_drop_before(c, service, day, why, dropped, e);
    step();
    return rc;
}

/* ---- stores ---- */

/* Gives a sample one of three endpoints, or none. */
static int put_endpoint(struct profile *p, struct profile_sample *s)
{
    static const char *const endpoints[] = {"/pay", "/cart", "/"};
    struct profile_label label = {0};
    if (s->weight % 4 == 3)
        return 0;
    const char *value = endpoints[s->weight % 4];
    return profile_string(p, "endpoint", 8, &label.key) || profile_string(p, value, strlen(value), &label.value) ||
                   profile_label(p, &label, &s->labels)
               ? -ENOMEM
               : 0;
}

/* Adds a profile of the recording, whose samples are spread over its time. */
static int load_one(struct store_profiles *to, const struct envelope *v, bool ns, struct error *e)
{
    struct intake in;
    struct profile *p = store_profiles_add(to);
    int rc = p ? intake_open_memory(&in, v->body, v->size, "test", e) : -ENOMEM;
    rc = rc ? rc : formats_load_from(p, &in, "test", "collapsed", ns ? "ns" : NULL, NULL, e);
    for (uint32_t i = 0; !rc && i < p->sample_count; i++) {
        p->samples[i].time_ns = v->note.from_ns + (v->note.until_ns - v->note.from_ns) / p->sample_count * i;
        p->samples[i].state = (uint8_t)(p->samples[i].weight % 3);
        rc = put_endpoint(p, &p->samples[i]);
    }
    return rc;
}

static int load(struct store_profiles *to, const struct envelope *v, struct error *e)
{
    int rc = load_one(to, v, false, e);
    return rc ? rc : load_one(to, v, true, e);
}

static int told;

static void tell(const char *text)
{
    told++;
}

/* Retention in days; hours 0 = no roll-ups. */
static struct store *open_store(const char *name, uint64_t rows, uint64_t hours, uint64_t days)
{
    char path[300];
    struct store_options o = {.path = path,
                              .limits.retain_s = rows * DAY,
                              .limits.retain_hours_s = hours * DAY,
                              .limits.retain_days_s = days * DAY,
                              .single_rows = 1,
                              .load = load,
                              .tell = tell,
                              .rollup = {-1, -1},
                              .merge = {.same = 6, .all = 1000000}};
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return store_place_open(&o);
}

static void run(const char *command)
{
    char text[600];
    snprintf(text, sizeof text, "cd %s && %s", folder, command);
    if (system(text))
        exit(1);
}

static int64_t at_random(int64_t below)
{
    return (int64_t)(((uint64_t)rand_r(&seed) << 31 ^ (uint64_t)rand_r(&seed)) % (uint64_t)below);
}

struct recording {
    int64_t from, until;
    const char *service, *host;
    char body[1024];
    uint32_t number;
};

static struct recording recording_of(uint32_t number, int64_t from, int64_t until)
{
    static const char *const services[] = {"shop", "bank"}, *const hosts[] = {"a", "b", "c"};
    struct recording r = {.from = from, .until = until, .number = number};
    size_t len = 0;
    r.service = services[at_random(4) == 0];
    r.host = hosts[at_random(3)];
    for (int i = (int)at_random(12) + 1; i > 0; i--)
        len += (size_t)snprintf(r.body + len, sizeof r.body - len, "x.A.main;x.B.m%d;x.C.leaf%d %d\n", (int)at_random(4), (int)at_random(9),
                                (int)at_random(1000) + 1);
    return r;
}

static struct recording random_recording(uint32_t number)
{
    int64_t from = today - DAYS * DAY + at_random(DAYS * DAY - HOUR), lasts = at_random(5) ? 60 : at_random(4 * HOUR) + 1;
    return recording_of(number, from, from + lasts < today ? from + lasts : today - 1);
}

static void add(struct store *s, const struct recording *of)
{
    struct envelope_writer w;
    struct envelope_note note = {
        .received_ns = (int64_t)clock_realtime_ns(), .from_ns = of->from * NS_PER_S, .until_ns = of->until * NS_PER_S + 1};
    uint8_t identity[ENVELOPE_IDENTITY] = {1};
    struct store_added added;
    struct error e;
    memcpy(identity + 1, &of->number, sizeof of->number);
    int rc = labels_set(&note.labels, "service", 7, of->service, strlen(of->service), &e);
    rc = rc ? rc : labels_set(&note.labels, "host", 4, of->host, strlen(of->host), &e);
    rc = rc ? rc : store_begin(s, &w, &e);
    rc = rc ? rc : envelope_put(&w, of->body, strlen(of->body), &e);
    rc = rc ? rc : store_add(s, &w, &note, identity, &added, &e);
    if (rc) {
        tap_note("%s", e.text);
        exit(1);
    }
    labels_deinit(&note.labels);
}

static void maintain(struct store *s)
{
    for (int i = 0; i < 12; i++)
        store_maintain(s);
}

/* ---- answers as texts ---- */

enum kind { PROFILE, SERIES, FUNCTIONS, SPLIT, KINDS };
static const char *const kind_names[KINDS] = {"profile", "series", "functions", "split"};

struct question {
    enum kind kind;
    struct store_query q;
    struct selector selector;
    const char *by;
    int64_t step;
};

static int by_text(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

struct lines {
    char *list[20000];
    size_t count;
};

__attribute__((format(printf, 2, 3))) static void line(struct lines *l, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (l->count == sizeof l->list / sizeof *l->list || vasprintf(&l->list[l->count], format, args) < 0)
        exit(1);
    l->count++;
    va_end(args);
}

static char *joined(struct lines *l)
{
    struct buffer out;
    buffer_init(&out, 1 << 24);
    qsort(l->list, l->count, sizeof *l->list, by_text);
    for (size_t i = 0; i < l->count; i++) {
        buffer_printf(&out, "%s\n", l->list[i]);
        free(l->list[i]);
    }
    buffer_u8(&out, 0);
    return (char *)out.data;
}

static const char *leaf_of(const struct profile *p, uint32_t stack)
{
    return profile_text(p, p->methods[p->frames[p->nodes[stack].frame].method].name);
}

/* The path of a stack's methods. */
static void path_of(const struct profile *p, uint32_t stack, char *out, size_t size)
{
    *out = 0;
    for (; stack; stack = p->nodes[stack].parent) {
        size_t n = strlen(out);
        snprintf(out + n, size - n, "%s/", leaf_of(p, stack));
    }
}

static const char *endpoint_of(const struct profile *p, uint32_t labels)
{
    const struct profile_label *list[PROFILE_LABELS_MAX];
    return labels && profile_label_list(p, labels, list) ? profile_text(p, list[0]->value) : "";
}

static int put_profile(struct store *s, const struct question *of, struct lines *l, struct store_result *r, struct error *e)
{
    struct profile p;
    char path[200];
    profile_init(&p);
    int rc = store_profile(s, &of->q, &p, r, e);
    for (uint32_t i = 0; !rc && i < p.sample_count; i++) {
        path_of(&p, p.samples[i].stack, path, sizeof path);
        line(l, "%s %s %" PRIu64 " %u", path, endpoint_of(&p, p.samples[i].labels), p.samples[i].weight, p.samples[i].count);
    }
    profile_deinit(&p);
    return rc;
}

static int put_series(struct store *s, const struct question *of, struct lines *l, struct store_result *r, struct error *e)
{
    struct store_series series;
    int rc = store_series(s, &of->q, of->step, of->by, &series, r, e);
    for (uint32_t i = 0; !rc && i < series.point_count; i++)
        line(l, "%s %" PRId64 " %" PRIu64, series.values[series.points[i].series], series.points[i].step, series.points[i].weight);
    store_series_deinit(&series);
    return rc;
}

static bool is_m(void *context, const struct store_function_name *name)
{
    return name->method[0] == 'm';
}

static int put_functions(struct store *s, const struct question *of, struct lines *l, struct store_result *r, struct error *e)
{
    struct store_functions f;
    const struct store_function_query wanted = {.matches = is_m, .by = of->by, .slice = of->step, .whole = true};
    int rc = store_functions(s, &of->q, &wanted, &f, r, e);
    for (uint32_t i = 0; !rc && i < f.count; i++) {
        const struct store_function *row = &f.rows[i];
        const struct store_group *g = &f.groups[row->group];
        line(l, "%s %s %" PRId64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64, strtab_text(&f.names, row->name),
             strtab_text(&f.values, g->value), g->slice, row->self.weight, row->self.samples, row->total.weight, row->total.samples);
    }
    for (uint32_t i = 0; !rc && i < f.group_count; i++) {
        const struct store_group *g = &f.groups[i];
        bool first = !g->slice && g->to > g->from;
        line(l, "group %s %" PRId64 " %" PRIu64 " %" PRIu64 " %.6g %" PRId64 " %" PRId64, strtab_text(&f.values, g->value), g->slice,
             g->all.weight, g->all.samples, g->squares, first ? g->from : 0, first ? g->to : 0);
    }
    store_functions_deinit(&f);
    return rc;
}

static int put_part(void *context, const struct store_split_part *part)
{
    for (uint32_t i = 0; i < part->count; i++) {
        char path[200];
        path_of(part->names, part->sums[i].stack, path, sizeof path);
        line(context, "%s %u %u %s %" PRIu64 " %" PRIu64 " %.9g", part->value, part->step, part->dictionary, path, part->sums[i].weight,
             part->sums[i].count, part->sums[i].squares);
    }
    return 0;
}

static int put_split(struct store *s, const struct question *of, struct lines *l, struct store_result *r, struct error *e)
{
    struct store_split split = {.by = "host", .few = of->step ? 100 : 0, .steps = 7, .visit = put_part, .context = l};
    int rc = store_split(s, &of->q, &split, r, e);
    line(l, "seconds %" PRIu64, split.seconds);
    return rc;
}

/* What the store answers; the caller frees it. */
static char *answer(struct store *s, const struct question *of, struct store_result *r)
{
    static int (*const put[KINDS])(struct store * s, const struct question *of, struct lines *l, struct store_result *r,
                                   struct error *e) = {put_profile, put_series, put_functions, put_split};
    static struct lines l;
    struct error e;
    l.count = 0;
    if (put[of->kind](s, of, &l, r, &e))
        line(&l, "failed: %s", e.text);
    line(&l, "%s: %" PRIu64 " recordings, %" PRId64 " to %" PRId64 ", %" PRIu64 ", missing %" PRIu64, r->type, r->recordings, r->from,
         r->to, r->weight, missing_parts(&r->missing));
    return joined(&l);
}

static uint64_t weight_of(struct store *s, const struct store_query *q, struct store_result *r)
{
    struct question of = {.kind = PROFILE, .q = *q};
    free(answer(s, &of, r));
    store_result_deinit(r);
    return r->weight;
}

static struct question random_question(void)
{
    static const char *const selectors[] = {"{}",
                                            "{service=\"shop\"}",
                                            "{host=~\"a|b\"}",
                                            "{host!=\"c\",service=\"bank\"}",
                                            "{endpoint=\"/pay\",service=\"shop\"}",
                                            "{endpoint!~\"/c.*\"}"},
                             *const types[] = {"cpu:samples", "cpu:ns", NULL}, *const labels[] = {NULL, "host", "service", "endpoint"};
    static const int64_t steps[] = {HOUR, DAY, 2 * HOUR, 700};
    struct question of = {.kind = (enum kind)at_random(KINDS), .q.type = types[at_random(3)], .by = labels[at_random(4)]};
    struct error e;
    int64_t unit = at_random(3) ? HOUR : at_random(2) ? 1 : DAY;
    of.q.from = (today - DAYS * DAY + at_random(DAYS * DAY)) / unit * unit;
    of.q.to = of.q.from + (at_random(2 * DAY) / unit + 1) * unit;
    of.q.labels = at_random(2);
    of.step = of.kind == SERIES || at_random(2) ? steps[at_random(4)] : 0;
    if (selector_parse(&of.selector, selectors[at_random(6)], &e))
        exit(1);
    return of;
}

/* Asks both stores the same; returns how many answers differ. */
static unsigned compare(struct store *a, struct store *b, int queries)
{
    unsigned different = 0;
    for (int i = 0; i < queries; i++) {
        struct question of = random_question();
        struct store_result r;
        of.q.selector = &of.selector;
        char *left = answer(a, &of, &r);
        store_result_deinit(&r);
        char *right = answer(b, &of, &r);
        store_result_deinit(&r);
        if (strcmp(left, right) && !different++)
            tap_note("%s of %" PRId64 " s from %" PRId64 " by %s in %" PRId64 ":\n# with roll-ups\n%s# without\n%s", kind_names[of.kind],
                     of.q.to - of.q.from, of.q.from - today, of.by, of.step, left, right);
        selector_deinit(&of.selector);
        free(left);
        free(right);
    }
    return different;
}

/* The entries of roll-ups that a query reads. */
static uint32_t rolled(struct store *s, int64_t from, int64_t to)
{
    struct gather g;
    struct store_result r;
    struct error e;
    const struct store_query q = {.from = from, .to = to, .type = "cpu:samples"};
    uint32_t n = gather_init(&g, s, &q, NULL, GATHER_ANY_TIME, &r, &e) ? 0 : g.rolled;
    gather_deinit(&g);
    store_result_deinit(&r);
    return n;
}

static uint64_t files(const char *store, const char *name)
{
    char command[400];
    unsigned long long n = 0;
    snprintf(command, sizeof command, "find %s/%s/segments -name '%s' | wc -l", folder, store, name);
    FILE *f = popen(command, "r");
    if (!f || fscanf(f, "%llu", &n) != 1)
        exit(1);
    pclose(f);
    return n;
}

/* ---- tests ---- */

static struct store *with, *without;

static void fill(void)
{
    with = open_store("with", 30, 90, 400);
    without = open_store("without", 30, 0, 0);
    for (uint32_t i = 0; i < RECORDINGS; i++) {
        struct recording r = random_recording(i);
        add(with, &r);
        add(without, &r);
    }
}

static void test_same(void)
{
    tap_ok(!compare(with, without, QUERIES / 4) && !rolled(with, today - DAYS * DAY, today), "before any is made, rows answer");
    maintain(with);
    tap_ok(rolled(with, today - DAYS * DAY, today) && !rolled(without, today - DAYS * DAY, today), "whole days are read from roll-ups");
    tap_ok(rolled(with, today - DAY + HOUR, today - DAY + 5 * HOUR), "and whole hours");
    tap_ok(!rolled(with, today - DAY + 100, today - DAY + HOUR), "but no part of an hour");
    unsigned different = compare(with, without, QUERIES);
    tap_ok(!different, "the answers are the same: %u of %d are not", different, QUERIES);
    maintain(without);
    different = compare(with, without, QUERIES / 4);
    tap_ok(!different, "also as those of merged segments: %u are not", different);
}

static void test_late(void)
{
    for (uint32_t i = 0; i < LATE; i++) {
        struct recording r = random_recording(RECORDINGS + i);
        add(with, &r);
        add(without, &r);
    }
    unsigned at_once = compare(with, without, QUERIES / 2);
    maintain(with);
    unsigned later = compare(with, without, QUERIES / 2);
    tap_ok(!at_once && !later, "recordings that come late are in every answer: %u, %u lack them", at_once, later);
    tap_ok(rolled(with, today - DAYS * DAY, today), "and the roll-ups are made again");
}

/* Hours are added to a roll-up as they end: the day that goes on is rolled up to the last hour. */
static void test_today(void)
{
    int64_t now = (int64_t)(clock_realtime_ns() / NS_PER_S), hours = (now - today) / HOUR;
    if (!hours)
        return tap_skip("the day that goes on: its first hour is not over");
    for (uint32_t i = 0; i < 12; i++) {
        int64_t from = today + at_random(now - today - 60);
        struct recording r = recording_of(RECORDINGS + LATE + i, from, from + 50);
        add(with, &r);
        add(without, &r);
        maintain(with);
    }
    struct question of = {.kind = PROFILE, .q = {.from = today, .to = now, .type = "cpu:ns"}};
    struct store_result r;
    char *left = answer(with, &of, &r);
    store_result_deinit(&r);
    char *right = answer(without, &of, &r);
    store_result_deinit(&r);
    tap_ok(!strcmp(left, right) && rolled(with, today, now), "the day that goes on is rolled up to its last hour");
    free(left);
    free(right);
}

static void test_damage(void)
{
    if (!store_place_has_files("damaged files of roll-ups"))
        return;
    const struct store_query q = {.from = today - DAYS * DAY, .to = today + DAY, .type = "cpu:samples"};
    struct store_result r;
    uint64_t all = weight_of(without, &q, &r);
    run("for f in $(find with/segments -name '*.roll'); do printf x | dd of=$f bs=1 seek=80 conv=notrunc status=none; done");
    told = 0;
    uint64_t some = weight_of(with, &q, &r);
    tap_ok(some + r.missing.sums[MISSING_DAMAGED].weight == all && r.missing.sums[MISSING_DAMAGED].weight && told,
           "what damaged files had is counted as missing");
    struct store_query ns = q;
    ns.type = "cpu:ns";
    for (int i = 0; i < 2; i++) {
        weight_of(with, &q, &r); /* finds those of hours, too */
        weight_of(with, &ns, &r);
    }
    tap_ok(weight_of(with, &q, &r) == all && !missing_parts(&r.missing), "then rows answer");
    maintain(with);
    maintain(with);
    unsigned different = compare(with, without, QUERIES / 2);
    tap_ok(rolled(with, today - DAYS * DAY, today) && !different, "and roll-ups are made again from them: %u answers differ", different);
    run("test $(ls with/quarantine | grep -c roll$) -gt 0");
}

static void test_summary(void)
{
    struct rollup_summary m = {0}, back;
    struct buffer out;
    uint32_t group;
    unsigned bad = 0;
    buffer_init(&out, 1 << 20);
    rollup_group(&m, 7, &group);
    *rollup_slot(&m, group, 3) = (struct rollup_slot){group, 3, 1, 2, 3, 4, 5, 6};
    rollup_summary_write(&m, &out);
    for (size_t i = 0; i < out.len; i++) {
        out.data[i] ^= 0x5a;
        bad += rollup_summary_read(&back, out.data, out.len) != 0;
        rollup_summary_deinit(&back);
        out.data[i] ^= 0x5a;
    }
    tap_ok(bad == out.len && !rollup_summary_read(&back, out.data, out.len) && back.slots[0].ended == 6,
           "a changed byte of a summary is found: %u of %zu", bad, out.len);
    rollup_summary_deinit(&back);
    rollup_summary_deinit(&m);
    buffer_deinit(&out);
}

/* Rows of all days but the last one are deleted. */
static void test_hours(void)
{
    struct store_result r;
    store_close(with);
    with = open_store("with", 1, 90, 400);
    uint64_t dictionaries = files("with", "dictionary");
    maintain(with);
    tap_ok(store_deleted(with).days[DELETED_AGE] && files("with", "dictionary") == dictionaries, "rows are deleted, dictionaries stay");
    unsigned different = 0, coarse = 0;
    for (int i = 0; i < QUERIES; i++) {
        int64_t from = today - DAYS * DAY + at_random(2 * DAY), to = from + at_random(DAY);
        int64_t first = (from + HOUR - 1) / HOUR * HOUR, last = to / HOUR * HOUR;
        struct store_query q = {.from = from, .to = to, .type = at_random(2) ? "cpu:samples" : "cpu:ns"}, whole = q, wide = q;
        whole.from = first;
        whole.to = last > first ? last : first;
        wide.from = from / HOUR * HOUR;
        wide.to = (to + HOUR - 1) / HOUR * HOUR;
        struct store_result rows;
        uint64_t got = weight_of(with, &q, &r), inside = whole.to > whole.from ? weight_of(without, &whole, &rows) : 0;
        uint64_t around = weight_of(without, &wide, &rows), cut = r.missing.sums[MISSING_COARSE].weight;
        different += got != inside || got + cut != around;
        coarse += cut && !r.missing.sums[MISSING_RETAIN].parts;
    }
    tap_ok(!different && coarse, "whole hours stay to the unit, and cut ones are counted: %u wrong", different);
    const struct store_query day = {.from = today - 2 * DAY, .to = today - DAY, .type = "cpu:ns"};
    struct store_result rows;
    uint64_t got = weight_of(with, &day, &r), all = weight_of(without, &day, &rows);
    tap_ok(got == all && r.recordings == rows.recordings && !missing_parts(&r.missing) && r.from == rows.from && r.to == rows.to,
           "a whole day has all its recordings, and lacks nothing");
    tap_ok(r.coarse[0].to > r.coarse[0].from || r.coarse[1].to > r.coarse[1].from, "the answer says that its times are coarse");
    tap_ok(!rows.coarse[0].to && !rows.coarse[1].to, "one from rows does not");
}

/* The hours of all days but the last one are deleted, too. */
static void test_days(void)
{
    struct store_result r, rows;
    store_close(with);
    with = open_store("with", 1, 1, 400);
    maintain(with);
    const struct store_query day = {.from = today - 3 * DAY, .to = today - 2 * DAY, .type = "cpu:ns"};
    uint64_t all = weight_of(without, &day, &rows);
    uint64_t got = weight_of(with, &day, &r);
    tap_ok(got == all && r.coarse[1].to == today - 2 * DAY && r.recordings == rows.recordings, "a whole day is left of a day");
    struct store_query part = day;
    part.from += HOUR;
    tap_ok(!weight_of(with, &part, &r) && r.missing.sums[MISSING_COARSE].weight == all, "of a part of it, all is missing as coarse");
    struct question of = {.kind = SERIES, .q = day, .step = HOUR};
    char *series = answer(with, &of, &r);
    tap_ok(r.weight == all && r.coarse[1].to > r.coarse[1].from, "a series by the hour has the day's sum, and says so");
    store_result_deinit(&r);
    free(series);
    store_close(with);
    with = open_store("with", 1, 1, 1);
    maintain(with);
    tap_ok(!weight_of(with, &day, &r) && r.missing.sums[MISSING_RETAIN].weight == all && !r.missing.sums[MISSING_COARSE].parts,
           "when that is deleted, too, the answer says how much is missing");
    struct catalogue_sums sums;
    struct error e;
    catalogue_sums(with->catalogue, &sums, &e);
    tap_ok(sums.oldest_day >= (today - DAY) / DAY && (store_place_is_away() || files("with", "*.roll")), "what is younger stays");
    maintain(with);
    uint64_t before = files("with", "*");
    store_close(with);
    with = open_store("with", 1, 1, 1);
    tap_ok(files("with", "*") == before, "no file is left behind");
}

/* A late recording whose service's day is kept as sums only: its rows are read beside them. */
static void test_late_beside_sums(void)
{
    struct store_result r;
    struct store *s = open_store("beside", 30, 90, 400);
    struct recording first = recording_of(1, today - 2 * DAY + 10, today - 2 * DAY + 20),
                     second = recording_of(2, today - 2 * DAY + 30, today - 2 * DAY + 40);
    struct catalogue_dropped dropped;
    struct error e;
    const struct store_query q = {.from = today - 2 * DAY, .to = today - DAY, .type = "cpu:ns"};
    first.service = second.service = "shop";
    first.host = second.host = "a";
    add(s, &first);
    maintain(s);
    uint64_t one = weight_of(s, &q, &r);
    catalogue_drop_before(s->catalogue, 1, today / DAY - 1, FORGOTTEN_QUOTA, &dropped, &e);
    catalogue_dropped_deinit(&dropped);
    tap_ok(weight_of(s, &q, &r) == one && one && !missing_parts(&r.missing), "rows that a limit deletes stay as sums");
    add(s, &second);
    uint64_t both = weight_of(s, &q, &r);
    tap_ok(both > one && r.recordings == 2, "and a late recording is read beside them");
    maintain(s);
    tap_ok(weight_of(s, &q, &r) == both, "also later");
    catalogue_drop_before(s->catalogue, 1, today / DAY - 1, FORGOTTEN_QUOTA, &dropped, &e);
    catalogue_dropped_deinit(&dropped);
    tap_ok(weight_of(s, &q, &r) == one && r.missing.sums[MISSING_QUOTA].weight == both - one, "when it is deleted, it is missing");
    store_close(s);
}

/* A recording that comes late when only the day's sum is left. */
static void test_late_beside_day(void)
{
    struct store_result r;
    struct store *s = open_store("daily", 30, 90, 400);
    struct recording first = recording_of(1, today - 2 * DAY + 10, today - 2 * DAY + 20),
                     second = recording_of(2, today - 2 * DAY + 5 * HOUR, today - 2 * DAY + 5 * HOUR + 10);
    struct catalogue_dropped dropped;
    struct error e;
    struct question of = {.kind = SERIES, .q = {.from = today - 2 * DAY, .to = today - DAY, .type = "cpu:ns"}, .step = HOUR};
    first.service = second.service = "shop";
    add(s, &first);
    maintain(s);
    uint64_t one = weight_of(s, &of.q, &r);
    catalogue_drop_before(s->catalogue, 1, today / DAY - 1, FORGOTTEN_QUOTA, &dropped, &e);
    catalogue_dropped_deinit(&dropped);
    catalogue_drop_rollups(s->catalogue, 1, HOUR, today / DAY - 1, FORGOTTEN_QUOTA, &dropped, &e);
    catalogue_dropped_deinit(&dropped);
    add(s, &second);
    maintain(s);
    uint64_t both = weight_of(s, &of.q, &r);
    free(answer(s, &of, &r));
    store_result_deinit(&r);
    tap_ok(one && both > one && r.weight == both, "a late recording beside a day's sum makes no hours without the rest of the day");
    catalogue_drop_before(s->catalogue, 1, today / DAY - 1, FORGOTTEN_QUOTA, &dropped, &e);
    catalogue_dropped_deinit(&dropped);
    tap_ok(weight_of(s, &of.q, &r) == one && r.missing.sums[MISSING_QUOTA].weight == both - one, "when it is deleted, it is missing, too");
    store_close(s);
}

/* One service's roll-up cannot be made, and is older than that of another. */
static void test_refused(void)
{
    struct store *s = open_store("refused", 30, 90, 400);
    struct recording shop = recording_of(1, today - 3 * DAY + 10, today - 3 * DAY + 20),
                     bank = recording_of(2, today - 2 * DAY + 10, today - 2 * DAY + 20);
    shop.service = "shop";
    bank.service = "bank";
    add(s, &shop);
    add(s, &bank);
    refused = 1;
    maintain(s);
    tap_ok(!rolled(s, today - 3 * DAY, today - 2 * DAY) && rolled(s, today - 2 * DAY, today - DAY),
           "a roll-up that cannot be made does not keep others waiting");
    refused = 0;
    maintain(s);
    tap_ok(rolled(s, today - 3 * DAY, today - 2 * DAY), "it is made when it can be");
    store_close(s);
}

/* With --retain-hours 0, sums that were made before are deleted, also those of days. */
static void test_off(void)
{
    if (!store_place_has_files("files of sums that are deleted"))
        return;
    struct store_result r;
    struct store *s = open_store("off", 30, 90, 400);
    struct recording one = recording_of(1, today - 2 * DAY + 10, today - 2 * DAY + 20);
    const struct store_query q = {.from = today - 2 * DAY, .to = today - DAY, .type = "cpu:ns"};
    add(s, &one);
    maintain(s);
    uint64_t had = files("off", "*.roll"), weight = weight_of(s, &q, &r);
    store_close(s);
    s = open_store("off", 30, 0, 400);
    maintain(s);
    tap_ok(had && !files("off", "*.roll") && weight && weight_of(s, &q, &r) == weight, "without retention by hour, all sums are deleted");
    store_close(s);
}

/* The disk fails while the rows of a day are deleted, and not when those of the next day are. */
static void test_no_sync(void)
{
    struct store_result r;
    struct store *s = open_store("sync", 30, 90, 400);
    struct recording one = recording_of(1, today - 4 * DAY + 10, today - 4 * DAY + 20),
                     other = recording_of(2, today - 3 * DAY + 10, today - 3 * DAY + 20);
    const struct store_query q = {.from = today - 4 * DAY, .to = today, .type = "cpu:ns"};
    one.service = other.service = "shop";
    add(s, &one);
    add(s, &other);
    maintain(s);
    uint64_t sum = weight_of(s, &q, &r);
    store_close(s);
    s = open_store("sync", 1, 90, 400);
    failing_syncs = 1;
    maintain(s);
    tap_ok(!failing_syncs && weight_of(s, &q, &r) == sum && !missing_parts(&r.missing), "rows are deleted on a disk that fails once");
    store_close(s);
    s = open_store("sync", 30, 90, 400);
    tap_ok(weight_of(s, &q, &r) == sum && !files("sync", "*.seg"), "and no recording is found again, which would count twice");
    store_close(s);
}

/* Rows and recordings of old days are deleted: only the catalog knows whose the sums are. */
static void test_lost_catalogue(void)
{
    struct store_result r;
    struct store *s = open_store("copied", 30, 90, 400);
    struct recording old = recording_of(1, today - 4 * DAY + 10, today - 4 * DAY + 20), new = recording_of(2, today + 10, today + 20);
    const struct store_query q = {.from = today - 4 * DAY, .to = today + DAY, .type = "cpu:ns"};
    if (!store_place_has_files("a copy of the catalog"))
        return store_close(s);
    old.service = new.service = "shop";
    add(s, &old);
    add(s, &new);
    maintain(s);
    uint64_t sum = weight_of(s, &q, &r);
    store_close(s);
    run("rm copied/catalogue.db.copy*"); /* the next one is made when the rows are gone */
    s = open_store("copied", 1, 90, 400);
    maintain(s);
    store_close(s);
    run("printf x | dd of=copied/catalogue.db bs=1 seek=200 conv=notrunc status=none");
    s = open_store("copied", 1, 90, 400);
    tap_ok(weight_of(s, &q, &r) == sum && !missing_parts(&r.missing) && files("copied", "*.seg"),
           "if the catalog is damaged, its copy has the sums of rows that are deleted");
    store_close(s);
}

/* A recording is lost before its roll-ups are made: its parts of both types are. */
static void test_lost(void)
{
    if (!store_place_has_files("a segment whose file is lost"))
        return;
    struct store_result r;
    struct store *s = open_store("gone", 30, 90, 400);
    struct recording one = recording_of(1, today - 2 * DAY + 10, today - 2 * DAY + 20),
                     other = recording_of(2, today - 2 * DAY + 3 * HOUR, today - 2 * DAY + 3 * HOUR + 10);
    struct question of = {.kind = SERIES, .q = {.from = today - 2 * DAY, .to = today - DAY, .type = "cpu:samples"}, .step = DAY};
    one.service = other.service = "shop";
    add(s, &one);
    run("find gone/segments -name '*.seg' -delete; find gone/recordings -type f -delete");
    weight_of(s, &of.q, &r);
    of.q.type = "cpu:ns";
    weight_of(s, &of.q, &r);
    add(s, &other);
    maintain(s);
    free(answer(s, &of, &r));
    store_result_deinit(&r);
    tap_ok(rolled(s, of.q.from, of.q.to) && r.weight && r.missing.sums[MISSING_LOST].parts == 1,
           "a recording that was lost before is missing in an answer about one of its types");
    store_close(s);
}

static void change_catalogue(struct store *s, const char *sql)
{
    if (sqlite3_exec(s->catalogue->sql.db, sql, NULL, NULL, NULL))
        exit(1);
}

/* A part is lost when its first hour is in the roll-up, and its second is not. */
static void test_lost_between(void)
{
    struct store_result r;
    struct store *s = open_store("between", 30, 90, 400);
    struct recording one = recording_of(1, today - 2 * DAY + HOUR - 600, today - 2 * DAY + HOUR + 600);
    struct question of = {.kind = SERIES, .q = {.from = today - 2 * DAY, .to = today - DAY, .type = "cpu:ns"}, .step = DAY};
    one.service = "shop";
    snprintf(one.body, sizeof one.body, "x.A.main 1\nx.A.main;x.B.m1 2\nx.A.main;x.B.m2 3\nx.A.main;x.B.m3 4\n");
    add(s, &one);
    maintain(s);
    change_catalogue(s, "UPDATE rollup SET until = 3600 WHERE step = 3600; UPDATE rollup SET until = 0 WHERE step = 86400;"
                        "UPDATE part SET segment = -1");
    maintain(s);
    free(answer(s, &of, &r));
    store_result_deinit(&r);
    tap_ok(rolled(s, of.q.from, of.q.to) && r.weight && r.missing.sums[MISSING_LOST].parts == 1,
           "a part that is lost between two makings is missing in the later hours");
    store_close(s);
}

static void test_spoilt(void)
{
    struct store_result r;
    struct store *s = open_store("spoilt", 30, 90, 400);
    struct recording one = recording_of(1, today - 2 * DAY + 10, today - 2 * DAY + 20);
    const struct store_query q = {.from = today - 2 * DAY, .to = today - DAY, .type = "cpu:samples"};
    struct catalogue_dropped dropped;
    struct error e;
    one.service = "shop";
    add(s, &one);
    maintain(s);
    uint64_t all = weight_of(s, &q, &r);
    change_catalogue(s, "UPDATE rollup SET summary = x'00'");
    tap_ok(all && !rolled(s, q.from, q.to) && weight_of(s, &q, &r) == all && !missing_parts(&r.missing),
           "if what the catalog knows of a roll-up is damaged, rows answer");
    maintain(s);
    tap_ok(rolled(s, q.from, q.to) && weight_of(s, &q, &r) == all, "and it is made again");
    catalogue_drop_before(s->catalogue, 1, today / DAY, FORGOTTEN_QUOTA, &dropped, &e);
    catalogue_dropped_deinit(&dropped);
    tap_ok(weight_of(s, &q, &r) == all && !missing_parts(&r.missing), "without rows, the roll-up answers");
    change_catalogue(s, "UPDATE rollup SET summary = x'00'");
    tap_ok(!weight_of(s, &q, &r) && r.missing.sums[MISSING_LOST].parts == 1, "and if it is damaged, the answer is not complete");
    tap_ok(!weight_of(s, &q, &r) && r.missing.sums[MISSING_LOST].parts == 1, "nor is the next one");
    store_close(s);
}

/* A check of the store names each damaged file once. */
static void test_check(void)
{
    if (!store_place_has_files("a check of damaged files"))
        return;
    struct store_result r;
    struct store *s = open_store("checked", 30, 90, 400);
    struct recording one = recording_of(1, today - 2 * DAY + 10, today - 2 * DAY + 20);
    struct catalogue_dropped dropped;
    struct error e;
    unsigned lines[2] = {0};
    one.service = "shop";
    add(s, &one);
    maintain(s);
    catalogue_drop_before(s->catalogue, 1, today / DAY, FORGOTTEN_QUOTA, &dropped, &e);
    catalogue_dropped_deinit(&dropped);
    uint64_t all = files("checked", "*.roll");
    run("for f in $(find checked/segments -name '*.roll'); do printf x | dd of=$f bs=1 seek=80 conv=notrunc status=none; done");
    for (int i = 0; i < 2; i++) {
        if (store_check(s, today, &r, &e))
            exit(1);
        for (size_t k = 0; k < r.unreadable.len; k++)
            lines[i] += r.unreadable.data[k] == '\n';
        store_result_deinit(&r);
    }
    tap_ok(all == 4 && lines[0] == all && !lines[1], "a check names each damaged file once: %u and %u of %" PRIu64, lines[0], lines[1],
           all);
    store_close(s);
}

/* When the catalog is lost, what only roll-ups had is lost with it, and counted. */
static void test_catalogue_lost(void)
{
    if (!store_place_has_files("a lost catalog"))
        return;
    struct store_result r;
    struct store *s = open_store("lost", 30, 90, 400);
    const struct store_query q = {.from = today - 3 * DAY, .to = today, .type = "cpu:ns"};
    for (uint32_t i = 0; i < 5; i++) {
        struct recording one = recording_of(i, today - 3 * DAY + i * 100, today - 3 * DAY + i * 100 + 60);
        one.service = "shop";
        add(s, &one);
    }
    maintain(s);
    store_close(s);
    s = open_store("lost", 1, 90, 400);
    maintain(s);
    tap_ok(weight_of(s, &q, &r) && !files("lost", "*.seg"), "only roll-ups are left");
    store_close(s);
    run("rm lost/catalogue.db*");
    s = open_store("lost", 1, 90, 400);
    tap_ok(!weight_of(s, &q, &r) && r.missing.sums[MISSING_REBUILT].parts == 5,
           "without the catalog, their recordings are counted as missing");
    run("ls lost/quarantine/*-segments/*/*.roll > /dev/null");
    store_close(s);
}

/* The same, and a late recording has rows beside the roll-ups. */
static void test_catalogue_lost_late(void)
{
    if (!store_place_has_files("a lost catalog and a late recording"))
        return;
    struct store_result r;
    struct store *s = open_store("later", 30, 90, 400);
    const struct store_query q = {.from = today - 3 * DAY, .to = today, .type = "cpu:ns"};
    struct recording one;
    for (uint32_t i = 0; i < 5; i++) {
        one = recording_of(i, today - 3 * DAY + i * 100, today - 3 * DAY + i * 100 + 60);
        one.service = "shop";
        add(s, &one);
    }
    maintain(s);
    store_close(s);
    s = open_store("later", 1, 90, 400);
    maintain(s);
    store_close(s);
    s = open_store("later", 30, 90, 400);
    one = recording_of(9, today - 3 * DAY + 1000, today - 3 * DAY + 1060);
    one.service = "shop";
    add(s, &one);
    store_close(s);
    run("rm later/catalogue.db*");
    s = open_store("later", 30, 90, 400);
    tap_ok(weight_of(s, &q, &r) && r.missing.sums[MISSING_REBUILT].parts == 4,
           "also if rows of a late one are beside them: at least so many");
    store_close(s);
}

/* ---- kill -9 ---- */

static bool maintain_in_child(int steps, uint64_t rows)
{
    int status;
    pid_t pid = fork();
    if (!pid) {
        struct store *s = open_store("steps", rows, 90, 400);
        steps_left = steps;
        store_maintain(s);
        store_maintain(s);
        _exit(0);
    }
    waitpid(pid, &status, 0);
    return WIFSIGNALED(status);
}

static void test_steps(void)
{
    const struct store_query q = {.from = today - 3 * DAY, .to = today, .type = "cpu:samples"};
    struct store_result r;
    unsigned wrong = 0, strays = 0;
    int steps = 0, dropping = 0;
    for (bool killed = true; killed && steps < 200;) {
        run("rm -rf steps");
        struct store *s = open_store("steps", 30, 90, 400);
        for (uint32_t i = 0; i < 4; i++) {
            struct recording one = recording_of(i, today - 2 * DAY + i * HOUR, today - 2 * DAY + i * HOUR + 100);
            add(s, &one);
        }
        uint64_t sum = weight_of(s, &q, &r);
        store_close(s);
        killed = maintain_in_child(++steps, 30);
        s = open_store("steps", 30, 90, 400);
        wrong += weight_of(s, &q, &r) != sum || missing_parts(&r.missing);
        strays += files("steps", "*.new") != 0;
        maintain(s);
        wrong += weight_of(s, &q, &r) != sum || missing_parts(&r.missing) || !rolled(s, q.from, q.to);
        store_close(s);
        bool dropped = maintain_in_child(steps, 1);
        dropping += dropped;
        s = open_store("steps", 1, 90, 400);
        wrong += weight_of(s, &q, &r) != sum || missing_parts(&r.missing);
        maintain(s);
        wrong += weight_of(s, &q, &r) != sum || missing_parts(&r.missing) || files("steps", "*.seg");
        store_close(s);
    }
    /* A call of store_maintain makes roll-ups for a limited time, and ClickHouse needs some of it for each. */
    int least = store_place_is_away() ? 4 : 12;
    tap_ok(steps > least && dropping > 4, "killed at each of %d steps of making, and at %d of deleting rows", steps - 1, dropping);
    tap_ok(!wrong && !strays, "nothing was lost or doubled, and no file is left behind: %u, %u times not", wrong, strays);
}

int main(void)
{
    if (!mkdtemp(folder))
        return 1;
    today = (int64_t)(clock_realtime_ns() / NS_PER_S) / DAY * DAY;
    fill();
    test_same();
    test_late();
    test_today();
    test_damage();
    test_summary();
    test_hours();
    test_days();
    store_close(with);
    store_close(without);
    test_late_beside_sums();
    test_late_beside_day();
    test_refused();
    test_off();
    test_no_sync();
    test_lost_catalogue();
    test_lost();
    test_lost_between();
    test_spoilt();
    test_check();
    test_catalogue_lost();
    test_catalogue_lost_late();
    test_steps();
    char command[300];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    if (system(command))
        tap_note("%s stays", folder);
    return tap_done();
}
