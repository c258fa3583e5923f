/* The parts of the interpreter: one for each bytecode, and some more. */
#ifndef CANDOR_AGENT_HOTSPOT_CODELETS_H
#define CANDOR_AGENT_HOTSPOT_CODELETS_H

#include <stdbool.h>
#include <stdint.h>

enum { CODELET_NAME_MAX = 64 };

struct codelet {
    uintptr_t begin, end; /* of its code, and a few bytes of padding before it */
    char name[CODELET_NAME_MAX];
};

/* False when pc lies in none, or this JVM's tables do not describe them. Some hundred loads; needs the fault handler. */
bool codelet_find(uintptr_t pc, struct codelet *out);

#endif
