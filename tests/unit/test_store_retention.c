/*
 * Retention in tiers: recordings as they were sent are deleted before their samples, a service's data is deleted only because of its own
 * size, the oldest first, and everything deleted is counted.
 * tier: default
 * timeout: 120
 */
#include "../tap.h"
#include "store_place.h"

#include "base/buffer.h"
#include "base/text/units.h"
#include "base/time_units.h"
#include "compress/intake.h"
#include "format/read/formats.h"
#include "store/store.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DAY = 86400, DAYS = 3, NOISE = 6, STACKS = 60 }; /* NOISE: recordings of a day; the quiet service has one recording */

static char folder[] = "/tmp/candor-retention-XXXXXX";
static char path[256];
static int64_t today;

static int load(struct store_profiles *to, const struct envelope *v, struct error *e)
{
    struct intake in;
    struct profile *p = store_profiles_add(to);
    int rc = p ? intake_open_memory(&in, v->body, v->size, "test", e) : -1;
    return rc ? rc : formats_load_from(p, &in, "test", "collapsed", NULL, NULL, e);
}

static struct store *open_store(struct store_options o)
{
    o.path = path;
    o.load = load;
    o.limits.retain_s = o.limits.retain_s ? o.limits.retain_s : 30 * DAY;
    return store_place_open(&o);
}

static void add(struct store *s, const char *service, int64_t second, uint32_t number, uint32_t stacks)
{
    struct envelope_writer w;
    struct envelope_note note = {.received_ns = (int64_t)clock_realtime_ns(), .from_ns = second * NS_PER_S};
    uint8_t identity[ENVELOPE_IDENTITY] = {1};
    struct buffer body;
    struct store_added added;
    struct error e;
    buffer_init(&body, 1 << 16);
    for (uint32_t i = 0; i < stacks; i++)
        buffer_printf(&body, "x.A.main;x.A%u.m%u %u\n", number, i, i + 1);
    memcpy(identity + 1, &number, sizeof number);
    int rc = labels_set(&note.labels, "service", 7, service, strlen(service), &e);
    rc = rc ? rc : store_begin(s, &w, &e);
    rc = rc ? rc : envelope_put(&w, body.data, body.len, &e);
    rc = rc ? rc : store_add(s, &w, &note, identity, &added, &e);
    if (rc) {
        tap_note("%s", e.text);
        exit(1);
    }
    labels_deinit(&note.labels);
    buffer_deinit(&body);
}

/* ---- the contents of the store ---- */

struct has {
    const char *name;
    uint64_t raw, rows, all; /* bytes */
};

static int note_usage(void *context, const struct catalogue_usage *u)
{
    struct has *h = context;
    if (!*h->name || !strcmp(u->name, h->name)) {
        h->raw += u->raw_bytes;
        h->rows += u->segment_bytes + u->dictionary_bytes;
        h->all += u->raw_bytes + u->segment_bytes + u->dictionary_bytes;
    }
    return 0;
}

/* service "": all. */
static struct has look(struct store *s, const char *service)
{
    struct has h = {.name = service};
    struct error e;
    catalogue_usage(store_catalogue(s), note_usage, &h, &e);
    return h;
}

static uint64_t files(const char *below)
{
    char command[400];
    unsigned long long n = 0;
    snprintf(command, sizeof command, "find %s/%s -type f | wc -l", path, below);
    FILE *f = popen(command, "r");
    if (f && fscanf(f, "%llu", &n) != 1)
        n = 0;
    if (f)
        pclose(f);
    return n;
}

/* The samples of the service, and why some are missing. */
static uint64_t sum(struct store *s, const char *service, struct missing *missing)
{
    struct selector selector;
    struct store_query q = {.selector = &selector, .from = today - 10 * DAY, .to = today + DAY, .type = "cpu:samples"};
    struct store_result r;
    struct profile p;
    struct error e;
    char text[64];
    snprintf(text, sizeof text, "service=\"%s\"", service);
    profile_init(&p);
    bool failed = selector_parse(&selector, text, &e) || store_profile(s, &q, &p, &r, &e);
    uint64_t weight = failed ? UINT64_MAX : p.weight;
    *missing = r.missing;
    store_result_deinit(&r);
    profile_deinit(&p);
    selector_deinit(&selector);
    return weight;
}

static const uint64_t of_one = STACKS * (STACKS + 1) / 2; /* the sum of a recording */

static struct missing missing;

static void is_whole(struct store *s, const char *service, uint64_t recordings, const char *when)
{
    uint64_t weight = sum(s, service, &missing);
    tap_ok(weight == recordings * of_one && !missing_parts(&missing), "%s: %s has all its samples", when, service);
}

/* ---- scenes ---- */

/* A copy of the store that `fill` has made, with these limits. */
static struct store *scene(const char *name, struct store_options o)
{
    char command[700];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    snprintf(command, sizeof command, "cp -r %s/base %s", folder, path);
    if (system(command))
        exit(1);
    return open_store(o);
}

static struct has fill(void)
{
    uint32_t number = 0;
    snprintf(path, sizeof path, "%s/base", folder);
    struct store *s = open_store((struct store_options){0});
    for (int day = DAYS - 1; day >= 0; day--) {
        for (int i = 0; i < NOISE; i++)
            add(s, "noise", today - day * DAY, ++number, STACKS);
        add(s, "quiet", today - day * DAY, ++number, STACKS);
    }
    struct has all = look(s, "");
    tap_ok(all.raw && all.rows && files("recordings") == DAYS * (NOISE + 1), "two services have data: %llu and %llu bytes",
           (unsigned long long)all.raw, (unsigned long long)all.rows);
    store_close(s);
    return all;
}

static void test_age(void)
{
    struct store *s = scene("age", (struct store_options){.limits.retain_raw_s = DAY / 2});
    uint64_t before = look(s, "").raw;
    store_maintain(s);
    struct store_deleted d = store_deleted(s);
    is_whole(s, "noise", DAYS * NOISE, "recordings older than half a day are deleted");
    is_whole(s, "quiet", DAYS, "recordings older than half a day are deleted");
    tap_ok(files("recordings") == NOISE + 1 && d.raw_files[DELETED_AGE] == (DAYS - 1) * (NOISE + 1), "those of today stay");
    tap_ok(before == look(s, "").raw + d.raw_bytes[DELETED_AGE] && d.raw_bytes[DELETED_AGE], "what was deleted is counted");
    store_maintain(s);
    tap_ok(store_deleted(s).raw_files[DELETED_AGE] == d.raw_files[DELETED_AGE], "once");
    store_close(s);
}

static void test_raw(const struct has *all)
{
    struct store *s = scene("raw", (struct store_options){.limits.max_raw = all->raw / 2});
    uint64_t quiet = look(s, "quiet").raw;
    store_maintain(s);
    tap_ok(look(s, "").raw <= all->raw / 2 && look(s, "").raw > all->raw / 4, "recordings take at most what they may");
    tap_ok(look(s, "quiet").raw == quiet, "the service that has less than its share keeps all of its");
    is_whole(s, "noise", DAYS * NOISE, "recordings beyond a limit are deleted");
    tap_ok(look(s, "").raw + store_deleted(s).raw_bytes[DELETED_RAW] == all->raw, "what was deleted is counted");
    store_close(s);
}

static void test_disk(const struct has *all)
{
    struct store *s = scene("disk", (struct store_options){.limits.max_disk = all->all - all->raw / 8});
    uint64_t quiet = look(s, "quiet").all;
    store_maintain(s);
    tap_ok(look(s, "").all <= all->all - all->raw / 8 && !store_deleted(s).days[DELETED_DISK],
           "beyond the limit of the disk recordings go first");
    is_whole(s, "noise", DAYS * NOISE, "a disk that is a little too small");
    store_close(s);

    uint64_t limit = all->rows * 3 / 4;
    s = scene("smaller", (struct store_options){.limits.max_disk = limit});
    store_maintain(s);
    tap_ok(look(s, "").all <= limit, "then samples go");
    tap_ok(look(s, "quiet").all == quiet, "the quiet service has all that it had, recordings too");
    is_whole(s, "quiet", DAYS, "a disk that is much too small");
    uint64_t left = sum(s, "noise", &missing), days = store_deleted(s).days[DELETED_DISK];
    tap_ok(days && left == (DAYS - days) * NOISE * of_one, "of the other one the oldest days are gone: %llu", (unsigned long long)days);
    tap_ok(missing.sums[MISSING_DISK].parts == days * NOISE, "and the answer says why");
    tap_ok(files("recordings") == DAYS, "without their recordings");
    store_close(s);

    s = scene("none", (struct store_options){.limits.max_disk = 1});
    store_maintain(s);
    left = sum(s, "noise", &missing);
    tap_ok(left == NOISE * of_one && sum(s, "quiet", &missing) == of_one && !look(s, "").raw, "the newest day's samples stay in any case");
    store_close(s);
}

static void test_quota(const struct has *all)
{
    struct store *s = scene("quota", (struct store_options){0});
    struct has noise = look(s, "noise"), quiet = look(s, "quiet");
    store_close(s);
    uint64_t limit = noise.rows * 4 / 5;
    tap_ok(quiet.all < limit, "the quiet service is below the limit");
    s = scene("quota2", (struct store_options){.limits.max_service = limit});
    store_maintain(s);
    uint64_t days = store_deleted(s).days[DELETED_QUOTA];
    tap_ok(look(s, "noise").all <= limit && !look(s, "noise").raw, "a service takes at most its limit");
    tap_ok(days && sum(s, "noise", &missing) == (DAYS - days) * NOISE * of_one && missing.sums[MISSING_QUOTA].parts == days * NOISE,
           "its oldest samples are gone, and the answer says why");
    tap_ok(look(s, "quiet").all == quiet.all, "another one has all that it had");
    is_whole(s, "quiet", DAYS, "a limit for each service");
    store_close(s);
    tap_ok(all->all == noise.all + quiet.all, "no other thread has anything");
}

int main(void)
{
    char command[300];
    if (!mkdtemp(folder))
        return 1;
    today = (int64_t)(clock_realtime_ns() / NS_PER_S);
    struct has all = fill();
    test_age();
    test_raw(&all);
    if (store_place_has_files("limits of the disk")) {
        test_disk(&all);
        test_quota(&all);
    }
    snprintf(command, sizeof command, "rm -rf %s", folder);
    if (system(command))
        tap_note("%s stays", folder);
    return tap_done();
}
