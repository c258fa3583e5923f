/*
 * Merged segments give the same answers as before, to the last unit, for everything and for a part, by rows and by sums. A damaged one
 * is sealed again. After kill -9 between any two steps, or within a write, nothing is lost or doubled, and no file is left over.
 * tier: default
 * timeout: 300
 */
#include "../tap.h"
#include "store_place.h"

#include "base/text/units.h"
#include "base/time_units.h"
#include "compress/intake.h"
#include "format/read/formats.h"
#include "store/store_internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[] = "/tmp/candor-merge-XXXXXX";
static char path[256];
static int64_t today;
static char last_told[1024];
static int told;

/* ---- steps: the linker replaces functions that the store calls by these ---- */

static int steps_left = -1; /* calls until this process is killed; -1 = never */
static bool full;           /* no more can be written */

static void step(void)
{
    if (steps_left > 0 && !--steps_left)
        kill(getpid(), SIGKILL);
}

ssize_t __real_pwrite(int fd, const void *bytes, size_t n, off_t at);
ssize_t __wrap_pwrite(int fd, const void *bytes, size_t n, off_t at);
ssize_t __real_pwrite64(int fd, const void *bytes, size_t n, off_t at);
ssize_t __wrap_pwrite64(int fd, const void *bytes, size_t n, off_t at);
int __real_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to);
int __real_unlink(const char *name);
int __wrap_unlink(const char *name);
int __real_fsync(int fd);
int __wrap_fsync(int fd);
int __real_catalogue_merged(struct catalogue *c, const struct catalogue_merge *m, const struct catalogue_segment *to, uint64_t parts,
                            struct error *e);
int __wrap_catalogue_merged(struct catalogue *c, const struct catalogue_merge *m, const struct catalogue_segment *to, uint64_t parts,
                            struct error *e);

ssize_t __wrap_pwrite(int fd, const void *bytes, size_t n, off_t at)
{
    if (full) {
        errno = ENOSPC;
        return -1;
    }
    if (steps_left == 1 && n > 1)
        n = (size_t)__real_pwrite(fd, bytes, n / 2, at);
    step();
    return __real_pwrite(fd, bytes, n, at);
}

ssize_t __wrap_pwrite64(int fd, const void *bytes, size_t n, off_t at)
{
    return __wrap_pwrite(fd, bytes, n, at);
}

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

int __wrap_catalogue_merged(struct catalogue *c, const struct catalogue_merge *m, const struct catalogue_segment *to, uint64_t parts,
                            struct error *e)
{
    step();
    int rc = __real_catalogue_merged(c, m, to, parts, e);
    step();
    return rc;
}

/* ---- a store ---- */

static int load(struct store_profiles *to, const struct envelope *v, struct error *e)
{
    struct intake in;
    struct profile *p = store_profiles_add(to);
    int rc = p ? intake_open_memory(&in, v->body, v->size, "test", e) : -ENOMEM;
    return rc ? rc : formats_load_from(p, &in, "test", "collapsed", v->note.format[0] ? "ns" : "samples", NULL, e);
}

/* What the store says of merging. */
static void tell(const char *text)
{
    if (strncmp(text, "merging", strlen("merging")))
        return;
    snprintf(last_told, sizeof last_told, "%s", text);
    told++;
}

/* same: this many segments of one label set are merged; single_rows: above this many, profiles are added up. */
static struct store *open_store(uint32_t same, uint64_t single_rows)
{
    struct store_options o = {.path = path, .limits.retain_s = 7 * 86400, .single_rows = single_rows, .load = load, .tell = tell};
    o.merge.same = same;
    o.merge.all = 1000000;
    return store_place_open(&o);
}

static void fresh(const char *name)
{
    snprintf(path, sizeof path, "%s/%s", folder, name);
}

static uint32_t number; /* number of the last recording: makes it different from all others */

static bool add(struct store *s, const char *host, int64_t second, const char *body, bool ns)
{
    struct envelope_writer w;
    struct envelope_note note = {.received_ns = (int64_t)clock_realtime_ns(), .from_ns = second * NS_PER_S};
    uint8_t identity[ENVELOPE_IDENTITY] = {0};
    struct error e;
    struct store_added added;
    number++;
    memcpy(identity, &number, sizeof number);
    identity[31] = 1;
    if (ns)
        strcpy(note.format, "collapsed");
    int rc = labels_set(&note.labels, "service", 7, "shop", 4, &e);
    rc = rc ? rc : labels_set(&note.labels, "host", 4, host, strlen(host), &e);
    rc = rc ? rc : store_begin(s, &w, &e);
    rc = rc ? rc : envelope_put(&w, body, strlen(body), &e);
    rc = rc ? rc : store_add(s, &w, &note, identity, &added, &e);
    labels_deinit(&note.labels);
    if (rc)
        tap_note("%s", e.text);
    return !rc;
}

/* `stacks` stacks, with the weights 1, 2, ... more than `weight`. */
static bool add_stacks(struct store *s, const char *host, int64_t second, uint32_t stacks, uint32_t weight, bool ns)
{
    struct buffer body;
    buffer_init(&body, 1 << 20);
    for (uint32_t i = 0; i < stacks; i++)
        buffer_printf(&body, "x.A.main;x.B.m%u;x.C.leaf%u %u\n", i % 10, i, weight + i);
    buffer_u8(&body, 0);
    bool done = add(s, host, second, (const char *)body.data, ns);
    buffer_deinit(&body);
    return done;
}

/* The files of segments below segments/ with this ending. */
static uint32_t count_files(const char *end)
{
    char at[512], below[1024];
    uint32_t n = 0;
    snprintf(at, sizeof at, "%s/segments", path);
    DIR *dir = opendir(at);
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        if (entry->d_name[0] == '.')
            continue;
        snprintf(below, sizeof below, "%s/%s", at, entry->d_name);
        DIR *inner = opendir(below);
        for (struct dirent *file; inner && (file = readdir(inner));) {
            const char *dot = strrchr(file->d_name, '.');
            n += dot && !strcmp(dot, end);
        }
        if (inner)
            closedir(inner);
    }
    if (dir)
        closedir(dir);
    return n;
}

static uint64_t segments_of(struct store *s)
{
    struct catalogue_sums sums;
    struct error e;
    return catalogue_sums(store_catalogue(s), &sums, &e) ? UINT64_MAX : sums.segments;
}

static void merge_all(struct store *s)
{
    for (uint64_t before = 0; before != segments_of(s);) {
        before = segments_of(s);
        store_maintain(s);
    }
}

/* ---- answers as text ---- */

static int by_text(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

/* For each stack its leaf, weight and count, in order; then the sum of all. */
static void put_profile(struct buffer *out, struct store *s, const struct store_query *q)
{
    struct store_result r;
    struct profile p;
    struct error e;
    profile_init(&p);
    if (store_profile(s, q, &p, &r, &e))
        buffer_printf(out, "failed: %s\n", e.text);
    uint64_t *weights = calloc(p.node_count, sizeof *weights), *counts = calloc(p.node_count, sizeof *counts);
    char **lines = calloc(p.node_count, sizeof *lines);
    uint32_t n = 0;
    for (uint32_t i = 0; i < p.sample_count; i++) {
        weights[p.samples[i].stack] += p.samples[i].weight;
        counts[p.samples[i].stack] += p.samples[i].count;
    }
    for (uint32_t i = 1; i < p.node_count; i++)
        if (counts[i] && asprintf(&lines[n], "%s %llu %llu", profile_text(&p, p.frames[p.nodes[i].frame].label),
                                  (unsigned long long)weights[i], (unsigned long long)counts[i]) > 0)
            n++;
    qsort(lines, n, sizeof *lines, by_text);
    for (uint32_t i = 0; i < n; i++) {
        buffer_printf(out, "%s\n", lines[i]);
        free(lines[i]);
    }
    buffer_printf(out, "%llu of %llu recordings %s, pruned %llu\n%.*s", (unsigned long long)r.weight, (unsigned long long)r.recordings,
                  r.type, (unsigned long long)r.pruned.weight, (int)r.unreadable.len, (const char *)r.unreadable.data);
    if (p.weight != r.weight)
        buffer_printf(out, "the profile weighs %llu\n", (unsigned long long)p.weight);
    free(weights);
    free(counts);
    free(lines);
    store_result_deinit(&r);
    profile_deinit(&p);
}

static void put_series(struct buffer *out, struct store *s, const struct store_query *q, int64_t step, const char *by)
{
    struct store_result r;
    struct store_series series;
    struct error e;
    if (store_series(s, q, step, by, &series, &r, &e))
        buffer_printf(out, "failed: %s\n", e.text);
    for (uint32_t i = 0; i < series.point_count; i++)
        buffer_printf(out, "%s %lld %llu\n", series.values[series.points[i].series], (long long)series.points[i].step,
                      (unsigned long long)series.points[i].weight);
    buffer_printf(out, "%llu of %llu recordings %s\n", (unsigned long long)r.weight, (unsigned long long)r.recordings, r.type);
    store_series_deinit(&series);
    store_result_deinit(&r);
}

/* All that the tests ask. */
static char *answers(struct store *s)
{
    static const char *const selectors[] = {"", "host=\"a\"", "host!=\"a\"", "service=\"none\""};
    static const char *const types[] = {NULL, "cpu:ns", "cpu:samples"};
    struct buffer out;
    buffer_init(&out, 64 << 20);
    for (size_t i = 0; i < 4; i++)
        for (size_t k = 0; k < 3; k++) {
            struct selector selector;
            struct error e;
            selector_parse(&selector, selectors[i], &e);
            struct store_query q = {.selector = &selector, .from = today - 2 * 86400, .to = today + 86400, .type = types[k]};
            put_profile(&out, s, &q);
            put_series(&out, s, &q, 3600, "host");
            put_series(&out, s, &q, 7, NULL);
            q.from = today + 3; /* within what is merged */
            q.to = today + 30;
            put_profile(&out, s, &q);
            put_series(&out, s, &q, 1, "host");
            selector_deinit(&selector);
        }
    buffer_u8(&out, 0);
    char *text = out.failed ? NULL : strdup((const char *)out.data);
    buffer_deinit(&out);
    return text;
}

static bool same(const char *a, const char *b)
{
    return a && b && !strcmp(a, b);
}

/* ---- tests ---- */

static void fill(struct store *s, uint32_t recordings, uint32_t stacks)
{
    for (uint32_t i = 0; i < recordings; i++) {
        add_stacks(s, "a", today + i, stacks, 10 + i, false);
        add_stacks(s, "b", today + i / 2, stacks, 20, false);
        add_stacks(s, i % 2 ? "a" : "c", today + i, stacks / 2, 3, true);
        if (i % 8 == 0)
            add_stacks(s, "a", today - 86400, 5, 1, false);
    }
}

/* The rows of each recording are in one segment; if something is stored about them twice, both are equal. */
static bool sums_agree(struct store *s, uint64_t segment, uint32_t dictionary, bool *has_sums)
{
    char file[DISK_PATH_MAX];
    struct segment g;
    struct error e;
    if (segment_read(&g, store_segment_path(s, file, dictionary, segment), SEGMENT_ALL | SEGMENT_SUMS, &e))
        return false;
    uint64_t rows = 0, sums = 0, seconds = 0, row_count = 0, sum_count = 0;
    for (uint32_t i = 0; i < g.row_count; i++) {
        rows += g.rows[i].weight;
        row_count += g.rows[i].count;
    }
    for (uint32_t i = 0; i < g.sum_count; i++) {
        sums += g.sums[i].weight;
        sum_count += g.sums[i].count;
    }
    for (uint32_t i = 0; i < g.second_count; i++)
        seconds += g.seconds[i].weight;
    *has_sums = *has_sums || (g.sum_count && g.second_count);
    bool agree = (!g.sum_count || (sums == rows && sum_count == row_count)) && (!g.second_count || seconds == rows);
    segment_deinit(&g);
    return agree;
}

struct look {
    struct store *store;
    uint32_t dictionary;
    bool agree, has_sums;
    char *file; /* index of the first with sums; NULL: not wanted */
};

static int look_at(void *context, uint64_t segment)
{
    struct look *l = context;
    bool has_sums = false;
    l->agree = sums_agree(l->store, segment, l->dictionary, &has_sums) && l->agree;
    if (has_sums && !l->has_sums && l->file)
        store_segment_path(l->store, l->file, l->dictionary, segment);
    l->has_sums = l->has_sums || has_sums;
    return 0;
}

static struct look look_at_all(struct store *s, char *file)
{
    struct look l = {.store = s, .agree = true, .file = file};
    struct error e;
    bool known;
    for (l.dictionary = 1; l.dictionary < 4; l.dictionary++)
        l.agree = !catalogue_segments(store_catalogue(s), l.dictionary, &known, look_at, &l, &e) && l.agree;
    return l;
}

static void test_same_answers(uint64_t single_rows, const char *what)
{
    char name[64];
    snprintf(name, sizeof name, "same-%llu", (unsigned long long)single_rows);
    fresh(name);
    struct store *s = open_store(8, single_rows);
    fill(s, 40, 200);
    uint64_t small = segments_of(s);
    char *before = answers(s), *after;
    merge_all(s);
    uint64_t merged = segments_of(s);
    after = answers(s);
    tap_ok(store_place_is_away() || (merged * 5 < small && count_files(".seg") == merged),
           "%s: %llu segments have become %llu, and as many files", what, (unsigned long long)small, (unsigned long long)merged);
    tap_ok(same(before, after), "and every answer is the same");
    free(after);
    struct look l = look_at_all(s, NULL);
    struct error e;
    tap_ok(store_place_is_away() || (l.agree && l.has_sums), "sums are those of the rows");
    store_close(s);
    s = open_store(8, single_rows);
    after = answers(s);
    tap_ok(same(before, after), "also when it is opened again");
    add_stacks(s, "a", today + 5, 200, 1, false);
    free(before);
    before = answers(s);
    tap_ok(!same(before, after), "what came since is in them");
    merge_all(s);
    free(after);
    after = answers(s);
    tap_ok(same(before, after), "and stays");
    struct store_result r;
    tap_ok(!store_check(s, today + 2 * 86400, &r, &e) && !r.unreadable.len, "a check finds nothing");
    store_result_deinit(&r);
    struct envelope v;
    bool raw = true;
    for (uint32_t id = 1; raw && id < 20; id++) {
        raw = !store_recording(s, id, &v, &e) && v.size && !memcmp(v.body, "x.A.main;", 9);
        if (raw)
            envelope_close(&v);
    }
    tap_ok(raw, "recordings are there as they were sent");
    store_close(s);
    free(before);
    free(after);
}

static void flip(const char *file, off_t at)
{
    uint8_t byte;
    int fd = open(file, O_RDWR);
    if (pread(fd, &byte, 1, at) == 1) {
        byte ^= 4;
        if (__real_pwrite(fd, &byte, 1, at) != 1)
            tap_note("%s cannot be written", file);
    }
    close(fd);
}

static void test_damage(void)
{
    char file[DISK_PATH_MAX];
    unsigned seed = 20261123;
    fresh("damage");
    struct store *s = open_store(8, 500);
    fill(s, 24, 400);
    char *before = answers(s), *after;
    for (int i = 0; i < 12; i++) {
        struct stat st;
        merge_all(s);
        if (!tap_ok(look_at_all(s, file).has_sums && !stat(file, &st), "there is a merged segment with sums"))
            break;
        off_t at = i < 6 ? st.st_size * i / 6 : (off_t)(rand_r(&seed) % (unsigned)st.st_size);
        store_close(s);
        flip(file, at);
        s = open_store(8, 500);
        struct store_result r;
        struct error e;
        int rc = store_check(s, today + 2 * 86400, &r, &e);
        const char *file_name = strrchr(file, '/') + 1;
        tap_ok(!rc && r.unreadable.len && memmem(r.unreadable.data, r.unreadable.len, file_name, strlen(file_name)),
               "byte %lld: it is named", (long long)at);
        store_result_deinit(&r);
        store_maintain(s);
        after = answers(s);
        tap_ok(same(before, after), "and every answer is the same when it was mended");
        free(after);
    }
    store_close(s);
    free(before);
}

static void test_readers(void)
{
    fresh("readers");
    struct store *s = open_store(4, 0);
    for (uint32_t i = 0; i < 4; i++)
        add_stacks(s, "a", today, 3, i, false);
    unsigned epoch = merge_read_begin(s);
    store_maintain(s);
    tap_ok(segments_of(s) == 1 && count_files(".seg") == 5, "while who knows of the old ones reads, these stay");
    store_maintain(s);
    merge_read_end(s, merge_read_begin(s));
    tap_ok(count_files(".seg") == 5, "however often it is tried, and whoever else reads");
    merge_read_end(s, epoch);
    store_maintain(s);
    tap_ok(count_files(".seg") == 1, "and then they go");
    store_close(s);
}

static void test_full(void)
{
    fresh("full");
    struct store *s = open_store(4, 0);
    for (uint32_t i = 0; i < 4; i++)
        add_stacks(s, "a", today, 30, i, false);
    char *before = answers(s), *after;
    full = true;
    told = 0;
    for (int i = 0; i < 3; i++)
        store_maintain(s);
    full = false;
    after = answers(s);
    tap_ok(told == 1 && strstr(last_told, "No space left") && segments_of(s) == 4 && count_files(".seg") == 4 && !count_files(".new"),
           "a full disk: it is said once, and nothing is left of the try: %s", last_told);
    tap_ok(same(before, after), "nor changed");
    store_maintain(s);
    free(after);
    after = answers(s);
    tap_ok(segments_of(s) == 1 && same(before, after), "when there is room again, it is done");
    store_close(s);
    free(before);
    free(after);
}

/* ---- kill -9 ---- */

static uint64_t total(struct store *s)
{
    struct store_query q = {.from = today - 2 * 86400, .to = today + 86400, .type = ""};
    struct store_result r;
    struct profile p;
    struct error e;
    profile_init(&p);
    uint64_t weight = store_profile(s, &q, &p, &r, &e) || r.unreadable.len || p.weight != r.weight ? UINT64_MAX : r.weight;
    store_result_deinit(&r);
    profile_deinit(&p);
    return weight;
}

/* Returns true if it was killed. */
static bool maintain_in_child(int steps)
{
    int status;
    pid_t pid = fork();
    if (!pid) {
        struct store *s = open_store(4, 0);
        steps_left = steps;
        store_maintain(s);
        _exit(0);
    }
    waitpid(pid, &status, 0);
    return WIFSIGNALED(status);
}

static void test_steps(void)
{
    uint64_t sum = 0, wrong = 0, strays = 0, unfinished = 0;
    int steps = 0;
    bool killed = true;
    fresh("steps");
    while (killed && steps < 200) {
        struct store *s = open_store(4, 0);
        for (uint32_t i = 0; i < 8; i++, sum += 3)
            add(s, i % 2 ? "a" : "b", today + i, "x.A.main;x.A.hot 2\nx.A.main 1\n", false);
        wrong += total(s) != sum;
        store_close(s);
        killed = maintain_in_child(++steps);
        s = open_store(4, 0);
        wrong += total(s) != sum;
        strays += count_files(".seg") != segments_of(s) || count_files(".new");
        merge_all(s);
        wrong += total(s) != sum;
        unfinished += segments_of(s) != 2u * (unsigned)steps;
        store_close(s);
    }
    tap_ok(!killed && steps > 12, "killed at each of %d steps of two merges", steps - 1);
    tap_ok(!wrong, "nothing was lost or doubled: %llu times wrong", (unsigned long long)wrong);
    tap_ok(!strays && !unfinished, "no file is left behind, and each merge is made up for: %llu, %llu times not",
           (unsigned long long)strays, (unsigned long long)unfinished);
}

/* Adds and merges without end, and writes each acknowledged number to the pipe. */
static void child(int out, uint32_t next)
{
    struct store *s = open_store(4, 0);
    for (number = next - 1;;) {
        char body[128];
        snprintf(body, sizeof body, "x.A.main;x.A.m%u 1\n", number % 50);
        if (!add(s, "a", today, body, false) || write(out, &number, sizeof number) != sizeof number)
            _exit(1);
        if (number % 3 == 0)
            store_maintain(s);
    }
}

static void test_kill(int times)
{
    uint32_t acknowledged = 0, wrong = 0;
    unsigned seed = 20261123;
    uint64_t segments = 0;
    fresh("kill");
    for (int i = 0; i < times; i++) {
        int pipes[2];
        if (pipe(pipes))
            return;
        pid_t pid = fork();
        if (!pid)
            child(pipes[1], acknowledged + 1); /* the recording that was being sent is sent again, as a client would do */
        close(pipes[1]);
        uint32_t n;
        for (int left = rand_r(&seed) % 12; left && read(pipes[0], &n, sizeof n) == sizeof n; left--)
            acknowledged = n;
        usleep((useconds_t)(rand_r(&seed) % 30000));
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
        while (read(pipes[0], &n, sizeof n) == sizeof n)
            acknowledged = n;
        close(pipes[0]);
        struct store *s = open_store(4, 0);
        uint64_t kept = total(s);
        wrong += kept < acknowledged || kept > acknowledged + 1 || count_files(".seg") != segments_of(s);
        segments = segments_of(s);
        store_close(s);
    }
    tap_ok(!wrong && segments < acknowledged, "killed %d times while it merged: %u acknowledged, none lost, none doubled: %u times wrong",
           times, acknowledged, wrong);
}

/* ---- which set comes next ---- */

static uint32_t set_from(struct store *s, uint32_t from)
{
    const struct catalogue_merge_rule rule = {.same = 4, .all = 1000000, .rows = 1 << 20};
    struct catalogue_merge m;
    struct error e;
    int rc = catalogue_mergeable(store_catalogue(s), &rule, from, &m, &e);
    return rc || (m.count && m.count != 4) ? UINT32_MAX : m.count ? m.dictionary : 0;
}

/* A search goes on after the dictionary at which the one before ended, and what is before it is found nevertheless. */
static void test_search(void)
{
    fresh("search");
    struct store *s = open_store(1000000, 0);
    for (uint32_t i = 0; i < 8; i++)
        add_stacks(s, "a", today - (i % 2) * 86400 + i, 3, i, false);
    uint32_t first = set_from(s, 0), second = set_from(s, first + 1);
    tap_ok(first && second > first && second != UINT32_MAX && set_from(s, second) == second, "two dictionaries have a set each: %u, %u",
           first, second);
    tap_ok(!set_from(s, second + 1), "there is none after the second");
    store_close(s);
    s = open_store(4, 0);
    merge_all(s);
    tap_ok(segments_of(s) == 2, "both are merged");
    for (uint32_t i = 0; i < 4; i++)
        add_stacks(s, "a", today + 20 + i, 3, i, false);
    merge_all(s);
    tap_ok(segments_of(s) == 3, "and so is what comes later in the first one");
    store_close(s);
}

int main(void)
{
    const char *tier = getenv("CANDOR_TIER");
    if (!mkdtemp(folder))
        return 1;
    today = (int64_t)(clock_realtime_ns() / NS_PER_S) / 86400 * 86400 + 1000;
    test_same_answers(0, "row by row");
    test_same_answers(500, "added up");
    if (store_place_has_files("merging")) {
        test_damage();
        test_readers();
        test_full();
        test_steps();
        test_search();
        test_kill(tier && !strcmp(tier, "all") ? 500 : 15);
    }
    char command[300];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    if (system(command))
        tap_note("%s is left", folder);
    return tap_done();
}
