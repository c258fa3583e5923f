#include "events/walk.h"

#include "base/array.h"

#include <stdlib.h>

struct place {
    int64_t ticks;
    const uint8_t *at;
};

struct places {
    struct place *list;
    uint32_t count, cap;
};

static int by_time(const void *left, const void *right)
{
    const struct place *a = left, *b = right;
    if (a->ticks != b->ticks)
        return a->ticks < b->ticks ? -1 : 1;
    return (a->at > b->at) - (a->at < b->at);
}

static bool *wanted_types(struct jfr_chunk *chunk, struct selection *selection)
{
    uint32_t count;
    const struct jfr_type *types = jfr_chunk_types(chunk, &count);
    bool *wanted = calloc((size_t)count + 1, sizeof *wanted);
    for (uint32_t i = 0; wanted && i < count; i++)
        wanted[i] = types[i].event && selection_wants(selection, &types[i]);
    return wanted;
}

static int find_events(struct jfr_chunk *chunk, const bool *wanted, struct places *places)
{
    struct jfr_event event;
    struct jfr_cursor cursor = jfr_cursor_init(chunk);
    for (const uint8_t *at = cursor.at; jfr_cursor_next(&cursor, &event); at = cursor.at) {
        if (!wanted[event.type->index])
            continue;
        if (ARRAY_GROW(places->list, places->cap, places->count))
            return -ENOMEM;
        int64_t ticks = jfr_value_int(jfr_event_value(&event, jfr_type_field(event.type, "startTime")));
        places->list[places->count++] = (struct place){ticks, at};
    }
    return 0;
}

static int visit_chunk(struct jfr_chunk *chunk, struct selection *selection, walk_visit *visit, void *context)
{
    struct places places = {0};
    struct jfr_event event;
    bool *wanted = wanted_types(chunk, selection);
    int rc = wanted ? find_events(chunk, wanted, &places) : -ENOMEM;
    if (!rc && places.count)
        qsort(places.list, places.count, sizeof *places.list, by_time);
    for (uint32_t i = 0; !rc && i < places.count; i++) {
        struct jfr_cursor cursor = {chunk, places.list[i].at};
        if (jfr_cursor_next(&cursor, &event))
            rc = visit(context, &event);
    }
    free(places.list);
    free(wanted);
    return rc;
}

int walk_events(const struct jfr_file *file, struct selection *selection, walk_visit *visit, void *context, struct jfr_problems *problems,
                struct error *e)
{
    int rc = 0;
    for (uint32_t i = 0; !rc && i < jfr_file_chunks(file); i++) {
        struct jfr_chunk *chunk;
        rc = jfr_chunk_open(&chunk, file, i, problems, e);
        if (rc || !chunk)
            continue;
        rc = visit_chunk(chunk, selection, visit, context);
        if (rc == -ENOMEM)
            error_set(e, rc, "no memory for the events of chunk %u", i);
        jfr_chunk_close(chunk);
    }
    return rc;
}
