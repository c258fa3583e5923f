/* Reads facts about the threads of this process from /proc. */
#ifndef CANDOR_AGENT_TRIGGER_TASKS_TASKS_H
#define CANDOR_AGENT_TRIGGER_TASKS_TASKS_H

#include "agent/hot/thread/thread.h"

#include <stdbool.h>
#include <stdint.h>

/* Whether a thread of this process has `signal` pending, because it blocks the signal or has not run since. It also returns true if that is
 * unknown (no descriptor is left to read /proc). */
bool tasks_signal_pending(int signal);

/* Whether that thread of this process blocks the signal. Returns false if the thread is gone. */
bool tasks_blocks_signal(int tid, int signal);

/* Returns how often the thread was switched in since it began; 0 = it is gone, or this kernel does not count. */
uint64_t tasks_switches(int tid);

/* Calls fn for each thread id of this process until fn returns false. Returns 0 or a negative errno. */
int tasks_each(bool (*fn)(int tid, void *context), void *context);

/* Lists the thread ids. The caller frees the list. Returns how many there are, or a negative errno. */
int tasks_list(int **tids);

/* Figures that change when a thread of this process begins or ends: the last id given to any task of the pid namespace, and the number of
 * threads. If two marks are equal, no thread began in between. A restored process (CRIU) is an exception, because its ids were chosen. */
struct tasks_mark {
    unsigned long last_id, count;
};

/* Sets the mark. Returns false if the kernel does not report these figures. */
bool tasks_mark(struct tasks_mark *m);

/* Reads a small /proc file. Returns the number of bytes (zero-terminated in out), or a negative errno. */
int tasks_read_proc(const char *path, char *out, int size);

/* Whether a debugger is attached. A debugger receives every signal first. */
bool tasks_are_traced(void);

/* Returns the role of a thread that is not a Java thread, by its name in the operating system. */
enum thread_role tasks_role(const char *os_name);

#endif
