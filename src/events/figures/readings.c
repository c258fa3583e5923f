#include "events/figures/readings.h"

#include "base/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const char *const reading_events[READING_KINDS] = {
#define READING_EVENT(symbol, event, field) event,
    READING_ROWS(READING_EVENT)
#undef READING_EVENT
};

static const char *const fields[READING_KINDS] = {
#define READING_FIELD(symbol, event, field) field,
    READING_ROWS(READING_FIELD)
#undef READING_FIELD
};

static bool is_wanted(enum reading_kind kind, struct jfr_event *event)
{
    if (kind != READING_HEAP_AFTER_GC)
        return true;
    return jfr_text_is(jfr_value_text(jfr_event_value(event, jfr_type_field(event->type, "when"))), "After GC");
}

static int add(struct readings *r, enum reading_kind kind, struct jfr_event *event)
{
    const struct jfr_field *field = fields[kind] ? jfr_type_field(event->type, fields[kind]) : NULL;
    if ((fields[kind] && !field) || !is_wanted(kind, event))
        return 0;
    if (ARRAY_GROW(r->list, r->cap, r->count))
        return -ENOMEM;
    double value = field ? jfr_value_number(jfr_event_value(event, field)) : 1;
    r->list[r->count++] = (struct reading){jfr_event_epoch_ns(event), value > 0 ? value : 0, (uint8_t)kind};
    return 0;
}

int readings_take(void *readings, struct jfr_chunk *chunk)
{
    struct readings *r = readings;
    const struct jfr_type *types[READING_KINDS];
    struct jfr_cursor cursor = jfr_cursor_init(chunk);
    struct jfr_event event;
    uint64_t wanted = 0;
    int rc = 0;
    for (int kind = 0; kind < READING_KINDS; kind++) {
        types[kind] = jfr_chunk_type(chunk, reading_events[kind]);
        wanted += types[kind] ? types[kind]->events : 0;
    }
    while (!rc && wanted && jfr_cursor_next(&cursor, &event))
        for (int kind = 0; !rc && kind < READING_KINDS; kind++)
            rc = event.type == types[kind] ? add(r, (enum reading_kind)kind, &event) : 0;
    return rc;
}

static int by_time(const void *left, const void *right)
{
    const struct reading *a = left, *b = right;
    if (a->ns != b->ns)
        return a->ns < b->ns ? -1 : 1;
    return (a->kind > b->kind) - (a->kind < b->kind);
}

void readings_sort(struct readings *r)
{
    if (r->count)
        qsort(r->list, r->count, sizeof *r->list, by_time);
}

int readings_read(struct readings *r, const struct jfr_file *file, struct error *e)
{
    *r = (struct readings){0};
    int rc = pass_run(file, &(struct pass_reader){readings_take, r}, 1, NULL, e); /* the code that reads the events reports problems */
    readings_sort(r);
    return rc;
}

uint32_t readings_from(const struct reading *list, uint32_t count, int64_t ns)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (list[middle].ns < ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void readings_deinit(struct readings *r)
{
    free(r->list);
    *r = (struct readings){0};
}
