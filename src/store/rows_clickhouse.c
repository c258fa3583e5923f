/* Rows in ClickHouse (clickhouse/clickhouse.h), for a store whose catalog, dictionaries and recordings are in its directory.
 *
 * Rows are written in batches, because each request makes a file there: a segment waits for others until the last batch is a second old, or
 * until the next maintenance, and its part counts as not sealed until then. If the server cannot take them, they are dropped:
 * recover_pending makes them again from the recording, once the server answers. A batch is written completely before the catalog knows its
 * segments. What a failed write has left has numbers that the catalog never knows. So no row is lost, and none counts twice.
 *
 * The file `clickhouse` in the directory says that rows are not here, and under which number they are there. */
#include "store/clickhouse/clickhouse.h"

#include "base/array.h"
#include "base/text/number.h"
#include "base/text/units.h"
#include "base/time_units.h"
#include "http/token.h"
#include "store/store_internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

enum {
    AHEAD = 256,
    BATCH_ROWS = 1 << 17,   /* so many rows are written at once, at least, when they come fast */
    WAITING_ROWS = 1 << 20, /* more are not kept in memory */
    NUMBERS_GAP = 1 << 20,  /* a write of an earlier process may still be under way: its numbers are left out */
};
#define BATCH_NS     NS_PER_S
#define WAIT_NS      NS_PER_S /* after the first failure, until the next attempt */
#define WAIT_MOST_NS ((uint64_t)30 * NS_PER_S)

static const char marker[] = "clickhouse";

/* A segment that is to be written. */
struct waiting {
    struct catalogue_segment done; /* its type is `type` */
    char type[CATALOGUE_TYPE_MAX], *service;
    struct segment rows; /* owned */
};

struct batch {
    struct waiting *list;
    uint32_t count, cap;
    uint64_t rows;
};

struct numbers {
    uint64_t *list;
    uint32_t count, cap;
};

struct away {
    struct clickhouse *server;
    bool met;                    /* the server has answered since the start */
    pthread_mutex_t lock;        /* protects what follows */
    uint64_t used;               /* a write of an earlier process may have used numbers up to this one */
    struct batch waiting, going; /* going: a thread writes them, without the lock */
    bool writing, ready, told;
    uint64_t written_ns, again_ns, wait_ns;
    struct numbers gone, gone_rollups;
    uint32_t *gone_dictionaries;
    uint32_t gone_count, gone_cap;
    bool told_gone; /* only maintenance uses it */
};

/* ---- whether the server answers ---- */

static void failed(struct store *s, const struct error *e)
{
    struct away *a = s->away;
    pthread_mutex_lock(&a->lock);
    a->ready = false;
    a->wait_ns = a->wait_ns ? a->wait_ns * 2 : WAIT_NS;
    a->wait_ns = a->wait_ns < WAIT_MOST_NS ? a->wait_ns : WAIT_MOST_NS;
    a->again_ns = clock_monotonic_ns() + a->wait_ns;
    bool tell = !a->told && !store_is_stopping(s); /* at the end, requests are given up */
    a->told = true;
    pthread_mutex_unlock(&a->lock);
    if (tell)
        store_tell(s, "%s; recordings are kept, and their rows are written later", e->text);
}

/* Meets the server for the first time since the start. What a failed write has left has numbers above those that the catalog knows: they
 * are not used again. */
static void meet(struct store *s, uint64_t last)
{
    struct away *a = s->away;
    uint64_t own = s->last_segment;
    if (a->met)
        return;
    a->used = (own > last ? own : last) + NUMBERS_GAP;
    s->last_segment = a->used;
    a->met = true;
}

static bool is_ready(struct store *s)
{
    struct away *a = s->away;
    struct error e;
    uint64_t last;
    pthread_mutex_lock(&a->lock);
    bool ready = a->ready, wait = clock_monotonic_ns() < a->again_ns;
    pthread_mutex_unlock(&a->lock);
    if (ready || wait)
        return ready;
    int rc = clickhouse_prepare(a->server, &last, &e);
    if (rc) {
        failed(s, &e);
        return false;
    }
    pthread_mutex_lock(&a->lock);
    meet(s, last);
    a->ready = true;
    a->wait_ns = 0;
    bool tell = a->told;
    a->told = false;
    pthread_mutex_unlock(&a->lock);
    if (tell)
        store_tell(s, "ClickHouse takes rows again");
    return true;
}

/* ---- writing ---- */

static void free_waiting(struct waiting *w)
{
    free(w->service);
    segment_deinit(&w->rows);
}

static void empty(struct batch *b)
{
    for (uint32_t i = 0; i < b->count; i++)
        free_waiting(&b->list[i]);
    b->count = 0;
    b->rows = 0;
}

/* Has a number removed that nobody knows. If there is no memory, its rows stay until their dictionary is removed. */
static void note_gone(struct away *a, struct numbers *of, uint64_t number)
{
    pthread_mutex_lock(&a->lock);
    if (!ARRAY_GROW(of->list, of->cap, of->count))
        of->list[of->count++] = number;
    pthread_mutex_unlock(&a->lock);
}

static int send_batch(struct away *a, struct batch *b, struct error *e)
{
    struct rows_part *list = calloc(b->count, sizeof *list);
    if (!list)
        return error_set(e, -ENOMEM, "out of memory");
    for (uint32_t i = 0; i < b->count; i++) {
        struct waiting *w = &b->list[i];
        list[i] = (struct rows_part){w->done.id, w->done.dictionary, w->service, w->type, &w->rows, 0};
    }
    int rc = clickhouse_write(a->server, list, b->count, e);
    free(list);
    return rc;
}

static void write_going(struct store *s)
{
    struct away *a = s->away;
    struct error e;
    int rc = send_batch(a, &a->going, &e);
    if (rc)
        failed(s, &e);
    for (uint32_t i = 0; i < a->going.count; i++) {
        struct waiting *w = &a->going.list[i];
        w->done.type = w->type;
        int sealed = rc ? rc : catalogue_seal(s->catalogue, &w->done, &e);
        if (sealed)
            note_gone(a, &a->gone, w->done.id);
        if (!rc && sealed && sealed != -EALREADY) /* a repair and the first sealing may meet; one of them was faster */
            store_tell(s, "recording %" PRIu64 ": not sealed yet: %s", w->done.recording, e.text);
    }
}

/* Writes the waiting segments. now: even if more may come soon. */
static void write_waiting(struct store *s, bool now)
{
    struct away *a = s->away;
    uint64_t time = clock_monotonic_ns(), patience = s->options.clickhouse_wait_ns ? s->options.clickhouse_wait_ns : BATCH_NS;
    pthread_mutex_lock(&a->lock);
    bool due = now || a->waiting.rows >= BATCH_ROWS || time - a->written_ns >= patience;
    bool begin = a->waiting.count && a->ready && !a->writing && due;
    if (begin) {
        struct batch none = a->going; /* it is empty, and has memory */
        a->going = a->waiting;
        a->waiting = none;
        a->writing = true;
        a->written_ns = time;
    }
    pthread_mutex_unlock(&a->lock);
    if (!begin)
        return;
    write_going(s);
    pthread_mutex_lock(&a->lock);
    empty(&a->going);
    a->writing = false;
    pthread_mutex_unlock(&a->lock);
}

/* Whether the batch has room for a segment of this day. */
static bool has_room(const struct batch *b, int64_t day)
{
    int64_t days[ROWS_DAYS_MAX];
    uint32_t n = 0;
    for (uint32_t i = 0; i < b->count; i++) {
        bool known = false;
        for (uint32_t k = 0; k < n && !known; k++)
            known = days[k] == b->list[i].done.day;
        if (b->list[i].done.day == day)
            return b->rows < WAITING_ROWS;
        if (!known && n < ROWS_DAYS_MAX)
            days[n++] = b->list[i].done.day;
    }
    return n < ROWS_DAYS_MAX && b->rows < WAITING_ROWS;
}

/* Takes over the rows. */
static int add_waiting(struct batch *b, const struct catalogue_segment *done, const char *service, struct segment *g)
{
    uint64_t *recordings = malloc(sizeof *recordings);
    char *name = strdup(service);
    if (!recordings || !name || ARRAY_GROW(b->list, b->cap, b->count)) {
        free(recordings);
        free(name);
        return -ENOMEM;
    }
    struct waiting *w = &b->list[b->count++];
    *w = (struct waiting){.done = *done, .service = name, .rows = *g};
    snprintf(w->type, sizeof w->type, "%s", done->type);
    *recordings = done->recording;
    w->rows.recordings = recordings;
    b->rows += g->row_count;
    g->rows = NULL;
    g->row_count = g->row_cap = 0;
    return 0;
}

static int seal(struct store *s, struct catalogue_segment *done, const char *service, struct segment *g, struct error *e)
{
    struct away *a = s->away;
    segment_add_up(g);
    done->rows = g->row_count;
    done->bytes = 0;
    pthread_mutex_lock(&a->lock);
    int rc = a->ready && done->id > a->used && has_room(&a->waiting, done->day) ? add_waiting(&a->waiting, done, service, g) : 0;
    pthread_mutex_unlock(&a->lock);
    return rc ? error_set(e, rc, "out of memory") : 0;
}

static bool has(const struct batch *b, uint64_t recording)
{
    bool found = false;
    for (uint32_t i = 0; !found && i < b->count; i++)
        found = b->list[i].done.recording == recording;
    return found;
}

static bool waits(struct store *s, uint64_t recording)
{
    struct away *a = s->away;
    pthread_mutex_lock(&a->lock);
    bool found = has(&a->waiting, recording) || has(&a->going, recording);
    pthread_mutex_unlock(&a->lock);
    return found;
}

static int write_parts(struct store *s, struct rows_part *list, uint32_t count, struct error *e)
{
    for (uint32_t i = 0; i < count; i++) {
        segment_add_up(list[i].rows);
        list[i].bytes = 0;
    }
    return clickhouse_write(s->away->server, list, count, e);
}

/* ---- reading ---- */

/* Takes a segment out of those that were read. The others stay in order. */
static bool take(struct rows_ahead *from, const struct rows_wanted *w, unsigned columns, struct segment *out)
{
    if (from->dictionary != w->dictionary || (from->columns & columns) != columns)
        return false;
    for (uint32_t i = 0; i < from->count; i++)
        if (from->numbers[i] == w->list->number) {
            *out = from->list[i];
            from->list[i] = (struct segment){0};
            from->numbers[i] = 0;
            return true;
        }
    return false;
}

static int read_one(struct store *s, struct rows_ahead *ahead, const struct rows_wanted *wanted, unsigned columns, struct segment *out,
                    struct error *e)
{
    columns &= SEGMENT_ALL;
    *out = (struct segment){.contexts = 1};
    bool found = take(ahead, wanted, columns, out);
    if (!found && wanted->list->rows) {
        rows_ahead_empty(ahead);
        int rc = clickhouse_read(s->away->server, wanted, columns, ahead, e);
        if (rc)
            return rc;
        take(ahead, wanted, columns, out);
    }
    out->first = wanted->second - wanted->second % SECONDS_PER_DAY - (wanted->second % SECONDS_PER_DAY < 0 ? SECONDS_PER_DAY : 0);
    if (out->row_count == wanted->list->rows)
        return 0; /* more: a proxy, or libcurl, has sent a request twice */
    uint64_t rows = out->row_count;
    segment_deinit(out);
    return error_set(e, -ENOENT,
                     "segment %" PRIu64 ": ClickHouse has %" PRIu64 " rows of it instead of %" PRIu64
                     "; 'candor server --check' makes them again from recordings",
                     wanted->list->number, rows, wanted->list->rows);
}

static int sum(struct store *s, const struct rows_wanted *wanted, enum rows_sums which, struct segment *out, struct error *e)
{
    uint64_t weight, expected = 0;
    for (uint32_t i = 0; i < wanted->count; i++)
        expected += wanted->list[i].weight;
    int rc = clickhouse_sum(s->away->server, wanted, which, out, &weight, e);
    if (!rc && weight != expected)
        rc = error_set(e, -ENOENT, "ClickHouse lacks rows of dictionary %" PRIu32, wanted->dictionary);
    if (rc)
        segment_deinit(out);
    return rc;
}

/* ---- roll-ups ---- */

static int write_rollup(struct store *s, uint32_t dictionary, uint64_t number, struct rollup_file *f, uint64_t *bytes, struct error *e)
{
    *bytes = 0;
    if (!is_ready(s))
        return error_set(e, -EHOSTUNREACH, "ClickHouse does not take rows now");
    return clickhouse_write_rollup(s->away->server, dictionary, number, f, e);
}

static int read_rollup(struct store *s, uint32_t dictionary, uint64_t number, struct rollup_file *f, struct error *e)
{
    return clickhouse_read_rollup(s->away->server, dictionary, number, f, e);
}

/* ---- removing ---- */

static void remove_one(struct store *s, uint32_t dictionary, uint64_t number, bool rollup)
{
    (void)dictionary;
    note_gone(s->away, rollup ? &s->away->gone_rollups : &s->away->gone, number);
}

/* The folder goes when the rows are gone: until then a restart finds it (merge_sweep), and has the rows removed. */
static void remove_dictionary(struct store *s, uint32_t dictionary)
{
    struct away *a = s->away;
    pthread_mutex_lock(&a->lock);
    if (!ARRAY_GROW(a->gone_dictionaries, a->gone_cap, a->gone_count))
        a->gone_dictionaries[a->gone_count++] = dictionary;
    pthread_mutex_unlock(&a->lock);
}

/* Takes a list for removing; puts it back if that failed. */
static int remove_numbers(struct store *s, struct numbers *of, bool rollups, struct error *e)
{
    struct away *a = s->away;
    pthread_mutex_lock(&a->lock);
    struct numbers some = *of;
    *of = (struct numbers){0};
    pthread_mutex_unlock(&a->lock);
    int rc = some.count ? clickhouse_remove(a->server, some.list, some.count, rollups, e) : 0;
    for (uint32_t i = 0; rc && i < some.count; i++)
        note_gone(a, of, some.list[i]);
    free(some.list);
    return rc;
}

static int remove_dictionaries(struct store *s, struct error *e)
{
    struct away *a = s->away;
    pthread_mutex_lock(&a->lock);
    uint32_t *list = a->gone_dictionaries, count = a->gone_count;
    a->gone_dictionaries = NULL;
    a->gone_count = a->gone_cap = 0;
    pthread_mutex_unlock(&a->lock);
    int rc = count ? clickhouse_remove_dictionaries(a->server, list, count, e) : 0;
    if (rc) { /* only this thread adds to the list */
        a->gone_dictionaries = list;
        a->gone_count = a->gone_cap = count;
        return rc;
    }
    for (uint32_t i = 0; i < count; i++)
        rows_in_files.remove_dictionary(s, list[i]);
    free(list);
    return 0;
}

/* A user that may write, but not delete, does not keep rows waiting. */
static void flush(struct store *s, bool now)
{
    struct away *a = s->away;
    struct error e;
    write_waiting(s, now);
    pthread_mutex_lock(&a->lock);
    bool ready = a->ready;
    pthread_mutex_unlock(&a->lock);
    if (!now || !ready)
        return;
    int rc = remove_numbers(s, &a->gone, false, &e);
    rc = rc ? rc : remove_numbers(s, &a->gone_rollups, true, &e);
    rc = rc ? rc : remove_dictionaries(s, &e);
    if (rc && !a->told_gone && !store_is_stopping(s))
        store_tell(s, "%s; deleted rows stay in ClickHouse until it removes them", e.text);
    a->told_gone = rc != 0;
}

static const struct rows_kind rows_in_clickhouse = {
    .ahead = AHEAD,
    .sums = ROWS_SUM_MAX,
    .is_away = true,
    .seal = seal,
    .write = write_parts,
    .read = read_one,
    .sum = sum,
    .write_rollup = write_rollup,
    .read_rollup = read_rollup,
    .remove = remove_one,
    .remove_dictionary = remove_dictionary,
    .put_aside = remove_one,
    .is_ready = is_ready,
    .waits = waits,
    .flush = flush,
};

/* ---- opening ---- */

/* Reads the number under which the rows of a folder are there. 0 = the rows are in files. */
static int read_marker(const char *folder, uint64_t *number, struct error *e)
{
    char path[DISK_PATH_MAX];
    uint8_t *bytes;
    size_t size;
    *number = 0;
    if (!store_is_in_clickhouse(folder))
        return 0;
    snprintf(path, sizeof path, "%s/%s", folder, marker);
    int rc = disk_read_file(path, 64, &bytes, &size, e);
    if (rc)
        return rc;
    const char *at = (const char *)bytes;
    if (number_take_before(&at, at + size, 10, number) || !*number)
        rc = error_set(e, -EBADMSG, "%s: does not have a number; restore it from a backup", path);
    free(bytes);
    return rc;
}

/* Chooses the number. */
static int write_marker(const char *folder, uint64_t *number, struct error *e)
{
    char path[DISK_PATH_MAX], text[32];
    while (!*number)
        if (getrandom(number, sizeof *number, 0) != sizeof *number)
            return error_set(e, -EIO, "there is no random number: %s", strerror(errno));
    snprintf(path, sizeof path, "%s/%s", folder, marker);
    int n = snprintf(text, sizeof text, "%" PRIu64 "\n", *number);
    return disk_write_synced(path, text, (size_t)n, e);
}

static int connect_to(struct clickhouse **out, const struct store_options *o, const atomic_bool *stop, uint64_t number, struct error *e)
{
    char password[TOKEN_MAX];
    int rc = token_read(o->clickhouse_password_file ? o->clickhouse_password_file : "", password, e);
    struct clickhouse_options options = {
        .url = o->clickhouse, .user = o->clickhouse_user, .password = password, .ca_file = o->clickhouse_ca, .store = number, .stop = stop};
    rc = rc ? rc : clickhouse_open(out, &options, e);
    explicit_bzero(password, sizeof password);
    return rc;
}

/* Rows of a catalog that is gone mean nothing to a new one, but may be all that is left of recordings: they stay, under their number. */
static void leave_old(struct store *s, uint64_t *number)
{
    char path[DISK_PATH_MAX];
    store_tell(s, "%s: the catalog is new: rows that an earlier one had in ClickHouse stay there, as store %" PRIu64, s->path, *number);
    recover_put_aside(s, store_path(s, path, marker), marker);
    *number = 0;
}

int rows_clickhouse_open(struct store *s, bool has_segments, bool is_new, struct error *e)
{
    uint64_t number;
    int rc = read_marker(s->path, &number, e);
    if (!rc && number && is_new)
        leave_old(s, &number);
    if (rc || (!number && !s->options.clickhouse))
        return rc;
    if (!s->options.clickhouse)
        return error_set(e, -EINVAL, "%s: its rows are in ClickHouse: give --store clickhouse:URL", s->path);
    if (!number && has_segments)
        return error_set(e, -EINVAL, "%s: its rows are in files: start without --store, or give another --data", s->path);
    s->away = calloc(1, sizeof *s->away);
    if (!s->away)
        return error_set(e, -ENOMEM, "out of memory");
    pthread_mutex_init(&s->away->lock, NULL);
    rc = number ? 0 : write_marker(s->path, &number, e);
    rc = rc ? rc : connect_to(&s->away->server, &s->options, s->options.stop, number, e);
    s->rows = rc ? s->rows : &rows_in_clickhouse;
    if (!rc)
        is_ready(s); /* if it is not, rows wait */
    return rc;
}

void rows_clickhouse_close(struct store *s)
{
    struct away *a = s->away;
    if (!a)
        return;
    if (a->server)
        flush(s, true);
    clickhouse_close(a->server);
    empty(&a->waiting);
    free(a->waiting.list);
    free(a->going.list);
    free(a->gone.list);
    free(a->gone_rollups.list);
    free(a->gone_dictionaries);
    pthread_mutex_destroy(&a->lock);
    free(a);
    s->away = NULL;
    s->rows = &rows_in_files;
}

/* ---- copies ---- */

bool store_is_in_clickhouse(const char *folder)
{
    char path[DISK_PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", folder, marker);
    return !access(path, F_OK);
}

int rows_clickhouse_claim(const struct store_options *o, const char *folder, struct error *e)
{
    struct clickhouse *server = NULL;
    uint64_t number = 0, last;
    int rc = connect_to(&server, o, o->stop, number, e);
    rc = rc ? rc : clickhouse_prepare(server, &last, e);
    clickhouse_close(server);
    return rc ? rc : write_marker(folder, &number, e);
}

int rows_clickhouse_give_up(const struct store_options *o, const char *folder, struct error *e)
{
    struct clickhouse *server = NULL;
    uint64_t number, last = 0;
    int rc = read_marker(folder, &number, e);
    if (rc || !number)
        return rc;
    rc = connect_to(&server, o, NULL, number, e);
    rc = rc ? rc : clickhouse_prepare(server, &last, e);
    rc = rc || !last ? rc : clickhouse_remove_store(server, e);
    clickhouse_close(server);
    return rc;
}
