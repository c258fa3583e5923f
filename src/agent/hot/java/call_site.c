#include "agent/hot/java/call_site.h"

#include "agent/hot/inject.h"
#include "agent/hot/load.h"
#include "agent/hot/record.h"

#include <stdatomic.h>
#include <string.h>

enum { SLOTS_LOG = 13, EPOCH_SHIFT = 48 };

/* Packs a call site's small members into one word. */
struct shape {
    uint64_t compile_id : 32, frame_words : 20, kind : 4, count : 8;
};

struct slot {
    _Alignas(64) _Atomic uint64_t version; /* odd during a write */
    _Atomic uint64_t key;                  /* pc and epoch */
    _Atomic uint64_t blob, name, shape, frames[CALL_SITE_FRAMES_MAX];
};
_Static_assert(sizeof(struct slot) == 128, "two cache lines each");

static struct slot slots[1 << SLOTS_LOG];
static uint64_t epoch;

static uint64_t key_of(uintptr_t pc)
{
    return pc ^ epoch << EPOCH_SHIFT;
}

static struct slot *slot_of(uintptr_t pc)
{
    return &slots[pc * 0x9e3779b97f4a7c15ULL >> (64 - SLOTS_LOG)];
}

/* Relaxed, because the version shows whether the words belong together. */
static uint64_t get(const _Atomic uint64_t *word)
{
    return atomic_load_explicit(word, memory_order_relaxed);
}

static void set(_Atomic uint64_t *word, uint64_t value)
{
    atomic_store_explicit(word, value, memory_order_relaxed);
}

static bool read_slot(uintptr_t pc, struct call_site *s)
{
    const struct slot *slot = slot_of(pc);
    struct shape shape;
    /* Acquire: the words are read after the version. */
    uint64_t version = atomic_load_explicit(&slot->version, memory_order_acquire);
    if (get(&slot->key) != key_of(pc) || version & 1)
        return false;
    uint64_t word = get(&slot->shape);
    memcpy(&shape, &word, sizeof word);
    s->code = (struct code){
        .kind = (enum code_kind)shape.kind, .blob = get(&slot->blob), .frame_words = (uint32_t)shape.frame_words, .frame_complete = -1};
    s->name = get(&slot->name);
    s->compile_id = (uint32_t)shape.compile_id;
    s->count = shape.count < CALL_SITE_FRAMES_MAX ? (uint32_t)shape.count : CALL_SITE_FRAMES_MAX;
    for (uint32_t i = 0; i < s->count; i++)
        s->frames[i] = get(&slot->frames[i]);
    /* Acquire: the version is read again after the words. */
    atomic_thread_fence(memory_order_acquire);
    return get(&slot->version) == version;
}

static bool identify(uintptr_t blob, uint64_t *name, uint32_t *compile_id)
{
    uint64_t used, id;
    if (!load_field(blob - vm_layout.block_size, vm_layout.block_used, &used) || !used || !load_address(blob, vm_layout.blob_name, name) ||
        !load_field(blob, vm_layout.nm_compile_id, &id))
        return false;
    *compile_id = (uint32_t)id;
    return id;
}

static bool is_still(const struct call_site *s)
{
    uint64_t name;
    uint32_t compile_id;
    return identify(s->code.blob, &name, &compile_id) && name == s->name && compile_id == s->compile_id;
}

bool call_site_recall(uintptr_t pc, struct call_site *out)
{
    return read_slot(pc, out) && is_still(out) && !inject_forgets(INJECT_CALL_SITES);
}

bool call_site_begin(struct call_site *s, const struct code *c)
{
    s->code = *c;
    s->count = 0;
    return identify(c->blob, &s->name, &s->compile_id);
}

bool call_site_add(struct call_site *s, uint64_t frame)
{
    if (s->count == CALL_SITE_FRAMES_MAX || !frame_method(frame))
        return false;
    s->frames[s->count++] = frame;
    return true;
}

void call_site_remember(uintptr_t pc, const struct call_site *s)
{
    const struct shape shape = {s->compile_id, s->code.frame_words, s->code.kind, s->count};
    struct slot *slot = slot_of(pc);
    uint64_t word, version = get(&slot->version);
    memcpy(&word, &shape, sizeof word);
    if (!is_still(s) || version & 1 ||
        /* Acquire: our writes come after those of the previous writer. */
        !atomic_compare_exchange_strong_explicit(&slot->version, &version, version + 1, memory_order_acquire, memory_order_relaxed))
        return;
    /* Release: a reader that sees one of the new words also sees a new version afterwards. */
    atomic_thread_fence(memory_order_release);
    set(&slot->key, key_of(pc));
    set(&slot->blob, s->code.blob);
    set(&slot->name, s->name);
    set(&slot->shape, word);
    for (uint32_t i = 0; i < s->count; i++)
        set(&slot->frames[i], s->frames[i]);
    atomic_store_explicit(&slot->version, version + 2, memory_order_release);
}

void call_sites_forget(void)
{
    epoch++;
}
