#include "base/time_units.h"
#include "events/halt_parts.h"

#include "base/array.h"
#include "base/buffer.h"
#include "base/text/stable_name.h"
#include "base/text/word_list.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WHAT_BYTES_MAX = 4096 };

/* Chunks of one recording follow one another without a gap, except for the difference between clocks. */
#define WATCH_GAP_NS NS_PER_S

struct halts_reading {
    struct halts *h;
    struct halt_parts parts;
    unsigned kinds; /* the wanted kinds of halts: 1 << kind */
    struct halt_sites sites;
    struct map threads, contexts; /* for the current chunk: key -> id */
    bool by_agent;                /* Candor's agent wrote this chunk */
    bool locks, no_parks;         /* the agent records waits for monitors; it records no parks */
    bool joined;                  /* a recording of Candor, followed by the JDK's chunks */
    bool spanned;
    bool has_length;           /* the current chunk says how long it is */
    int64_t begin_ns, last_ns; /* the beginning of the current chunk, and the last time that an event of it has */
    int64_t end_ns;            /* the end of the last halt of a kind that is not wanted, in chunks without a length */
    int rc;
};

typedef void take(struct halts_reading *r, struct jfr_event *event, const struct halt_type *type);

struct taker {
    take *take; /* NULL = not wanted */
    const struct halt_type *type;
};

int halts_add(struct halts *h, const struct halt *one)
{
    if (ARRAY_GROW(h->list, h->cap, h->count))
        return -ENOMEM;
    h->list[h->count++] = *one;
    return 0;
}

/* ---- fields ---- */

static struct jfr_value field(struct jfr_event *event, const char *name)
{
    return jfr_event_value(event, jfr_type_field(event->type, name));
}

static uint64_t number(struct jfr_event *event, const char *name)
{
    int64_t n = name ? jfr_value_int(field(event, name)) : 0;
    return n > 0 ? (uint64_t)n : 0;
}

static uint64_t span(struct jfr_event *event, const char *name)
{
    int64_t ns = jfr_event_span_ns(event, name);
    return ns < HALT_SPAN_MAX ? (uint64_t)ns : HALT_SPAN_MAX;
}

static int64_t start_of(struct jfr_event *event)
{
    return halt_moment(jfr_event_epoch_ns(event));
}

static uint32_t thread_of(struct halts_reading *r, struct jfr_event *event, const char *name)
{
    return halt_cached(r->h, &r->threads, event, name, halt_thread, &r->rc);
}

static uint32_t context_of(struct halts_reading *r, struct jfr_event *event, const char *name)
{
    const struct jfr_field *f = jfr_type_field(event->type, name);
    bool is_ours = f && !strcmp(f->type->name, "candor.types.Context");
    return is_ours ? halt_cached(r->h, &r->contexts, event, name, halt_context, &r->rc) : 0;
}

static uint32_t site_of(struct halts_reading *r, struct jfr_event *event)
{
    return halt_site(&r->sites, event, &r->rc);
}

/* ---- purposes ---- */

static void put_value(struct buffer *b, struct jfr_value v, const char *joint)
{
    char digits[32];
    bool is_class = !jfr_value_none(v) && !strcmp(v.type->name, "java.lang.Class");
    struct jfr_text text = jfr_value_none(v) ? (struct jfr_text){"", 0} : is_class ? jfr_class_of(v) : jfr_value_text(v);
    if (!text.len && !jfr_value_none(v) && !v.array && v.type->kind >= JFR_KIND_BYTE && v.type->kind <= JFR_KIND_LONG) {
        text.bytes = digits;
        text.len = (size_t)snprintf(digits, sizeof digits, "%lld", (long long)jfr_value_int(v));
    }
    if (!text.len)
        return;
    if (b->len)
        buffer_text(b, joint);
    if (is_class)
        stable_name_put(b, text.bytes, text.len);
    else
        buffer_put(b, text.bytes, text.len);
}

/* Makes the text of a halt's purpose: "shop.example/10.0.0.1:443" for sockets, "Evacuation, none" for everything else. */
static uint32_t what_of(struct halts_reading *r, struct jfr_event *event, const struct halt_type *type)
{
    static const char *const address[HALT_WHAT_MAX] = {"", "/", ":"};
    bool socket = type->kind == HALT_SOCKET_READ || type->kind == HALT_SOCKET_WRITE;
    struct buffer b;
    buffer_init(&b, WHAT_BYTES_MAX);
    for (int i = 0; i < HALT_WHAT_MAX && type->what[i]; i++)
        put_value(&b, field(event, type->what[i]), socket ? address[i] : ", ");
    uint32_t id = halt_string(r->h, (const char *)b.data, b.len, &r->rc);
    buffer_deinit(&b);
    return id;
}

/* ---- events ---- */

static bool is_unfinished(struct jfr_event *event)
{
    const struct jfr_field *finished = jfr_type_field(event->type, "finished");
    return finished && !jfr_value_int(jfr_event_value(event, finished));
}

/* Sets the time of an event without a duration. JDK 25 gives exceptions a time long before their chunk, which would leave them out of the
 * recording. They are written when they happen, so the event before has nearly their time. */
static void set_moment(struct halts_reading *r, struct halt *one)
{
    if (one->start_ns >= r->begin_ns)
        r->last_ns = one->start_ns;
    else if (halt_kinds[one->kind].scope == HALT_OF_MOMENT && !one->ns)
        one->start_ns = r->last_ns;
}

static void take_halt(struct halts_reading *r, struct jfr_event *event, const struct halt_type *type)
{
    struct halt one = {
        .start_ns = start_of(event), .ns = span(event, "duration"), .count = 1, .told_by_agent = r->by_agent, .kind = (uint8_t)type->kind};
    one.what = what_of(r, event, type);
    one.thread = thread_of(r, event, "eventThread");
    one.by = type->by ? thread_of(r, event, type->by) : 0;
    one.site = site_of(r, event);
    one.context = context_of(r, event, "context");
    one.by_context = context_of(r, event, "ownerContext");
    one.bytes = number(event, type->bytes);
    one.is_open = r->by_agent && is_unfinished(event);
    if (type->kind == HALT_GC || type->kind == HALT_GC_PHASE)
        one.id = number(event, "gcId");
    if (type->kind == HALT_VM_OPERATION) {
        struct jfr_value safepoint = field(event, "safepoint");
        one.id = number(event, "safepointId");
        if (!jfr_value_none(safepoint) && !jfr_value_int(safepoint))
            one.kind = HALT_VM_OPERATION_BESIDE;
    }
    if (halt_kinds[one.kind].scope != HALT_OF_THREAD && halt_kinds[one.kind].scope != HALT_OF_MOMENT)
        one.thread = 0; /* it is the JVM's thread, which works and does not wait */
    set_moment(r, &one);
    if (halts_add(r->h, &one))
        r->rc = -ENOMEM;
}

/* Notes only when an event is: for the duration of a file that does not say it, and for exceptions without their time. */
static void take_time(struct halts_reading *r, struct jfr_event *event, const struct halt_type *type)
{
    int64_t start = start_of(event), end = halt_moment(start + (int64_t)span(event, "duration"));
    r->last_ns = start >= r->begin_ns ? start : r->last_ns;
    if (!r->has_length)
        r->end_ns = end > r->end_ns ? end : r->end_ns;
}

static void take_counted(struct halts_reading *r, struct jfr_event *event, const struct halt_type *type)
{
    struct halt one = {.start_ns = start_of(event),
                       .ns = span(event, "stopped"),
                       .sync_ns = span(event, "synchronizing"),
                       .sync_known = true,
                       .count = number(event, "count"),
                       .told_by_agent = true,
                       .kind = HALT_SAFEPOINTS_COUNTED};
    if (halts_add(r->h, &one))
        r->rc = -ENOMEM;
}

static void take_collection(struct halts_reading *r, struct jfr_event *event, const struct halt_type *type)
{
    struct halt_parts *p = &r->parts;
    struct jfr_text name = jfr_value_text(field(event, "name")), cause = jfr_value_text(field(event, "cause"));
    if (ARRAY_GROW(p->collections, p->collection_cap, p->collection_count)) {
        r->rc = -ENOMEM;
        return;
    }
    p->collections[p->collection_count++] = (struct halt_collection){
        .start_ns = start_of(event),
        .ns = span(event, "duration"),
        .id = number(event, "gcId"),
        .pauses_ns = span(event, "sumOfPauses"),
        .name = halt_string(r->h, name.bytes, name.len, &r->rc),
        .cause = halt_string(r->h, cause.bytes, cause.len, &r->rc),
        .told_by_agent = jfr_type_field(event->type, "toldBy") != NULL,
    };
}

static void take_edge(struct halts_reading *r, struct jfr_event *event, enum halt_edge_kind kind)
{
    struct halt_parts *p = &r->parts;
    if (ARRAY_GROW(p->edges, p->edge_cap, p->edge_count)) {
        r->rc = -ENOMEM;
        return;
    }
    p->edges[p->edge_count++] =
        (struct halt_edge){.start_ns = start_of(event), .ns = span(event, "duration"), .id = number(event, "safepointId"), .kind = kind};
}

static void take_begin(struct halts_reading *r, struct jfr_event *event, const struct halt_type *type)
{
    take_edge(r, event, HALT_EDGE_BEGIN);
}

static void take_sync(struct halts_reading *r, struct jfr_event *event, const struct halt_type *type)
{
    take_edge(r, event, HALT_EDGE_SYNC);
}

static void take_end(struct halts_reading *r, struct jfr_event *event, const struct halt_type *type)
{
    take_edge(r, event, HALT_EDGE_END);
}

static void take_call(struct halts_reading *r, struct jfr_event *event, const struct halt_type *type)
{
    struct halt_parts *p = &r->parts;
    if (ARRAY_GROW(p->calls, p->call_cap, p->call_count)) {
        r->rc = -ENOMEM;
        return;
    }
    p->calls[p->call_count++] = (struct halt_call){.start_ns = start_of(event),
                                                   .ns = span(event, "duration"),
                                                   .thread = thread_of(r, event, "eventThread"),
                                                   .site = site_of(r, event)};
}

static void take_setting(struct halts_reading *r, struct jfr_event *event, const struct halt_type *type)
{
    char list[128];
    struct jfr_text name = jfr_value_text(field(event, "name")), value = jfr_value_text(field(event, "value"));
    if (jfr_text_is(name, "jfr"))
        r->joined = true;
    if (jfr_text_is(name, "lock_parks"))
        r->no_parks = jfr_text_is(value, "unseen");
    if (!jfr_text_is(name, "event"))
        return;
    snprintf(list, sizeof list, "%.*s", (int)(value.len < sizeof list ? value.len : sizeof list - 1), value.bytes);
    r->locks = word_list_has(list, "lock");
}

/* ---- chunks ---- */

static const struct {
    const char *event;
    take *take;
} parts[] = {{"jdk.GarbageCollection", take_collection},
             {"jdk.SafepointBegin", take_begin},
             {"jdk.SafepointStateSynchronization", take_sync},
             {"jdk.SafepointEnd", take_end},
             {"jdk.SystemGC", take_call},
             {"candor.SafepointCount", take_counted},
             {"candor.Setting", take_setting}};

static void set_taker(struct taker *takers, struct jfr_chunk *chunk, const char *event, struct taker taker)
{
    const struct jfr_type *type = jfr_chunk_type(chunk, event);
    if (type && type->event)
        takers[type->index] = taker;
}

/* Returns the handlers by type; for kinds of halts that are not wanted `other`, which may be NULL. A thrown Error has an event
 * jdk.JavaErrorThrow. If the chunk also has events for all exceptions, which include the Error, jdk.JavaErrorThrow is ignored. NULL if out
 * of memory. */
static struct taker *takers_of(struct jfr_chunk *chunk, unsigned kinds, take *other)
{
    uint32_t count;
    jfr_chunk_types(chunk, &count);
    struct taker *takers = calloc((size_t)count + 1, sizeof *takers);
    if (!takers)
        return NULL;
    for (size_t i = 0; i < halt_type_count; i++)
        set_taker(takers, chunk, halt_types[i].event, (struct taker){kinds & 1u << halt_types[i].kind ? take_halt : other, &halt_types[i]});
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        set_taker(takers, chunk, parts[i].event, (struct taker){parts[i].take, NULL});
    const struct jfr_type *all = jfr_chunk_type(chunk, "jdk.JavaExceptionThrow");
    if (all && all->events)
        set_taker(takers, chunk, "jdk.JavaErrorThrow", (struct taker){0});
    return takers;
}

static void add_span(struct halts *h, const struct jfr_chunk_info *info, bool first)
{
    int64_t start = halt_moment(info->start_ns), end, known = first ? start : h->start_ns + (int64_t)h->duration_ns;
    if (first || start < h->start_ns)
        h->start_ns = start;
    if (info->duration_ns < 0 || __builtin_add_overflow(start, info->duration_ns, &end) || halt_moment(end) < known)
        end = known;
    h->duration_ns = (uint64_t)(halt_moment(end) - h->start_ns);
}

/* Notes the time of a chunk of the agent, after it was read. */
static int add_watch(struct halts_reading *r, const struct jfr_chunk_info *info)
{
    struct halt_parts *p = &r->parts;
    struct halt_watch *last = p->watch_count ? &p->watches[p->watch_count - 1] : NULL;
    int64_t from = halt_moment(info->start_ns), to;
    if (info->duration_ns < 0 || __builtin_add_overflow(from, info->duration_ns, &to))
        return 0;
    to = halt_moment(to);
    if (last && last->parks == !r->no_parks && from >= last->from_ns && from - last->to_ns < WATCH_GAP_NS) {
        last->to_ns = to > last->to_ns ? to : last->to_ns;
        return 0;
    }
    if (ARRAY_GROW(p->watches, p->watch_cap, p->watch_count))
        return -ENOMEM;
    p->watches[p->watch_count++] = (struct halt_watch){.from_ns = from, .to_ns = to, .parks = !r->no_parks};
    return 0;
}

/* Whether the chunk has any event that is wanted. */
static bool has_any(struct jfr_chunk *chunk, const struct taker *takers)
{
    uint32_t count;
    const struct jfr_type *types = jfr_chunk_types(chunk, &count);
    for (uint32_t i = 0; i < count; i++)
        if (takers[i].take && types[i].events)
            return true;
    return false;
}

static bool has_throws(struct jfr_chunk *chunk)
{
    const struct jfr_type *all = jfr_chunk_type(chunk, "jdk.JavaExceptionThrow"), *errors = jfr_chunk_type(chunk, "jdk.JavaErrorThrow");
    return (all && all->events) || (errors && errors->events);
}

int halts_take(void *reading, struct jfr_chunk *chunk)
{
    struct halts_reading *r = reading;
    struct jfr_event event;
    r->has_length = jfr_chunk_get_info(chunk)->duration_ns > 0;
    bool needs_times = !r->has_length || (r->kinds & 1u << HALT_EXCEPTION && has_throws(chunk));
    struct taker *takers = takers_of(chunk, r->kinds, needs_times ? take_time : NULL);
    if (!takers)
        return -ENOMEM;
    r->by_agent = jfr_chunk_type(chunk, "candor.Setting") != NULL;
    r->locks = r->no_parks = false;
    r->begin_ns = r->last_ns = halt_moment(jfr_chunk_get_info(chunk)->start_ns);
    halt_sites_new_chunk(&r->sites);
    map_clear(&r->threads);
    map_clear(&r->contexts);
    struct jfr_cursor cursor = jfr_cursor_init(chunk);
    for (bool any = has_any(chunk, takers); any && !r->rc && jfr_cursor_next(&cursor, &event);) {
        const struct taker *t = &takers[event.type->index];
        if (t->take)
            t->take(r, &event, t->type);
    }
    free(takers);
    if (!r->rc && r->by_agent && r->locks)
        r->rc = add_watch(r, jfr_chunk_get_info(chunk));
    if (!r->by_agent && r->joined && (!r->h->jdk_start_ns || r->begin_ns < r->h->jdk_start_ns))
        r->h->jdk_start_ns = r->begin_ns;
    if (r->by_agent || !r->joined) {
        add_span(r->h, jfr_chunk_get_info(chunk), !r->spanned);
        r->spanned = true;
    }
    return r->rc;
}

/* Sets the duration of a file that was not closed, which does not have its length. It ends with the last halt. */
static void settle_duration(struct halts *h, int64_t last_ns)
{
    int64_t end = h->start_ns + (int64_t)h->duration_ns;
    end = !h->duration_ns && last_ns > end ? last_ns : end;
    for (uint32_t i = 0; !h->duration_ns && i < h->count; i++)
        if (halt_end(&h->list[i]) > end)
            end = halt_moment(halt_end(&h->list[i]));
    h->duration_ns = (uint64_t)(end - h->start_ns);
}

static int begin(struct halts_reading *r, struct halts *h, unsigned kinds)
{
    *r = (struct halts_reading){.h = h, .kinds = kinds};
    *h = (struct halts){0};
    halt_sites_init(&r->sites, h);
    map_init(&r->threads);
    map_init(&r->contexts);
    return strtab_init(&h->strings);
}

/* Puts the pieces together. */
static int join(struct halts_reading *r)
{
    r->h->joined = r->joined;
    int rc = halt_join(r->h, &r->parts);
    if (!rc)
        settle_duration(r->h, r->end_ns);
    return rc;
}

static void end(struct halts_reading *r)
{
    halt_parts_deinit(&r->parts);
    halt_sites_deinit(&r->sites);
    map_deinit(&r->threads);
    map_deinit(&r->contexts);
}

/* Reads the chunks, with other readers beside. */
static int read_chunks(struct halts_reading *r, const struct jfr_file *file, const struct pass_reader *others, uint32_t count,
                       struct jfr_problems *problems, struct error *e)
{
    struct pass_reader readers[1 + HALTS_OTHERS_MAX] = {{halts_take, r}};
    for (uint32_t i = 0; i < count; i++)
        readers[1 + i] = others[i];
    return pass_run(file, readers, 1 + count, problems, e);
}

int halts_read_beside(struct halts *h, const struct jfr_file *file, unsigned kinds, const struct pass_reader *others, uint32_t count,
                      struct jfr_problems *problems, struct error *e)
{
    static const char no_memory[] = "no memory for the halts";
    struct halts_reading r;
    int rc = begin(&r, h, kinds) ? error_set(e, -ENOMEM, "%s", no_memory) : read_chunks(&r, file, others, count, problems, e);
    if (!rc && join(&r))
        rc = error_set(e, -ENOMEM, "%s", no_memory);
    rc = rc ? rc : halt_late(h, file, e);
    end(&r);
    return rc;
}

int halts_read(struct halts *h, const struct jfr_file *file, struct jfr_problems *problems, struct error *e)
{
    return halts_read_beside(h, file, UINT_MAX, NULL, 0, problems, e);
}

int halts_begin(struct halts_reading **out, struct halts *h, unsigned kinds)
{
    for (unsigned kind = 0; kind < HALT_KINDS; kind++)
        if (halt_kinds[kind].scope == HALT_OF_ALL || halt_kinds[kind].scope == HALT_OF_PART)
            kinds |= 1u << kind;
    struct halts_reading *r = *out = malloc(sizeof *r);
    *h = (struct halts){0};
    return r ? begin(r, h, kinds) : -ENOMEM;
}

int halts_end(struct halts_reading *r)
{
    int rc = r ? join(r) : 0;
    if (r)
        end(r);
    free(r);
    return rc;
}

void halt_parts_deinit(struct halt_parts *p)
{
    free(p->collections);
    free(p->edges);
    free(p->calls);
    free(p->watches);
    *p = (struct halt_parts){0};
}

void halts_deinit(struct halts *h)
{
    strtab_deinit(&h->strings);
    free(h->list);
    *h = (struct halts){0};
}
