/* The kernel's state of a thread, read repeatedly: its file in /proc stays open, which makes a read several times cheaper. Used
 * only by the agent's thread. */
#ifndef CANDOR_AGENT_TRIGGER_TASKS_TASK_STATE_H
#define CANDOR_AGENT_TRIGGER_TASKS_TASK_STATE_H

#include <stdbool.h>

/* The files take the program's descriptors: only this many are open, and none if the process has used half of its limit. */
enum { TASK_STATE_FILES = 256 };

struct task_state {
    int tid;
    int file; /* -1 = not open */
};

void task_state_open(struct task_state *s, int tid);
/* 'R' it runs or could, 'S' it sleeps, 'D' it waits for a device, ...; 0 = it is gone. */
char task_state_read(const struct task_state *s);
void task_state_close(struct task_state *s);

/* The same for a thread that is read once. */
char task_state_once(int tid);

#endif
