/* Decodes instructions with capstone. The bits of registers are: on x86-64 0 to 15 the general registers, 16 to 47 the vector registers,
 * 48 to 55 the masks; on AArch64 0 to 30 the general registers, 31 to 61 the vector registers. */
#include "asm/decode.h"
#include "asm/decode_vector.h"

#include <capstone.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FLAGS (UINT64_C(1) << 63)

struct capstone {
    csh handle;
    csh printer; /* decoder for the requested syntax, in which operands may have another order; or the same decoder */
    cs_insn *instruction, *printed;
    enum asm_processor processor;
    enum asm_syntax syntax;
};

static bool open_one(enum asm_processor processor, bool detail, csh *handle, cs_insn **instruction)
{
    cs_err rc = processor == ASM_AARCH64 ? cs_open(CS_ARCH_ARM64, CS_MODE_LITTLE_ENDIAN, handle) : cs_open(CS_ARCH_X86, CS_MODE_64, handle);
    if (rc != CS_ERR_OK)
        return false;
    cs_option(*handle, CS_OPT_DETAIL, detail ? CS_OPT_ON : CS_OPT_OFF);
    *instruction = cs_malloc(*handle);
    return *instruction != NULL;
}

static void end(void *state)
{
    struct capstone *c = state;
    if (c->instruction)
        cs_free(c->instruction, 1);
    if (c->printed)
        cs_free(c->printed, 1);
    if (c->handle)
        cs_close(&c->handle);
    if (c->printer)
        cs_close(&c->printer);
    free(c);
}

static int begin(void **state, enum asm_processor processor, enum asm_syntax syntax)
{
    struct capstone *c = calloc(1, sizeof *c);
    *state = c;
    if (!c)
        return -ENOMEM;
    c->processor = processor;
    c->syntax = syntax;
    if (!open_one(processor, true, &c->handle, &c->instruction) || !open_one(processor, false, &c->printer, &c->printed))
        return -ENOMEM;
    if (processor == ASM_X86_64 && syntax == ASM_ATT)
        cs_option(c->printer, CS_OPT_SYNTAX, CS_OPT_SYNTAX_ATT);
    return 0;
}

static bool starts_with(const char *text, const char *prefix)
{
    return !strncmp(text, prefix, strlen(prefix));
}

static bool is_in(const struct capstone *c, unsigned group)
{
    return cs_insn_group(c->handle, c->instruction, group);
}

static bool is_slow(const char *mnemonic)
{
    return strstr(mnemonic, "div") || strstr(mnemonic, "sqrt");
}

static void take_registers(const struct capstone *c, uint64_t (*bit_of)(unsigned), struct asm_instruction *out)
{
    cs_regs reads, writes;
    uint8_t read_count, write_count;
    if (cs_regs_access(c->handle, c->instruction, reads, &read_count, writes, &write_count) != CS_ERR_OK)
        return;
    for (uint8_t i = 0; i < read_count; i++)
        out->reads |= bit_of(reads[i]);
    for (uint8_t i = 0; i < write_count; i++)
        out->writes |= bit_of(writes[i]);
}

/* ---- AArch64 ---- */

static uint64_t arm_bit(unsigned reg)
{
    static const unsigned banks[] = {ARM64_REG_V0, ARM64_REG_Q0, ARM64_REG_D0, ARM64_REG_S0, ARM64_REG_H0, ARM64_REG_B0};
    if (reg >= ARM64_REG_X0 && reg <= ARM64_REG_X28)
        return UINT64_C(1) << (reg - ARM64_REG_X0);
    if (reg >= ARM64_REG_W0 && reg <= ARM64_REG_W30)
        return UINT64_C(1) << (reg - ARM64_REG_W0);
    if (reg == ARM64_REG_X29 || reg == ARM64_REG_X30)
        return UINT64_C(1) << (reg == ARM64_REG_X29 ? 29 : 30);
    for (size_t i = 0; i < sizeof banks / sizeof *banks; i++)
        if (reg >= banks[i] && reg < banks[i] + 31)
            return UINT64_C(1) << (31 + reg - banks[i]);
    return reg == ARM64_REG_NZCV ? FLAGS : 0;
}

static enum asm_mark arm_mark(const cs_insn *i)
{
    if (!strcmp(i->mnemonic, "ldr") && starts_with(i->op_str, "wzr, ["))
        return ASM_MARK_POLL;
    if (!strcmp(i->mnemonic, "lsr") && i->op_str[0] == 'x' && strstr(i->op_str, ", #9"))
        return ASM_MARK_CARD_INDEX;
    return !strcmp(i->mnemonic, "strb") ? ASM_MARK_BYTE_STORE : ASM_MARK_NONE;
}

static enum asm_flow arm_flow(const char *mnemonic)
{
    if (!strcmp(mnemonic, "b") || !strcmp(mnemonic, "br"))
        return ASM_JUMP;
    if (!strcmp(mnemonic, "bl") || !strcmp(mnemonic, "blr"))
        return ASM_CALL;
    if (!strcmp(mnemonic, "ret"))
        return ASM_RETURN;
    return starts_with(mnemonic, "b.") || starts_with(mnemonic, "cb") || starts_with(mnemonic, "tb") ? ASM_BRANCH : ASM_NEXT;
}

static void take_arm(const struct capstone *c, struct asm_instruction *out)
{
    const cs_insn *i = c->instruction;
    const cs_arm64 *a = &i->detail->arm64;
    out->flow = arm_flow(i->mnemonic);
    if (out->flow != ASM_NEXT && out->flow != ASM_RETURN && a->op_count && a->operands[a->op_count - 1].type == ARM64_OP_IMM)
        out->target = (uint64_t)a->operands[a->op_count - 1].imm;
    out->mark = arm_mark(i);
    out->loads = starts_with(i->mnemonic, "ld");
    take_registers(c, arm_bit, out);
}

/* ---- x86-64 ---- */

/* The first eight registers have separate names for their parts. The order is the processor's. */
static const unsigned short old_registers[8][5] = {
    {X86_REG_RAX, X86_REG_EAX, X86_REG_AX, X86_REG_AL, X86_REG_AH},
    {X86_REG_RCX, X86_REG_ECX, X86_REG_CX, X86_REG_CL, X86_REG_CH},
    {X86_REG_RDX, X86_REG_EDX, X86_REG_DX, X86_REG_DL, X86_REG_DH},
    {X86_REG_RBX, X86_REG_EBX, X86_REG_BX, X86_REG_BL, X86_REG_BH},
    {X86_REG_RSP, X86_REG_ESP, X86_REG_SP, X86_REG_SPL},
    {X86_REG_RBP, X86_REG_EBP, X86_REG_BP, X86_REG_BPL},
    {X86_REG_RSI, X86_REG_ESI, X86_REG_SI, X86_REG_SIL},
    {X86_REG_RDI, X86_REG_EDI, X86_REG_DI, X86_REG_DIL},
};

static uint64_t x86_bit(unsigned reg)
{
    static const struct {
        unsigned first, count, bit;
    } banks[] = {{X86_REG_R8, 8, 8},     {X86_REG_R8D, 8, 8},    {X86_REG_R8W, 8, 8},    {X86_REG_R8B, 8, 8},
                 {X86_REG_XMM0, 32, 16}, {X86_REG_YMM0, 32, 16}, {X86_REG_ZMM0, 32, 16}, {X86_REG_K0, 8, 48}};
    for (size_t i = 0; i < sizeof banks / sizeof *banks; i++)
        if (reg >= banks[i].first && reg < banks[i].first + banks[i].count)
            return UINT64_C(1) << (banks[i].bit + reg - banks[i].first);
    for (unsigned i = 0; i < 8; i++)
        for (int k = 0; k < 5; k++)
            if (reg == old_registers[i][k])
                return UINT64_C(1) << i;
    return reg == X86_REG_EFLAGS ? FLAGS : 0;
}

static bool is_register(const cs_x86_op *o, unsigned reg)
{
    return o->type == X86_OP_REG && o->reg == (x86_reg)reg;
}

/* Returns the mark of an instruction. The thread's structure is in r15. */
static enum asm_mark x86_mark(unsigned id, const cs_x86 *x)
{
    const cs_x86_op *first = &x->operands[0], *second = &x->operands[1];
    if (x->op_count != 2)
        return ASM_MARK_NONE;
    if (id == X86_INS_TEST && ((first->type == X86_OP_MEM && is_register(second, X86_REG_EAX)) ||
                               (second->type == X86_OP_MEM && is_register(first, X86_REG_EAX))))
        return ASM_MARK_POLL;
    if (id == X86_INS_CMP && is_register(first, X86_REG_RSP) && second->type == X86_OP_MEM && second->mem.base == X86_REG_R15)
        return ASM_MARK_RETURN_POLL;
    if (id == X86_INS_SHR && first->size == 8 && second->type == X86_OP_IMM && second->imm == 9)
        return ASM_MARK_CARD_INDEX;
    return id == X86_INS_MOV && first->type == X86_OP_MEM && first->size == 1 ? ASM_MARK_BYTE_STORE : ASM_MARK_NONE;
}

static void take_x86(const struct capstone *c, struct asm_instruction *out)
{
    const cs_insn *i = c->instruction;
    const cs_x86 *x = &i->detail->x86;
    bool jump = is_in(c, CS_GRP_JUMP);
    out->flow = is_in(c, CS_GRP_CALL)          ? ASM_CALL
                : is_in(c, CS_GRP_RET)         ? ASM_RETURN
                : jump && i->id == X86_INS_JMP ? ASM_JUMP
                : jump                         ? ASM_BRANCH
                                               : ASM_NEXT;
    if (out->flow != ASM_NEXT && out->flow != ASM_RETURN && x->op_count && x->operands[0].type == X86_OP_IMM)
        out->target = (uint64_t)x->operands[0].imm;
    for (uint8_t k = 0; k < x->op_count; k++)
        out->loads |= i->id != X86_INS_LEA && x->operands[k].type == X86_OP_MEM && (x->operands[k].access & CS_AC_READ);
    out->mark = x86_mark(i->id, x);
    take_registers(c, x86_bit, out);
}

/* ---- both processors ---- */

static bool decode(void *state, const uint8_t *bytes, size_t count, uint64_t address, struct asm_instruction *out)
{
    struct capstone *c = state;
    const uint8_t *at = bytes;
    size_t left = count;
    uint64_t start = address;
    if (!cs_disasm_iter(c->handle, &at, &left, &address, c->instruction))
        return c->processor == ASM_X86_64 && asm_vector_decode(bytes, count, start, c->syntax, out, NULL, 0);
    out->size = (uint8_t)c->instruction->size;
    out->slow = is_slow(c->instruction->mnemonic);
    if (c->processor == ASM_AARCH64)
        take_arm(c, out);
    else
        take_x86(c, out);
    return true;
}

static bool print(void *state, const uint8_t *bytes, size_t count, uint64_t address, char *text, size_t size)
{
    struct capstone *c = state;
    struct asm_instruction ignored;
    const uint8_t *at = bytes;
    size_t left = count;
    uint64_t start = address;
    if (!cs_disasm_iter(c->printer, &at, &left, &address, c->printed))
        return c->processor == ASM_X86_64 && asm_vector_decode(bytes, count, start, c->syntax, &ignored, text, size);
    snprintf(text, size, "%s%s%s", c->printed->mnemonic, *c->printed->op_str ? " " : "", c->printed->op_str);
    return true;
}

const struct asm_backend asm_capstone = {begin, decode, print, end};
