/* Frames and instructions as compilers and calling conventions of this processor make them, for tests of the walker. The tests build the
 * same stacks on each processor; this file contains the differences. */
#ifndef TESTS_FAKE_FRAMES_H
#define TESTS_FAKE_FRAMES_H

#include "agent/hot/unwind/frame.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One instruction of a compiled method that has a frame of FAKE_FRAME_WORDS, and the state before it runs. */
struct fake_instruction {
    uint8_t bytes[8], length;
    uint8_t depth; /* words between sp and the caller's sp */
    bool saved;    /* the caller's frame pointer is in the frame, and no longer in its register */
};

struct fake_code {
    const char *name;
    const struct fake_instruction *instructions;
    size_t count;
    int32_t frame_complete; /* bytes */
};

enum { FAKE_FRAME_WORDS = 4 };

/* Whether a native frame shows where its caller's frame begins. */
#if defined(__x86_64__)
enum { FAKE_NATIVE_FRAMES_ARE_BOUNDED = true };
#else
enum { FAKE_NATIVE_FRAMES_ARE_BOUNDED = false };
#endif
/* The number of words that code may push on top of its frame, and the slots of an interpreted frame since JDK 11, in words from the
 * frame pointer. */
#if defined(__x86_64__)
enum { FAKE_PUSHED_WORDS = 1, FAKE_METHOD_SLOT = -3, FAKE_BCP_SLOT = -8 };
#elif defined(__aarch64__)
enum { FAKE_PUSHED_WORDS = 2, FAKE_METHOD_SLOT = -3, FAKE_BCP_SLOT = -9 };
#endif

/* The ways in which methods enter and leave; an entry without a name ends the list. */
extern const struct fake_code fake_codes[];

/* A jump of the class archive to a method's entry. Returns the offset of its last instruction, 0 if the processor has no such jumps. */
size_t fake_archived_entry(uintptr_t at, uintptr_t target);
/* Writes a call that returns to `pc`, a multiple of 4: a call of the code right there, or of native code. */
void fake_call_before(uintptr_t pc);
void fake_native_call_before(uintptr_t pc);
/* A return address as a frame stores it: signed if the processor can sign. */
uint64_t fake_return_word(uintptr_t pc);
/* A function that was just called: *sp is its caller's stack pointer. The words that the call leaves go onto the stack or into `at`. */
void fake_call(struct registers *at, uint64_t **sp, uintptr_t return_address);
/* A native function in the middle of its work, called with the stack at *sp: puts its frame of `words` there, and moves *sp to the end
 * of the frame. */
void fake_native_frame(struct registers *at, uint64_t **sp, size_t words, uintptr_t return_address);

#endif
