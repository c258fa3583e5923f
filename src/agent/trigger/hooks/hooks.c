#include "agent/trigger/hooks/hooks.h"

#include "agent/hot/load.h"
#include "agent/trigger/hooks/tables.h"

#include <errno.h>
#include <string.h>

/* The beginning of the agent in memory, which the linker provides. The agent's own calls are not redirected. */
extern const char __ehdr_start[] __attribute__((visibility("hidden")));

/* ---- where names lead to ---- */

static uint32_t hash_of(const char *name)
{
    uint32_t h = 5381;
    while (*name)
        h = h * 33 + (uint8_t)*name++;
    return h;
}

static void note_symbol(struct hook *h, const struct library *l, const ElfW(Sym) * symbol)
{
    uintptr_t address = l->base + symbol->st_value;
    if (symbol->st_shndx == SHN_UNDEF || ELF64_ST_TYPE(symbol->st_info) != STT_FUNC || h->symbol_count == HOOK_SYMBOLS_MAX)
        return;
    if (!h->symbol_count) {
        h->base = l->base;
        atomic_store(&h->real, address);
    }
    if (address == atomic_load(&h->real))
        h->symbols[h->symbol_count++] = (_Atomic uintptr_t *)(uintptr_t)&symbol->st_value;
}

/* Finds the symbols in the library's hash table (DT_GNU_HASH): sizes, a filter, the first symbol of each bucket, and for each symbol its
 * hash, whose last bit ends the bucket. The loader reads the same words for each name that it looks up. */
static void find_symbols(struct hook *h, const struct library *l, const struct tables *t)
{
    uint32_t buckets = t->hash[0], first = t->hash[1], filter_words = t->hash[2], hash = hash_of(h->name);
    const uint32_t *bucket = t->hash + 4 + 2 * (size_t)filter_words, *chain = bucket + buckets;
    uint32_t i = buckets ? bucket[hash % buckets] : 0;
    if (i < first)
        return;
    for (;; i++) {
        uint32_t other = chain[i - first];
        if ((other | 1) == (hash | 1) && !strcmp(t->strings + t->symbols[i].st_name, h->name))
            note_symbol(h, l, &t->symbols[i]);
        if (other & 1)
            return;
    }
}

struct all {
    struct hook *hooks;
    int count, missing;
};

static int find_in(struct dl_phdr_info *info, size_t size, void *argument)
{
    struct all *a = argument;
    struct library l;
    struct tables t;
    tables_library(&l, info);
    if (!tables_read(&l, &t) || !t.hash)
        return 0;
    for (int i = 0; i < a->count; i++) {
        struct hook *h = &a->hooks[i];
        if (h->symbol_count)
            continue;
        find_symbols(h, &l, &t);
        a->missing -= h->symbol_count > 0;
    }
    return !a->missing;
}

/* Finds all symbols. The C library, and libraries before it, are loaded from the start and never unloaded. */
static void find_all(struct hook *hooks, int count)
{
    struct all a = {hooks, count, count};
    for (int i = 0; i < count; i++)
        a.missing -= hooks[i].symbol_count > 0;
    if (a.missing)
        dl_iterate_phdr(find_in, &a);
}

static bool lead_to(const struct mappings *m, struct hook *h, uintptr_t from, uintptr_t to)
{
    bool good = true;
    for (int i = 0; i < h->symbol_count; i++)
        if (atomic_load(h->symbols[i]) == from - h->base)
            good = tables_write(m, h->symbols[i], to - h->base) && good;
    return good;
}

/* Turns a hook on. If another library has put a hook in front of ours, that hook may always call ours, so ours must not call it. A hook
 * that was set while ours was off may be called. */
static bool turn_on(const struct mappings *m, struct hook *h)
{
    uintptr_t now = atomic_load(h->symbols[0]) + h->base;
    bool is_called = now == h->own || h->is_below_another;
    if (!is_called)
        atomic_store(&h->real, now);
    h->on = is_called || lead_to(m, h, now, h->own);
    return h->on;
}

int hooks_open(struct hook *hooks, int count, struct error *e)
{
    struct mappings m;
    bool good = true;
    find_all(hooks, count);
    mappings_read(&m);
    for (int i = 0; i < count && good; i++)
        good = !hooks[i].symbol_count || turn_on(&m, &hooks[i]);
    mappings_free(&m);
    if (good && hooks[0].on)
        return 0;
    hooks_close(hooks, count);
    return error_set(e, -ENOTSUP, "the C library's table of symbols cannot be %s", good ? "read" : "written (a security module?)");
}

/* ---- words that are bound ---- */

struct change {
    struct hook *hooks;
    int count;
    bool back;
    const struct mappings *mappings;
};

static bool is_name(uintptr_t at, const char *name)
{
    uint8_t c;
    do
        if (!load_u8(at++, &c) || c != (uint8_t)*name)
            return false;
    while (*name++);
    return true;
}

static struct hook *hook_named(const struct change *c, uintptr_t name)
{
    for (int i = 0; i < c->count; i++)
        if (c->hooks[i].on && is_name(name, c->hooks[i].name))
            return &c->hooks[i];
    return NULL;
}

static void change_word(const struct change *c, const struct library *l, const struct tables *t, const ElfW(Rela) * r)
{
    uint32_t name;
    uint64_t now;
    if (!tables_is_word(r) || !load_u32((uintptr_t)&t->symbols[ELF64_R_SYM(r->r_info)].st_name, &name))
        return;
    struct hook *h = hook_named(c, (uintptr_t)t->strings + name);
    uintptr_t at = l->base + r->r_offset;
    if (!h || at % sizeof at || !load_u64(at, &now))
        return;
    uintptr_t real = atomic_load(&h->real);
    if (now == (c->back ? h->own : real))
        tables_write(c->mappings, (_Atomic uintptr_t *)at, c->back ? real : h->own);
}

static void change_words(const struct change *c, const struct library *l, const struct tables *t, const ElfW(Rela) * table, size_t bytes)
{
    ElfW(Rela) r;
    for (size_t i = 0; table && i < bytes / sizeof *table; i++) {
        uintptr_t at = (uintptr_t)&table[i];
        if (!load_u64(at, &r.r_offset) || !load_u64(at + 8, &r.r_info) || !load_u64(at + 16, (uint64_t *)&r.r_addend))
            return;
        if (ELF64_R_SYM(r.r_info))
            change_word(c, l, t, &r);
    }
}

/* Changes the words of a library. The loader prevents libraries from being unloaded meanwhile. */
static int change_library(struct dl_phdr_info *info, size_t size, void *change)
{
    struct library l;
    struct tables t;
    tables_library(&l, info);
    uintptr_t own = (uintptr_t)__ehdr_start;
    if ((own >= l.low && own < l.high) || !tables_read(&l, &t))
        return 0;
    size_t relative = t.relative * sizeof *t.others;
    change_words(change, &l, &t, t.calls, t.calls_bytes);
    if (relative < t.others_bytes)
        change_words(change, &l, &t, t.others + t.relative, t.others_bytes - relative);
    return 0;
}

static void change_all(struct hook *hooks, int count, bool back)
{
    struct mappings m;
    mappings_read(&m);
    dl_iterate_phdr(change_library, &(struct change){hooks, count, back, &m});
    mappings_free(&m);
}

void hooks_look(struct hook *hooks, int count)
{
    change_all(hooks, count, false);
}

void hooks_close(struct hook *hooks, int count)
{
    struct mappings m;
    mappings_read(&m);
    for (int i = 0; i < count; i++) {
        struct hook *h = &hooks[i];
        if (!h->on)
            continue;
        uintptr_t now = atomic_load(h->symbols[0]) + h->base;
        h->is_below_another = now != h->own && now != atomic_load(&h->real);
        lead_to(&m, h, h->own, atomic_load(&h->real));
    }
    mappings_free(&m);
    change_all(hooks, count, true);
    for (int i = 0; i < count; i++)
        hooks[i].on = false;
}
