#include "agent/hot/unwind/module.h"

#include <stdatomic.h>

/* A slot's version is odd while the slot is written. A reader that saw two versions has read a mixture. */
struct slot {
    _Atomic uint32_t version;
    _Atomic uint32_t frame_count;
    _Atomic uintptr_t low, high, frame_header, frame_table; /* high == 0: the slot is free */
};

static struct slot slots[MODULES_MAX];
static _Atomic int used; /* all slots that were ever used have a lower index */
static _Atomic uint32_t epoch;

static void write_slot(struct slot *s, const struct module *m)
{
    uint32_t version = atomic_load_explicit(&s->version, memory_order_relaxed);
    atomic_store_explicit(&s->version, version + 1, memory_order_relaxed);
    /* Release: a reader sees the odd version before any new member. */
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&s->low, m->low, memory_order_relaxed);
    atomic_store_explicit(&s->high, m->high, memory_order_relaxed);
    atomic_store_explicit(&s->frame_header, m->frame_header, memory_order_relaxed);
    atomic_store_explicit(&s->frame_table, m->frame_table, memory_order_relaxed);
    atomic_store_explicit(&s->frame_count, m->frame_count, memory_order_relaxed);
    /* Release: a reader that sees the even version also sees the members. */
    atomic_store_explicit(&s->version, version + 2, memory_order_release);
    atomic_store_explicit(&epoch, atomic_load_explicit(&epoch, memory_order_relaxed) + 1, memory_order_release);
}

static bool read_slot(const struct slot *s, struct module *m)
{
    uint32_t version = atomic_load_explicit(&s->version, memory_order_acquire);
    m->low = atomic_load_explicit(&s->low, memory_order_relaxed);
    m->high = atomic_load_explicit(&s->high, memory_order_relaxed);
    m->frame_header = atomic_load_explicit(&s->frame_header, memory_order_relaxed);
    m->frame_table = atomic_load_explicit(&s->frame_table, memory_order_relaxed);
    m->frame_count = atomic_load_explicit(&s->frame_count, memory_order_relaxed);
    /* Acquire: the members are read before the version is read again. */
    atomic_thread_fence(memory_order_acquire);
    return !(version & 1) && atomic_load_explicit(&s->version, memory_order_relaxed) == version;
}

bool module_find(uintptr_t pc, struct module *out)
{
    int n = atomic_load_explicit(&used, memory_order_acquire);
    for (int i = 0; i < n; i++)
        /* Relaxed, because read_slot checks the result. */
        if (pc >= atomic_load_explicit(&slots[i].low, memory_order_relaxed) &&
            pc < atomic_load_explicit(&slots[i].high, memory_order_relaxed))
            return read_slot(&slots[i], out) && pc >= out->low && pc < out->high;
    return false;
}

uint32_t module_epoch(void)
{
    return atomic_load_explicit(&epoch, memory_order_acquire);
}

bool module_add(const struct module *m)
{
    int n = atomic_load_explicit(&used, memory_order_relaxed), free_slot = 0;
    while (free_slot < n && atomic_load_explicit(&slots[free_slot].high, memory_order_relaxed))
        free_slot++;
    if (free_slot == MODULES_MAX)
        return false;
    write_slot(&slots[free_slot], m);
    if (free_slot == n)
        atomic_store_explicit(&used, n + 1, memory_order_release);
    return true;
}

void module_retain(bool (*keep)(const struct module *m, void *context), void *context)
{
    static const struct module none;
    struct module m;
    int n = atomic_load_explicit(&used, memory_order_relaxed);
    for (int i = 0; i < n; i++)
        if (read_slot(&slots[i], &m) && m.high && !keep(&m, context))
            write_slot(&slots[i], &none);
}
