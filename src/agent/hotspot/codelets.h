/* The parts of the interpreter: one for each bytecode, and some more. */
#ifndef CANDOR_AGENT_HOTSPOT_CODELETS_H
#define CANDOR_AGENT_HOTSPOT_CODELETS_H

#include <stdbool.h>
#include <stdint.h>

enum { CODELET_NAME_MAX = 64 };

struct codelet {
    uintptr_t begin, end; /* of its code, including a few bytes of padding before it */
    char name[CODELET_NAME_MAX];
};

/* Finds the part that contains pc. Returns false if there is none, or if this JVM's tables do not describe them. It makes some hundred
 * loads, and the fault handler must be installed. */
bool codelet_find(uintptr_t pc, struct codelet *out);

#endif
