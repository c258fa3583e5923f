/* Finds the threads for which the others waited at a safepoint: those that still ran Java code between the moment when all threads
 * were asked to stop and the moment when all had stopped. Any sample in that time shows such a thread. If the recording does not say
 * when they were asked, the threads that ran while the safepoint began are shown. They may not have been asked yet: the JVM stops its
 * own concurrent workers first, and may have to wait for a processor. */
#include "base/time_units.h"
#include "events/halt_parts.h"

#include "base/array.h"
#include "base/buffer.h"
#include "base/text/units.h"

#include <stdio.h>
#include <string.h>

enum { LATE_NS = NS_PER_MS, LATE_THREADS_MAX = 4, LATE_BYTES_MAX = 1 << 14 };

struct late {
    uint32_t safepoint; /* index in the list of halts */
    uint32_t threads[LATE_THREADS_MAX], sites[LATE_THREADS_MAX];
    uint64_t ran_ns[LATE_THREADS_MAX], all_ns; /* all_ns: including threads that are not in the list */
    uint32_t count;
    bool more;
};

struct search {
    struct halts *h;
    struct late *list; /* in order of their safepoints' times */
    uint32_t count, cap;
    struct halt_sites sites;
    struct map threads; /* for the current chunk: key -> id */
};

static const struct {
    const char *event, *thread;
    bool is_time; /* its weight is CPU time */
} sample_types[] = {{"candor.CpuSample", "eventThread", true},
                    {"candor.WallSample", "eventThread"},
                    {"jdk.ExecutionSample", "sampledThread"}};

static int find_safepoints(struct search *s)
{
    for (uint32_t i = 0; i < s->h->count; i++) {
        const struct halt *one = &s->h->list[i];
        if (one->kind != HALT_SAFEPOINT || one->sync_ns < LATE_NS)
            continue;
        if (ARRAY_GROW(s->list, s->cap, s->count))
            return -ENOMEM;
        s->list[s->count++] = (struct late){.safepoint = i};
    }
    return 0;
}

static int64_t sampled_ns(struct jfr_event *event)
{
    return halt_moment(jfr_event_epoch_ns(event));
}

static int64_t asked_ns(const struct search *s, const struct late *l)
{
    const struct halt *one = &s->h->list[l->safepoint];
    return one->start_ns + (int64_t)one->sync_from_ns;
}

/* Returns the safepoint that the threads had not all reached at this time; NULL = none. */
static struct late *late_at(const struct search *s, int64_t ns)
{
    uint32_t low = 0, high = s->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (s->h->list[s->list[middle].safepoint].start_ns <= ns)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low)
        return NULL;
    struct late *l = &s->list[low - 1];
    int64_t asked = asked_ns(s, l);
    return asked <= ns && ns - asked < (int64_t)s->h->list[l->safepoint].sync_ns ? l : NULL;
}

static bool runs_java(struct jfr_event *event)
{
    static const char runnable[] = "STATE_RUNNABLE";
    struct jfr_text state = jfr_value_text(jfr_event_value(event, jfr_type_field(event->type, "state")));
    return state.len == sizeof runnable - 1 && !memcmp(state.bytes, runnable, state.len);
}

static struct jfr_value field(struct jfr_event *event, const char *name)
{
    return jfr_event_value(event, jfr_type_field(event->type, name));
}

/* Returns the part of a sample's time after the moment when all threads were asked to stop, in ns. A sample represents the time before
 * it. */
static uint64_t ran_ns(const struct search *s, const struct late *l, struct jfr_event *event)
{
    int64_t since = sampled_ns(event) - asked_ns(s, l), weight = jfr_value_int(field(event, "weight"));
    return weight <= 0 ? 0 : weight < since ? (uint64_t)weight : (uint64_t)since;
}

/* Returns the place for a thread. If there are more threads than places, the new thread replaces the thread that ran least, if it ran at
 * least as long. So a thread that keeps running gets a place, whenever it is first seen. */
static uint32_t place_for(struct late *l, uint64_t ran)
{
    uint32_t least = 0;
    if (l->count < LATE_THREADS_MAX)
        return l->count++;
    l->more = true;
    for (uint32_t i = 1; i < LATE_THREADS_MAX; i++)
        if (l->ran_ns[i] < l->ran_ns[least])
            least = i;
    return ran && ran >= l->ran_ns[least] ? least : LATE_THREADS_MAX;
}

static int note(struct search *s, struct late *l, struct jfr_event *event, const char *thread_field, uint64_t ran)
{
    int rc = 0;
    uint32_t thread = halt_cached(s->h, &s->threads, event, thread_field, halt_thread, &rc);
    uint32_t site = halt_site(&s->sites, event, &rc);
    if (rc || !thread || !site)
        return rc;
    l->all_ns += ran;
    for (uint32_t i = 0; i < l->count; i++)
        if (l->threads[i] == thread) {
            l->ran_ns[i] += ran;
            return 0;
        }
    uint32_t place = place_for(l, ran);
    if (place < LATE_THREADS_MAX) {
        l->threads[place] = thread;
        l->ran_ns[place] = ran;
        l->sites[place] = site;
    }
    return 0;
}

static int search_chunk(void *search, struct jfr_chunk *chunk)
{
    struct search *s = search;
    enum { TYPES = sizeof sample_types / sizeof *sample_types };
    const struct jfr_type *types[TYPES];
    struct jfr_event event;
    int rc = 0;
    halt_sites_new_chunk(&s->sites);
    map_clear(&s->threads);
    for (int i = 0; i < TYPES; i++)
        types[i] = jfr_chunk_type(chunk, sample_types[i].event);
    for (struct jfr_cursor cursor = jfr_cursor_init(chunk); !rc && jfr_cursor_next(&cursor, &event);)
        for (int i = 0; i < TYPES; i++) {
            struct late *l = event.type == types[i] ? late_at(s, sampled_ns(&event)) : NULL;
            if (l && runs_java(&event))
                rc = note(s, l, &event, sample_types[i].thread, sample_types[i].is_time ? ran_ns(s, l, &event) : 0);
        }
    return rc;
}

static void name_latest(struct halt *one, const struct late *l)
{
    uint32_t latest = 0;
    for (uint32_t i = 1; i < l->count; i++)
        if (l->ran_ns[i] > l->ran_ns[latest])
            latest = i;
    if (!l->count)
        return;
    one->late_thread = l->threads[latest];
    one->late_site = l->sites[latest];
    one->late_thread_ns = l->ran_ns[latest];
}

/* Writes the halt's text: "worker-1 at shop.Sum.loop:12 (23.9 ms); worker-2 at ...". */
static int tell(struct halts *h, const struct late *l)
{
    struct buffer b;
    int rc = 0;
    char time[32];
    buffer_init(&b, LATE_BYTES_MAX);
    for (uint32_t i = 0; i < l->count; i++) {
        buffer_text(&b, i ? "; " : "");
        buffer_text(&b, halts_text(h, l->threads[i]));
        buffer_text(&b, " at ");
        buffer_text(&b, halts_text(h, l->sites[i]));
        if (!l->ran_ns[i])
            continue;
        buffer_text(&b, " (");
        buffer_text(&b, units_format_duration(time, sizeof time, l->ran_ns[i]));
        buffer_text(&b, ")");
    }
    if (l->more)
        buffer_text(&b, "; ...");
    h->list[l->safepoint].late_ns = l->all_ns;
    h->list[l->safepoint].late = halt_string(h, (const char *)b.data, b.len, &rc);
    name_latest(&h->list[l->safepoint], l);
    buffer_deinit(&b);
    return rc;
}

int halt_late(struct halts *h, const struct jfr_file *file, struct error *e)
{
    struct search s = {.h = h};
    halt_sites_init(&s.sites, h);
    map_init(&s.threads);
    int rc = find_safepoints(&s);
    if (!rc && s.count)
        rc = pass_run(file, &(struct pass_reader){search_chunk, &s}, 1, NULL, e); /* the first pass over the file reported the problems */
    for (uint32_t i = 0; !rc && i < s.count; i++)
        rc = tell(h, &s.list[i]);
    free(s.list);
    halt_sites_deinit(&s.sites);
    map_deinit(&s.threads);
    return rc ? error_set(e, rc, "no memory for who was late at safepoints") : 0;
}
