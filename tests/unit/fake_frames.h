/* Frames and instructions as this processor's compilers and conventions make them, for tests of the walker: the stacks are
 * the same programs on each processor, what they are made of is here. */
#ifndef TESTS_FAKE_FRAMES_H
#define TESTS_FAKE_FRAMES_H

#include "agent/hot/unwind/frame.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One instruction of a compiled method that has a frame of FAKE_FRAME_WORDS, and how things stand before it runs. */
struct fake_instruction {
    uint8_t bytes[8], length;
    uint8_t depth; /* words between sp and the caller's sp */
    bool saved;    /* the caller's frame pointer is in the frame, no longer in its register */
};

struct fake_code {
    const char *name;
    const struct fake_instruction *instructions;
    size_t count;
    int32_t frame_complete; /* bytes */
};

enum { FAKE_FRAME_WORDS = 4 };

/* Whether a native frame tells where its caller's begins. */
#if defined(__x86_64__)
enum { FAKE_NATIVE_FRAMES_ARE_BOUNDED = true };
#else
enum { FAKE_NATIVE_FRAMES_ARE_BOUNDED = false };
#endif
/* What code may push on top of its frame, and an interpreted frame's slots in words from the frame pointer, since JDK 11. */
#if defined(__x86_64__)
enum { FAKE_PUSHED_WORDS = 1, FAKE_METHOD_SLOT = -3, FAKE_BCP_SLOT = -8 };
#elif defined(__aarch64__)
enum { FAKE_PUSHED_WORDS = 2, FAKE_METHOD_SLOT = -3, FAKE_BCP_SLOT = -9 };
#endif

/* The ways methods enter and leave; ended by one without a name. */
extern const struct fake_code fake_codes[];

/* A jump of the class archive to a method's entry; returns the offset of its last instruction, 0 where there are none. */
size_t fake_archived_entry(uintptr_t at, uintptr_t target);
/* Writes a call that returns to `pc`, a multiple of 4: of code right there, or of native code. */
void fake_call_before(uintptr_t pc);
void fake_native_call_before(uintptr_t pc);
/* A return address as a frame keeps it: signed, where the processor can. */
uint64_t fake_return_word(uintptr_t pc);
/* A function just called: *sp is its caller's, and what the call leaves goes to the stack or into `at`. */
void fake_call(struct registers *at, uint64_t **sp, uintptr_t return_address);
/* A native function at work, called with the stack at *sp: its frame of `words` goes there, and *sp is at its end. */
void fake_native_frame(struct registers *at, uint64_t **sp, size_t words, uintptr_t return_address);

#endif
