/*
 * Reading the catalogue: no writer waits for a reader, a reader sees one consistent state, a slow statement can be interrupted, and a query
 * reads the parts that it needs, and no others. Recordings that
 * come while the log is being synced share the next sync.
 * tier: default
 * timeout: 120
 */
#include "../tap.h"

#include "store/catalogue/catalogue_internal.h"
#include "store/catalogue/catalogue_select.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RECORDINGS = 5, MANY = 200000, PATIENCE = 3 };

static char folder[] = "/tmp/candor-catalogue-XXXXXX";
static char path[64];
static struct catalogue *c;

static int add(uint32_t number)
{
    struct catalogue_recording r = {.first = 1000, .last = 1001, .bytes = 10, .content_count = 1, .contents = {{.type = "cpu:ns"}}};
    struct catalogue_part part = {.first = 1000, .last = 1001, .rows = 1};
    char host[16];
    struct error e;
    memcpy(r.identity, &number, sizeof number);
    snprintf(host, sizeof host, "h%u", number);
    int rc = labels_set(&r.labels, "service", 7, "shop", 4, &e);
    rc = rc ? rc : labels_set(&r.labels, "host", 4, host, strlen(host), &e);
    rc = rc ? rc : catalogue_add(c, &r, &part, 1, &e);
    catalogue_recording_deinit(&r);
    return rc;
}

/* ---- beside writers ---- */

struct counting {
    uint32_t calls, nested;
    int added;
};

static int count_label(void *context, uint64_t labelset, const char *name, const char *value)
{
    ++*(uint32_t *)context;
    return 0;
}

static int add_while_reading(void *context, uint64_t labelset, const char *name, const char *value)
{
    struct counting *n = context;
    struct error e;
    if (!n->calls++) {
        n->added = add(RECORDINGS);
        catalogue_labels(c, NULL, count_label, &n->nested, &e);
    }
    return 0;
}

static void test_beside_writers(void)
{
    struct counting n = {.added = -1};
    uint32_t after = 0;
    struct error e;
    for (uint32_t i = 0; i < RECORDINGS; i++)
        if (add(i))
            exit(1);
    tap_ok(!catalogue_labels(c, NULL, add_while_reading, &n, &e) && !n.added, "while labels are read, a recording is added");
    tap_ok(n.calls == 2 * RECORDINGS, "the reader sees what there was when it began: %u labels", n.calls);
    tap_ok(n.nested == 2 * RECORDINGS + 2, "one that begins later sees the new one: %u labels", n.nested);
    tap_ok(!catalogue_labels(c, NULL, count_label, &after, &e) && after == n.nested, "and so does everyone from then on");
}

/* ---- patience ---- */

static const char enlarge[] = "WITH RECURSIVE n (i) AS (SELECT 1000 UNION ALL SELECT i + 1 FROM n WHERE i < 1000 + 200000) "
                              "INSERT INTO label SELECT i, 'host', 'h' || i FROM n;"
                              "WITH RECURSIVE n (i) AS (SELECT 1000 UNION ALL SELECT i + 1 FROM n WHERE i < 1000 + 200000) "
                              "INSERT INTO recording (id, identity, service, labelset, received_ns, first, last, bytes, raw)"
                              " SELECT i, i, 1, i, 0, 1000, 1001, 1, 1 FROM n;"
                              "INSERT INTO content SELECT id, 0, 1, 1, 1 FROM recording WHERE id >= 1000;";

struct asking {
    int calls, most; /* then it is over */
};

static int is_over(void *context, struct error *e)
{
    struct asking *a = context;
    return ++a->calls >= a->most ? error_set(e, -ETIMEDOUT, "after %d calls", a->calls) : 0;
}

static int count_stream(void *context, uint64_t labelset, const char *type)
{
    ++*(uint32_t *)context;
    return 0;
}

static void test_patience(void)
{
    struct asking asking = {.most = PATIENCE};
    struct catalogue_patience patience = {is_over, &asking};
    char *failed = NULL;
    uint32_t visits = 0;
    struct error e;
    sqlite3 *db;
    sqlite3_open(path, &db);
    bool made = !sqlite3_exec(db, "BEGIN", NULL, NULL, NULL) && !sqlite3_exec(db, enlarge, NULL, NULL, &failed) &&
                !sqlite3_exec(db, "COMMIT", NULL, NULL, NULL);
    sqlite3_close(db);
    tap_ok(made, "a large catalogue: %s", failed ? failed : "made");
    int rc = catalogue_labels(c, &patience, count_label, &visits, &e);
    tap_ok(rc == -ETIMEDOUT && !strcmp(e.text, "after 3 calls"), "a search is ended by who waits for it: %d, %s", rc, e.text);
    tap_ok(asking.calls == PATIENCE && visits < MANY / 2, "at the next occasion: %u rows", visits);
    asking = (struct asking){.most = 1};
    visits = 0;
    rc = catalogue_streams(c, 0, 2000, &patience, count_stream, &visits, &e);
    tap_ok(rc == -ETIMEDOUT && !visits, "also while it searches without finding anything");
    asking = (struct asking){.most = 1 << 30};
    rc = catalogue_labels(c, &patience, count_label, &visits, &e);
    tap_ok(!rc && visits == MANY + 1 + 2 * RECORDINGS + 2 && asking.calls > PATIENCE, "the next one, with patience, has all: %u", visits);
}

/* ---- selecting ---- */

enum { DAY = 86400, SERVICES = 3, MINUTES = 30, TYPES = 2 };

static const char *const types[TYPES] = {"cpu:ns", "lock:ns"};

/* A recording a minute of each service, with two types, from the second day's beginning on. */
static int add_minutes(void)
{
    int rc = 0;
    struct error e;
    for (uint32_t i = 0; !rc && i < SERVICES * MINUTES; i++) {
        char service[16];
        int64_t first = DAY + i / SERVICES * 60;
        struct catalogue_recording r = {.first = first, .last = first + 59, .bytes = 10, .content_count = TYPES};
        struct catalogue_part parts[TYPES];
        snprintf(service, sizeof service, "many-%u", i % SERVICES);
        memcpy(r.identity + 8, &(uint32_t){i + 1}, sizeof i);
        for (uint32_t k = 0; k < TYPES; k++) {
            snprintf(r.contents[k].type, sizeof r.contents[k].type, "%s", types[k]);
            parts[k] = (struct catalogue_part){.day = 1, .first = first, .last = first + 59, .rows = 1, .content = k};
        }
        rc = labels_set(&r.labels, "service", 7, service, strlen(service), &e);
        rc = rc ? rc : catalogue_add(c, &r, parts, TYPES, &e);
        catalogue_recording_deinit(&r);
    }
    return rc;
}

struct selecting {
    const char *service, *type;
    int64_t without_from, without_to;
    uint64_t across;
    uint32_t groups, parts;
    bool wrong;
};

static bool is_service(void *context, const char *name)
{
    const struct selecting *s = context;
    return !s->service || !strcmp(s->service, name);
}

static bool is_type(void *context, const char *name)
{
    const struct selecting *s = context;
    return !s->type || !strcmp(s->type, name);
}

static int take_rollup(void *context, const struct catalogue_rollup *u)
{
    return 0;
}

static int take_file(void *context, const struct catalogue_rollup_file *f)
{
    return 0;
}

static int take_group(void *context, struct catalogue_group *g)
{
    struct selecting *s = context;
    s->groups++;
    g->without_from = s->without_from;
    g->without_to = s->without_to;
    g->across = &s->across;
    g->across_count = s->across != 0;
    return 0;
}

static int take_part(void *context, const struct catalogue_hit *hit)
{
    struct selecting *s = context;
    s->parts++;
    s->wrong |= !is_type(s, hit->type) || (hit->first >= s->without_from && hit->last < s->without_to);
    s->across = s->across ? s->across : hit->recording;
    return 0;
}

static struct selecting select_with(struct selecting s, int64_t from, int64_t to)
{
    const struct catalogue_select_visitor visitor = {is_service, is_type, take_rollup, take_file, take_group, take_part, &s};
    struct error e;
    s.wrong = catalogue_select(c, from, to, NULL, &visitor, &e) != 0;
    return s;
}

static void test_select(void)
{
    if (!tap_ok(!add_minutes(), "recordings of several services"))
        return;
    struct selecting s = select_with((struct selecting){.service = "many-1", .type = types[1]}, DAY, 2 * DAY);
    tap_ok(!s.wrong && s.groups == 1 && s.parts == MINUTES, "a service's parts of a type, and no others: %u", s.parts);
    s = select_with((struct selecting){.service = "many-1"}, DAY, 2 * DAY);
    tap_ok(!s.wrong && s.groups == TYPES && s.parts == TYPES * MINUTES, "of any type: %u", s.parts);
    s = select_with((struct selecting){.type = types[0]}, DAY + 90, DAY + 300);
    tap_ok(!s.wrong && s.groups == SERVICES && s.parts == SERVICES * 4, "within a time, a part at its edge included: %u", s.parts);
    s = select_with((struct selecting){.service = "many-2", .type = types[0], .without_from = DAY + 600, .without_to = DAY + 1200}, DAY,
                    2 * DAY);
    tap_ok(!s.wrong && s.parts == MINUTES - 10, "without those that a roll-up has: %u", s.parts);
    uint64_t first = s.across;
    s = select_with((struct selecting){.service = "many-2", .type = types[0], .without_from = DAY + 30, .without_to = 2 * DAY}, DAY,
                    2 * DAY);
    tap_ok(!s.wrong && !s.parts, "one across the edge is not looked for by its time: %u", s.parts);
    s = select_with(
        (struct selecting){.service = "many-2", .type = types[0], .without_from = DAY + 30, .without_to = 2 * DAY, .across = first}, DAY,
        2 * DAY);
    tap_ok(!s.wrong && s.parts == 1, "but by its id: %u", s.parts);
}

/* ---- one sync for many ---- */

enum { TOGETHER = 8, TOGETHER_FIRST = 100 };

int __real_fdatasync(int fd);
int __wrap_fdatasync(int fd);

static pthread_mutex_t disk = PTHREAD_MUTEX_INITIALIZER; /* held by the test while the disk is slow */
static atomic_uint syncs;
static atomic_int disk_error;

int __wrap_fdatasync(int fd)
{
    atomic_fetch_add(&syncs, 1);
    pthread_mutex_lock(&disk);
    pthread_mutex_unlock(&disk);
    if (disk_error) {
        errno = disk_error;
        return -1;
    }
    return __real_fdatasync(fd);
}

struct adder {
    pthread_t thread;
    uint32_t number;
    int rc;
    atomic_bool ended;
};

static void *run_adder(void *context)
{
    struct adder *a = context;
    a->rc = add(a->number);
    a->ended = true;
    return NULL;
}

static uint64_t written(void)
{
    return atomic_load(&c->sync.written);
}

static void start(struct adder *a, uint32_t number)
{
    uint64_t before = written();
    *a = (struct adder){.number = number, .rc = 1};
    pthread_create(&a->thread, NULL, run_adder, a);
    while (written() == before)
        usleep(1000);
}

static void test_one_sync(void)
{
    struct adder adders[TOGETHER];
    uint32_t good = 0, early = 0;
    syncs = 0;
    pthread_mutex_lock(&disk);
    for (uint32_t i = 0; i < TOGETHER; i++) {
        start(&adders[i], TOGETHER_FIRST + i);
        while (!syncs) /* the first thread syncs now; the others come too late for that */
            usleep(1000);
    }
    for (uint32_t i = 0; i < TOGETHER; i++)
        early += adders[i].ended;
    pthread_mutex_unlock(&disk);
    for (uint32_t i = 0; i < TOGETHER; i++) {
        pthread_join(adders[i].thread, NULL);
        good += !adders[i].rc;
    }
    tap_ok(good == TOGETHER && !early, "none of %u is acknowledged before it is on the disk: %u were", good, early);
    tap_ok(syncs == 2, "one sync for the first, one for the others: %u", syncs);
    tap_ok(add(TOGETHER_FIRST) == -EEXIST && syncs == 2, "the same again needs none");
}

/* A disk that fails: nothing is acknowledged any more, also if it seems to work again. */
static void test_failed_sync(void)
{
    struct error e;
    disk_error = EIO;
    tap_ok(add(2 * TOGETHER_FIRST) == -EIO, "a failed sync is an error");
    disk_error = 0;
    tap_ok(catalogue_sync(c, &e) == -EIO && strstr(e.text, "restart"), "and remains one, with a remedy: %s", e.text);
    catalogue_close(c);
    tap_ok(!catalogue_open(&c, path, &e) && !add(2 * TOGETHER_FIRST + 1), "until the catalog is opened again");
}

/* What needs no sync asks SQLite for none, and only then. */
static int synchronous(void)
{
    sqlite3_stmt *s;
    int level =
        sqlite3_prepare_v2(c->sql.db, "PRAGMA synchronous", -1, &s, NULL) || sqlite3_step(s) != SQLITE_ROW ? -1 : sqlite3_column_int(s, 0);
    sqlite3_finalize(s);
    return level;
}

static void test_unsynced(void)
{
    struct error e;
    enum { NORMAL = 1, FULL = 2 };
    tap_ok(!sql_begin_unsynced(&c->sql, NULL, &e) && synchronous() == NORMAL, "a transaction that need not be on the disk");
    tap_ok(!sql_end(&c->sql, 0, &e) && synchronous() == FULL, "the next one must be");
    sql_begin_unsynced(&c->sql, NULL, &e);
    tap_ok(sql_end(&c->sql, -EIO, &e) == -EIO && synchronous() == FULL, "also after one that failed");
    uint64_t before = written();
    int begun = sql_begin_unsynced(&c->sql, &c->sync.written, &e);
    bool early = written() != before;
    tap_ok(!begun && !sql_end(&c->sql, 0, &e) && !early && written() == before + 1, "who finds what was added waits for its sync");
    begun = sql_begin_unsynced(&c->sql, &c->sync.written, &e);
    tap_ok(!begun && sql_end(&c->sql, -EIO, &e) == -EIO && written() == before + 1, "but not for what failed");
}

static int is_over_at(void *calls, struct error *e)
{
    return --*(int *)calls ? 0 : error_set(e, -ECANCELED, "over");
}

/* A backup ends when it must, in its first step as well as in its check, and a whole one has what was there when it began. */
static void test_backup(void)
{
    char copy[64];
    struct error e;
    snprintf(copy, sizeof copy, "%s/copy.db", folder);
    for (int calls = 1; calls <= 2; calls++) {
        int left = calls;
        struct catalogue_patience p = {is_over_at, &left};
        int rc = catalogue_backup(c, copy, &p, &e);
        tap_ok(rc == -ECANCELED && !strcmp(e.text, "over"), "a backup is ended: %d", rc);
        unlink(copy);
    }
    int left = 1000000;
    struct catalogue_patience p = {is_over_at, &left};
    struct catalogue *other;
    uint64_t segment, last[2] = {0, 1};
    int rc = catalogue_backup(c, copy, &p, &e);
    rc = rc ? rc : catalogue_open(&other, copy, &e);
    if (rc || catalogue_last_ids(c, &segment, &last[0], &e) || catalogue_last_ids(other, &segment, &last[1], &e))
        tap_note("%s", e.text);
    tap_ok(!rc && last[0] == last[1], "and a whole one has everything");
    if (!rc)
        catalogue_close(other);
}

/* A changed byte that SQLite does not notice. */
static void test_changed_byte(void)
{
    struct error e;
    enum { APPLICATION_ID = 68 };
    int fd = open(path, O_WRONLY);
    tap_ok(pwrite(fd, "x", 1, APPLICATION_ID) == 1 && !close(fd), "a byte is changed");
    tap_ok(catalogue_open(&c, path, &e) == -EBADMSG, "the digest tells: %s", e.text);
    tap_ok(catalogue_open(&c, path, &e) == -EBADMSG, "also the next start, if the server was killed then");
}

int main(void)
{
    char command[300];
    struct error e;
    if (!mkdtemp(folder))
        return 1;
    snprintf(path, sizeof path, "%s/catalogue.db", folder);
    if (!tap_ok(!catalogue_open(&c, path, &e), "a new catalogue"))
        return tap_done();
    test_beside_writers();
    test_patience();
    test_select();
    test_one_sync();
    test_unsynced();
    test_failed_sync();
    test_backup();
    catalogue_close(c);
    snprintf(command, sizeof command, "%s.sum", path);
    tap_ok(!access(command, F_OK), "closed with all its readers, it has its digest");
    snprintf(command, sizeof command, "%s-wal", path);
    tap_ok(access(command, F_OK), "and no log is left");
    test_changed_byte();
    snprintf(command, sizeof command, "rm -rf %s", folder);
    if (system(command))
        tap_note("%s stays", folder);
    return tap_done();
}
