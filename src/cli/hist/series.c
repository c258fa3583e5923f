#include "cli/hist/series.h"

#include "base/array.h"
#include "base/text/word_list.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

void series_init(struct hist_series *s)
{
    *s = (struct hist_series){0};
}

void series_deinit(struct hist_series *s)
{
    for (uint32_t i = 0; i < s->count; i++)
        free(s->entries[i].payload);
    for (uint32_t i = 0; i < s->tag_count; i++)
        free(s->tags[i]);
    free(s->entries);
    free(s->tags);
}

int series_histogram(const struct hist_series *s, struct candor_histogram *h)
{
    return candor_histogram_init(h, s->lowest ? s->lowest : 1, 0, s->digits ? s->digits : 3);
}

static bool is_chosen(const char *only, const char *tag)
{
    return !only || (*only && word_list_has(only, tag));
}

/* Returns the tag's number, and adds the tag if it is new; UINT32_MAX when out of memory. */
static uint32_t tag_number(struct hist_series *s, const char *tag)
{
    for (uint32_t i = 0; i < s->tag_count; i++)
        if (!strcmp(s->tags[i], tag))
            return i;
    char *copy = strdup(tag);
    if (!copy || ARRAY_GROW(s->tags, s->tag_cap, s->tag_count)) {
        free(copy);
        return UINT32_MAX;
    }
    s->tags[s->tag_count] = copy;
    return s->tag_count++;
}

static int add_entry(struct hist_series *s, const char *tag, const char *prefix, struct hist_entry entry, const struct candor_histogram *h)
{
    char name[2 * CANDOR_HISTOGRAM_TAG_MAX + 4];
    snprintf(name, sizeof name, "%s%s%s", prefix ? prefix : "", prefix && *tag ? "::" : "", tag);
    entry.tag = tag_number(s, name);
    if (!entry.payload || entry.tag == UINT32_MAX || ARRAY_GROW(s->entries, s->cap, s->count)) {
        free(entry.payload);
        return -ENOMEM;
    }
    if (!s->lowest || h->lowest < s->lowest)
        s->lowest = h->lowest;
    if (h->digits > s->digits)
        s->digits = h->digits;
    s->entries[s->count++] = entry;
    return 0;
}

static void note_problem(struct hist_series *s, const char *path, const char *what)
{
    if (!s->problems++)
        snprintf(s->first_problem, sizeof s->first_problem, "%.300s: %s", path, what);
}

static int read_log(struct hist_series *s, FILE *in, const char *path, const char *prefix, const struct hist_choice *choice)
{
    struct candor_histogram_log_reader reader;
    struct candor_histogram_log_entry entry;
    int rc = 0, got;
    candor_histogram_log_open(&reader, in);
    while (!rc && (got = candor_histogram_log_next(&reader, &entry))) {
        if (got < 0) {
            note_problem(s, path, reader.problem);
            if (got == -EIO || got == -ENOMEM || !reader.saw_head)
                break; /* a file that does not begin as a log is not read to its end */
            continue;
        }
        const char *tag = choice->ignore_tags ? "" : entry.tag;
        struct hist_entry one = {.start = entry.start, .length = entry.length};
        if (is_chosen(choice->only, entry.tag)) {
            one.payload = strndup(entry.payload, entry.payload_len);
            rc = add_entry(s, tag, prefix, one, &entry.histogram);
        }
        candor_histogram_deinit(&entry.histogram);
    }
    candor_histogram_log_close(&reader);
    return rc;
}

static int read_hgrm(struct hist_series *s, FILE *in, const char *path, const char *prefix, const struct hist_choice *choice)
{
    struct candor_histogram h;
    struct hist_entry one = {0};
    int rc = candor_histogram_init(&h, 1, 0, 3);
    if (!rc && candor_histogram_read_hgrm(&h, in, choice->ratio))
        note_problem(s, path, "this is not a complete percentile table");
    else if (!rc && !(rc = candor_histogram_encode(&h, &one.payload)))
        rc = add_entry(s, "", prefix, one, &h);
    candor_histogram_deinit(&h);
    return rc;
}

int series_read(struct hist_series *s, const char *path, const char *prefix, const struct hist_choice *choice, struct error *e)
{
    size_t len = strlen(path);
    bool standard = !strcmp(path, "-");
    FILE *in = standard ? stdin : fopen(path, "re");
    if (!in)
        return error_set(e, -errno, "cannot read %.300s: %s", path, strerror(errno));
    uint32_t before = s->count;
    bool hgrm = len > 5 && !strcmp(path + len - 5, ".hgrm");
    int rc = (hgrm ? read_hgrm : read_log)(s, in, path, prefix, choice);
    if (!standard)
        fclose(in);
    if (rc)
        return error_set(e, rc, "%.300s: %s", path, strerror(-rc));
    double first = INFINITY;
    for (uint32_t i = before; i < s->count; i++)
        first = fmin(first, s->entries[i].start);
    for (uint32_t i = before; i < s->count && choice->relative; i++)
        s->entries[i].start -= first;
    return 0;
}

static int by_start(const void *a, const void *b)
{
    const struct hist_entry *x = a, *y = b;
    return x->start < y->start ? -1 : x->start > y->start ? 1 : x->tag < y->tag ? -1 : x->tag > y->tag;
}

void series_sort(struct hist_series *s, const struct hist_choice *choice)
{
    uint32_t kept = 0;
    if (s->count)
        qsort(s->entries, s->count, sizeof *s->entries, by_start);
    s->start = s->count ? s->entries[0].start : 0;
    for (uint32_t i = 0; i < s->count; i++) {
        struct hist_entry *e = &s->entries[i];
        e->start -= s->start;
        if (e->start >= choice->from && e->start < choice->to) {
            s->end = fmax(s->end, e->start + e->length);
            s->entries[kept++] = *e;
        } else {
            free(e->payload);
        }
    }
    s->count = kept;
}

struct gathered {
    struct candor_histogram sum;
    double start, end;
    bool filled;
};

static int flush(const struct hist_series *s, struct gathered *tags, series_visit visit, void *context)
{
    int rc = 0;
    for (uint32_t i = 0; i < s->tag_count && !rc; i++) {
        struct gathered *g = &tags[i];
        if (!g->filled)
            continue;
        rc = visit(context, i, g->start, g->end - g->start, &g->sum);
        candor_histogram_reset(&g->sum);
        g->filled = false;
    }
    return rc;
}

static int gather(const struct hist_series *s, struct gathered *g, const struct hist_entry *e)
{
    struct candor_histogram h;
    int rc = candor_histogram_decode(&h, e->payload, strlen(e->payload));
    if (rc)
        return rc;
    if (!g->sum.counts)
        rc = series_histogram(s, &g->sum);
    if (!rc)
        rc = candor_histogram_add(&g->sum, &h);
    candor_histogram_deinit(&h);
    g->start = g->filled ? g->start : e->start;
    g->end = fmax(g->filled ? g->end : 0, e->start + e->length);
    g->filled = true;
    return rc;
}

int series_windows(const struct hist_series *s, double window, series_visit visit, void *context)
{
    struct gathered *tags = calloc(s->tag_count ? s->tag_count : 1, sizeof *tags);
    double begin = 0;
    int rc = tags ? 0 : -ENOMEM;
    for (uint32_t i = 0; i < s->count && !rc; i++) {
        const struct hist_entry *e = &s->entries[i];
        bool next = window > 0 ? floor(e->start / window + 1e-9) > begin : e->start > begin;
        if (next && i)
            rc = flush(s, tags, visit, context);
        begin = window > 0 ? floor(e->start / window + 1e-9) : e->start;
        if (!rc)
            rc = gather(s, &tags[e->tag], e);
    }
    if (!rc)
        rc = flush(s, tags, visit, context);
    for (uint32_t i = 0; tags && i < s->tag_count; i++)
        candor_histogram_deinit(&tags[i].sum);
    free(tags);
    return rc;
}
