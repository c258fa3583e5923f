#include "agent/record/names.h"

#include "agent/hot/handler.h"
#include "agent/hot/record.h"
#include "agent/symbolize/native.h"
#include "base/array.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const truncation_names[TRUNCATION_COUNT] = {"",
#define NAME(symbol, name, meaning, remedy) name,
                                                               TRUNCATIONS(NAME)
#undef NAME
};

int names_init(struct names *n)
{
    memset(n, 0, sizeof *n);
    map_init(&n->native_by_key);
    map_init(&n->native_by_pc);
    virtuals_init(&n->virtuals);
    n->java = calloc(METHODS_MAX, sizeof *n->java);
    if (n->java && !strtab_init(&n->strings) && !stacks_init(&n->stacks))
        return 0;
    names_deinit(n);
    return -ENOMEM;
}

void names_deinit(struct names *n)
{
    strtab_deinit(&n->strings);
    stacks_deinit(&n->stacks);
    map_deinit(&n->native_by_key);
    map_deinit(&n->native_by_pc);
    virtuals_deinit(&n->virtuals);
    free(n->threads);
    free(n->java);
    free(n->native);
    memset(n, 0, sizeof *n);
}

void names_thread(struct names *n, const struct sampled_thread *t)
{
    if (t->uid >= n->thread_count) {
        uint32_t count = (t->uid + 256) & ~255u;
        struct jfr_thread *grown = realloc(n->threads, count * sizeof *grown);
        if (!grown)
            return;
        memset(grown + n->thread_count, 0, (count - n->thread_count) * sizeof *grown);
        n->threads = grown;
        n->thread_count = count;
    }
    n->threads[t->uid] = (struct jfr_thread){
        .java_name = strtab_add_text(&n->strings, t->java_name),
        .os_name = strtab_add_text(&n->strings, t->java_name[0] ? t->java_name : t->os_name),
        .os_id = (uint64_t)t->tid,
        .java_id = (uint64_t)t->java_id,
    };
}

uint32_t names_virtual_thread(struct names *n, const uint64_t *words, size_t count)
{
    return virtuals_add(&n->virtuals, words, count) << 1 | 1;
}

void names_new_chunk(struct names *n)
{
    virtuals_clear(&n->virtuals);
}

uint32_t names_pseudo(struct names *n, const char *class_name, const char *name)
{
    struct jfr_method m = {.class_name = strtab_add_text(&n->strings, class_name),
                           .name = strtab_add_text(&n->strings, name)};
    bool added;
    uint32_t *id = map_add(&n->native_by_key, (uint64_t)m.class_name << 32 | m.name, &added);
    if (!id)
        return NAMES_NATIVE_BASE;
    if (added) {
        if (ARRAY_GROW(n->native, n->native_cap, n->native_count))
            return NAMES_NATIVE_BASE;
        *id = n->native_count;
        n->native[n->native_count++] = m;
    }
    return NAMES_NATIVE_BASE + *id;
}

uint32_t names_native(struct names *n, uintptr_t pc)
{
    char name[512], library[64];
    bool added;
    uint32_t *id = map_add(&n->native_by_pc, pc, &added);
    if (id && !added)
        return *id;
    native_name(pc, name, sizeof name);
    native_library(pc, library, sizeof library);
    uint32_t method = names_pseudo(n, library, name);
    if (id)
        *id = method;
    return method;
}

/* The method id of a frame that is no Java method. */
static uint32_t names_other(struct names *n, uint64_t frame)
{
    if (frame_type(frame) != JFR_FRAME_FAILED)
        return names_native(n, frame_pc(frame));
    return names_pseudo(n, truncation_names[frame_pc(frame) % TRUNCATION_COUNT], "virtual thread");
}

uint32_t names_stack(struct names *n, uint64_t *frames, size_t count, bool truncated)
{
    for (size_t i = 0; i < count; i++)
        if (!frame_is_java(frames[i]))
            frames[i] = frame_java(frame_type(frames[i]), names_other(n, frames[i]), 0);
    return stacks_add(&n->stacks, frames, count) << 1 | truncated;
}

static size_t stack_of(void *context, uint32_t id, struct jfr_frame *frames, size_t max, bool *truncated)
{
    struct names *n = context;
    size_t count = 0;
    *truncated = id & 1;
    for (uint32_t node = id >> 1; node && count < max; node = n->stacks.nodes[node].parent) {
        uint64_t frame = n->stacks.nodes[node].frame;
        uint32_t method = frame_method(frame), bci = frame_bci(frame);
        int line = 0;
        if (method < NAMES_NATIVE_BASE) {
            struct method_info m = method_get(method);
            line = method_line(&m, bci);
        }
        frames[count++] = (struct jfr_frame){.method = method, .line = line, .bci = bci, .type = (uint8_t)frame_type(frame)};
    }
    return count;
}

/* Class files write java/util/Map; hidden classes have a + before their address, which Java shows as a slash. */
static uint32_t class_symbol(struct names *n, const struct method_info *m)
{
    char name[METHOD_CLASS_MAX];
    for (uint16_t i = 0; i < m->class_len; i++) {
        char c = m->class_name[i];
        name[i] = c == '/' ? '.' : c == '+' ? '/' : c;
    }
    return strtab_add(&n->strings, name, m->class_len);
}

static void method_of(void *context, uint32_t id, struct jfr_method *method)
{
    struct names *n = context;
    if (id >= NAMES_NATIVE_BASE) {
        uint32_t i = id - NAMES_NATIVE_BASE;
        *method = i < n->native_count ? n->native[i] : (struct jfr_method){0};
        return;
    }
    struct jfr_method *known = &n->java[id];
    if (!known->name) {
        if (!method_has_names(id) && handler_config.walker == WALKER_AGCT)
            agct.name_method(id);
        struct method_info m = method_get(id);
        *known = (struct jfr_method){.class_name = class_symbol(n, &m),
                                     .name = strtab_add(&n->strings, m.name, m.name_len),
                                     .descriptor = strtab_add(&n->strings, m.descriptor, m.descriptor_len)};
    }
    *method = *known;
}

static void thread_of(void *context, uint32_t id, struct jfr_thread *thread)
{
    struct names *n = context;
    if (id & 1) {
        const char *name;
        struct virtual_thread t = virtuals_get(&n->virtuals, id >> 1, &name);
        *thread = (struct jfr_thread){.java_id = t.java_id, .virtual_name = name, .virtual_name_len = t.name_len};
        return;
    }
    id >>= 1;
    *thread = id < n->thread_count ? n->threads[id] : (struct jfr_thread){0};
}

static const char *symbol_of(void *context, uint32_t id, size_t *len)
{
    struct names *n = context;
    *len = strtab_len(&n->strings, id);
    return strtab_text(&n->strings, id);
}

struct jfr_pools names_pools(struct names *n)
{
    return (struct jfr_pools){n, stack_of, method_of, thread_of, symbol_of};
}
