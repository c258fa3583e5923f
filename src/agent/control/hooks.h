/* The functions that the folder control needs from the code that uses Java. They are called on the agent's thread. */
#ifndef CANDOR_AGENT_CONTROL_HOOKS_H
#define CANDOR_AGENT_CONTROL_HOOKS_H

#include <stdbool.h>

struct hooks {
    /* Makes Java threads register themselves. It is called before a recording's threads are armed. */
    void (*session_begin)(void);
    /* Finds out which threads are Java threads, and their names. It is called when all threads are armed, and again before the end. */
    void (*bind_threads)(void);
    void (*session_end)(void);
};

#endif
