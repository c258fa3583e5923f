/* Replaces functions of the C library by functions of the agent, in all libraries, including those that are loaded later.
 *
 * The loader finds a function by name in the first library that has it; the entry in that library's symbol table is changed to lead to our
 * function. So every library that is bound from then on calls ours, from its first instruction, and so do callers of dlsym. Words in
 * libraries that were bound before are found through their relocations, and written one by one. No instruction is changed.
 *
 * This does not affect: code that has looked the address up before and keeps it elsewhere; calls within the library that has the function;
 * a library in a link map of its own (dlmopen); code that makes the system call itself.
 *
 *   hooks_open -> [ hooks_look ]* -> hooks_close
 *
 * Only one thread at a time may call these functions, and handlers must not. Our functions stay callable forever, because the agent is
 * never unloaded. */
#ifndef CANDOR_AGENT_TRIGGER_HOOKS_HOOKS_H
#define CANDOR_AGENT_TRIGGER_HOOKS_HOOKS_H

#include "base/error.h"

#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { HOOK_SYMBOLS_MAX = 4 };

struct hook {
    const char *name;
    uintptr_t own;
    _Atomic uintptr_t real;                       /* the function that `own` calls, found by the first hooks_open; 0 = none has that name */
    _Atomic uintptr_t *symbols[HOOK_SYMBOLS_MAX]; /* the words in the symbol tables' entries, for all versions of the same function */
    int symbol_count;
    uintptr_t base; /* the address to which these words are relative */
    bool on, is_below_another;
};

/* Changes the entries in the C library's table of symbols, which are used by libraries that are bound from now on. hooks_look handles
 * libraries that were bound before. Returns 0, or a negative errno; an error changes nothing. */
int hooks_open(struct hook *hooks, int count, struct error *e);
/* Changes the words of libraries that were bound before. It uses guarded loads, so their handler must be installed
 * (hot/fault/fault.h). */
void hooks_look(struct hook *hooks, int count);
/* Restores the words that are ours. If another hook in front of ours calls it, ours stays. */
void hooks_close(struct hook *hooks, int count);

#endif
