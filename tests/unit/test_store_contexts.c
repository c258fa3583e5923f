/*
 * The labels of samples in the store: by each label, the sums of all its values are the total, to the unit, through merges, added up rows,
 * and segments of an earlier version; selectors pick the same samples; too many sets become (other), and ids of traces are not kept; damage
 * is noticed.
 * tier: default
 * timeout: 300
 */
#include "../tap.h"
#include "store_place.h"

#include "base/text/units.h"
#include "base/time_units.h"
#include "store/files/checksum.h"
#include "store/files/contexts.h"
#include "store/functions.h"
#include "store/query/by_context.h"
#include "store/store_internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { RECORDINGS = 6, STACKS = 1500, ENDPOINTS = 4, TENANTS = 3 };

static char folder[] = "/tmp/candor-contexts-XXXXXX";
static char path[256];
static int64_t day;

/* ---- recordings: a line has endpoint, tenant and trace ("-" = none), the leaf's name, the thread's, the second and the weight ---- */

static uint32_t text_id(struct profile *p, const char *text)
{
    uint32_t id = 0;
    if (profile_string(p, text, strlen(text), &id))
        exit(1);
    return id;
}

static void put_label(struct profile *p, const char *key, const char *value, bool number, uint32_t *labels)
{
    struct profile_label one = {.parent = *labels, .key = text_id(p, key), .value = text_id(p, value), .number = number};
    if (*value != '-' && profile_label(p, &one, labels))
        exit(1);
}

static int add_line(struct profile *p, const char *endpoint, const char *tenant, const char *trace, const char *leaf, int64_t second,
                    uint64_t weight, bool tenant_first)
{
    uint32_t method, frame, labels = 0;
    struct profile_sample s = {.time_ns = second * NS_PER_S, .weight = weight, .outcome = text_id(p, "complete")};
    if (tenant_first)
        put_label(p, "tenant", tenant, false, &labels);
    put_label(p, "trace_id", trace, false, &labels);
    put_label(p, "endpoint", endpoint, false, &labels);
    if (!tenant_first)
        put_label(p, "tenant", tenant, false, &labels);
    put_label(p, "bytes", "4096", true, &labels);
    s.labels = labels;
    if (profile_method(p, text_id(p, "x.A"), text_id(p, leaf), 0, &method) || profile_frame(p, method, 1, 0, 0, &frame) ||
        profile_stack(p, 0, frame, &s.stack) || profile_thread(p, text_id(p, "main"), 1, 1, &s.thread))
        return -ENOMEM;
    return profile_add_sample(p, &s);
}

static int load(struct store_profiles *to, const struct envelope *v, struct error *e)
{
    struct profile *p = store_profiles_add(to);
    char *text = strndup((const char *)v->body, v->size), *rest = text;
    int rc = p && text ? 0 : error_set(e, -ENOMEM, "out of memory");
    if (p)
        p->unit = PROFILE_UNIT_NS;
    for (char *line; !rc && (line = strsep(&rest, "\n")) && *line;) {
        char endpoint[64], tenant[64], trace[64], leaf[64];
        long long second;
        unsigned long long weight;
        if (sscanf(line, "%63s %63s %63s %63s %lld %llu", endpoint, tenant, trace, leaf, &second, &weight) != 6)
            exit(1);
        rc = add_line(p, endpoint, tenant, trace, leaf, second, weight, second % 2);
    }
    free(text);
    return rc;
}

/* same: so many segments of one label set are merged; single_rows: beyond so many rows profiles are added up. */
static struct store *open_store(const char *name, uint32_t same, uint64_t single_rows)
{
    struct store_options o = {.path = path, .limits.retain_s = 7 * 86400, .single_rows = single_rows, .load = load};
    o.merge.same = same;
    o.merge.all = 1000000;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return store_place_open(&o);
}

static void add(struct store *s, const char *service, const char *host, const char *body)
{
    static uint32_t number;
    struct envelope_writer w;
    struct envelope_note note = {.received_ns = (int64_t)clock_realtime_ns(), .from_ns = day * NS_PER_S};
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
    return (uint64_t)(recording + 1) * 1000 + stack * 7 + 1;
}

static const char *const endpoints[ENDPOINTS] = {"-", "/cart", "/pay", "/list"};
static const char *const tenants[TENANTS] = {"-", "gold", "free"};

static uint32_t endpoint_of(uint32_t recording, uint32_t stack)
{
    return (recording + stack) % ENDPOINTS;
}

static uint32_t tenant_of(uint32_t recording, uint32_t stack)
{
    return (recording * 5 + stack / 3) % TENANTS;
}

static void fill(struct store *s)
{
    char *body = malloc(STACKS * 200);
    for (uint32_t i = 0; body && i < RECORDINGS; i++) {
        size_t n = 0;
        for (uint32_t k = 0; k < STACKS; k++)
            n += (size_t)snprintf(body + n, 200, "%s %s %032x leaf%u %lld %llu\n", endpoints[endpoint_of(i, k)], tenants[tenant_of(i, k)],
                                  i * STACKS + k + 1, k % 10, (long long)(day + i * 60 + k), (unsigned long long)weight_of(i, k));
        add(s, "shop", i % 2 ? "a" : "b", body);
    }
    free(body);
}

/* The weight of these endpoints and tenants in recordings of this host; -1, NULL = any. */
static uint64_t expected(int endpoint, int tenant, const char *host)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < RECORDINGS; i++)
        for (uint32_t k = 0; k < STACKS; k++)
            if ((endpoint < 0 || endpoint_of(i, k) == (uint32_t)endpoint) && (tenant < 0 || tenant_of(i, k) == (uint32_t)tenant) &&
                (!host || *host == (i % 2 ? 'a' : 'b')))
                sum += weight_of(i, k);
    return sum;
}

/* ---- questions ---- */

static struct store_query query_of(struct selector *chosen, const char *selector)
{
    struct error e;
    if (selector_parse(chosen, selector, &e)) {
        tap_note("%s", e.text);
        exit(1);
    }
    return (struct store_query){.selector = chosen, .from = day - 86400, .to = day + 86400};
}

/* What one value has in a series; its values are in `value`, joined by a bar. all: the sum over all values. */
static uint64_t series(struct store *s, const char *selector, const char *by, const char *value, uint64_t *all, struct missing *missing)
{
    struct selector chosen;
    struct store_query q = query_of(&chosen, selector);
    struct store_series out;
    struct store_result r;
    struct error e;
    uint64_t sum = 0;
    *all = 0;
    if (store_series(s, &q, 3600, by, &out, &r, &e))
        tap_note("%s", e.text);
    for (uint32_t i = 0; i < out.point_count; i++) {
        char *name = strdup(out.values[out.points[i].series]);
        for (char *at = name; *at; at++)
            *at = *at == STORE_BY_SEPARATOR ? '|' : *at;
        *all += out.points[i].weight;
        sum += !value || !strcmp(name, value) ? out.points[i].weight : 0;
        free(name);
    }
    if (*all != r.weight)
        *all = UINT64_MAX;
    if (missing)
        *missing = r.missing;
    store_series_deinit(&out);
    store_result_deinit(&r);
    selector_deinit(&chosen);
    return sum;
}

static bool none_matches(void *context, const struct store_function_name *name)
{
    (void)context;
    return strstr(name->label, "leaf");
}

/* The same by the sums of methods. */
static uint64_t functions(struct store *s, const char *selector, const char *by, const char *value, bool *timed)
{
    struct selector chosen;
    struct store_query q = query_of(&chosen, selector);
    struct store_function_query f = {.matches = none_matches, .by = by, .whole = true, .together = true};
    struct store_functions out;
    struct store_result r;
    struct error e;
    uint64_t sum = 0, total = 0;
    *timed = true;
    if (store_functions(s, &q, &f, &out, &r, &e))
        tap_note("%s", e.text);
    for (uint32_t i = 0; i < out.group_count; i++)
        if (!strcmp(strtab_text(&out.values, out.groups[i].value), value)) {
            sum += out.groups[i].all.weight;
            *timed &= out.groups[i].from < out.groups[i].to;
        }
    for (uint32_t i = 0; i < out.count; i++)
        if (!out.rows[i].name && !strcmp(strtab_text(&out.values, out.groups[out.rows[i].group].value), value))
            total += out.rows[i].total.weight;
    store_functions_deinit(&out);
    store_result_deinit(&r);
    selector_deinit(&chosen);
    return sum == total ? sum : UINT64_MAX;
}

/* The weight of samples with this label in a profile. count: the profile's samples. */
static uint64_t profile(struct store *s, const char *selector, bool labels, const char *key, const char *value, uint64_t *all,
                        uint32_t *count)
{
    struct selector chosen;
    struct store_query q = query_of(&chosen, selector);
    struct profile p;
    struct store_result r;
    struct error e;
    uint64_t sum = 0;
    q.labels = labels;
    profile_init(&p);
    if (store_profile(s, &q, &p, &r, &e))
        tap_note("%s", e.text);
    for (uint32_t i = 0; i < p.sample_count; i++) {
        const struct profile_label *list[PROFILE_LABELS_MAX];
        const char *has = "";
        for (uint32_t n = profile_label_list(&p, p.samples[i].labels, list); n--;)
            has = !strcmp(profile_text(&p, list[n]->key), key) ? profile_text(&p, list[n]->value) : has;
        sum += !strcmp(has, value) ? p.samples[i].weight : 0;
    }
    *all = p.weight;
    *count = p.sample_count;
    store_result_deinit(&r);
    selector_deinit(&chosen);
    profile_deinit(&p);
    return sum;
}

/* Every question about the recordings of fill, with rows and with sums. */
static void check(struct store *s, const char *how)
{
    static const char both[] = {'e', 'n', 'd', 'p', 'o', 'i', 'n', 't', STORE_BY_SEPARATOR, 'h', 'o', 's', 't', 0};
    uint64_t all, total = expected(-1, -1, NULL);
    uint32_t count;
    bool good = true, timed;
    for (int i = 0; i < ENDPOINTS; i++) {
        const char *name = i ? endpoints[i] : "";
        good &= series(s, "service=\"shop\"", "endpoint", name, &all, NULL) == expected(i, -1, NULL) && all == total;
        good &= profile(s, "service=\"shop\"", true, "endpoint", name, &all, &count) == expected(i, -1, NULL) && all == total;
        good &= functions(s, "service=\"shop\"", "endpoint", name, &timed) == expected(i, -1, NULL) && timed;
    }
    tap_ok(good, "%s: the endpoints, and the samples without one, add up to the total", how);
    good = true;
    for (int i = 0; i < TENANTS; i++)
        good &= series(s, "", "sample.tenant", i ? tenants[i] : "", &all, NULL) == expected(-1, i, NULL) && all == total;
    tap_ok(good, "%s: by another label, too", how);
    tap_ok(series(s, "", both, "/pay|a", &all, NULL) == expected(2, -1, "a") && all == total, "%s: by labels of both sorts", how);
    tap_ok(series(s, "endpoint=\"/cart\"", NULL, NULL, &all, NULL) == expected(1, -1, NULL), "%s: one endpoint is selected", how);
    tap_ok(series(s, "endpoint=~\"/c.*\",sample.tenant!=\"gold\",host=\"a\"", NULL, NULL, &all, NULL) ==
               expected(1, 0, "a") + expected(1, 2, "a"),
           "%s: matchers of both sorts", how);
    tap_ok(profile(s, "endpoint=\"/list\"", true, "tenant", "gold", &all, &count) == expected(3, 1, NULL) && all == expected(3, -1, NULL),
           "%s: a profile of one endpoint has the other labels", how);
    tap_ok(!profile(s, "endpoint=\"/list\"", false, "endpoint", "/list", &all, &count) && all == expected(3, -1, NULL),
           "%s: labels are left away where they are not asked for", how);
    tap_ok(!series(s, "endpoint=\"/no\"", NULL, NULL, &all, NULL), "%s: an endpoint that is not there has nothing", how);
}

static void find_segments(char list[][300], uint32_t *count, uint32_t most)
{
    char name[300];
    snprintf(name, sizeof name, "%s/segments", path);
    *count = 0;
    DIR *dir = opendir(name);
    for (struct dirent *d; dir && (d = readdir(dir));) {
        char inner[600];
        snprintf(inner, sizeof inner, "%s/%s", name, d->d_name);
        DIR *files = *d->d_name == '.' ? NULL : opendir(inner);
        for (struct dirent *f; files && (f = readdir(files));)
            if (strstr(f->d_name, ".seg") && *count < most)
                snprintf(list[(*count)++], 300, "%.200s/%.90s", inner, f->d_name);
        if (files)
            closedir(files);
    }
    if (dir)
        closedir(dir);
}

static void test_sums(void)
{
    char list[RECORDINGS + 1][300];
    uint32_t count;
    struct store *s = open_store("sums", 1000000, 0);
    fill(s);
    check(s, "one segment for each recording");
    store_close(s);
    s = open_store("sums", 1000000, 1);
    check(s, "opened again, added up");
    store_close(s);
    s = open_store("sums", RECORDINGS / 2, 0);
    for (int i = 0; i < 5; i++)
        store_maintain(s);
    find_segments(list, &count, RECORDINGS + 1);
    tap_ok(store_place_is_away() || count == 2, "merged, so that segments begin with sums");
    check(s, "merged");
    store_close(s);
    s = open_store("sums", RECORDINGS / 2, 1);
    check(s, "merged and added up");
    for (uint32_t i = 0; i < count; i++)
        unlink(list[i]);
    uint64_t all;
    series(s, "", "endpoint", NULL, &all, NULL); /* finds that they are gone */
    for (int i = 0; i < 5; i++)
        store_maintain(s);
    check(s, "sealed again from the recordings");
    store_close(s);
    char command[300];
    snprintf(command, sizeof command, "rm %s/catalogue.db*", path);
    tap_ok(!system(command), "the catalog is lost");
    s = open_store("sums", 1000000, 0);
    for (int i = 0; i < 5; i++)
        store_maintain(s);
    check(s, "made anew");
    store_close(s);
}

/* ---- a segment of an earlier version ---- */

/* Makes a segment whose samples have no labels into one whose labels are unknown: it was merged from those of a version that knew none. */
static bool make_old(const char *name)
{
    uint8_t head[48];
    int fd = open(name, O_RDWR | O_CLOEXEC);
    bool good = fd >= 0 && pread(fd, head, sizeof head, 0) == sizeof head && !memcmp(head, "CANDSEG6", 8);
    head[7] = '4';
    uint64_t checksum = checksum_of(head, 40);
    memcpy(head + 40, &checksum, sizeof checksum);
    good = good && pwrite(fd, head, sizeof head, 0) == sizeof head;
    close(fd);
    return good;
}

static void test_old(void)
{
    char list[4][300], line[200];
    uint32_t count;
    uint64_t all;
    struct missing missing;
    struct store *s = open_store("old", 2, 0);
    snprintf(line, sizeof line, "- - - leaf %lld 500\n- - - leaf %lld 70\n", (long long)day, (long long)day + 1);
    add(s, "shop", "a", line);
    find_segments(list, &count, 4);
    tap_ok(count == 1 && make_old(list[0]), "a segment without contexts");
    tap_ok(series(s, "", "endpoint", "(unknown)", &all, NULL) == 570 && all == 570, "its rows have an unknown endpoint");
    tap_ok(!series(s, "endpoint!=\"/x\"", NULL, NULL, &all, &missing) && missing.sums[MISSING_UNLABELED].parts == 1 &&
               missing.sums[MISSING_UNLABELED].weight == 570,
           "a selector by endpoint misses them, and says so");
    snprintf(line, sizeof line, "/cart - - leaf %lld 30\n- - - leaf %lld 9\n", (long long)day, (long long)day);
    add(s, "shop", "a", line);
    for (int i = 0; i < 5; i++)
        store_maintain(s);
    find_segments(list, &count, 4);
    tap_ok(count == 1, "merged with one of today");
    tap_ok(series(s, "", "endpoint", "(unknown)", &all, NULL) == 570 && all == 609 &&
               series(s, "", "endpoint", "/cart", &all, NULL) == 30 && series(s, "", "endpoint", "", &all, NULL) == 9,
           "after that, unknown, none and known are still apart");
    tap_ok(series(s, "endpoint=\"/cart\"", NULL, NULL, &all, &missing) == 30 && missing.sums[MISSING_UNLABELED].parts == 1 &&
               missing.sums[MISSING_UNLABELED].rows == 2 && missing.sums[MISSING_UNLABELED].weight == 570,
           "and the selector still says what it misses");
    store_close(s);
}

/* ---- too many sets ---- */

/* Adds recordings whose samples have each a tenant of its own, and one of `few` endpoints (0 = an endpoint of its own). */
static uint64_t add_many(struct store *s, const char *service, uint32_t from, uint32_t to, uint32_t few)
{
    uint64_t sum = 0;
    char *body = malloc((size_t)(to - from) * 100 + 1);
    size_t n = 0;
    for (uint32_t i = from; body && i < to; i++) {
        n += (size_t)snprintf(body + n, 100, "/e%u %s%u - leaf %lld %u\n", few ? i % few : i, few ? "t" : "-", i, (long long)day, i + 1);
        sum += i + 1;
    }
    add(s, service, "a", body);
    free(body);
    return sum;
}

static void test_many(void)
{
    uint64_t all, other, first = 0, sum = 0;
    struct store *s = open_store("many", 1000000, 0);
    for (uint32_t from = 0; from < 12000; from += 4000)
        sum += add_many(s, "tenants", from, from + 4000, 5);
    for (uint32_t i = 0; i < 12000; i += 5)
        first += i + 1;
    other = series(s, "service=\"tenants\"", "sample.tenant", "(other)", &all, NULL);
    tap_ok(all == sum && other && other < sum / 2, "tenants beyond the limit are (other), and nothing is lost");
    tap_ok(series(s, "service=\"tenants\"", "endpoint", "/e0", &all, NULL) == first && all == sum, "their endpoints are still exact");
    tap_ok(series(s, "service=\"tenants\"", "sample.tenant", "t17", &all, NULL) == 18, "and the first tenants");
    sum = 0;
    for (uint32_t from = 0; from < 20000; from += 5000)
        sum += add_many(s, "endpoints", from, from + 5000, 0);
    other = series(s, "service=\"endpoints\"", "endpoint", "(other)", &all, NULL);
    tap_ok(all == sum && other && other < sum, "so are endpoints");
    tap_ok(series(s, "service=\"endpoints\"", "endpoint", "/e9000", &all, NULL) == 9001, "the first of them are exact");
    store_close(s);
}

static void test_dictionary(void)
{
    char line[300], name[400];
    struct dictionary d;
    struct error e;
    struct store *s = open_store("dictionary", 1000000, 0);
    snprintf(line, sizeof line, "/cart gold 4bf92f3577b34da6a3ce929d0e0e4736 leaf %lld 5\n", (long long)day);
    add(s, "shop", "a", line);
    snprintf(line, sizeof line, "/cart gold 5bf92f3577b34da6a3ce929d0e0e4736 leaf %lld 5\n", (long long)day + 1);
    add(s, "shop", "a", line); /* with the labels in another order */
    store_close(s);
    snprintf(name, sizeof name, "%s/segments/1/dictionary", path);
    tap_ok(!dictionary_open(&d, name, &e) && !d.damaged, "a dictionary with labels is read");
    tap_ok(strtab_find(&d.names.strings, "gold", 4) && !strtab_find(&d.names.strings, "4bf92f3577b34da6a3ce929d0e0e4736", 32) &&
               !strtab_find(&d.names.strings, "4096", 4),
           "it has the values of labels, but neither ids nor numbers");
    tap_ok(d.names.label_count == 3, "the order in which labels were set makes no other set");
    tap_ok(!strcmp(contexts_value_of(&d.names, CONTEXT_NONE + 2, "tenant"), "gold") &&
               !strcmp(contexts_value_of(&d.names, CONTEXT_UNKNOWN, "tenant"), CONTEXT_UNKNOWN_VALUE) &&
               !*contexts_value_of(&d.names, CONTEXT_NONE, "tenant"),
           "values by context");
    dictionary_close(&d);
}

/* A dictionary may have thousands of sets, with long values, and a selector may be slow. */
static void test_patience(void)
{
    char line[300], name[DISK_PATH_MAX];
    struct dictionary *d;
    struct selector selector;
    struct store_query q = {.selector = &selector, .until_ns = 1};
    struct by_context *c;
    struct by_context_choice choice;
    struct strtab values;
    struct error e;
    struct store *s = open_store("patience", 1000000, 0);
    snprintf(line, sizeof line, "/cart gold - leaf %lld 5\n", (long long)day);
    add(s, "shop", "a", line);
    if (strtab_init(&values) || selector_parse(&selector, "{sample.tenant=~\"g.*\"}", &e) || by_context_new(&c, &q, "endpoint", &values) ||
        cache_get(&s->cache, 1, store_dictionary_file(s, name, 1), &d, &e))
        exit(1);
    tap_ok(by_context_choose(c, s, d, CONTEXT_NONE + 3, &choice, &e) == -ETIMEDOUT, "labels are matched no longer than the query may take");
    by_context_choice_deinit(&choice);
    q.until_ns = 0;
    tap_ok(!by_context_choose(c, s, d, CONTEXT_NONE + 3, &choice, &e) && !choice.pass[CONTEXT_NONE] && choice.pass[CONTEXT_NONE + 2],
           "in that time each set is matched");
    by_context_choice_deinit(&choice);
    cache_put(&s->cache, d);
    by_context_free(c);
    selector_deinit(&selector);
    strtab_deinit(&values);
    store_close(s);
}

/* ---- damage ---- */

/* Whether the file is refused with any of its bytes changed, and cut off anywhere. */
static bool is_guarded(const char *name, bool refused(const char *name))
{
    struct error e;
    uint8_t *bytes;
    size_t size;
    bool good = !disk_read_file(name, 1 << 20, &bytes, &size, &e) && size && !refused(name);
    for (size_t i = 0; good && i < size; i++) {
        bytes[i] ^= 1 << i % 8;
        good = !disk_write_file(name, bytes, size, &e) && refused(name);
        bytes[i] ^= 1 << i % 8;
        good = good && !disk_write_file(name, bytes, i, &e) && refused(name);
        if (!good)
            tap_note("%s: byte %zu of %zu", name, i, size);
    }
    free(bytes);
    return good;
}

static bool segment_is_refused(const char *name)
{
    struct segment s;
    struct error e;
    int rc = segment_read(&s, name, SEGMENT_ALL | SEGMENT_SUMS, &e);
    if (!rc)
        segment_deinit(&s);
    return rc == -EBADMSG;
}

/* A dictionary that is cut off between blocks is good, but has less; an empty one has nothing. */
static bool dictionary_is_refused(const char *name)
{
    struct dictionary d;
    struct error e;
    if (dictionary_open(&d, name, &e))
        return false;
    bool refused = d.damaged || d.names.label_count < 3;
    dictionary_close(&d);
    return refused;
}

static void test_damage(void)
{
    char line[300], name[400], list[2][300];
    uint32_t count;
    struct store *s = open_store("damage", 1000000, 0);
    snprintf(line, sizeof line, "/cart gold - leaf %lld 5\n- - - leaf %lld 5\n", (long long)day, (long long)day);
    add(s, "shop", "a", line);
    store_close(s);
    find_segments(list, &count, 2);
    tap_ok(count == 1 && is_guarded(list[0], segment_is_refused), "any damaged byte of a segment with contexts is noticed");
    snprintf(name, sizeof name, "%s/segments/1/dictionary", path);
    tap_ok(is_guarded(name, dictionary_is_refused), "and of a dictionary with labels");
}

int main(void)
{
    day = (int64_t)(clock_realtime_ns() / NS_PER_S) / 86400 * 86400 - 86400;
    if (!mkdtemp(folder))
        return 1;
    test_sums();
    if (store_place_has_files("segments of earlier versions"))
        test_old();
    test_many();
    test_dictionary();
    test_patience();
    if (store_place_has_files("damaged segments"))
        test_damage();
    char command[300];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    if (system(command))
        return 1;
    return tap_done();
}
