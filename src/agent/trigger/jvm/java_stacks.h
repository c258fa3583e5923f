/* The interface between the event safepoint and the code that uses JVMTI (entry/jvmti/jvmti_stacks.c), which fills this table. It is here
 * so that no other code needs JVMTI.
 *
 *   open -> [ take -> (stack, thread_name, describe)* -> release ]* -> close
 *
 * All functions run on the agent's only thread, which is a Java thread from open to close. No function runs Java code; take makes the JVM
 * stop the threads at a safepoint. Results are valid until release. */
#ifndef CANDOR_AGENT_TRIGGER_JVM_JAVA_STACKS_H
#define CANDOR_AGENT_TRIGGER_JVM_JAVA_STACKS_H

#include "base/error.h"
#include "jfr/schema.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { JAVA_STACK_FRAMES_MAX = 2048, JAVA_STACKS_MAX = 100, JAVA_BCI_NATIVE = -1 };

struct java_frame {
    uintptr_t method; /* a jmethodID; the method's class may be gone by now */
    int32_t bci;      /* JAVA_BCI_NATIVE: the method is native */
};

struct java_stack {
    int64_t thread; /* Thread.getId() */
    bool has_ended; /* then the other members are not set */
    enum jfr_thread_state state;
    bool truncated; /* the stack has more than JAVA_STACK_FRAMES_MAX frames */
    uint32_t count;
    const struct java_frame *frames; /* leaf first */
    const uint64_t *context;         /* words of the thread's context (hot/context.h) */
    size_t context_words;            /* 0 = the thread has no context, or another one after the safepoint than before it */
};

struct java_line {
    uint16_t bci, line; /* from this bytecode index on */
};

struct java_method {
    const char *class_name; /* in the form of Class.getName() */
    const char *name, *descriptor;
    const struct java_line *lines; /* in the order of the class file, which may differ from that of the indices */
    uint32_t line_count;
};

struct java_stacks {
    /* Makes the calling thread a Java thread. Returns 0 or a negative errno. */
    int (*open)(struct error *e);
    void (*close)(void);
    /* Takes the stacks of at most JAVA_STACKS_MAX of the Java threads except this one, all at the same time. The threads are drawn at
     * random (trigger/tasks/subset.h); *alive: from how many. Returns how many stacks there are, or a negative errno: then there is nothing
     * to release. */
    int (*take)(uint64_t *random, uint32_t *alive);
    void (*stack)(uint32_t index, struct java_stack *out);
    /* Writes the present name of a stack's thread, cut to size. */
    void (*thread_name)(uint32_t index, char *out, size_t size);
    /* Calls `to` with the facts about a method. Returns false if the method is gone. */
    bool (*describe)(uintptr_t method, void (*to)(void *context, const struct java_method *method), void *context);
    void (*release)(void);
};

extern struct java_stacks java_stacks; /* all NULL: this JVM does not report it */

#endif
