/* From a recording's profile to rows of segments. */
#include "store/store_internal.h"

#include "base/array.h"
#include "base/text/units.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static int64_t floor_divide(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

/* Where samples without a time of their own are put: at the recording's start, as near as that is known. */
static int64_t start_of(const struct profile *p, const struct envelope_note *note)
{
    int64_t ns = note->from_ns ? note->from_ns : p->start_ns > 0 ? p->start_ns : note->received_ns;
    return floor_divide(ns, 1000000000);
}

static int64_t second_of(const struct profile_sample *s, int64_t start)
{
    return s->time_ns ? floor_divide(s->time_ns, 1000000000) : start;
}

/* What weights are of: "cpu:ns". */
static void type_of(const struct profile *p, char out[CATALOGUE_TYPE_MAX])
{
    const char *value = profile_text(p, p->value);
    if (!*value)
        value = profile_kind_word(p);
    snprintf(out, CATALOGUE_TYPE_MAX, "%.60s:%.60s", value, profile_unit_word(p));
}

static struct catalogue_part *part_of(struct catalogue_part *parts, uint32_t *n, int64_t second)
{
    int64_t day = floor_divide(second, SECONDS_PER_DAY);
    for (uint32_t i = *n; i > 0; i--) /* mostly the same as before */
        if (parts[i - 1].day == day)
            return &parts[i - 1];
    if (*n == SEAL_DAYS_MAX)
        return NULL;
    parts[*n] = (struct catalogue_part){.day = day, .first = second, .last = second};
    return &parts[(*n)++];
}

static int find_parts(struct sealing *l, const struct store *s, const struct envelope_note *note, struct error *e)
{
    const struct profile *p = &l->profile;
    int64_t now = (int64_t)(clock_realtime_ns() / 1000000000), start = start_of(p, note);
    int64_t oldest = floor_divide(now - (int64_t)s->options.retain_s, SECONDS_PER_DAY) * SECONDS_PER_DAY,
            newest = now + SECONDS_PER_DAY;
    for (uint32_t i = 0; i < p->sample_count || !i; i++) {
        int64_t second = p->sample_count ? second_of(&p->samples[i], start) : start;
        if (second < oldest)
            return error_set(e, -ERANGE, "it has samples from before what is kept (--retain)");
        if (second > newest)
            return error_set(e, -ERANGE, "it has samples from the future: is the clock of its host right?");
        struct catalogue_part *part = part_of(l->parts, &l->part_count, second);
        if (!part)
            return error_set(e, -ERANGE, "it has samples of more than %d days", SEAL_DAYS_MAX);
        part->first = second < part->first ? second : part->first;
        part->last = second > part->last ? second : part->last;
        if (p->sample_count) {
            part->rows++;
            part->weight += p->samples[i].weight;
        }
    }
    return 0;
}

/* Places where the recording was damaged. */
static uint64_t flaws_of(const struct profile *p)
{
    static const char reading[] = "reading: ";
    uint64_t n = 0;
    for (uint32_t i = 0; i < p->problem_count; i++)
        n += !strncmp(profile_text(p, p->problems[i].text), reading, sizeof reading - 1);
    return n;
}

int seal_init(struct sealing *l, const struct store *s, const struct envelope *v, struct error *e)
{
    struct catalogue_recording *r = &l->recording;
    *l =
        (struct sealing){.recording = {.received_ns = v->note.received_ns, .bytes = v->size, .labels = v->note.labels}};
    memcpy(r->identity, v->identity, sizeof r->identity);
    snprintf(r->key, sizeof r->key, "%s", v->note.key);
    if (profile_init(&l->profile))
        return error_set(e, -ENOMEM, "out of memory");
    int rc = s->options.load(&l->profile, v, e);
    rc = rc ? rc : find_parts(l, s, &v->note, e);
    if (rc)
        return rc;
    type_of(&l->profile, r->type);
    r->weight = l->profile.weight;
    r->samples = l->profile.sampled;
    r->flaws = flaws_of(&l->profile);
    r->first = l->parts[0].first;
    r->last = l->parts[0].last;
    for (uint32_t i = 1; i < l->part_count; i++) {
        r->first = l->parts[i].first < r->first ? l->parts[i].first : r->first;
        r->last = l->parts[i].last > r->last ? l->parts[i].last : r->last;
    }
    return 0;
}

void seal_deinit(struct sealing *l)
{
    profile_deinit(&l->profile);
}

static int fill_rows(struct segment *g, const struct profile *p, const struct envelope_note *note, int64_t day,
                     const struct dictionary_places *at)
{
    int64_t start = start_of(p, note);
    g->first = day * SECONDS_PER_DAY;
    for (uint32_t i = 0; i < p->sample_count; i++) {
        const struct profile_sample *from = &p->samples[i];
        int64_t second = second_of(from, start) - g->first;
        if (second < 0 || second >= SECONDS_PER_DAY)
            continue;
        if (g->row_count == SEGMENT_ROWS_MAX || ARRAY_GROW(g->rows, g->row_cap, g->row_count))
            return -ENOMEM;
        g->rows[g->row_count++] = (struct segment_row){
            .weight = from->weight,
            .second = (uint32_t)second,
            .stack = at->graft.nodes[from->stack],
            .count = from->count,
            .thread = at->threads[from->thread],
            .outcome = at->graft.strings[from->outcome],
            .state = from->state,
        };
    }
    return 0;
}

/* The day's dictionary of the service; one that is full or damaged is followed by another. */
static int dictionary_for(struct store *s, const char *service, int64_t day, uint32_t *id, struct dictionary **d,
                          struct error *e)
{
    char path[DISK_PATH_MAX];
    for (;;) {
        int rc = catalogue_dictionary(s->catalogue, service, day, id, e);
        rc = rc ? rc : disk_directory(store_dictionary_path(s, path, *id), e);
        rc = rc ? rc : cache_get(&s->cache, *id, store_dictionary_file(s, path, *id), d, e);
        if (rc || (!(*d)->damaged && (*d)->names.node_count < DICTIONARY_NODES_MAX))
            return rc;
        if ((*d)->damaged)
            store_tell(s, "%s: damaged: its service gets another one", path);
        cache_put(&s->cache, *d);
        rc = catalogue_close_dictionary(s->catalogue, *id, e);
        if (rc)
            return rc;
    }
}

static int write_segment(struct store *s, struct dictionary *d, struct segment *g, const struct profile *p,
                         const struct envelope_note *note, int64_t day, const char *path, struct error *e)
{
    struct dictionary_places at;
    pthread_mutex_lock(&d->lock);
    int rc = dictionary_adopt(d, p, &at, e);
    g->strings = d->names.strings.count;
    g->nodes = d->names.node_count;
    g->threads = d->names.thread_count;
    pthread_mutex_unlock(&d->lock);
    if (!rc && fill_rows(g, p, note, day, &at))
        rc = error_set(e, -ENOMEM, "out of memory");
    dictionary_places_deinit(&at);
    return rc ? rc : segment_write(g, path, false, e);
}

static int seal(struct store *s, const struct profile *p, const struct envelope_note *note, uint64_t recording,
                int64_t day, struct error *e)
{
    char path[DISK_PATH_MAX];
    struct segment g = {.recordings = &recording, .recording_count = 1};
    struct catalogue_segment done = {.recording = recording, .day = day};
    struct dictionary *d;
    int rc = dictionary_for(s, labels_get(&note->labels, "service"), day, &done.dictionary, &d, e);
    if (rc)
        return rc;
    done.id = ++s->last_segment;
    rc = write_segment(s, d, &g, p, note, day, store_segment_path(s, path, done.dictionary, done.id), e);
    done.rows = g.row_count;
    done.bytes = disk_size(path);
    done.dictionary_bytes = d->size;
    rc = rc ? rc : catalogue_seal(s->catalogue, &done, e);
    if (rc)
        disk_remove(path);
    free(g.rows);
    free(g.sums);
    free(g.seconds);
    cache_put(&s->cache, d);
    return rc == -EALREADY ? 0 : rc; /* whoever mends came first, or the other way round */
}

int seal_part(struct store *s, const struct profile *p, const struct envelope_note *note, uint64_t recording,
              int64_t day, struct error *e)
{
    pthread_mutex_lock(&s->sealing);
    int rc = seal(s, p, note, recording, day, e);
    pthread_mutex_unlock(&s->sealing);
    return rc;
}
