#include "store/query/function_paths.h"

#include "base/array.h"

#include <errno.h>
#include <stdlib.h>

enum { MATCHES_AT_ONCE = 256 }; /* number of names that are matched between two checks whether the query is abandoned */

/* The methods of a dictionary while they are matched. */
struct matching {
    struct function_paths *paths;
    uint32_t *frames; /* by frame: its method's place in `list` plus 1, then its function; 0 = none */
    uint32_t frame_count;
    struct store_function_name *list; /* one for each label */
    uint32_t count, cap;
};

/* ---- the methods ---- */

static struct store_function_name name_of(const struct profile *names, const struct profile_frame *f)
{
    const struct profile_method *m = &names->methods[f->method];
    return (struct store_function_name){profile_text(names, f->label), strtab_len(&names->strings, f->label),
                                        profile_text(names, m->class_name), profile_text(names, m->name), f->type};
}

static int list_names(struct matching *m, const struct profile *names)
{
    uint32_t *place_of = calloc(names->strings.count, sizeof *place_of);
    m->frame_count = names->frame_count;
    m->frames = calloc((size_t)names->frame_count + 1, sizeof *m->frames);
    int rc = place_of && m->frames ? 0 : -ENOMEM;
    for (uint32_t i = 0; !rc && i < names->frame_count; i++) {
        const struct profile_frame *f = &names->frames[i];
        if (f->type == PROFILE_TYPE_MARK)
            continue;
        if (!place_of[f->label]) {
            rc = ARRAY_GROW(m->list, m->cap, m->count);
            if (rc)
                break;
            m->list[m->count++] = name_of(names, f);
            place_of[f->label] = m->count;
        }
        m->frames[i] = place_of[f->label];
    }
    free(place_of);
    return rc;
}

static int add_function(struct function_paths *p, const struct store_function_query *f, const struct store_function_name *name,
                        uint32_t *function)
{
    if (f->together && p->count > 1) {
        *function = 1;
        return 0;
    }
    if (ARRAY_GROW(p->names, p->cap, p->count) || ARRAY_GROW(p->lens, p->len_cap, p->count))
        return -ENOMEM;
    p->names[p->count] = f->together ? "" : name->label;
    p->lens[p->count] = f->together ? 0 : name->label_len;
    *function = p->count++;
    return 0;
}

/* Matches the names, and turns `frames` from places in the list into functions. */
static int match_names(struct matching *m, struct store *s, const struct store_query *q, const struct store_function_query *f,
                       struct error *e)
{
    uint32_t *functions = calloc((size_t)m->count + 1, sizeof *functions);
    int rc = functions ? 0 : -ENOMEM;
    for (uint32_t i = 0; !rc && i < m->count; i++) {
        rc = i % MATCHES_AT_ONCE ? 0 : store_is_over(s, q, e);
        if (!rc && f->matches(f->context, &m->list[i]))
            rc = add_function(m->paths, f, &m->list[i], &functions[i + 1]);
    }
    for (uint32_t i = 0; !rc && i < m->frame_count; i++)
        m->frames[i] = functions[m->frames[i]];
    free(functions);
    return rc;
}

/* ---- the stacks ---- */

static bool has(const struct function_paths *p, uint32_t set, uint32_t function)
{
    while (set && p->sets[set].function != function)
        set = p->sets[set].parent;
    return set;
}

/* Finds or adds the set with one more method. `known` also has the pairs that make no new set. */
static int extend(struct function_paths *p, struct map *known, uint32_t set, uint32_t function, uint32_t *out)
{
    bool added;
    uint32_t *place = map_add(known, (uint64_t)set << 32 | function, &added);
    if (!place || ARRAY_GROW(p->sets, p->set_cap, p->set_count))
        return -ENOMEM;
    if (added && has(p, set, function)) {
        *place = set;
    } else if (added) {
        p->sets[p->set_count] = (struct function_set){set, function};
        *place = p->set_count++;
    }
    *out = *place;
    return 0;
}

static int walk_nodes(struct matching *m, const struct profile *names, bool nearest)
{
    struct function_paths *p = m->paths;
    struct map known;
    map_init(&known);
    p->set_of = calloc(names->node_count, sizeof *p->set_of);
    p->nearest_of = calloc(names->node_count, sizeof *p->nearest_of);
    int rc = p->set_of && p->nearest_of && !ARRAY_GROW(p->sets, p->set_cap, 0) ? 0 : -ENOMEM;
    if (!rc)
        p->sets[p->set_count++] = (struct function_set){0, 0};
    for (uint32_t i = 1; !rc && i < names->node_count; i++) {
        uint32_t frame = names->nodes[i].frame, parent = names->nodes[i].parent;
        uint32_t function = frame < m->frame_count ? m->frames[frame] : 0; /* others were added meanwhile */
        p->set_of[i] = p->set_of[parent];
        p->nearest_of[i] = function || !nearest ? function : p->nearest_of[parent];
        rc = function ? extend(p, &known, p->set_of[parent], function, &p->set_of[i]) : 0;
    }
    map_deinit(&known);
    return rc;
}

int function_paths_init(struct function_paths *p, struct dictionary *d, struct store *s, const struct store_query *q,
                        const struct store_function_query *f, struct error *e)
{
    struct matching m = {.paths = p};
    *p = (struct function_paths){.count = 1};
    pthread_mutex_lock(&d->lock);
    int rc = list_names(&m, &d->names);
    pthread_mutex_unlock(&d->lock);
    rc = rc ? rc : match_names(&m, s, q, f, e);
    if (!rc && p->count > 1) {
        pthread_mutex_lock(&d->lock);
        rc = walk_nodes(&m, &d->names, f->nearest);
        pthread_mutex_unlock(&d->lock);
    }
    free(m.frames);
    free(m.list);
    return rc == -ENOMEM ? error_set(e, rc, "out of memory") : rc;
}

void function_paths_deinit(struct function_paths *p)
{
    free(p->names);
    free(p->lens);
    free(p->set_of);
    free(p->nearest_of);
    free(p->sets);
    *p = (struct function_paths){0};
}
