/* Notes threads that block the signal of their clock, so that no sample can show their work. All calls are made under the lock of
 * trigger/threads.c. */
#ifndef CANDOR_AGENT_TRIGGER_SIGNALS_BLOCKED_H
#define CANDOR_AGENT_TRIGGER_SIGNALS_BLOCKED_H

#include "agent/hot/thread/thread.h"

#include <stddef.h>
#include <stdint.h>

void blocked_reset(void);
/* Notes that a scan has found the thread with this signal blocked. ns: the thread's CPU time without a sample. */
void blocked_note(struct sampled_thread *t, int signal, uint64_t ns);
/* Describes these threads, and returns their number. text: the signal, and the threads that used most CPU time: "SIGTRAP: rdk:main 12.3 s,
 * rdk:broker0 1.2 s and 3 more". */
uint32_t blocked_describe(char *text, size_t size);

#endif
