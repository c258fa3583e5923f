/* Seals recordings: writes the samples of their profiles as rows of segments. */
#include "base/time_units.h"
#include "store/store_internal.h"

#include "base/array.h"
#include "store/files/contexts.h"
#include "base/text/units.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int64_t floor_divide(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

int64_t seal_start_ns(const struct profile *p, const struct envelope_note *note)
{
    return note->from_ns ? note->from_ns : p->start_ns > 0 ? p->start_ns : note->received_ns;
}

static int64_t start_of(const struct profile *p, const struct envelope_note *note)
{
    return floor_divide(seal_start_ns(p, note), NS_PER_S);
}

static int64_t second_of(const struct profile_sample *s, int64_t start)
{
    return s->time_ns ? floor_divide(s->time_ns, NS_PER_S) : start;
}

const char *store_type_of(const struct profile *p, char out[CATALOGUE_TYPE_MAX])
{
    const char *value = profile_text(p, p->value);
    if (!*value)
        value = profile_kind_word(p);
    snprintf(out, CATALOGUE_TYPE_MAX, "%.60s:%.60s", value, profile_unit_word(p));
    return out;
}

/* Finds the part for the second's day, among the parts of this content, which begin at `from`. Adds the part if necessary. Returns NULL if
 * there are too many days. */
static struct catalogue_part *part_of(struct sealing *l, uint32_t content, uint32_t from, int64_t second)
{
    int64_t day = floor_divide(second, SECONDS_PER_DAY);
    for (uint32_t i = l->part_count; i > from; i--) /* mostly the same part as before */
        if (l->parts[i - 1].day == day)
            return &l->parts[i - 1];
    if (l->part_count == from + SEAL_DAYS_MAX)
        return NULL;
    l->parts[l->part_count] = (struct catalogue_part){.day = day, .first = second, .last = second, .content = content};
    return &l->parts[l->part_count++];
}

/* The seconds for which a recording may have samples. A recording that the store already has may have any: retain.c decides whether it is
 * too old, so that answers can report it, and the clock of this host may be wrong. */
struct limits {
    int64_t oldest, newest;
};

static struct limits limits_of(const struct store *s, bool again)
{
    int64_t now = (int64_t)(clock_realtime_ns() / NS_PER_S);
    if (again)
        return (struct limits){INT64_MIN, INT64_MAX};
    return (struct limits){floor_divide(now - (int64_t)s->retain_s, SECONDS_PER_DAY) * SECONDS_PER_DAY, now + SECONDS_PER_DAY};
}

static int find_parts(struct sealing *l, uint32_t content, const struct limits *limits, const struct envelope_note *note, struct error *e)
{
    const struct profile *p = &l->profiles.list[content];
    uint32_t from = l->part_count;
    int64_t start = start_of(p, note);
    for (uint32_t i = 0; i < p->sample_count || !i; i++) {
        int64_t second = p->sample_count ? second_of(&p->samples[i], start) : start;
        if (second < limits->oldest)
            return error_set(e, -ERANGE, "it has samples older than the server keeps (--retain)");
        if (second > limits->newest)
            return error_set(e, -ERANGE, "it has samples from the future: is the clock of its host right?");
        struct catalogue_part *part = part_of(l, content, from, second);
        if (!part)
            return error_set(e, -ERANGE, "it has samples of more than %d days", SEAL_DAYS_MAX);
        part->first = second < part->first ? second : part->first;
        part->last = second > part->last ? second : part->last;
        if (p->sample_count) {
            if (part->rows == SEGMENT_ROWS_MAX)
                return error_set(e, -EFBIG, "it has more than %d samples of one day", SEGMENT_ROWS_MAX);
            part->rows++;
            part->weight += p->samples[i].weight;
        }
    }
    return 0;
}

/* Returns the number of places where the recording was damaged. */
static uint64_t flaws_of(const struct profile *p)
{
    static const char reading[] = "reading: ";
    uint64_t n = 0;
    for (uint32_t i = 0; i < p->problem_count; i++)
        n += !strncmp(profile_text(p, p->problems[i].text), reading, sizeof reading - 1);
    return n;
}

static int add_content(struct sealing *l, const struct profile *p, struct error *e)
{
    struct catalogue_recording *r = &l->recording;
    struct catalogue_content *c = &r->contents[r->content_count];
    *c = (struct catalogue_content){.weight = p->weight, .samples = p->sampled};
    store_type_of(p, c->type);
    for (uint32_t i = 0; i < r->content_count; i++)
        if (!strcmp(r->contents[i].type, c->type))
            return error_set(e, -EINVAL, "it measures %s twice", c->type);
    r->content_count++;
    return 0;
}

/* Adds the books of the first profile that has some. All profiles of a recording have the same books, but a profile that could not be read
 * to its end may have none. */
static int add_books(struct sealing *l, const struct limits *limits, struct error *e)
{
    int64_t oldest = floor_divide(limits->oldest, 60), newest = floor_divide(limits->newest, 60);
    for (uint32_t i = 0; i < l->profiles.count; i++)
        if (l->profiles.list[i].book_minute_count) {
            if (books_of_recording(&l->profiles.list[i], oldest, newest, &l->books, &l->recording.book_count))
                return error_set(e, -ENOMEM, "out of memory");
            l->recording.books = l->books;
            break;
        }
    return 0;
}

/* Adds the key metrics, of the minutes for which the recording may have samples. */
static void keep_minutes(struct sealing *l, const struct limits *limits)
{
    const struct store_profiles *of = &l->profiles;
    int64_t oldest = floor_divide(limits->oldest, KEY_MINUTE_S), newest = floor_divide(limits->newest, KEY_MINUTE_S);
    uint32_t from = 0, to = of->minute_count;
    while (from < to && of->minutes[from].minute < oldest)
        from++;
    while (to > from && of->minutes[to - 1].minute > newest)
        to--;
    l->recording.minutes = of->minutes ? of->minutes + from : NULL;
    l->recording.minute_count = to - from;
}

/* Sets the time that the recording covers. Uses the time that the recording claims if it includes the samples and is not far longer;
 * otherwise uses the time of the samples. */
static void find_cover(struct catalogue_recording *r, const struct profile *p, const struct envelope_note *note)
{
    int64_t begun = start_of(p, note), ended = r->last + 1;
    if (note->from_ns && note->until_ns > note->from_ns)
        ended = floor_divide(note->until_ns - 1, NS_PER_S) + 1;
    else if (p->start_ns > 0 && p->start_ns < INT64_MAX / 2 && p->duration_ns < (uint64_t)SEAL_DAYS_MAX * SECONDS_PER_DAY * NS_PER_S)
        ended = floor_divide(p->start_ns + (int64_t)p->duration_ns - 1, NS_PER_S) + 1;
    bool is_far = ended - begun > (int64_t)SEAL_DAYS_MAX * SECONDS_PER_DAY;
    r->begun = begun < r->first && !is_far ? begun : r->first;
    r->ended = ended > r->last && !is_far ? ended : r->last + 1;
}

static void find_times(struct sealing *l, const struct envelope_note *note)
{
    struct catalogue_recording *r = &l->recording;
    r->first = l->parts[0].first;
    r->last = l->parts[0].last;
    for (uint32_t i = 1; i < l->part_count; i++) {
        r->first = l->parts[i].first < r->first ? l->parts[i].first : r->first;
        r->last = l->parts[i].last > r->last ? l->parts[i].last : r->last;
    }
    find_cover(r, &l->profiles.list[0], note);
}

int seal_load_again(const struct store *s, struct store_profiles *to, const struct envelope *v, bool *partly, struct error *e)
{
    int rc = s->options.load(to, v, e);
    *partly = rc && rc != -ENOMEM && to->count;
    if (*partly)
        store_tell(s, "%s; what could be read before that is kept", e->text);
    return *partly ? 0 : rc;
}

int seal_init(struct sealing *l, struct store *s, const struct envelope *v, bool again, struct error *e)
{
    bool partly = false;
    struct limits limits = limits_of(s, again);
    struct catalogue_recording *r = &l->recording;
    *l = (struct sealing){.recording = {.received_ns = v->note.received_ns, .bytes = v->size, .labels = v->note.labels}};
    if (v->note.elsewhere)
        r->received_ns = (int64_t)clock_realtime_ns();
    memcpy(r->identity, v->identity, sizeof r->identity);
    snprintf(r->key, sizeof r->key, "%s", v->note.key);
    l->profiles.recall = &s->recall;
    l->profiles.service = labels_get(&v->note.labels, "service");
    int rc = again ? seal_load_again(s, &l->profiles, v, &partly, e) : s->options.load(&l->profiles, v, e);
    for (uint32_t i = 0; !rc && i < l->profiles.count; i++) {
        rc = add_content(l, &l->profiles.list[i], e);
        rc = rc ? rc : find_parts(l, i, &limits, &v->note, e);
    }
    rc = rc ? rc : add_books(l, &limits, e);
    if (rc)
        return rc;
    keep_minutes(l, &limits);
    const char *agent = profile_setting(&l->profiles.list[0], "version");
    snprintf(r->agent, sizeof r->agent, "%s", agent ? agent : "");
    r->flaws = flaws_of(&l->profiles.list[0]) + partly;
    find_times(l, &v->note);
    return 0;
}

void seal_deinit(struct sealing *l)
{
    store_profiles_deinit(&l->profiles);
    free(l->books);
}

struct profile *store_profiles_add(struct store_profiles *of)
{
    struct profile *p = of->count < CATALOGUE_CONTENTS_MAX ? &of->list[of->count] : NULL;
    if (!p || profile_init(p))
        return NULL;
    of->count++;
    return p;
}

int store_profiles_share(struct store_profiles *of)
{
    of->recalled = recall_get(of->recall, of->service);
    return of->recalled ? 0 : -ENOMEM;
}

void store_profiles_deinit(struct store_profiles *of)
{
    for (uint32_t i = 0; i < of->count; i++)
        profile_deinit(&of->list[i]);
    recall_put(of->recall, of->recalled, of->shares);
    of->recalled = NULL;
    of->shares = false;
    free(of->minutes);
    of->minutes = NULL;
    of->minute_count = 0;
    of->count = 0;
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
            .stack = dictionary_stack(at, from->stack),
            .count = from->count,
            .thread = at->threads[from->thread],
            .outcome = at->graft.strings[from->outcome],
            .context = at->contexts[from->labels],
            .state = from->state,
        };
    }
    return 0;
}

/* Finds the service's dictionary for the day. If that is full or damaged, closes it and takes another one. */
static int dictionary_for(struct store *s, const char *service, int64_t day, uint32_t *id, struct dictionary **d, struct error *e)
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

static int make_segment(struct dictionary *d, struct segment *g, struct store_profiles *of, const struct profile *p,
                        const struct envelope_note *note, int64_t day, struct error *e)
{
    struct dictionary_places at;
    pthread_mutex_lock(&d->lock);
    int rc = dictionary_adopt(d, p, of->shares ? recalled_in(of->recalled, d) : NULL, &at, e);
    if (rc && of->shares) /* the dictionary's file may lack what was added */
        recalled_forget(of->recalled);
    g->strings = d->names.strings.count;
    g->nodes = d->names.node_count;
    g->threads = d->names.thread_count;
    g->contexts = CONTEXT_NONE + d->names.label_count;
    pthread_mutex_unlock(&d->lock);
    if (!rc && fill_rows(g, p, note, day, &at))
        rc = error_set(e, -ENOMEM, "out of memory");
    dictionary_places_deinit(&at);
    return rc;
}

static int seal(struct store *s, struct store_profiles *of, const struct profile *p, const struct envelope_note *note, uint64_t recording,
                int64_t day, struct error *e)
{
    struct segment g = {.recordings = &recording, .recording_count = 1};
    char type[CATALOGUE_TYPE_MAX];
    struct catalogue_segment done = {.recording = recording, .day = day, .type = type};
    struct dictionary *d;
    const char *service = labels_get(&note->labels, "service");
    store_type_of(p, type);
    int rc = dictionary_for(s, service, day, &done.dictionary, &d, e);
    if (rc)
        return rc;
    done.id = ++s->last_segment;
    rc = make_segment(d, &g, of, p, note, day, e);
    done.dictionary_bytes = d->size;
    if (!rc && s->options.round_weights && note->received_ns / (int64_t)NS_PER_S >= s->rounded_since)
        segment_round(&g);
    rc = rc ? rc : s->rows->seal(s, &done, service, &g, e);
    free(g.rows);
    free(g.sums);
    free(g.seconds);
    cache_put(&s->cache, d);
    return rc == -EALREADY ? 0 : rc; /* a repair and the first sealing may meet; one of them was faster */
}

/* Writes the segment of one profile and day, and enters it in the catalog. */
static int seal_part(struct store *s, struct store_profiles *of, const struct profile *p, const struct envelope_note *note,
                     uint64_t recording, int64_t day, struct error *e)
{
    const char *service = labels_get(&note->labels, "service");
    pthread_mutex_t *lock = &s->sealing[hash_bytes(service, strlen(service)) % SEALING_LOCKS];
    pthread_mutex_lock(lock);
    int rc = seal(s, of, p, note, recording, day, e);
    pthread_mutex_unlock(lock);
    if (s->rows->flush)
        s->rows->flush(s, false);
    return rc;
}

/* ---- parts that are not sealed ---- */

void seal_arrival(struct store *s, struct sealing *l, const struct envelope_note *note)
{
    struct error e;
    arrivals_begin(&s->arrivals, l->recording.id);
    for (uint32_t i = 0; i < l->part_count; i++)
        if (seal_part(s, &l->profiles, &l->profiles.list[l->parts[i].content], note, l->recording.id, l->parts[i].day, &e))
            store_tell(s, "recording %" PRIu64 ": not sealed yet: %s", l->recording.id, e.text);
    arrivals_end(&s->arrivals, l->recording.id);
}

struct pending_parts {
    struct pending_part {
        char type[CATALOGUE_TYPE_MAX];
        int64_t day;
    } * list;
    uint32_t count, cap;
};

static int note_part(void *context, const char *type, int64_t day)
{
    struct pending_parts *parts = context;
    if (ARRAY_GROW(parts->list, parts->cap, parts->count))
        return -ENOMEM;
    struct pending_part *part = &parts->list[parts->count++];
    part->day = day;
    snprintf(part->type, sizeof part->type, "%s", type);
    return 0;
}

static const struct profile *profile_of(const struct store_profiles *profiles, const char *type)
{
    char own[CATALOGUE_TYPE_MAX];
    for (uint32_t i = 0; i < profiles->count; i++) {
        store_type_of(&profiles->list[i], own);
        if (!strcmp(own, type))
            return &profiles->list[i];
    }
    return NULL;
}

int seal_pending(struct store *s, struct store_profiles *profiles, const struct envelope_note *note, uint64_t recording, struct error *e)
{
    struct pending_parts parts = {0};
    int rc = catalogue_pending_parts(s->catalogue, recording, note_part, &parts, e);
    if (rc == -ENOMEM)
        error_set(e, rc, "out of memory");
    for (uint32_t i = 0; !rc && i < parts.count; i++) {
        const struct pending_part *part = &parts.list[i];
        const struct profile *p = profile_of(profiles, part->type);
        if (p) {
            rc = seal_part(s, profiles, p, note, recording, part->day, e);
            continue;
        }
        store_tell(s, "recording %llu: lost: it no longer has %s", (unsigned long long)recording, part->type);
        rc = catalogue_lose(s->catalogue, recording, part->type, part->day, e);
    }
    free(parts.list);
    return rc;
}
