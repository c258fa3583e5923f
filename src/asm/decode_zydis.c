/* x86-64. The bits of registers: 0 to 15 the general ones, 16 to 47 the vector ones, 48 to 55 those of masks. */
#include "asm/decode.h"

#include <Zydis/Zydis.h>
#include <errno.h>
#include <stdlib.h>

struct zydis {
    ZydisDecoder decoder;
    ZydisFormatter formatter;
};

struct decoded {
    ZydisDecodedInstruction instruction;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
};

static int begin(void **state, enum asm_processor processor, enum asm_syntax syntax)
{
    struct zydis *z = calloc(1, sizeof *z);
    *state = z;
    if (!z)
        return -ENOMEM;
    ZydisFormatterStyle style = syntax == ASM_ATT ? ZYDIS_FORMATTER_STYLE_ATT : ZYDIS_FORMATTER_STYLE_INTEL;
    if (ZYAN_SUCCESS(ZydisDecoderInit(&z->decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64)) &&
        ZYAN_SUCCESS(ZydisFormatterInit(&z->formatter, style)))
        return 0;
    free(z);
    *state = NULL;
    return -EINVAL;
}

static uint64_t bit_of(ZydisRegister reg)
{
    ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);
    if (whole >= ZYDIS_REGISTER_RAX && whole <= ZYDIS_REGISTER_R15)
        return UINT64_C(1) << (whole - ZYDIS_REGISTER_RAX);
    if (whole >= ZYDIS_REGISTER_ZMM0 && whole <= ZYDIS_REGISTER_ZMM31)
        return UINT64_C(1) << (16 + whole - ZYDIS_REGISTER_ZMM0);
    if (whole >= ZYDIS_REGISTER_K0 && whole <= ZYDIS_REGISTER_K7)
        return UINT64_C(1) << (48 + whole - ZYDIS_REGISTER_K0);
    return whole == ZYDIS_REGISTER_RFLAGS ? UINT64_C(1) << 63 : 0;
}

static void take_operand(const ZydisDecodedOperand *o, bool is_lea, struct asm_instruction *out)
{
    if (o->type == ZYDIS_OPERAND_TYPE_REGISTER) {
        uint64_t bit = bit_of(o->reg.value);
        if (o->actions & ZYDIS_OPERAND_ACTION_MASK_READ)
            out->reads |= bit;
        if (o->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
            out->writes |= bit;
    } else if (o->type == ZYDIS_OPERAND_TYPE_MEMORY) {
        out->reads |= bit_of(o->mem.base) | bit_of(o->mem.index);
        out->loads |= !is_lea && (o->actions & ZYDIS_OPERAND_ACTION_MASK_READ);
    }
}

static bool is_slow(ZydisMnemonic m)
{
    switch (m) {
    case ZYDIS_MNEMONIC_DIV:
    case ZYDIS_MNEMONIC_IDIV:
    case ZYDIS_MNEMONIC_DIVSD:
    case ZYDIS_MNEMONIC_DIVSS:
    case ZYDIS_MNEMONIC_VDIVSD:
    case ZYDIS_MNEMONIC_VDIVSS:
    case ZYDIS_MNEMONIC_VDIVPD:
    case ZYDIS_MNEMONIC_VDIVPS:
    case ZYDIS_MNEMONIC_SQRTSD:
    case ZYDIS_MNEMONIC_SQRTSS:
    case ZYDIS_MNEMONIC_VSQRTSD:
    case ZYDIS_MNEMONIC_VSQRTSS:
        return true;
    default:
        return false;
    }
}

static enum asm_flow flow_of(const ZydisDecodedInstruction *i)
{
    switch (i->meta.category) {
    case ZYDIS_CATEGORY_COND_BR:
        return ASM_BRANCH;
    case ZYDIS_CATEGORY_UNCOND_BR:
        return ASM_JUMP;
    case ZYDIS_CATEGORY_CALL:
        return ASM_CALL;
    case ZYDIS_CATEGORY_RET:
        return ASM_RETURN;
    default:
        return ASM_NEXT;
    }
}

static uint64_t target_of(const struct decoded *d, uint64_t address)
{
    const ZydisDecodedOperand *o = &d->operands[0];
    ZyanU64 target;
    bool fixed = d->instruction.operand_count_visible && o->type == ZYDIS_OPERAND_TYPE_IMMEDIATE && o->imm.is_relative;
    return fixed && ZYAN_SUCCESS(ZydisCalcAbsoluteAddress(&d->instruction, o, address, &target)) ? target : 0;
}

static bool is_register(const ZydisDecodedOperand *o, ZydisRegister reg)
{
    return o->type == ZYDIS_OPERAND_TYPE_REGISTER && o->reg.value == reg;
}

/* The thread's structure is in r15. */
static enum asm_mark mark_of(const struct decoded *d)
{
    const ZydisDecodedOperand *first = &d->operands[0], *second = &d->operands[1];
    bool from_memory = first->type == ZYDIS_OPERAND_TYPE_MEMORY;
    if (d->instruction.operand_count_visible < 2)
        return ASM_MARK_NONE;
    switch (d->instruction.mnemonic) {
    case ZYDIS_MNEMONIC_TEST:
        return from_memory && first->size == 32 && is_register(second, ZYDIS_REGISTER_EAX) ? ASM_MARK_POLL : ASM_MARK_NONE;
    case ZYDIS_MNEMONIC_CMP:
        return is_register(first, ZYDIS_REGISTER_RSP) && second->type == ZYDIS_OPERAND_TYPE_MEMORY &&
                       second->mem.base == ZYDIS_REGISTER_R15
                   ? ASM_MARK_RETURN_POLL
                   : ASM_MARK_NONE;
    case ZYDIS_MNEMONIC_SHR:
        return first->size == 64 && second->type == ZYDIS_OPERAND_TYPE_IMMEDIATE && second->imm.value.u == 9 ? ASM_MARK_CARD_INDEX
                                                                                                             : ASM_MARK_NONE;
    case ZYDIS_MNEMONIC_MOV:
        return from_memory && first->size == 8 ? ASM_MARK_BYTE_STORE : ASM_MARK_NONE;
    default:
        return ASM_MARK_NONE;
    }
}

static bool read_one(const struct zydis *z, const uint8_t *bytes, size_t count, struct decoded *d)
{
    return ZYAN_SUCCESS(ZydisDecoderDecodeFull(&z->decoder, bytes, count, &d->instruction, d->operands));
}

static bool decode(void *state, const uint8_t *bytes, size_t count, uint64_t address, struct asm_instruction *out)
{
    struct decoded d;
    if (!read_one(state, bytes, count, &d))
        return false;
    out->size = d.instruction.length;
    out->flow = flow_of(&d.instruction);
    out->target = out->flow == ASM_NEXT || out->flow == ASM_RETURN ? 0 : target_of(&d, address);
    out->slow = is_slow(d.instruction.mnemonic);
    out->mark = mark_of(&d);
    for (ZyanU8 i = 0; i < d.instruction.operand_count; i++)
        take_operand(&d.operands[i], d.instruction.mnemonic == ZYDIS_MNEMONIC_LEA, out);
    return true;
}

static bool print(void *state, const uint8_t *bytes, size_t count, uint64_t address, char *text, size_t size)
{
    const struct zydis *z = state;
    struct decoded d;
    return read_one(z, bytes, count, &d) &&
           ZYAN_SUCCESS(ZydisFormatterFormatInstruction(&z->formatter, &d.instruction, d.operands, d.instruction.operand_count_visible,
                                                        text, size, address, ZYAN_NULL));
}

const struct asm_backend asm_zydis = {begin, decode, print, free};
