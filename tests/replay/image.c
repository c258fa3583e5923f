#include "image.h"

#include "agent/hot/java/method.h"
#include "agent/hot/record.h"
#include "agent/hot/unwind/module.h"

#include <stdio.h>
#include <stdlib.h>

#define NAME(symbol, name, meaning, remedy) name,
static const char *const outcome_names[] = {OUTCOMES(NAME)};

char *image_read_numbers(char *at, uint64_t *out, int count)
{
    for (int i = 0; i < count; i++)
        out[i] = strtoull(at, &at, 16);
    return at;
}

void image_read_module(char *at)
{
    uint64_t v[5];
    image_read_numbers(at, v, 5);
    module_add(&(struct module){v[0], v[1], v[2], v[3], (uint32_t)v[4]});
}

void image_frame(char out[IMAGE_LINE_BYTES], uint64_t frame)
{
    const char *type = jfr_frame_type_names[frame_type(frame)];
    if (!frame_is_java(frame)) {
        snprintf(out, IMAGE_LINE_BYTES, "%s %lx", type, frame_pc(frame));
        return;
    }
    struct method_info m = method_get(frame_method(frame));
    snprintf(out, IMAGE_LINE_BYTES, "%s %.*s.%.*s %x", type, m.class_len, m.class_name, m.name_len, m.name, frame_bci(frame));
}

void image_end(char out[IMAGE_LINE_BYTES], const struct walk *w)
{
    snprintf(out, IMAGE_LINE_BYTES, "%s %s", outcome_names[w->outcome], jfr_thread_state_names[w->state]);
}

struct word *memory_place(struct memory *m, uintptr_t at)
{
    uint32_t place = (uint32_t)(at * 0x9e3779b97f4a7c15ULL >> 40) % MEMORY_WORDS;
    while (m->words[place].at && m->words[place].at != at)
        place = (place + 1) % MEMORY_WORDS;
    return &m->words[place];
}

bool memory_set(struct memory *m, uintptr_t at, uint64_t value)
{
    struct word *w = memory_place(m, at);
    if (!w->at && m->count == MEMORY_WORDS / 2)
        return false;
    m->count += !w->at;
    *w = (struct word){at, value};
    return true;
}
