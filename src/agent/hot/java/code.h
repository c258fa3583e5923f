/* Compiled code: finds the blob that contains a pc, and the (possibly inlined) Java frames at a pc in an nmethod. All functions read
 * foreign memory through hot/load.h, take bounded time, and may be called from a signal handler. */
#ifndef CANDOR_AGENT_HOT_JAVA_CODE_H
#define CANDOR_AGENT_HOT_JAVA_CODE_H

#include "jfr/schema.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum code_kind {
    CODE_NONE, /* not in the code cache, or in a free block */
    CODE_NMETHOD,
    CODE_NATIVE_WRAPPER, /* compiled glue around a native method */
    CODE_INTERPRETER,
    CODE_RETURN_BARRIER, /* the stub to which a virtual thread's lowest frame returns while its caller's frame is in the heap */
    CODE_CALL_STUB,      /* the return address of the stub through which the JVM calls Java */
    CODE_STUB            /* runtime stubs, intrinsics, adapters, vtable and deoptimization code */
};

struct code {
    enum code_kind kind;
    bool is_routine; /* a stub that compiled code and the interpreter call by its address: neither an adapter nor an entry of a table */
    uintptr_t blob;
    uintptr_t begin;        /* of the code; 0 for the interpreter */
    uint32_t frame_words;   /* size of the complete frame; 0 = none or unknown */
    int32_t frame_complete; /* offset from begin at which the frame is complete; -1 = unknown */
};

static inline bool code_is_compiled(const struct code *c)
{
    return c->kind == CODE_NMETHOD || c->kind == CODE_NATIVE_WRAPPER;
}

/* Whether the pc is in the code cache. The test is fast, and is also true for some other addresses. */
bool code_contains(uintptr_t pc);
struct code code_find(uintptr_t pc);
/* Returns the number of the compilation whose code contains the pc; 0 = there is none. */
uint32_t code_compilation(uintptr_t pc);

/* Whether pc is the address to which frames of this nmethod return after the nmethod was invalidated (deoptimization). */
bool code_is_deopt_entry(const struct code *c, uintptr_t pc);
/* Returns the pc at which the frame at sp would continue without that deoptimization, or pc itself if there was none. */
uintptr_t code_original_pc(const struct code *c, uintptr_t pc, uintptr_t sp);

/* Compilations up to this number may have debug information only for calls, so frames are approximate if their code was interrupted
 * elsewhere. 0 = none. It is written while no handler runs. */
extern uint64_t code_sparse_until;

struct code_scope {
    uintptr_t method; /* Method* */
    int32_t bci;      /* -1 = at entry */
    unsigned type;    /* the frame's type as in hot/record.h, combined with FRAME_APPROXIMATE if that applies */
};

/* Iterates over the Java frames at a pc, innermost first. */
struct code_scopes {
    uintptr_t data, metadata; /* of the nmethod */
    uintptr_t whole_method;   /* the method that the nmethod was compiled for, used for code without debug information */
    uint32_t next;            /* offset of the next scope in data; 0 = none left */
    unsigned tier, approximate;
    bool first;
    bool is_whole; /* all frames so far come from debug information */
};

/* Begins the iteration. is_leaf: pc is where the thread was interrupted, not a return address. */
bool code_scopes_begin(struct code_scopes *s, const struct code *c, uintptr_t pc, bool is_leaf);
/* Returns the next frame, or false at the end. The iteration ends even if the memory has arbitrary content. */
bool code_scopes_next(struct code_scopes *s, struct code_scope *out);

/* Iterates over the places in an nmethod for which it describes frames. They are offsets from the beginning of its code. Each describes the
 * code that ends there. */
struct code_places {
    uintptr_t at, end;
    int32_t last;
};

bool code_places_begin(struct code_places *p, const struct code *c);
/* Returns the next place. Returns false at the end, and if the table is damaged. Offsets are in rising order. */
bool code_places_next(struct code_places *p, uint32_t *offset);

/* Reads one number of HotSpot's UNSIGNED5 coding at *at and moves *at past it. */
bool code_read_unsigned5(uintptr_t *at, uint32_t *out);

#endif
