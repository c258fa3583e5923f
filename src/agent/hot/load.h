/* Loads from memory that may not be there: stale stack words, freed code, reused metadata.
 *
 * Each load is one instruction whose address, with the address to go on at after a fault, stands in the section
 * `candor_faults`. The SIGSEGV/SIGBUS handler (hot/fault.c) looks the faulting pc up there and continues at the second;
 * any other fault goes to the handler that was there before ours. Cost without a fault: the load. Callable anywhere,
 * signal handlers included. */
#ifndef CANDOR_AGENT_HOT_LOAD_H
#define CANDOR_AGENT_HOT_LOAD_H

#include "agent/hot/layout.h"

#include <stdbool.h>
#include <stdint.h>

struct fault_entry {
    int32_t load, resume; /* relative to their own addresses */
};

#if defined(__x86_64__)
#define LOAD_INSTRUCTION(move) "1: " move " %[from], %[to]\n"
#elif defined(__aarch64__)
#define LOAD_INSTRUCTION(move) "1: " move " %[to], %[from]\n"
#endif

#define LOAD_BODY(move, type)                                                                                          \
    type v;                                                                                                            \
    __asm__ goto(LOAD_INSTRUCTION(move) ".pushsection candor_faults, \"a\"\n"                                          \
                                        ".balign 4\n"                                                                  \
                                        ".long 1b - .\n"                                                               \
                                        ".long %l[fault] - .\n"                                                        \
                                        ".popsection\n"                                                                \
                 : [to] "=r"(v)                                                                                        \
                 : [from] "m"(*(const volatile type *)at)                                                              \
                 :                                                                                                     \
                 : fault);                                                                                             \
    *out = v;                                                                                                          \
    return true;                                                                                                       \
    fault:                                                                                                             \
    return false;

static inline bool load_u64(uintptr_t at, uint64_t *out)
{
#if defined(__x86_64__)
    LOAD_BODY("movq", uint64_t)
#else
    LOAD_BODY("ldr", uint64_t)
#endif
}

static inline bool load_u32(uintptr_t at, uint32_t *out)
{
#if defined(__x86_64__)
    LOAD_BODY("movl", uint32_t)
#else
    LOAD_BODY("ldr", uint32_t)
#endif
}

static inline bool load_u16(uintptr_t at, uint16_t *out)
{
#if defined(__x86_64__)
    LOAD_BODY("movw", uint16_t)
#else
    LOAD_BODY("ldrh", uint16_t)
#endif
}

static inline bool load_u8(uintptr_t at, uint8_t *out)
{
#if defined(__x86_64__)
    LOAD_BODY("movb", uint8_t)
#else
    LOAD_BODY("ldrb", uint8_t)
#endif
}

#undef LOAD_BODY
#undef LOAD_INSTRUCTION

/* The field of the object at `object`, zero-extended. */
static inline bool load_field(uintptr_t object, struct vm_field field, uint64_t *out)
{
    uint8_t b;
    uint16_t h;
    uint32_t w;
    uintptr_t at = object + field.offset;
    switch (field.width) {
    case 8:
        return load_u64(at, out);
    case 4:
        return load_u32(at, &w) && (*out = w, true);
    case 2:
        return load_u16(at, &h) && (*out = h, true);
    case 1:
        return load_u8(at, &b) && (*out = b, true);
    default:
        return false;
    }
}

/* The same for fields that hold signed numbers. */
static inline bool load_signed(uintptr_t object, struct vm_field field, int64_t *out)
{
    uint64_t v;
    if (!load_field(object, field, &v))
        return false;
    int shift = 64 - 8 * field.width;
    *out = (int64_t)(v << shift) >> shift;
    return true;
}

#endif
