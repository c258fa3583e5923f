/* The record that a handler puts into its thread's queue: 64-bit words, one record per sample.
 *
 *     0        time, CLOCK_MONOTONIC ns
 *     1        weight, ns of CPU time the sample stands for; of the event wall: of wall-clock time
 *     2        pc
 *     3        thread state (enum jfr_thread_state) in bits 0-7; of the event wall, in bits 8-63, ns of the weight in which the
 *              thread had no processor; of others, in bits 8-31, the window of a clock by lot (lot_window; 0 = none), and in bits
 *              32-63 the number of the compilation that contains the pc (0 = none, or not requested)
 *     4..      frames, leaf first: the kernel's, the walk's, what the thread works at
 *     ..       of a virtual thread: its id (0 = unknown); then, where known, its name: length and coder, 8 bytes a word
 *     ..n-2    of a thread with a context: hot/context.h
 *     n-1      outcome (enum outcome) in bits 0-15, words of the context in bits 16-31, of the virtual thread in bits 32-62; bit 63: of
 *              the event wall
 *
 * A frame is one word: its type (enum jfr_frame_type, or one of those below) in bits 60-63; below it, for Java methods, whether it is
 * approximate in bit 48, the method's id in bits 16-47 (hot/java/method.h) and the bytecode index in bits 0-15; for functions and stubs,
 * the pc. */
#ifndef CANDOR_AGENT_HOT_RECORD_H
#define CANDOR_AGENT_HOT_RECORD_H

#include "agent/hot/context.h"
#include "agent/hot/kernel.h"
#include "jfr/schema.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    FRAMES_MAX = 2048, /* frames of a walk */
    RECORD_HEAD = 4,
    RECORD_VIRTUAL_MAX = 18,
    RECORD_WORDS_MAX = RECORD_HEAD + KERNEL_FRAMES_MAX + FRAMES_MAX + 1 + RECORD_VIRTUAL_MAX + CONTEXT_WORDS_MAX + 1
};

enum {
    FRAME_NATIVE_METHOD = JFR_FRAME_TYPES, /* a Java method that is native: shown as a native frame, but named as a method */
    FRAME_COMPILATION,                     /* a method that a compiler thread compiles; the level takes the place of the bytecode index */
    FRAME_OPERATION                        /* an operation of the JVM; the address is that of its class's virtual functions */
};
_Static_assert(FRAME_OPERATION < 16, "a frame's type has four bits");

enum { FRAME_APPROXIMATE = 1 << 4 }; /* combined with the type of a compiled frame */

static inline uint64_t frame_java(unsigned type, uint32_t method, uint32_t bci)
{
    return (uint64_t)type << 60 | (uint64_t)(type / FRAME_APPROXIMATE) << 48 | (uint64_t)method << 16 | (bci & 0xffff);
}

static inline uint64_t frame_native(unsigned type, uintptr_t pc)
{
    return (uint64_t)type << 60 | (pc & 0x0fffffffffffffffULL);
}

/* Returns the pseudo frame at the root of a truncated stack. reason: enum truncation. */
static inline uint64_t frame_truncation(unsigned reason)
{
    return (uint64_t)JFR_FRAME_FAILED << 60 | reason;
}

static inline bool frame_is_java(uint64_t frame)
{
    return frame >> 60 <= JFR_FRAME_INLINED || frame >> 60 == FRAME_NATIVE_METHOD;
}

/* Whether the frame is a function or a stub. */
static inline bool frame_is_address(uint64_t frame)
{
    return frame >> 60 == JFR_FRAME_NATIVE || frame >> 60 == JFR_FRAME_STUB;
}

static inline enum jfr_frame_type frame_type(uint64_t frame)
{
    if (frame_is_java(frame) && frame >> 48 & 1)
        return (enum jfr_frame_type)((frame >> 60) - JFR_FRAME_C1 + JFR_FRAME_C1_APPROXIMATE);
    return frame >> 60 == FRAME_NATIVE_METHOD ? JFR_FRAME_NATIVE : (enum jfr_frame_type)(frame >> 60);
}

static inline uint32_t frame_method(uint64_t frame)
{
    return (uint32_t)(frame >> 16);
}

static inline uint32_t frame_bci(uint64_t frame)
{
    return frame & 0xffff;
}

/* Returns the address of a frame. The kernel is at the upper end of the address space, so its addresses get their upper bits back. */
static inline uintptr_t frame_pc(uint64_t frame)
{
    uintptr_t pc = (uintptr_t)(frame & 0x0fffffffffffffffULL);
    return frame >> 60 == JFR_FRAME_KERNEL ? pc | 0xf000000000000000ULL : pc;
}

enum { RECORD_READY_SHIFT = 8, RECORD_WINDOW_SHIFT = 8, RECORD_COMPILATION_SHIFT = 32 };
#define RECORD_OF_WALL (UINT64_C(1) << 63)

/* Returns word 3 of a sample of the clocks, without the state. */
static inline uint64_t record_place(uint32_t compilation, uint32_t window)
{
    return (uint64_t)compilation << RECORD_COMPILATION_SHIFT | window << RECORD_WINDOW_SHIFT;
}

static inline uint32_t record_window(uint64_t place)
{
    return (uint32_t)place >> RECORD_WINDOW_SHIFT;
}

static inline unsigned record_outcome(uint64_t last)
{
    return last & 0xffff;
}

static inline size_t record_context_words(uint64_t last)
{
    return last >> 16 & 0xffff;
}

static inline size_t record_virtual_words(uint64_t last)
{
    return (last & ~RECORD_OF_WALL) >> 32;
}

static inline uint64_t record_last(unsigned outcome, size_t context_words, size_t virtual_words)
{
    return outcome | (uint64_t)context_words << 16 | (uint64_t)virtual_words << 32;
}

/* Returns the word that describes a name: its length in bytes, and its coding as in java.lang.String (0 = Latin-1, 1 = UTF-16). */
static inline uint64_t record_name(uint32_t length, unsigned coder)
{
    return (uint64_t)coder << 32 | length;
}

#endif
