/* Loads from addresses that may not be valid: stale stack words, freed code, reused metadata.
 *
 * Each load is one instruction. Its address, and the address at which to continue after a fault, are in the section `candor_faults`. The
 * SIGSEGV/SIGBUS handler (hot/fault/fault.c) looks up the faulting pc there and continues at the second address; any other fault goes to
 * the handler that was there before ours. Without a fault the cost is only that of the load. The functions may be called anywhere,
 * including signal handlers. */
#ifndef CANDOR_AGENT_HOT_LOAD_H
#define CANDOR_AGENT_HOT_LOAD_H

#include "agent/hot/inject.h"
#include "agent/hot/layout.h"

#include <stdbool.h>
#include <stdint.h>

struct fault_entry {
    int32_t load, resume; /* relative to their own addresses */
};

#if defined(__x86_64__)
#define LOAD_U64 "movq %[from], %[to]"
#define LOAD_U32 "movl %[from], %[to]"
#define LOAD_U16 "movw %[from], %[to]"
#define LOAD_U8  "movb %[from], %[to]"
#elif defined(__aarch64__)
#define LOAD_U64 "ldr %x[to], %[from]"
#define LOAD_U32 "ldr %w[to], %[from]"
#define LOAD_U16 "ldrh %w[to], %[from]"
#define LOAD_U8  "ldrb %w[to], %[from]"
#endif

/* Without the empty instruction, GCC up to 12.3 may lose the value that the first one has loaded (its bug 113921). */
#define LOAD_BODY(instruction, type)                                                                                                       \
    type v;                                                                                                                                \
    at = inject_address(at);                                                                                                               \
    __asm__ goto("1: " instruction "\n"                                                                                                    \
                 ".pushsection candor_faults, \"a\"\n"                                                                                     \
                 ".balign 4\n"                                                                                                             \
                 ".long 1b - .\n"                                                                                                          \
                 ".long %l[fault] - .\n"                                                                                                   \
                 ".popsection\n"                                                                                                           \
                 : [to] "=r"(v)                                                                                                            \
                 : [from] "m"(*(const volatile type *)at)                                                                                  \
                 :                                                                                                                         \
                 : fault);                                                                                                                 \
    __asm__ volatile("");                                                                                                                  \
    *out = v;                                                                                                                              \
    return true;                                                                                                                           \
    fault:                                                                                                                                 \
    return false;

static inline bool load_u64(uintptr_t at, uint64_t *out)
{
    LOAD_BODY(LOAD_U64, uint64_t)
}

static inline bool load_u32(uintptr_t at, uint32_t *out)
{
    LOAD_BODY(LOAD_U32, uint32_t)
}

static inline bool load_u16(uintptr_t at, uint16_t *out)
{
    LOAD_BODY(LOAD_U16, uint16_t)
}

static inline bool load_u8(uintptr_t at, uint8_t *out)
{
    LOAD_BODY(LOAD_U8, uint8_t)
}

#undef LOAD_BODY
#undef LOAD_U64
#undef LOAD_U32
#undef LOAD_U16
#undef LOAD_U8

/* Reads the field of the object at `object`, zero-extended. */
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

/* Reads a field that holds an address. */
static inline bool load_address(uintptr_t object, struct vm_field field, uintptr_t *out)
{
    return load_u64(object + field.offset, out);
}

/* Reads a field that holds a signed number. */
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
