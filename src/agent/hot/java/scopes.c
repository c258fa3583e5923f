/* Reads the debug information of compiled code. PcDescs (sorted by offset) lead to scopes. A scope names a method and a bci, and links to
 * the scope into which it was inlined. Layouts and coding: docs/internals/hotspot.md. */
#include "agent/hot/java/code.h"
#include "agent/hot/load.h"
#include "agent/hot/record.h"

enum { PCDESCS_MAX = 1 << 22 };

uint64_t code_sparse_until;

bool code_read_unsigned5(uintptr_t *at, uint32_t *out)
{
    const uint32_t bias = vm_layout.unsigned5_excludes_zero ? 1 : 0;
    const uint32_t low = 192 - bias; /* a byte below this ends the number; the other bytes carry six bits each */
    uint32_t sum = 0;
    for (int i = 0; i < 5; i++) {
        uint8_t b;
        if (!load_u8(*at, &b))
            return false;
        (*at)++;
        uint32_t digit = (uint32_t)b - bias;
        sum += digit << (6 * i);
        if (digit < low)
            break;
    }
    *out = sum;
    return true;
}

struct tables {
    uintptr_t pcs, pcs_end, data, metadata;
};

static bool find_tables(uintptr_t nm, struct tables *t)
{
    const struct vm_layout *l = &vm_layout;
    uint64_t pcs, end, data, metadata, base = nm;
    if (l->family == VM_NMETHOD_IMMUTABLE && !load_field(nm, l->nm_immutable_data, &base))
        return false;
    if (!load_field(nm, l->nm_scopes_pcs, &pcs) || !load_field(nm, l->nm_scopes_pcs_end, &end) || !load_field(nm, l->nm_scopes_data, &data))
        return false;
    *t = (struct tables){.pcs = base + pcs, .pcs_end = base + end, .data = base + data};
    if (l->family == VM_NMETHOD_ADDRESSES)
        t->data = data;
    if (l->family == VM_NMETHOD_IMMUTABLE) {
        uint64_t relocation;
        if (!load_field(nm, l->blob_mutable_data, &metadata) || !load_field(nm, l->blob_relocation_size, &relocation))
            return false;
        t->metadata = metadata + relocation;
        return true;
    }
    return load_field(nm, l->nm_metadata, &metadata) && (t->metadata = nm + metadata, true);
}

/* Finds the first PcDesc at or after the offset. Debug information describes the code that ends where its PcDesc points. */
static bool find_pcdesc(const struct tables *t, int32_t offset, uint32_t *decode)
{
    if (t->pcs_end < t->pcs || t->pcs_end - t->pcs > (uintptr_t)PCDESCS_MAX * vm_layout.pcdesc_size)
        return false;
    uintptr_t low = 0, high = (t->pcs_end - t->pcs) / vm_layout.pcdesc_size;
    uint32_t word;
    while (low < high) {
        uintptr_t middle = (low + high) / 2;
        if (!load_u32(t->pcs + middle * vm_layout.pcdesc_size, &word))
            return false;
        if ((int32_t)word < offset)
            low = middle + 1;
        else
            high = middle;
    }
    uintptr_t at = t->pcs + low * vm_layout.pcdesc_size;
    return at < t->pcs_end && load_u32(at, &word) && (int32_t)word != INT32_MAX && load_u32(at + 4, decode);
}

static unsigned tier_of(uintptr_t nm)
{
    uint64_t level;
    if (!load_field(nm, vm_layout.nm_comp_level, &level))
        return JFR_FRAME_C2;
    return level >= 1 && level <= 3 ? JFR_FRAME_C1 : JFR_FRAME_C2;
}

static bool is_sparse(uintptr_t nm)
{
    uint64_t compilation;
    return code_sparse_until && load_field(nm, vm_layout.nm_compile_id, &compilation) && compilation <= code_sparse_until;
}

bool code_scopes_begin(struct code_scopes *s, const struct code *c, uintptr_t pc, bool is_leaf)
{
    uint64_t method;
    struct tables t;
    if (!load_field(c->blob, vm_layout.nm_method, &method) || !method)
        return false;
    *s = (struct code_scopes){.whole_method = method, .tier = tier_of(c->blob), .first = true};
    if (c->kind == CODE_NATIVE_WRAPPER) {
        s->tier = FRAME_NATIVE_METHOD;
        s->is_whole = true;
        return true;
    }
    s->approximate = is_leaf && is_sparse(c->blob) ? FRAME_APPROXIMATE : 0;
    if (find_tables(c->blob, &t) && find_pcdesc(&t, (int32_t)(pc - c->begin) + (is_leaf ? 1 : 0), &s->next)) {
        s->data = t.data;
        s->metadata = t.metadata;
        s->is_whole = true;
    }
    return true;
}

bool code_scopes_next(struct code_scopes *s, struct code_scope *out)
{
    bool first = s->first;
    s->first = false;
    if (!s->next) {
        /* There is no debug information for this place: the method is known, but the place in it is not. */
        *out = (struct code_scope){.method = s->whole_method, .bci = 0, .type = s->tier | s->approximate};
        return first;
    }
    uintptr_t at = s->data + s->next;
    uint32_t sender, index, bci;
    uint64_t method;
    if (s->next >> 28 || !code_read_unsigned5(&at, &sender) || !code_read_unsigned5(&at, &index) || !code_read_unsigned5(&at, &bci) ||
        !index || !load_u64(s->metadata + 8 * ((uintptr_t)index - 1), &method)) {
        *out = (struct code_scope){.method = s->whole_method, .bci = 0, .type = s->tier | s->approximate};
        s->next = 0;
        s->is_whole = false;
        return first;
    }
    /* Each scope is encoded after the scope into which it was inlined. So the offsets fall, there is no cycle, and the work is bounded. */
    if (sender >= s->next)
        sender = 0;
    s->next = sender;
    *out =
        (struct code_scope){.method = method, .bci = (int32_t)(bci - 1), .type = (sender ? JFR_FRAME_INLINED : s->tier) | s->approximate};
    return true;
}

bool code_places_begin(struct code_places *p, const struct code *c)
{
    struct tables t;
    if (c->kind != CODE_NMETHOD || !find_tables(c->blob, &t) || t.pcs_end < t.pcs ||
        t.pcs_end - t.pcs > (uintptr_t)PCDESCS_MAX * vm_layout.pcdesc_size)
        return false;
    *p = (struct code_places){.at = t.pcs, .end = t.pcs_end};
    return true;
}

/* The table begins and ends with entries that belong to no place. */
bool code_places_next(struct code_places *p, uint32_t *offset)
{
    uint32_t word;
    while (p->at < p->end && load_u32(p->at, &word)) {
        p->at += vm_layout.pcdesc_size;
        if ((int32_t)word == INT32_MAX)
            return false;
        if ((int32_t)word <= p->last)
            continue;
        p->last = (int32_t)word;
        *offset = word;
        return true;
    }
    return false;
}
