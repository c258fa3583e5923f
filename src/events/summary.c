#include "events/summary.h"

#include "base/array.h"

#include <string.h>

static struct summary_type *type_named(struct summary *s, const char *name)
{
    bool added;
    uint32_t id = strtab_add_text(&s->names, name);
    uint32_t *place = map_add(&s->by_name, id, &added);
    if (!place || (*name && !id) || ARRAY_GROW(s->types, s->type_cap, s->type_count))
        return NULL;
    if (added) {
        *place = s->type_count;
        s->types[s->type_count++] = (struct summary_type){.name = id};
    }
    return &s->types[*place];
}

static int add_types(struct summary *s, struct jfr_chunk *chunk)
{
    uint32_t count;
    const struct jfr_type *types = jfr_chunk_types(chunk, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (!types[i].event)
            continue;
        struct summary_type *t = type_named(s, types[i].name);
        if (!t)
            return -ENOMEM;
        t->events += types[i].events;
        t->bytes += types[i].event_bytes;
        s->events += types[i].events;
        s->event_bytes += types[i].event_bytes;
    }
    return 0;
}

static void add_span(struct summary *s, const struct jfr_chunk_info *info)
{
    bool first = !s->read_chunks;
    int64_t end, known = first ? info->start_ns : s->start_ns + (int64_t)s->duration_ns;
    if (first || info->start_ns < s->start_ns)
        s->start_ns = info->start_ns;
    if (info->duration_ns < 0 || __builtin_add_overflow(info->start_ns, info->duration_ns, &end) || end < known)
        end = known;
    s->duration_ns = (uint64_t)end - (uint64_t)s->start_ns;
}

static int add_chunk(struct summary *s, struct jfr_chunk *chunk)
{
    const struct jfr_chunk_info *info = jfr_chunk_get_info(chunk);
    struct jfr_chunk_rest rest = jfr_chunk_get_rest(chunk);
    if (info->major > s->major || (info->major == s->major && info->minor > s->minor)) {
        s->major = info->major;
        s->minor = info->minor;
    }
    add_span(s, info);
    s->read_chunks++;
    s->whole_chunks += info->whole;
    s->metadata += rest.metadata;
    s->metadata_bytes += rest.metadata_bytes;
    s->checkpoints += rest.checkpoints;
    s->checkpoint_bytes += rest.checkpoint_bytes;
    return add_types(s, chunk);
}

static int by_count(const void *left, const void *right, void *context)
{
    const struct summary_type *a = left, *b = right;
    const struct strtab *names = context;
    if (a->events != b->events)
        return a->events > b->events ? -1 : 1;
    return strcmp(strtab_text(names, a->name), strtab_text(names, b->name));
}

int summary_read(struct summary *s, const struct jfr_file *file, struct jfr_problems *problems, struct error *e)
{
    *s = (struct summary){.size = jfr_file_size(file), .chunks = jfr_file_chunks(file)};
    map_init(&s->by_name);
    int rc = strtab_init(&s->names);
    for (uint32_t i = 0; !rc && i < s->chunks; i++) {
        struct jfr_chunk *chunk;
        rc = jfr_chunk_open(&chunk, file, i, problems, e);
        if (rc)
            return rc;
        if (chunk)
            rc = add_chunk(s, chunk);
        jfr_chunk_close(chunk);
    }
    if (rc)
        return error_set(e, rc, "no memory to count the events");
    if (s->type_count)
        qsort_r(s->types, s->type_count, sizeof *s->types, by_count, &s->names);
    return 0;
}

void summary_deinit(struct summary *s)
{
    strtab_deinit(&s->names);
    map_deinit(&s->by_name);
    free(s->types);
    *s = (struct summary){0};
}
