/* Reads call frame information, which describes how to find the caller of a place in native code. It is in the .eh_frame section that the
 * library has in memory (DWARF 5, section 6.4; Linux Standard Base Core, "Exception Frames"). Nothing is prepared or kept: the description
 * of a pc is found by binary search and interpreted up to that pc. The functions may be called from a signal handler, and their work is
 * bounded. If memory disappears meanwhile, the result is "unknown". */
#ifndef CANDOR_AGENT_HOT_UNWIND_CFI_H
#define CANDOR_AGENT_HOT_UNWIND_CFI_H

#include "agent/hot/unwind/module.h"

#include <stdbool.h>
#include <stdint.h>

/* The canonical frame address (CFA) is the stack pointer that the caller will have. The addresses of all saved registers are relative to
 * it. */
enum cfi_base {
    CFI_UNKNOWN,  /* there is no description, or it is more complex than the others here */
    CFI_SP,       /* CFA = sp + cfa */
    CFI_FP,       /* CFA = fp + cfa */
    CFI_AT_SP,    /* CFA = the word at sp + cfa */
    CFI_AT_FP,    /* CFA = the word at fp + cfa (realigned stacks) */
    CFI_REGISTER, /* CFA = another register + cfa */
    CFI_SIGNAL,   /* a signal handler returns here: the interrupted registers are in the ucontext on the stack */
    CFI_END       /* the outermost frame of its thread */
};

enum { CFI_REGISTERS = 32 }; /* the general registers have lower DWARF numbers */

enum cfi_saved {
    CFI_SAME,   /* still in its register */
    CFI_AT_CFA, /* the word at CFA + offset */
    CFI_BY_FP,  /* the word at fp + offset */
    CFI_LOST
};

struct cfi_rule {
    enum cfi_base base;
    unsigned reg; /* with CFI_REGISTER: its DWARF number */
    enum cfi_saved fp_saved, return_saved;
    int32_t cfa, fp, return_address; /* bytes */
};

/* Returns the rule at pc in the library m. For a return address pass pc - 1, because the call may be the last instruction of its
 * function. */
struct cfi_rule cfi_rule_at(const struct module *m, uintptr_t pc);
/* Finds the beginning of the function that contains pc. Returns false if no description covers pc. */
bool cfi_function(const struct module *m, uintptr_t pc, uintptr_t *begin);

#endif
