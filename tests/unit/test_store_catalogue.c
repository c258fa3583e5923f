/*
 * Reading the catalogue: no writer waits for a reader, a reader sees one consistent state, and a slow statement can be interrupted.
 * tier: default
 * timeout: 120
 */
#include "../tap.h"

#include "store/catalogue/catalogue.h"

#include <errno.h>
#include <sqlite3.h>
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
    catalogue_close(c);
    snprintf(command, sizeof command, "%s.sum", path);
    tap_ok(!access(command, F_OK), "closed with all its readers, it has its digest");
    snprintf(command, sizeof command, "%s-wal", path);
    tap_ok(access(command, F_OK), "and no log is left");
    snprintf(command, sizeof command, "rm -rf %s", folder);
    if (system(command))
        tap_note("%s stays", folder);
    return tap_done();
}
