#include "profile/load/load_stacks.h"

#include "jfr/read/once.h"

#include <errno.h>
#include <string.h>

int load_stacks_init(struct load_stacks *s, struct profile *p)
{
    *s = (struct load_stacks){.profile = p};
    return load_walk_init(&s->walk, p);
}

void load_stacks_deinit(struct load_stacks *s)
{
    map_deinit(&s->stacks);
    load_walk_deinit(&s->walk);
}

void load_stacks_new_chunk(struct load_stacks *s)
{
    map_clear(&s->stacks);
    load_walk_new_chunk(&s->walk);
}

/* Reads a stack into one number: the id doubled, plus 1 if the stack is truncated. */
static int take_stack(void *context, struct jfr_value trace, uint32_t *both)
{
    struct load_stacks *s = context;
    uint32_t stack;
    bool truncated;
    int rc = load_walk_stack(&s->walk, trace, &stack, &truncated);
    *both = stack << 1 | truncated;
    return rc;
}

int load_stack(struct load_stacks *s, struct jfr_event *event, const struct jfr_field *f, uint32_t *stack, bool *truncated)
{
    uint32_t both;
    int rc = jfr_event_once(event, f, &s->stacks, take_stack, s, &both);
    *stack = both >> 1;
    *truncated = both & 1;
    return rc;
}

int load_no_stack(struct load_stacks *s, const char *reason, uint32_t *stack)
{
    struct profile *p = s->profile;
    uint32_t class_name, method, frame;
    int rc = profile_string(p, reason, strlen(reason), &class_name);
    if (!rc)
        rc = profile_method(p, class_name, 0, 0, &method);
    if (!rc)
        rc = profile_frame(p, method, 0, 0, JFR_FRAME_FAILED, &frame);
    return rc ? rc : profile_stack(p, 0, frame, stack);
}

/* ---- stacks of several recordings ---- */

int load_kept_init(struct load_kept *k)
{
    *k = (struct load_kept){0};
    return profile_init(&k->names) || load_stacks_init(&k->stacks, &k->names) || load_walk_recall(&k->stacks.walk) ? -ENOMEM : 0;
}

void load_kept_deinit(struct load_kept *k)
{
    load_stacks_deinit(&k->stacks);
    profile_deinit(&k->names);
}

void load_kept_drop_stacks(struct load_kept *k)
{
    profile_drop_stacks(&k->names);
    map_clear(&k->stacks.stacks);
    load_walk_drop_stacks(&k->stacks.walk);
}

size_t load_kept_bytes(const struct load_kept *k)
{
    return profile_names_bytes(&k->names) + k->stacks.stacks.cap * sizeof(struct map_slot) + load_walk_bytes(&k->stacks.walk);
}
