/*
 * The sums of selected methods: equal whether computed from the rows of segments or from the sums at their beginning, compared with
 * arithmetic; methods that call themselves; groups that are split by time.
 * tier: default
 * timeout: 120
 */
#include "../tap.h"
#include "store_place.h"

#include "base/text/units.h"
#include "base/time_units.h"
#include "compress/intake.h"
#include "format/read/formats.h"
#include "store/functions.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RECORDINGS = 12, STACKS = 500, LEAVES = 7 };

static char folder[] = "/tmp/candor-functions-XXXXXX";
static char path[256];
static int64_t day;

static int load(struct store_profiles *to, const struct envelope *v, struct error *e)
{
    struct intake in;
    struct profile *p = store_profiles_add(to);
    int rc = p ? intake_open_memory(&in, v->body, v->size, "test", e) : -1;
    return rc ? rc : formats_load_from(p, &in, "test", "collapsed", "samples", NULL, e);
}

static struct store *open_store(uint64_t single_rows)
{
    struct store_options o = {.path = path, .limits.retain_s = 7 * 86400, .single_rows = single_rows, .load = load};
    return store_place_open(&o);
}

static void add(struct store *s, const char *service, const char *host, int64_t second, const char *body)
{
    static uint32_t number;
    struct envelope_writer w;
    struct envelope_note note = {.received_ns = (int64_t)clock_realtime_ns(), .from_ns = second * NS_PER_S};
    uint8_t identity[ENVELOPE_IDENTITY] = {1};
    struct store_added added;
    struct error e;
    number++;
    memcpy(identity + 1, &number, sizeof number);
    int rc = labels_set(&note.labels, "service", 7, service, strlen(service), &e);
    rc = rc ? rc : labels_set(&note.labels, "host", 4, host, strlen(host), &e);
    rc = rc ? rc : store_begin(s, &w, &e);
    rc = rc ? rc : envelope_put(&w, body, strlen(body), &e);
    rc = rc ? rc : store_add(s, &w, &note, identity, &added, &e);
    labels_deinit(&note.labels);
    if (rc) {
        tap_note("%s", e.text);
        exit(1);
    }
}

static uint64_t weight_of(uint32_t recording, uint32_t stack)
{
    return (uint64_t)(recording + 1) * (stack % 11 + 1);
}

/* Stacks in which A.main calls itself, with one of several leaves. */
static void fill(struct store *s, const char *service, const char *host, int64_t first)
{
    char *body = malloc(STACKS * 80);
    for (uint32_t i = 0; body && i < RECORDINGS; i++) {
        size_t n = 0;
        for (uint32_t k = 0; k < STACKS; k++)
            n += (size_t)snprintf(body + n, 80, "x.A.main;x.B.m%u;x.A.main;x.C.leaf%u %llu\n", k, k % LEAVES,
                                  (unsigned long long)weight_of(i, k));
        add(s, service, host, first + i * 60, body);
    }
    free(body);
}

static bool has_text(void *context, const struct store_function_name *name)
{
    return strstr(name->label, context);
}

/* The sums of one group's methods with that text in their names, all together; of a whole name, its own. */
static struct store_function sum(struct store *s, const char *text, uint64_t *whole, bool *complete)
{
    struct store_query q = {.from = day, .to = day + 86400};
    struct store_function_query f = {.matches = has_text, .context = (void *)text, .whole = true};
    struct store_functions found;
    struct store_result r;
    struct store_function out = {0};
    struct error e;
    int rc = store_functions(s, &q, &f, &found, &r, &e);
    if (rc)
        tap_note("%s", e.text);
    for (uint32_t i = 0; !rc && i < found.count; i++)
        if (!strcmp(strtab_text(&found.names, found.rows[i].name), *text == 'x' && text[2] ? text : ""))
            out = found.rows[i];
    *whole = !rc && found.group_count == 1 && found.groups[0].all.weight == r.weight ? r.weight : 0;
    *complete = !rc && !missing_parts(&r.missing);
    store_functions_deinit(&found);
    store_result_deinit(&r);
    return out;
}

static void check(struct store *s, const char *how)
{
    uint64_t all = 0, leaf = 0, whole;
    bool complete;
    for (uint32_t i = 0; i < RECORDINGS; i++)
        for (uint32_t k = 0; k < STACKS; k++) {
            all += weight_of(i, k);
            leaf += k % LEAVES == 3 ? weight_of(i, k) : 0;
        }
    struct store_function one = sum(s, "leaf3", &whole, &complete);
    tap_ok(whole == all && complete && one.self.weight == leaf && one.total.weight == leaf && one.self.samples == leaf, "%s: a leaf", how);
    one = sum(s, "x.A.main", &whole, &complete);
    tap_ok(whole == all && !one.self.weight && one.total.weight == all, "%s: a method that calls itself counts once", how);
    one = sum(s, "x.", &whole, &complete);
    tap_ok(one.self.weight == all && one.total.weight == all, "%s: all methods together count once", how);
}

/* Cuts the end off every segment: its rows can no longer be read, but its sums can. */
static uint32_t cut_segments(void)
{
    char name[600], list[300];
    uint32_t n = 0;
    snprintf(list, sizeof list, "%s/segments/1", path);
    DIR *d = opendir(list);
    for (struct dirent *one; d && (one = readdir(d));)
        if (strstr(one->d_name, ".seg")) {
            snprintf(name, sizeof name, "%s/%s", list, one->d_name);
            FILE *f = fopen(name, "r+");
            if (f && !fseek(f, 0, SEEK_END) && !ftruncate(fileno(f), ftell(f) - 1))
                n++;
            if (f)
                fclose(f);
        }
    if (d)
        closedir(d);
    return n;
}

static void test_sums(void)
{
    uint64_t whole;
    bool complete;
    snprintf(path, sizeof path, "%s/sums", folder);
    struct store *s = open_store(0);
    fill(s, "shop", "a", day);
    check(s, "a segment for each recording");
    for (int i = 0; i < 5; i++)
        store_maintain(s);
    check(s, "merged, by rows");
    store_close(s);
    s = open_store(1);
    if (!store_place_is_away())
        tap_ok(cut_segments() == 1, "one segment, whose rows are spoiled");
    check(s, "merged, by sums");
    store_close(s);
    s = open_store(0);
    sum(s, "x.", &whole, &complete);
    if (!store_place_is_away())
        tap_ok(!whole && !complete, "by rows it is missing now");
    store_close(s);
}

/* There are two services, and one has two hosts; the only host of the other is split by time. */
static void test_slices(void)
{
    static const char by[] = {'s', 'e', 'r', 'v', 'i', 'c', 'e', STORE_BY_SEPARATOR, 'h', 'o', 's', 't', 0};
    struct store_query q = {.from = day, .to = day + 3600};
    struct store_function_query f = {.matches = has_text, .context = "x.", .by = by, .slice = 300, .lead = 1, .whole = true};
    struct store_functions found;
    struct store_result r;
    struct error e;
    uint32_t pairs = 0, slices = 0;
    uint64_t weight = 0;
    snprintf(path, sizeof path, "%s/slices", folder);
    struct store *s = open_store(0);
    fill(s, "alone", "a", day);
    fill(s, "pair", "a", day);
    fill(s, "pair", "b", day);
    int rc = store_functions(s, &q, &f, &found, &r, &e);
    for (uint32_t i = 0; !rc && i < found.group_count; i++) {
        bool pair = !strncmp(strtab_text(&found.values, found.groups[i].value), "pair", 4);
        pairs += pair;
        slices += !pair;
        weight += found.groups[i].all.weight;
    }
    tap_ok(!rc && pairs == 2 && slices == 3 && weight == r.weight, "only a host that is alone is split: %u and %u groups", pairs, slices);
    store_functions_deinit(&found);
    store_result_deinit(&r);
    f.lead = 0;
    rc = store_functions(s, &q, &f, &found, &r, &e);
    tap_ok(!rc && found.group_count == 9 && found.count == 9 * (STACKS + LEAVES + 2), "without that, all are: %u", found.group_count);
    store_functions_deinit(&found);
    store_result_deinit(&r);
    store_close(s);
}

int main(void)
{
    char command[300];
    if (!mkdtemp(folder))
        return 1;
    day = ((int64_t)clock_realtime_ns() / NS_PER_S / 86400 - 2) * 86400; /* a day that is over is merged */
    test_sums();
    test_slices();
    snprintf(command, sizeof command, "rm -rf %s", folder);
    tap_ok(!system(command), "cleans up");
    return tap_done();
}
