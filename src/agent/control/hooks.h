/* The functions that control needs from the code that knows Java; called on the agent's thread. */
#ifndef CANDOR_AGENT_CONTROL_HOOKS_H
#define CANDOR_AGENT_CONTROL_HOOKS_H

#include <stdbool.h>

struct hooks {
    /* Before a recording's threads are armed: have Java threads announce themselves. */
    void (*session_begin)(void);
    /* When all threads are armed, and again before the end: say which are Java's, and their names. */
    void (*bind_threads)(void);
    void (*session_end)(void);
};

#endif
