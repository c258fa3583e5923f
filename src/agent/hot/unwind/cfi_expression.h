/* The expressions of call frame information (DWARF 5, section 2.5), as far as their values can be known without running the
 * program: constants, offsets from the stack or frame pointer, or the word at such an offset. */
#ifndef CANDOR_AGENT_HOT_UNWIND_CFI_EXPRESSION_H
#define CANDOR_AGENT_HOT_UNWIND_CFI_EXPRESSION_H

#include "agent/hot/unwind/cursor.h"

struct cfi_operand {
    enum { CFI_CONSTANT, CFI_FROM_SP, CFI_FROM_FP, CFI_WORD_AT_SP, CFI_WORD_AT_FP } kind;
    int64_t value;
};

/* Evaluates the block at c for this pc, and moves c past it. */
bool cfi_evaluate(struct cursor *c, uintptr_t pc, struct cfi_operand *result);

#endif
