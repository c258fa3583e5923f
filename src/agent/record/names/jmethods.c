#include "agent/record/names/jmethods.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

void jmethods_init(struct jmethods *m)
{
    *m = (struct jmethods){.count = 0};
    map_init(&m->by_id);
}

void jmethods_deinit(struct jmethods *m)
{
    for (uint32_t i = 1; i < m->count; i++)
        free(m->list[i].lines);
    free(m->list);
    map_deinit(&m->by_id);
    *m = (struct jmethods){.count = 0};
}

uint32_t jmethods_find(const struct jmethods *m, uintptr_t method)
{
    const uint32_t *known = map_find(&m->by_id, method);
    return known ? *known : 0;
}

static struct java_line *copy_lines(const struct java_method *facts)
{
    size_t size = facts->line_count * sizeof *facts->lines;
    struct java_line *lines = size ? malloc(size) : NULL;
    if (lines)
        memcpy(lines, facts->lines, size);
    return lines;
}

uint32_t jmethods_add(struct jmethods *m, uintptr_t method, const struct java_method *facts, struct strtab *strings)
{
    bool added;
    uint32_t first = m->count ? m->count : 1;
    if (first == JMETHODS_MAX || ARRAY_GROW(m->list, m->cap, first))
        return 0;
    uint32_t *id = map_add(&m->by_id, method, &added);
    if (!id)
        return 0;
    if (!added)
        return *id;
    struct java_line *lines = copy_lines(facts);
    m->list[first] = (struct jmethod){.names = {.class_name = strtab_add_text(strings, facts->class_name),
                                                .name = strtab_add_text(strings, facts->name),
                                                .descriptor = strtab_add_text(strings, facts->descriptor)},
                                      .lines = lines,
                                      .line_count = lines ? facts->line_count : 0};
    m->count = first + 1;
    return *id = first;
}

const struct jfr_method *jmethods_names(const struct jmethods *m, uint32_t id)
{
    return id && id < m->count ? &m->list[id].names : NULL;
}

/* Works like HotSpot: takes the entry for the index itself, or the nearest one below it; of several equal ones the last. */
int jmethods_line(const struct jmethods *m, uint32_t id, uint32_t bci)
{
    const struct jmethod *method = id && id < m->count ? &m->list[id] : NULL;
    const struct java_line *best = NULL;
    for (uint32_t i = 0; method && i < method->line_count; i++) {
        const struct java_line *l = &method->lines[i];
        if (l->bci == bci)
            return l->line;
        if (l->bci < bci && (!best || l->bci >= best->bci))
            best = l;
    }
    return best ? best->line : 0;
}
