#include "store_days.h"

#include "../tap.h"

#include "base/text/units.h"
#include "base/time_units.h"
#include "compress/intake.h"
#include "format/read/formats.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static char folder[] = "/tmp/candor-days-XXXXXX";
static char path[256];
static int64_t today;

int (*days_before_load)(uint32_t number);

static int load(struct store_profiles *to, const struct envelope *v, struct error *e)
{
    struct intake in;
    uint32_t number = 0;
    sscanf((const char *)v->body, "x.A.main;x.A.m%u ", &number);
    int rc = days_before_load ? days_before_load(number) : 0;
    if (rc)
        return error_set(e, rc, "recording %u is not read", number);
    struct profile *p = store_profiles_add(to);
    rc = p ? intake_open_memory(&in, v->body, v->size, "test", e) : -ENOMEM;
    return rc ? rc : formats_load_from(p, &in, "test", "collapsed", NULL, NULL, e);
}

static void tell(const char *text)
{
    tap_note("%s", text);
}

void days_begin(const char *name)
{
    today = (int64_t)(clock_realtime_ns() / NS_PER_S) / DAYS_S * DAYS_S;
    if (!*path && !mkdtemp(folder))
        exit(1);
    snprintf(path, sizeof path, "%s/%s", folder, name);
}

struct store *days_open(uint64_t wait_ns)
{
    struct store_options o = {.path = path, .limits.retain_s = 7 * DAYS_S, .load = load, .reread_wait_ns = wait_ns, .tell = tell};
    struct store *s;
    struct error e;
    o.merge.same = 4;
    o.merge.all = 1000000;
    if (store_open(&s, &o, &e)) {
        tap_note("%s", e.text);
        exit(1);
    }
    return s;
}

static int add_one(struct store *s, uint32_t number, struct error *e)
{
    char body[128];
    struct envelope_writer w;
    struct envelope_note note = {.received_ns = (int64_t)clock_realtime_ns(), .from_ns = (today - number % 2 * DAYS_S) * NS_PER_S};
    uint8_t identity[ENVELOPE_IDENTITY] = {1, (uint8_t)number};
    struct store_added added;
    snprintf(body, sizeof body, "x.A.main;x.A.m%u %u\n", number, 100 + number);
    int rc = labels_set(&note.labels, "service", 7, "shop", 4, e);
    rc = rc ? rc : store_begin(s, &w, e);
    rc = rc ? rc : envelope_put(&w, body, strlen(body), e);
    rc = rc ? rc : store_add(s, &w, &note, identity, &added, e);
    labels_deinit(&note.labels);
    return rc;
}

uint64_t days_add(struct store *s, uint32_t first, uint32_t count)
{
    uint64_t total = 0;
    struct error e;
    for (uint32_t i = first; i < first + count; i++) {
        if (add_one(s, i, &e)) {
            tap_note("%s", e.text);
            exit(1);
        }
        total += 100 + i;
    }
    return total;
}

uint64_t days_sum_missing(struct store *s, struct missing *missing)
{
    struct store_query q = {.from = today - 8 * DAYS_S, .to = today + DAYS_S};
    struct store_result r;
    struct profile p;
    struct error e;
    profile_init(&p);
    int rc = store_profile(s, &q, &p, &r, &e);
    uint64_t weight = rc || p.weight != r.weight ? UINT64_MAX : p.weight;
    *missing = r.missing;
    store_result_deinit(&r);
    profile_deinit(&p);
    return weight;
}

uint64_t days_sum(struct store *s, bool *complete)
{
    struct missing missing;
    uint64_t weight = days_sum_missing(s, &missing);
    *complete = !missing_parts(&missing);
    return weight;
}

bool days_run(const char *command)
{
    char text[1024];
    snprintf(text, sizeof text, "cd %s && %s", path, command);
    return !system(text);
}

bool days_end(void)
{
    char text[64];
    snprintf(text, sizeof text, "rm -rf %s", folder);
    return !system(text);
}
