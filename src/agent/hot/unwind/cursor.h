/* Reads forward through foreign memory. At the end or at a fault `ok` becomes false, and all further reads return 0. */
#ifndef CANDOR_AGENT_HOT_UNWIND_CURSOR_H
#define CANDOR_AGENT_HOT_UNWIND_CURSOR_H

#include <stdbool.h>
#include <stdint.h>

struct cursor {
    uintptr_t at, end;
    bool ok;
};

/* Reads 1, 2, 4 or 8 bytes. */
uint64_t cursor_take(struct cursor *c, unsigned bytes);
/* Read a number in LEB128. */
uint64_t cursor_leb(struct cursor *c, bool is_signed);
uint64_t cursor_uleb(struct cursor *c);
int64_t cursor_sleb(struct cursor *c);
void cursor_skip(struct cursor *c, uint64_t bytes);

#endif
