#include "agent/hot/unwind/cfi.h"

#include "agent/hot/load.h"
#include "agent/hot/unwind/cfi_expression.h"
#include "agent/hot/unwind/cursor.h"
#include "agent/hot/unwind/frame.h"

#include <stddef.h>

/* Limits. GCC's own compiler has a function with 13,000 instructions, and libjvm of JDK 27 one with 11,000. They take 0.1 ms for a new
 * pc. */
enum { REMEMBER_MAX = 8, INSTRUCTIONS_MAX = 1 << 16 };

/* Reads a pointer in one of the codings of .eh_frame (DW_EH_PE_*). Indirect pointers, which belong to personality routines, are only
 * skipped. */
static uint64_t take_pointer(struct cursor *c, uint8_t coding)
{
    uintptr_t place = c->at;
    uint64_t v;
    switch (coding & 0x0f) {
    case 0x00:
    case 0x04:
    case 0x0c:
        v = cursor_take(c, 8);
        break;
    case 0x01:
        v = cursor_uleb(c);
        break;
    case 0x09:
        v = (uint64_t)cursor_sleb(c);
        break;
    case 0x02:
        v = cursor_take(c, 2);
        break;
    case 0x0a:
        v = (uint64_t)(int64_t)(int16_t)cursor_take(c, 2);
        break;
    case 0x03:
        v = cursor_take(c, 4);
        break;
    case 0x0b:
        v = (uint64_t)(int64_t)(int32_t)cursor_take(c, 4);
        break;
    default:
        c->ok = false;
        return 0;
    }
    return (coding & 0x70) == 0x10 ? v + place : v;
}

/* The instructions that many functions share (CIE), and the data for reading the instructions of one function (FDE). */
struct common {
    struct cursor instructions;
    uint64_t code_unit;
    int64_t data_unit;
    uint8_t pointer_coding;
    bool has_augmentation, is_signal_frame;
};

/* Opens an entry of .eh_frame: a length, followed by as many bytes. */
static struct cursor open_entry(uintptr_t at)
{
    struct cursor c = {.at = at, .end = at + 4, .ok = true};
    uint64_t length = cursor_take(&c, 4);
    c.ok = c.ok && length && length < 0xfffffff0u;
    c.end = c.at + length;
    return c;
}

static bool read_augmentation(struct cursor *c, struct common *out, uintptr_t text)
{
    struct cursor letters = {.at = text, .end = c->at, .ok = true};
    uint8_t letter = (uint8_t)cursor_take(&letters, 1);
    if (!letter)
        return true;
    if (letter != 'z')
        return false;
    out->has_augmentation = true;
    uint64_t length = cursor_uleb(c);
    struct cursor data = *c;
    cursor_skip(c, length);
    data.end = c->at;
    while ((letter = (uint8_t)cursor_take(&letters, 1)))
        switch (letter) {
        case 'R':
            out->pointer_coding = (uint8_t)cursor_take(&data, 1);
            break;
        case 'P':
            take_pointer(&data, (uint8_t)cursor_take(&data, 1));
            break;
        case 'L':
            cursor_take(&data, 1);
            break;
        case 'S':
            out->is_signal_frame = true;
            break;
        case 'B': /* return addresses are signed with the second key */
            break;
        default:
            return false;
        }
    return data.ok;
}

static bool read_common(uintptr_t at, struct common *out)
{
    struct cursor c = open_entry(at);
    *out = (struct common){0};
    uint64_t id = cursor_take(&c, 4), version = cursor_take(&c, 1);
    uintptr_t text = c.at;
    while (c.ok && cursor_take(&c, 1))
        ;
    out->code_unit = cursor_uleb(&c);
    out->data_unit = cursor_sleb(&c);
    uint64_t return_register = version == 1 ? cursor_take(&c, 1) : cursor_uleb(&c);
    if (!c.ok || id || (version != 1 && version != 3) || return_register != frame_dwarf.return_address)
        return false;
    if (!read_augmentation(&c, out, text))
        return false;
    out->instructions = c;
    return c.ok;
}

/* Finds the last row of the table whose first pc is not above pc. */
static bool search(const struct module *m, uintptr_t pc, uint32_t *index)
{
    int64_t wanted = (int64_t)(pc - m->frame_header);
    uint32_t low = 0, high = m->frame_count, first;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (!load_u32(m->frame_table + 8 * (uintptr_t)middle, &first))
            return false;
        if ((int32_t)first <= wanted)
            low = middle + 1;
        else
            high = middle;
    }
    *index = low - 1;
    return low;
}

static bool load_offset(const struct module *m, uint32_t index, int column, uintptr_t *address)
{
    uint32_t offset;
    if (!load_u32(m->frame_table + 8 * (uintptr_t)index + 4 * (uintptr_t)column, &offset))
        return false;
    *address = m->frame_header + (uintptr_t)(intptr_t)(int32_t)offset;
    return true;
}

bool cfi_function(const struct module *m, uintptr_t pc, uintptr_t *begin)
{
    uint32_t index;
    return search(m, pc, &index) && load_offset(m, index, 0, begin);
}

enum saved { SAME, AT_CFA, AT_FP, UNDEFINED, ELSEWHERE };

struct place {
    enum saved how;
    int64_t offset;
};

struct row {
    enum cfi_base base;
    unsigned reg;
    int64_t cfa;
    struct place fp, return_address;
};

struct program {
    struct row row, initial, remembered[REMEMBER_MAX];
    int depth;
    uintptr_t location, pc;
    const struct common *common;
};

static void set_base(struct row *r, uint64_t number)
{
    r->base = number == frame_dwarf.sp ? CFI_SP : number == frame_dwarf.fp ? CFI_FP : number < CFI_REGISTERS ? CFI_REGISTER : CFI_UNKNOWN;
    r->reg = (unsigned)number;
}

static struct place *place_of(struct row *r, uint64_t number)
{
    return number == frame_dwarf.fp ? &r->fp : number == frame_dwarf.return_address ? &r->return_address : NULL;
}

static void set_place(struct row *r, uint64_t number, enum saved how, int64_t offset)
{
    struct place *p = place_of(r, number);
    if (p)
        *p = (struct place){how, offset};
}

static void restore(struct program *p, uint64_t number)
{
    struct place *to = place_of(&p->row, number);
    if (to)
        *to = *place_of(&p->initial, number);
}

static void define_by_expression(struct program *p, struct cursor *c)
{
    static const enum cfi_base bases[] = {CFI_UNKNOWN, CFI_SP, CFI_FP, CFI_AT_SP, CFI_AT_FP};
    struct cfi_operand o;
    p->row.base = cfi_evaluate(c, p->pc, &o) ? bases[o.kind] : CFI_UNKNOWN;
    p->row.cfa = o.value;
}

static void save_by_expression(struct program *p, struct cursor *c, bool is_value)
{
    struct cfi_operand o;
    uint64_t number = cursor_uleb(c);
    bool by_fp = cfi_evaluate(c, p->pc, &o) && o.kind == CFI_FROM_FP && !is_value;
    set_place(&p->row, number, by_fp ? AT_FP : ELSEWHERE, o.value);
}

/* Executes one of the instructions that have no operand in their first byte (DW_CFA_*). */
static bool extended(struct program *p, struct cursor *c, uint8_t op)
{
    int64_t unit = p->common->data_unit;
    uint64_t number;
    switch (op) {
    case 0x00: /* nop */
        return true;
    case 0x01: /* set_loc */
        p->location = take_pointer(c, p->common->pointer_coding);
        return true;
    case 0x02: /* advance_loc1 */
        p->location += cursor_take(c, 1) * p->common->code_unit;
        return true;
    case 0x03: /* advance_loc2 */
        p->location += cursor_take(c, 2) * p->common->code_unit;
        return true;
    case 0x04: /* advance_loc4 */
        p->location += cursor_take(c, 4) * p->common->code_unit;
        return true;
    case 0x05: /* offset_extended */
        number = cursor_uleb(c);
        set_place(&p->row, number, AT_CFA, (int64_t)cursor_uleb(c) * unit);
        return true;
    case 0x06: /* restore_extended */
        restore(p, cursor_uleb(c));
        return true;
    case 0x07: /* undefined */
        set_place(&p->row, cursor_uleb(c), UNDEFINED, 0);
        return true;
    case 0x08: /* same_value */
        set_place(&p->row, cursor_uleb(c), SAME, 0);
        return true;
    case 0x09: /* register */
        number = cursor_uleb(c);
        cursor_uleb(c);
        set_place(&p->row, number, ELSEWHERE, 0);
        return true;
    case 0x0a: /* remember_state */
        if (p->depth == REMEMBER_MAX)
            return false;
        p->remembered[p->depth++] = p->row;
        return true;
    case 0x0b: /* restore_state */
        if (!p->depth)
            return false;
        p->row = p->remembered[--p->depth];
        return true;
    case 0x0c: /* def_cfa */
        set_base(&p->row, cursor_uleb(c));
        p->row.cfa = (int64_t)cursor_uleb(c);
        return true;
    case 0x0d: /* def_cfa_register */
        set_base(&p->row, cursor_uleb(c));
        return true;
    case 0x0e: /* def_cfa_offset */
        p->row.cfa = (int64_t)cursor_uleb(c);
        return true;
    case 0x0f: /* def_cfa_expression */
        define_by_expression(p, c);
        return true;
    case 0x10: /* expression */
        save_by_expression(p, c, false);
        return true;
    case 0x11: /* offset_extended_sf */
        number = cursor_uleb(c);
        set_place(&p->row, number, AT_CFA, cursor_sleb(c) * unit);
        return true;
    case 0x12: /* def_cfa_sf */
        set_base(&p->row, cursor_uleb(c));
        p->row.cfa = cursor_sleb(c) * unit;
        return true;
    case 0x13: /* def_cfa_offset_sf */
        p->row.cfa = cursor_sleb(c) * unit;
        return true;
    case 0x14: /* val_offset */
    case 0x15: /* val_offset_sf */
        set_place(&p->row, cursor_uleb(c), ELSEWHERE, 0);
        cursor_leb(c, op == 0x15);
        return true;
    case 0x16: /* val_expression */
        save_by_expression(p, c, true);
        return true;
    case 0x2d: /* AArch64: the signature of the return address begins or ends; never on x86 */
        return true;
    case 0x2e: /* GNU_args_size */
        cursor_uleb(c);
        return true;
    case 0x2f: /* GNU_negative_offset_extended */
        number = cursor_uleb(c);
        set_place(&p->row, number, AT_CFA, -((int64_t)cursor_uleb(c) * unit));
        return true;
    default:
        return false;
    }
}

/* Executes instructions until they describe places after pc. */
static bool run(struct program *p, struct cursor *c)
{
    for (int i = 0; c->ok && c->at < c->end; i++) {
        if (i == INSTRUCTIONS_MAX)
            return false;
        uint8_t op = (uint8_t)cursor_take(c, 1), operand = op & 0x3f;
        switch (op >> 6) {
        case 1: /* advance_loc */
            p->location += operand * p->common->code_unit;
            break;
        case 2: /* offset */
            set_place(&p->row, operand, AT_CFA, (int64_t)cursor_uleb(c) * p->common->data_unit);
            break;
        case 3: /* restore */
            restore(p, operand);
            break;
        default:
            if (!extended(p, c, op))
                return false;
        }
        if (p->location > p->pc)
            return c->ok;
    }
    return c->ok;
}

static bool fits(int64_t offset)
{
    return offset >= INT32_MIN && offset <= INT32_MAX;
}

static struct cfi_rule rule_of(const struct row *r, bool is_signal_frame)
{
    static const enum cfi_saved saved[] = {CFI_SAME, CFI_AT_CFA, CFI_BY_FP, CFI_LOST, CFI_LOST};
    struct cfi_rule rule = {.base = r->base,
                            .reg = r->reg,
                            .cfa = (int32_t)r->cfa,
                            .fp_saved = saved[r->fp.how],
                            .fp = (int32_t)r->fp.offset,
                            .return_saved = saved[r->return_address.how],
                            .return_address = (int32_t)r->return_address.offset};
    if (is_signal_frame)
        rule.base = CFI_SIGNAL;
    else if (r->return_address.how == UNDEFINED)
        rule.base = CFI_END;
    else if (rule.return_saved == CFI_LOST || !fits(r->cfa) || !fits(r->fp.offset) || !fits(r->return_address.offset))
        rule.base = CFI_UNKNOWN;
    return rule;
}

struct cfi_rule cfi_rule_at(const struct module *m, uintptr_t pc)
{
    const struct cfi_rule unknown = {.base = CFI_UNKNOWN};
    struct program p = {.pc = pc};
    struct common common;
    uint32_t index;
    uintptr_t entry;
    if (!m->frame_header || !search(m, pc, &index) || !load_offset(m, index, 1, &entry))
        return unknown;
    struct cursor c = open_entry(entry);
    uintptr_t back_from = c.at;
    uint64_t back = cursor_take(&c, 4);
    if (!c.ok || !back || !read_common(back_from - back, &common))
        return unknown;
    uintptr_t first = take_pointer(&c, common.pointer_coding);
    uintptr_t length = take_pointer(&c, common.pointer_coding & 0x0f);
    if (common.has_augmentation)
        cursor_skip(&c, cursor_uleb(&c));
    if (!c.ok || pc < first || pc - first >= length)
        return unknown;
    p.common = &common;
    p.location = first;
    if (!run(&p, &common.instructions))
        return unknown;
    p.initial = p.row;
    p.location = first;
    if (!run(&p, &c))
        return unknown;
    return rule_of(&p.row, common.is_signal_frame);
}
