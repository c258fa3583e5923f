/* AArch64, and x86-64 where there is nothing better. The bits of registers: on AArch64 0 to 31 the general ones and 32 to 62 the
 * vector ones; on x86-64, whose registers have many names each, none are told. */
#include "asm/decode.h"

#include <capstone/capstone.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct capstone {
    csh handle;
    cs_insn *instruction;
    enum asm_processor processor;
};

static int begin(void **state, enum asm_processor processor, enum asm_syntax syntax)
{
    struct capstone *c = calloc(1, sizeof *c);
    *state = c;
    if (!c)
        return -ENOMEM;
    c->processor = processor;
    cs_err rc = processor == ASM_AARCH64 ? cs_open(CS_ARCH_ARM64, CS_MODE_LITTLE_ENDIAN, &c->handle)
                                         : cs_open(CS_ARCH_X86, CS_MODE_64, &c->handle);
    if (rc != CS_ERR_OK) {
        free(c);
        *state = NULL;
        return -ENOTSUP;
    }
    cs_option(c->handle, CS_OPT_DETAIL, CS_OPT_ON);
    if (processor == ASM_X86_64 && syntax == ASM_ATT)
        cs_option(c->handle, CS_OPT_SYNTAX, CS_OPT_SYNTAX_ATT);
    c->instruction = cs_malloc(c->handle);
    return c->instruction ? 0 : -ENOMEM;
}

static void end(void *state)
{
    struct capstone *c = state;
    if (c->instruction)
        cs_free(c->instruction, 1);
    cs_close(&c->handle);
    free(c);
}

static bool read_one(struct capstone *c, const uint8_t *bytes, size_t count, uint64_t address)
{
    return cs_disasm_iter(c->handle, &bytes, &count, &address, c->instruction);
}

static bool is_in(const struct capstone *c, unsigned group)
{
    return cs_insn_group(c->handle, c->instruction, group);
}

static bool starts_with(const char *text, const char *prefix)
{
    return !strncmp(text, prefix, strlen(prefix));
}

/* ---- AArch64 ---- */

static uint64_t arm_bit(unsigned reg)
{
    if (reg >= ARM64_REG_X0 && reg <= ARM64_REG_X28)
        return UINT64_C(1) << (reg - ARM64_REG_X0);
    if (reg >= ARM64_REG_W0 && reg <= ARM64_REG_W30)
        return UINT64_C(1) << (reg - ARM64_REG_W0);
    if (reg == ARM64_REG_X29 || reg == ARM64_REG_X30)
        return UINT64_C(1) << (reg == ARM64_REG_X29 ? 29 : 30);
    static const unsigned banks[] = {ARM64_REG_V0, ARM64_REG_Q0, ARM64_REG_D0, ARM64_REG_S0, ARM64_REG_H0, ARM64_REG_B0};
    for (size_t i = 0; i < sizeof banks / sizeof *banks; i++)
        if (reg >= banks[i] && reg < banks[i] + 31)
            return UINT64_C(1) << (32 + reg - banks[i]);
    return reg == ARM64_REG_NZCV ? UINT64_C(1) << 63 : 0;
}

static void arm_registers(const struct capstone *c, struct asm_instruction *out)
{
    cs_regs reads, writes;
    uint8_t read_count, write_count;
    if (cs_regs_access(c->handle, c->instruction, reads, &read_count, writes, &write_count) != CS_ERR_OK)
        return;
    for (uint8_t i = 0; i < read_count; i++)
        out->reads |= arm_bit(reads[i]);
    for (uint8_t i = 0; i < write_count; i++)
        out->writes |= arm_bit(writes[i]);
}

/* The thread's structure is in x28. */
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
    if (out->flow != ASM_NEXT && a->op_count && a->operands[a->op_count - 1].type == ARM64_OP_IMM)
        out->target = (uint64_t)a->operands[a->op_count - 1].imm;
    if (out->flow == ASM_RETURN)
        out->target = 0;
    out->mark = arm_mark(i);
    out->loads = starts_with(i->mnemonic, "ld");
    out->slow = strstr(i->mnemonic, "div") || strstr(i->mnemonic, "sqrt");
    arm_registers(c, out);
}

/* ---- x86-64 ---- */

static void take_x86(const struct capstone *c, struct asm_instruction *out)
{
    const cs_insn *i = c->instruction;
    const cs_x86 *x = &i->detail->x86;
    bool jump = is_in(c, CS_GRP_JUMP);
    out->flow = is_in(c, CS_GRP_CALL)                  ? ASM_CALL
                : is_in(c, CS_GRP_RET)                 ? ASM_RETURN
                : jump && !strcmp(i->mnemonic, "jmp") ? ASM_JUMP
                : jump                                 ? ASM_BRANCH
                                                       : ASM_NEXT;
    if ((jump || out->flow == ASM_CALL) && x->op_count && x->operands[0].type == X86_OP_IMM)
        out->target = (uint64_t)x->operands[0].imm;
    for (uint8_t k = 0; k < x->op_count; k++)
        out->loads |= x->operands[k].type == X86_OP_MEM && (x->operands[k].access & CS_AC_READ);
    out->slow = strstr(i->mnemonic, "div") || strstr(i->mnemonic, "sqrt");
    if (x->op_count == 2 && starts_with(i->mnemonic, "test") && x->operands[0].type == X86_OP_MEM &&
        x->operands[1].type == X86_OP_REG && x->operands[1].reg == X86_REG_EAX)
        out->mark = ASM_MARK_POLL;
}

static bool decode(void *state, const uint8_t *bytes, size_t count, uint64_t address, struct asm_instruction *out)
{
    struct capstone *c = state;
    if (!read_one(c, bytes, count, address))
        return false;
    out->size = (uint8_t)c->instruction->size;
    if (c->processor == ASM_AARCH64)
        take_arm(c, out);
    else
        take_x86(c, out);
    return true;
}

static bool print(void *state, const uint8_t *bytes, size_t count, uint64_t address, char *text, size_t size)
{
    struct capstone *c = state;
    if (!read_one(c, bytes, count, address))
        return false;
    snprintf(text, size, "%s%s%s", c->instruction->mnemonic, *c->instruction->op_str ? " " : "", c->instruction->op_str);
    return true;
}

const struct asm_backend asm_capstone = {begin, decode, print, end};
