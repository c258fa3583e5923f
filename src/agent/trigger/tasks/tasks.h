/* The threads of this process, as /proc shows them. */
#ifndef CANDOR_AGENT_TRIGGER_TASKS_TASKS_H
#define CANDOR_AGENT_TRIGGER_TASKS_TASKS_H

#include "agent/hot/thread/thread.h"

#include <stdbool.h>

/* True if a thread of this process has `signal` pending (it blocks it, or has not run since), or if that is unknown (no
 * descriptor left to read /proc with). */
bool tasks_signal_pending(int signal);

/* Whether that thread of this process blocks it. False when it is gone. */
bool tasks_blocks_signal(int tid, int signal);

/* Calls fn for each thread id of this process until it returns false; 0 or a negative errno. */
int tasks_each(bool (*fn)(int tid, void *context), void *context);

/* Their ids, to be freed by the caller: how many, or a negative errno. */
int tasks_list(int **tids);

/* What changes when a thread of this process begins or ends: the last id given to any task of the pid namespace, and how many threads
 * there are. While two marks are equal no thread began in between; a restored process's (CRIU), whose ids were chosen, may have. */
struct tasks_mark {
    unsigned long last_id, count;
};

/* false if the kernel does not report it. */
bool tasks_mark(struct tasks_mark *m);

/* Reads a small /proc file: bytes read (zero-terminated in out), or a negative errno. */
int tasks_read_proc(const char *path, char *out, int size);

/* Whether a debugger is attached: it takes every signal first. */
bool tasks_are_traced(void);

/* The role of a thread that is not a Java thread, by the name that the operating system has for it. */
enum thread_role tasks_role(const char *os_name);

#endif
