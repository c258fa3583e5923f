/* Reads the kernel's state of a thread repeatedly. The thread's file in /proc stays open, which makes a read several times faster. Only the
 * agent's thread uses it. */
#ifndef CANDOR_AGENT_TRIGGER_TASKS_TASK_STATE_H
#define CANDOR_AGENT_TRIGGER_TASKS_TASK_STATE_H

#include <stdbool.h>

/* The files use the program's descriptors. Therefore only this many are open, and none if the process has used half of its limit. */
enum { TASK_STATE_FILES = 256 };

struct task_state {
    int tid;
    int file; /* -1 = not open */
};

void task_state_open(struct task_state *s, int tid);
/* Returns 'R' if the thread runs or can run, 'S' if it sleeps, 'D' if it waits for a device, ...; 0 = it is gone. */
char task_state_read(const struct task_state *s);
void task_state_close(struct task_state *s);

/* Reads the state of a thread once, without keeping its file open. */
char task_state_once(int tid);

#endif
