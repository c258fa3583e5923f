#include "agent/record/names/thread_names.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

void thread_names_init(struct thread_names *names)
{
    *names = (struct thread_names){0};
    map_init(&names->by_uid);
}

void thread_names_deinit(struct thread_names *names)
{
    for (uint32_t i = 0; i < names->count; i++)
        free(names->list[i].text);
    free(names->list);
    map_deinit(&names->by_uid);
    *names = (struct thread_names){0};
}

struct thread_name *thread_names_find(const struct thread_names *names, uint32_t uid)
{
    const uint32_t *place = map_find(&names->by_uid, uid);
    return place ? &names->list[*place] : NULL;
}

static struct thread_name *add(struct thread_names *names, uint32_t uid)
{
    bool added;
    uint32_t *place = ARRAY_GROW(names->list, names->cap, names->count) ? NULL : map_add(&names->by_uid, uid, &added);
    if (!place)
        return NULL;
    *place = names->count++;
    names->list[*place] = (struct thread_name){.uid = uid};
    return &names->list[*place];
}

static void set_text(struct thread_name *t, const char *text)
{
    if (t->text && !strcmp(t->text, text))
        return;
    free(t->text);
    t->text = strdup(text);
}

void thread_names_put(struct thread_names *names, const struct thread_name *t, const char *text)
{
    struct thread_name *known = thread_names_find(names, t->uid);
    if (!known)
        known = add(names, t->uid);
    if (!known)
        return;
    known->chunk = names->chunk;
    known->has_java_name = t->has_java_name;
    known->os_id = t->os_id;
    known->java_id = t->java_id;
    set_text(known, text);
}

static void put_at(struct thread_names *names, uint32_t place)
{
    bool added;
    uint32_t *of_uid = map_add(&names->by_uid, names->list[place].uid, &added); /* there is memory, because the map was larger before */
    if (of_uid)
        *of_uid = place;
}

void thread_names_new_chunk(struct thread_names *names)
{
    uint32_t kept = 0;
    map_clear(&names->by_uid);
    for (uint32_t i = 0; i < names->count; i++) {
        struct thread_name *t = &names->list[i];
        if (t->holds || t->chunk == names->chunk) {
            names->list[kept] = *t;
            put_at(names, kept++);
        } else
            free(t->text);
    }
    names->count = kept;
    names->chunk++;
}
