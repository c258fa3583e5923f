#include "profile/load/load_stacks.h"

#include "jfr/read/once.h"
#include "profile/load/load_text.h"

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
    map_deinit(&s->threads);
    map_deinit(&s->states);
    load_walk_deinit(&s->walk);
}

void load_stacks_new_chunk(struct load_stacks *s, struct load_part *part)
{
    s->part = part;
    map_clear(&s->stacks);
    map_clear(&s->threads);
    map_clear(&s->states);
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

/* Adds a virtual thread. There may be millions of them, and most have a number in their name, or no name. Therefore all virtual threads
 * whose names are equal without numbers are one thread of the profile. */
static int take_virtual_thread(struct load_stacks *s, const struct jfr_thread_info *info, uint32_t *thread)
{
    static const char unnamed[] = "[unnamed virtual threads]";
    char pattern[256];
    size_t n = 0;
    uint32_t name;
    struct jfr_text text = info->java_name;
    for (size_t i = 0; i < text.len && n < sizeof pattern; i++) {
        bool digit = text.bytes[i] >= '0' && text.bytes[i] <= '9';
        if (!digit || !n || pattern[n - 1] != '*')
            pattern[n++] = digit ? '*' : text.bytes[i];
    }
    int rc = n ? profile_string(s->profile, pattern, n, &name) : profile_string(s->profile, unnamed, sizeof unnamed - 1, &name);
    if (!rc)
        rc = profile_thread(s->profile, name, 0, 0, thread);
    if (!rc)
        rc = load_part_note(s->part, (struct load_note){.kind = LOAD_VIRTUAL_THREAD, .a = *thread, .x = info->java_id});
    return rc;
}

static int take_thread(void *context, struct jfr_value value, uint32_t *thread)
{
    struct load_stacks *s = context;
    struct profile *p = s->profile;
    static const struct jfr_text unknown = {"[unknown]", sizeof "[unknown]" - 1};
    struct jfr_thread_info info = {0};
    uint32_t name;
    bool known = jfr_thread_of(value, &info);
    if (info.is_virtual)
        return take_virtual_thread(s, &info, thread);
    struct jfr_text text = info.java_name.len ? info.java_name : info.os_name;
    if (load_text(p, known && text.len ? text : unknown, &name))
        return -ENOMEM;
    int rc = profile_thread(p, name, info.os_id, info.java_id, thread);
    return rc ? rc : load_part_note(s->part, (struct load_note){.kind = LOAD_THREAD_NAME, .a = *thread, .b = name});
}

int load_thread(struct load_stacks *s, struct jfr_event *event, const struct jfr_field *f, uint32_t *thread)
{
    return jfr_event_once(event, f, &s->threads, take_thread, s, thread);
}

static int take_state(void *context, struct jfr_value value, uint32_t *state)
{
    struct jfr_text text = jfr_value_text(value);
    *state = JFR_STATE_UNKNOWN;
    for (uint32_t i = 0; i < JFR_STATES; i++)
        if (jfr_text_is(text, jfr_thread_state_names[i]))
            *state = i;
    return 0;
}

int load_state(struct load_stacks *s, struct jfr_event *event, const struct jfr_field *f, uint8_t *state)
{
    uint32_t made = JFR_STATE_UNKNOWN;
    int rc = f ? jfr_event_once(event, f, &s->states, take_state, NULL, &made) : 0;
    *state = (uint8_t)made;
    return rc;
}
