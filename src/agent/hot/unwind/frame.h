/* What the walker knows about a processor: registers, instructions and frames. It is all in one file, frame_<name>.c, and in
 * the load instructions in hot/load.h. A new processor needs these two, its name in meson.build, and a run of the tests. Code
 * that is the same for all processors is in frame.c. Callable from a signal handler; bounded. */
#ifndef CANDOR_AGENT_HOT_UNWIND_FRAME_H
#define CANDOR_AGENT_HOT_UNWIND_FRAME_H

#include "agent/hot/java/code.h"
#include "agent/hot/layout.h"

#include <stdbool.h>
#include <stdint.h>

struct registers {
    uintptr_t pc, sp, fp;
    uintptr_t ucontext;  /* where they were read from; 0 = nowhere */
    uintptr_t link;      /* where a call leaves its return address; 0 where that is the stack */
    uintptr_t bcp;       /* where the interpreter keeps the bytecode pointer of its topmost frame */
    uintptr_t method;    /* where it keeps the Method* on entry */
    uintptr_t sender_sp; /* where it keeps the caller's stack pointer on entry, if the walker needs it */
};

struct frame {
    uintptr_t pc, sp, fp;
};

/* The layout of the JVM's frames, in words from the frame pointer, as far as its tables do not contain it. */
struct frame_slots {
    int method, bcp, bcp_jdk8; /* of an interpreted frame */
    int entry_wrapper;         /* of the call stub's frame; newer tables have it */
};
extern const struct frame_slots frame_slots;

/* The numbers call frame information gives to registers. */
struct frame_dwarf {
    unsigned sp, fp, return_address;
};
extern const struct frame_dwarf frame_dwarf;

/* The registers of an interrupted thread, from a signal's ucontext; false when it is not there. */
bool frame_registers(struct registers *out, uintptr_t ucontext);
/* One of them, by its DWARF number. */
bool frame_register(uintptr_t ucontext, unsigned number, uint64_t *out);
/* Where the return from a signal handler finds its ucontext. */
uintptr_t frame_signal_context(uintptr_t sp);
/* The member of the ucontext with the address at which the thread continues. */
uintptr_t *frame_resume_at(void *ucontext);
/* Sets *sp, calls work(argument) and returns true. It returns false if frame_leave_guarded was given that *sp and a ucontext from
 * inside work, or from a function that work called. */
bool frame_call_guarded(uintptr_t *sp, void (*work)(void *), void *argument);
void frame_leave_guarded(void *ucontext, uintptr_t sp);
/* Calls work(argument) on another stack, which ends at top, a multiple of 16. */
void frame_call_on(uintptr_t top, void (*work)(void *), void *argument);
/* Whether the kernel itself knows how a signal handler returns to it. */
extern const bool frame_needs_no_restorer;
/* The thread pointer: the address of the C library's data for the calling thread. No two live threads have the same. */
uintptr_t frame_thread_pointer(void);
/* The third argument of the function that is about to run its first instruction. */
uintptr_t frame_third_argument(const void *ucontext);
/* The address in a word that was stored as a return address. */
uintptr_t frame_code_address(uintptr_t word);
/* True when the instruction before pc is a call. */
bool frame_follows_call(uintptr_t pc);
/* True in a jump to the code of a method's entry that lies outside the code cache: up to JDK 16 the class archive holds such
 * jumps for its methods. */
bool frame_is_archived_entry(uintptr_t pc, uintptr_t *target);

/* Replaces f by its caller; false if none was found. `at`: the registers, if f is the interrupted frame. */

/* Compiled code that was interrupted anywhere: prologue, body or epilogue. */
bool frame_leaf_caller(const struct code *c, struct frame *f, const struct registers *at);
/* Compiled code that is itself calling. */
bool frame_caller(const struct code *c, struct frame *f);
/* The same, if the result may be a caller: after a call, or a stub. */
bool frame_plausible_caller(const struct code *c, struct frame *f);
/* The interpreter at a method's entry, before the method's frame stands. */
bool frame_interpreter_entry_caller(struct frame *f, const struct registers *at);
/* The interpreter, or an adapter, just entered from compiled code or about to return to it. */
bool frame_compiled_caller(struct frame *f, const struct registers *at);
/* The interpreter's own code for an intrinsic method, which has no frame, after its call of a routine. at: of the thread, where something
 * above f was interrupted. */
bool frame_interpreter_routine_caller(struct frame *f, const struct registers *at);
/* A stub. at: NULL where f is calling. */
bool frame_stub_caller(const struct code *c, struct frame *f, const struct registers *at);
/* Code that no call frame information describes, called by native code or Java. at: NULL where f is calling. */
bool frame_undescribed_caller(struct frame *f, const struct registers *at);
/* Native code that Java called without leaving an anchor: its nearest Java caller. */
bool frame_native_caller(struct frame *f, const struct registers *at, bool has_frame_pointers);

/* True if pc can be a return address in Java: after a call in compiled code, in the interpreter, or in the call stub. */
bool frame_is_return_address(uintptr_t pc);
/* The same, or after a call in a library. */
bool frame_is_any_return_address(uintptr_t pc);

#endif
