#include "agent/hotspot/codelets.h"

#include "agent/hot/layout.h"
#include "agent/hot/load.h"

enum { CODELETS_MAX = 4096, CODE_ALIGNMENT = 16 };

static void read_name(uintptr_t at, char *out)
{
    uint64_t text;
    uint8_t c = 0;
    int n = 0;
    if (load_field(at, vm_layout.codelet_description, &text) && text)
        while (n < CODELET_NAME_MAX - 1 && load_u8(text + (uintptr_t)n, &c) && c >= ' ' && c < 0x7f)
            out[n++] = (char)c;
    out[n] = 0;
}

/* The parts follow each other in memory. Each begins with its size. */
bool codelet_find(uintptr_t pc, struct codelet *out)
{
    const struct vm_layout *l = &vm_layout;
    uintptr_t at = l->interpreter_low;
    uint64_t size;
    if (!l->codelet_bytes || pc < at || pc >= l->interpreter_high)
        return false;
    for (int i = 0; i < CODELETS_MAX && at <= pc; i++, at += size) {
        if (!load_field(at, l->codelet_size, &size) || size <= l->codelet_bytes || size > l->interpreter_high - at)
            return false;
        if (pc >= at + size)
            continue;
        uintptr_t code = (at + l->codelet_bytes + CODE_ALIGNMENT - 1) & ~(uintptr_t)(CODE_ALIGNMENT - 1);
        out->begin = code <= pc ? code : at;
        out->end = at + size;
        read_name(at, out->name);
        return true;
    }
    return false;
}
