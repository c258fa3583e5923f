/* What the JVM's own threads work at. They run no Java code, so their stacks show what the JVM does, but not what for: which
 * method is being compiled, which operation all Java threads wait for. The handler reads this from the JVM, and puts it at the
 * root of the stack as one more word (record.h); names are resolved later (record/names/names.h). */
#ifndef CANDOR_AGENT_HOT_WALK_WORK_H
#define CANDOR_AGENT_HOT_WALK_WORK_H

#include <stdbool.h>
#include <stdint.h>

struct sampled_thread;

/* The operation that the JVM's VM thread executes, as its C++ class: the address of the class's table of virtual functions. Any
 * thread may ask, but then the operation may have ended meanwhile; the VM thread itself gets its present operation. False: nothing is
 * known. */
bool work_operation(uint64_t *table);

/* The calling thread's JNIEnv, or NULL for a thread that Java does not know. Filled before the first sample (entry/java.c). */
extern void *(*work_thread_env)(void);

/* Handler side. A frame that shows the work of the calling thread, which was interrupted at pc. False: nothing is known. */
bool work_frame(struct sampled_thread *t, uintptr_t pc, uint64_t *frame);

#endif
