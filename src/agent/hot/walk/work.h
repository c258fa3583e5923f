/* Finds the present work of the JVM's own threads. They run no Java code, so their stacks show what the JVM does, but not for which
 * purpose: which method is compiled, or for which operation all Java threads wait. The handler reads this from the JVM, and puts it at the
 * root of the stack as one more word (record.h). Names are resolved later (record/names/names.h). */
#ifndef CANDOR_AGENT_HOT_WALK_WORK_H
#define CANDOR_AGENT_HOT_WALK_WORK_H

#include <stdbool.h>
#include <stdint.h>

struct sampled_thread;

/* Finds the operation that the JVM's VM thread executes. *table identifies its C++ class: the address of the class's table of virtual
 * functions. Any thread may call it, but the operation may then have ended meanwhile; the VM thread itself gets its present operation.
 * Returns false if nothing is known. */
bool work_operation(uint64_t *table);

/* Returns the calling thread's JNIEnv, or NULL for a thread that Java does not know. Filled before the first sample (entry/java.c). */
extern void *(*work_thread_env)(void);

/* Returns a frame that shows the work of the calling thread, which was interrupted at pc. Handlers call it. Returns false if nothing is
 * known. */
bool work_frame(struct sampled_thread *t, uintptr_t pc, uint64_t *frame);

#endif
