#include "profile/load/load_threads.h"

#include "jfr/read/once.h"
#include "profile/load/load_text.h"

#include <errno.h>

void load_threads_init(struct load_threads *t, struct profile *p)
{
    *t = (struct load_threads){.profile = p};
}

void load_threads_deinit(struct load_threads *t)
{
    map_deinit(&t->threads);
    map_deinit(&t->states);
}

void load_threads_new_chunk(struct load_threads *t, struct load_part *part)
{
    t->part = part;
    map_clear(&t->threads);
    map_clear(&t->states);
}

/* Adds a virtual thread. There may be millions of them, and most have a number in their name, or no name. Therefore all virtual threads
 * whose names are equal without numbers are one thread of the profile. */
static int take_virtual_thread(struct load_threads *t, const struct jfr_thread_info *info, uint32_t *thread)
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
    int rc = n ? profile_string(t->profile, pattern, n, &name) : profile_string(t->profile, unnamed, sizeof unnamed - 1, &name);
    if (!rc)
        rc = profile_thread(t->profile, name, 0, 0, thread);
    if (!rc)
        rc = load_part_note(t->part, (struct load_note){.kind = LOAD_VIRTUAL_THREAD, .a = *thread, .x = info->java_id});
    return rc;
}

static int take_thread(void *context, struct jfr_value value, uint32_t *thread)
{
    struct load_threads *t = context;
    struct profile *p = t->profile;
    static const struct jfr_text unknown = {"[unknown]", sizeof "[unknown]" - 1};
    struct jfr_thread_info info = {0};
    uint32_t name;
    bool known = jfr_thread_of(value, &info);
    if (info.is_virtual)
        return take_virtual_thread(t, &info, thread);
    struct jfr_text text = info.java_name.len ? info.java_name : info.os_name;
    if (load_text(p, known && text.len ? text : unknown, &name))
        return -ENOMEM;
    int rc = profile_thread(p, name, info.os_id, info.java_id, thread);
    return rc ? rc : load_part_note(t->part, (struct load_note){.kind = LOAD_THREAD_NAME, .a = *thread, .b = name});
}

int load_thread(struct load_threads *t, struct jfr_event *event, const struct jfr_field *f, uint32_t *thread)
{
    return jfr_event_once(event, f, &t->threads, take_thread, t, thread);
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

int load_state(struct load_threads *t, struct jfr_event *event, const struct jfr_field *f, uint8_t *state)
{
    uint32_t made = JFR_STATE_UNKNOWN;
    int rc = f ? jfr_event_once(event, f, &t->states, take_state, NULL, &made) : 0;
    *state = (uint8_t)made;
    return rc;
}
