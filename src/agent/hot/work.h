/* What the JVM's own threads work at. They run no Java code, so their stacks say what the JVM does, but not what for: which
 * method is compiled, which operation all Java threads wait for. The handler reads that where the JVM keeps it, and puts it at
 * the root of the stack as one more word (record.h); names are found later (record/names.h). */
#ifndef CANDOR_AGENT_HOT_WORK_H
#define CANDOR_AGENT_HOT_WORK_H

#include <stdbool.h>
#include <stdint.h>

struct sampled_thread;

/* Handler side. False: nothing is known. */
bool work_frame(struct sampled_thread *t, uint64_t *frame);

#endif
