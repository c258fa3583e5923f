/* The walker's knowledge about a processor: registers, instructions and frames. All of it is in one file for each processor,
 * frame_<name>.c, and in the load instructions in hot/load.h. A new processor needs these two, its name in meson.build, and a run of the
 * tests. Code that is the same for all processors is in frame.c. The functions may be called from a signal handler, and their work is
 * bounded. */
#ifndef CANDOR_AGENT_HOT_UNWIND_FRAME_H
#define CANDOR_AGENT_HOT_UNWIND_FRAME_H

#include "agent/hot/java/code.h"
#include "agent/hot/layout.h"

#include <stdbool.h>
#include <stdint.h>

struct registers {
    uintptr_t pc, sp, fp;
    uintptr_t ucontext;  /* the ucontext from which they were read; 0 = none */
    uintptr_t link;      /* the register for a call's return address; 0 if calls put it on the stack */
    uintptr_t bcp;       /* the register in which the interpreter keeps the bytecode pointer of its topmost frame */
    uintptr_t method;    /* the register in which the interpreter has the Method* on entry */
    uintptr_t sender_sp; /* the register with the caller's stack pointer on entry to the interpreter, if the walker needs it */
};

struct frame {
    uintptr_t pc, sp, fp;
};

/* The layout of the JVM's frames in words from the frame pointer, as far as the JVM's tables do not contain it. */
struct frame_slots {
    int method, bcp, bcp_jdk8; /* of an interpreted frame */
    int entry_wrapper;         /* of the call stub's frame; newer tables have it */
};
extern const struct frame_slots frame_slots;

/* The numbers of registers in call frame information. */
struct frame_dwarf {
    unsigned sp, fp, return_address;
};
extern const struct frame_dwarf frame_dwarf;

/* Reads the registers of an interrupted thread from a signal's ucontext. Returns false if the ucontext cannot be read. */
bool frame_registers(struct registers *out, uintptr_t ucontext);
/* Reads one register by its DWARF number. */
bool frame_register(uintptr_t ucontext, unsigned number, uint64_t *out);
/* Returns where the return from a signal handler finds its ucontext. */
uintptr_t frame_signal_context(uintptr_t sp);
/* Whether the code at pc is the return from a signal handler. The kernel's for AArch64 and musl's have no call frame information. */
bool frame_is_signal_return(uintptr_t pc);
/* Returns the member of the ucontext with the address at which the thread continues. */
uintptr_t *frame_resume_at(void *ucontext);
/* Sets *sp, calls work(argument) and returns true. It returns false if frame_leave_guarded was given that *sp and a ucontext from
 * inside work, or from a function that work called. */
bool frame_call_guarded(uintptr_t *sp, void (*work)(void *), void *argument);
void frame_leave_guarded(void *ucontext, uintptr_t sp);
/* Calls work(argument) on another stack, whose upper end is top, a multiple of 16. */
void frame_call_on(uintptr_t top, void (*work)(void *), void *argument);
/* Whether the kernel itself provides the return from a signal handler. */
extern const bool frame_needs_no_restorer;
/* Returns the thread pointer: the address of the C library's data for the calling thread. No two live threads have the same. */
uintptr_t frame_thread_pointer(void);
/* Returns the third argument of the function that is about to run its first instruction. */
uintptr_t frame_third_argument(const void *ucontext);
/* Returns the address in a word that was stored as a return address. */
uintptr_t frame_code_address(uintptr_t word);
/* Whether the instruction before pc is a call. */
bool frame_follows_call(uintptr_t pc);
/* Whether pc is in a jump to the code of a method's entry that is outside the code cache: up to JDK 16 the class archive holds such jumps
 * for its methods. */
bool frame_is_archived_entry(uintptr_t pc, uintptr_t *target);

/* The functions below replace f by its caller, and return false if no caller was found. `at`: the registers, if f is the interrupted
 * frame. */

/* For compiled code that was interrupted anywhere: in its prologue, body or epilogue. */
bool frame_leaf_caller(const struct code *c, struct frame *f, const struct registers *at);
/* For compiled code that has made a call. */
bool frame_caller(const struct code *c, struct frame *f);
/* For compiled code that has made a call. The result is accepted only if it can be a caller: its pc follows a call, or is in a stub. */
bool frame_plausible_caller(const struct code *c, struct frame *f);
/* For compiled code with pushed words on top of its frame: in an inlined intrinsic, or in a call of native code (AArch64). The result is
 * accepted as in frame_plausible_caller. */
bool frame_caller_below_pushes(const struct code *c, struct frame *f);
/* For the interpreter at a method's entry, before the method's frame is complete. */
bool frame_interpreter_entry_caller(struct frame *f, const struct registers *at);
/* For the interpreter, or an adapter, that compiled code has just entered, or that is about to return to compiled code. */
bool frame_compiled_caller(struct frame *f, const struct registers *at);
/* For the interpreter's own code of an intrinsic method, which has no frame, after it has called a routine. at: the thread's registers, if
 * a frame above f was interrupted. */
bool frame_interpreter_routine_caller(struct frame *f, const struct registers *at);
/* For a stub. at: NULL if f has made a call. */
bool frame_stub_caller(const struct code *c, struct frame *f, const struct registers *at);
/* For code without call frame information that native code or Java has called. at: NULL if f has made a call. */
bool frame_undescribed_caller(struct frame *f, const struct registers *at);
/* For native code that Java called without an anchor: finds the nearest Java caller. */
bool frame_native_caller(struct frame *f, const struct registers *at, bool has_frame_pointers);

/* Whether pc can be a return address in Java: after a call in compiled code, in the interpreter, or in the call stub. */
bool frame_is_return_address(uintptr_t pc);
/* Whether pc can be a return address in Java, or follows a call in a library. */
bool frame_is_any_return_address(uintptr_t pc);

#endif
