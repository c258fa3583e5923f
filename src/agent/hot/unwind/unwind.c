#include "agent/hot/unwind/unwind.h"

#include "agent/hot/inject.h"
#include "agent/hot/load.h"
#include "agent/hot/unwind/cfi.h"
#include "agent/hot/unwind/frame.h"

#include <stdatomic.h>
#include <string.h>

enum { RULES = 4096, EPOCH_SHIFT = 48 };

/* A rule in one word. With CFI_REGISTER, cfa also contains the register's number. */
struct packed_rule {
    uint64_t base : 3, fp_saved : 2, return_in_register : 1, is_present : 1;
    int64_t cfa : 21, fp : 18, return_address : 18;
};

static struct {
    _Atomic uint64_t masked_key, rule;
} rules[RULES];

static struct packed_rule pack(const struct cfi_rule *r)
{
    int64_t cfa = r->base == CFI_REGISTER ? (int64_t)r->cfa * CFI_REGISTERS + r->reg : r->cfa;
    struct packed_rule p = {.base = r->base,
                            .fp_saved = r->fp_saved,
                            .return_in_register = r->return_saved == CFI_SAME,
                            .is_present = 1,
                            .cfa = cfa,
                            .fp = r->fp,
                            .return_address = r->return_address};
    if (p.cfa != cfa || p.fp != r->fp || p.return_address != r->return_address)
        p.base = CFI_UNKNOWN;
    return p;
}

static struct packed_rule find_rule(uintptr_t pc)
{
    struct packed_rule p;
    struct module m;
    uint64_t key = pc ^ (uint64_t)module_epoch() << EPOCH_SHIFT;
    size_t at = (size_t)(pc * 0x9e3779b97f4a7c15ULL >> 52) % RULES;
    /* Relaxed, because the two words confirm each other. */
    uint64_t word = atomic_load_explicit(&rules[at].rule, memory_order_relaxed);
    if (word && (atomic_load_explicit(&rules[at].masked_key, memory_order_relaxed) ^ word) == key && !inject_forgets(INJECT_RULES)) {
        memcpy(&p, &word, sizeof p);
        return p;
    }
    struct cfi_rule rule = {.base = CFI_UNKNOWN};
    if (module_find(pc, &m))
        rule = cfi_rule_at(&m, pc);
    p = pack(&rule);
    memcpy(&word, &p, sizeof word);
    atomic_store_explicit(&rules[at].masked_key, key ^ word, memory_order_relaxed);
    atomic_store_explicit(&rules[at].rule, word, memory_order_relaxed);
    return p;
}

static bool find_cfa(const struct packed_rule *r, const struct frame *f, const struct registers *leaf, uintptr_t *cfa)
{
    uint64_t word;
    int64_t offset = r->cfa;
    switch ((enum cfi_base)r->base) {
    case CFI_SP:
        *cfa = f->sp + (uintptr_t)offset;
        return true;
    case CFI_FP:
        *cfa = f->fp + (uintptr_t)offset;
        return true;
    case CFI_AT_SP:
    case CFI_AT_FP:
        if (!load_u64((r->base == CFI_AT_SP ? f->sp : f->fp) + (uintptr_t)offset, &word))
            return false;
        *cfa = word;
        return true;
    case CFI_REGISTER: /* known if the frame has made no call */
        if (!leaf || !frame_register(leaf->ucontext, (unsigned)offset % CFI_REGISTERS, &word))
            return false;
        *cfa = word + (uintptr_t)(offset >> 5);
        return true;
    default:
        return false;
    }
}

/* Finds the caller's frame pointer; 0 if it was not saved. */
static bool find_fp(const struct packed_rule *r, const struct frame *f, uintptr_t cfa, uint64_t *fp)
{
    *fp = 0;
    switch ((enum cfi_saved)r->fp_saved) {
    case CFI_SAME:
        *fp = f->fp;
        return true;
    case CFI_AT_CFA:
        return load_u64(cfa + (uintptr_t)(intptr_t)r->fp, fp);
    case CFI_BY_FP:
        return load_u64(f->fp + (uintptr_t)(intptr_t)r->fp, fp);
    case CFI_LOST:
        break;
    }
    return true;
}

static bool find_return_address(const struct packed_rule *r, const struct registers *leaf, uintptr_t cfa, uint64_t *pc)
{
    if (!r->return_in_register)
        return load_u64(cfa + (uintptr_t)(intptr_t)r->return_address, pc);
    *pc = leaf ? leaf->link : 0;
    return leaf;
}

static enum unwind_step leave_signal(struct frame *f, struct registers *at)
{
    if (!frame_registers(at, frame_signal_context(f->sp)))
        return UNWIND_UNKNOWN;
    *f = (struct frame){at->pc, at->sp, at->fp};
    return UNWIND_INTERRUPTED;
}

enum unwind_step unwind_step(struct frame *f, struct registers *at, bool is_leaf)
{
    struct packed_rule r = find_rule(is_leaf ? f->pc : f->pc - 1);
    const struct registers *leaf = is_leaf ? at : NULL;
    uintptr_t cfa;
    uint64_t pc, fp;
    if (r.base == CFI_END)
        return UNWIND_END;
    if (r.base == CFI_SIGNAL || (r.base == CFI_UNKNOWN && frame_is_signal_return(f->pc)))
        return leave_signal(f, at);
    if (!find_cfa(&r, f, leaf, &cfa) || !find_fp(&r, f, cfa, &fp) || !find_return_address(&r, leaf, cfa, &pc))
        return UNWIND_UNKNOWN;
    pc = frame_code_address(pc);
    /* Stacks grow down, and a frame is at least as large as the words saved in it. */
    if (cfa < f->sp || (cfa == f->sp && !r.return_in_register) || cfa % sizeof(void *) || !pc)
        return UNWIND_UNKNOWN;
    *f = (struct frame){pc, cfa, fp};
    return UNWIND_CALLER;
}
