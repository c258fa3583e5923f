#include "agent/hot/unwind/cfi_expression.h"

#include "agent/hot/unwind/frame.h"

enum { OPERANDS_MAX = 8 };

struct evaluation {
    struct cfi_operand stack[OPERANDS_MAX];
    int depth;
    bool ok;
};

static void push(struct evaluation *e, struct cfi_operand o)
{
    e->ok = e->ok && e->depth < OPERANDS_MAX;
    if (e->ok)
        e->stack[e->depth++] = o;
}

static void push_constant(struct evaluation *e, int64_t value)
{
    push(e, (struct cfi_operand){CFI_CONSTANT, value});
}

static struct cfi_operand pop(struct evaluation *e)
{
    e->ok = e->ok && e->depth > 0;
    return e->ok ? e->stack[--e->depth] : (struct cfi_operand){CFI_CONSTANT, 0};
}

static void push_register(struct evaluation *e, unsigned number, int64_t offset, uintptr_t pc)
{
    if (number == frame_dwarf.sp)
        push(e, (struct cfi_operand){CFI_FROM_SP, offset});
    else if (number == frame_dwarf.fp)
        push(e, (struct cfi_operand){CFI_FROM_FP, offset});
    else if (number == frame_dwarf.return_address)
        push_constant(e, (int64_t)pc + offset);
    else
        e->ok = false;
}

static void add(struct evaluation *e, int64_t sign)
{
    struct cfi_operand b = pop(e), a = pop(e);
    if (a.kind == CFI_CONSTANT && sign > 0) {
        struct cfi_operand swapped = a;
        a = b;
        b = swapped;
    }
    e->ok = e->ok && b.kind == CFI_CONSTANT && a.kind <= CFI_FROM_FP;
    a.value += sign * b.value;
    push(e, a);
}

static void dereference(struct evaluation *e)
{
    struct cfi_operand a = pop(e);
    e->ok = e->ok && (a.kind == CFI_FROM_SP || a.kind == CFI_FROM_FP);
    a.kind = a.kind == CFI_FROM_SP ? CFI_WORD_AT_SP : CFI_WORD_AT_FP;
    push(e, a);
}

static void combine(struct evaluation *e, uint8_t op)
{
    struct cfi_operand b = pop(e), a = pop(e);
    uint64_t x = (uint64_t)a.value, y = (uint64_t)b.value;
    e->ok = e->ok && a.kind == CFI_CONSTANT && b.kind == CFI_CONSTANT;
    switch (op) {
    case 0x1a: /* DW_OP_and */
        push_constant(e, (int64_t)(x & y));
        break;
    case 0x21: /* DW_OP_or */
        push_constant(e, (int64_t)(x | y));
        break;
    case 0x24: /* DW_OP_shl */
        push_constant(e, y < 64 ? (int64_t)(x << y) : 0);
        break;
    case 0x25: /* DW_OP_shr */
        push_constant(e, y < 64 ? (int64_t)(x >> y) : 0);
        break;
    case 0x29: /* DW_OP_eq */
        push_constant(e, a.value == b.value);
        break;
    case 0x2a: /* DW_OP_ge */
        push_constant(e, a.value >= b.value);
        break;
    case 0x2b: /* DW_OP_gt */
        push_constant(e, a.value > b.value);
        break;
    case 0x2c: /* DW_OP_le */
        push_constant(e, a.value <= b.value);
        break;
    case 0x2d: /* DW_OP_lt */
        push_constant(e, a.value < b.value);
        break;
    case 0x2e: /* DW_OP_ne */
        push_constant(e, a.value != b.value);
        break;
    default:
        e->ok = false;
    }
}

static void evaluate_one(struct evaluation *e, struct cursor *c, uintptr_t pc)
{
    uint8_t op = (uint8_t)cursor_take(c, 1);
    if (op >= 0x30 && op <= 0x4f) /* DW_OP_lit0.. */
        push_constant(e, op - 0x30);
    else if (op >= 0x70 && op <= 0x8f) /* DW_OP_breg0.. */
        push_register(e, op - 0x70u, cursor_sleb(c), pc);
    else if (op >= 0x08 && op <= 0x0f) { /* DW_OP_const1u .. const8s: unsigned and signed in turn */
        unsigned bytes = 1u << (op - 0x08) / 2, unused = 64 - 8 * bytes;
        uint64_t v = cursor_take(c, bytes);
        push_constant(e, op & 1 ? (int64_t)(v << unused) >> unused : (int64_t)v);
    } else if (op == 0x10) /* DW_OP_constu */
        push_constant(e, (int64_t)cursor_uleb(c));
    else if (op == 0x11) /* DW_OP_consts */
        push_constant(e, cursor_sleb(c));
    else if (op == 0x06) /* DW_OP_deref */
        dereference(e);
    else if (op == 0x22) /* DW_OP_plus */
        add(e, 1);
    else if (op == 0x1c) /* DW_OP_minus */
        add(e, -1);
    else if (op == 0x23) { /* DW_OP_plus_uconst */
        push_constant(e, (int64_t)cursor_uleb(c));
        add(e, 1);
    } else
        combine(e, op);
}

bool cfi_evaluate(struct cursor *c, uintptr_t pc, struct cfi_operand *result)
{
    uint64_t length = cursor_uleb(c);
    struct cursor block = *c;
    struct evaluation e = {.ok = true};
    cursor_skip(c, length);
    block.end = c->at;
    while (e.ok && block.ok && block.at < block.end)
        evaluate_one(&e, &block, pc);
    *result = pop(&e);
    return e.ok && block.ok && c->ok && !e.depth;
}
