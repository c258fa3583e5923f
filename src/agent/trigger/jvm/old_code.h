/* The interface between healing (collect/heal/) and the code that knows JVMTI (entry/jvmti/jvmti_heal.c), which fills this table: it
 * makes the JVM throw away compiled code, so that it compiles anew. All on the agent's thread. Each call stops all threads of the
 * program for a moment, and takes long where other agents transform classes. */
#ifndef CANDOR_AGENT_TRIGGER_JVM_OLD_CODE_H
#define CANDOR_AGENT_TRIGGER_JVM_OLD_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum old_class_fate {
    OLD_CLASS_DISCARDED,    /* what was compiled with code of the class is gone */
    OLD_CLASS_UNMODIFIABLE, /* hidden classes, or none with this name is loaded any more */
    OLD_CLASS_REFUSED,      /* the JVM refused, or a class transformer did */
    OLD_CLASS_OF_AGENT,     /* a Java agent is there, whose transformers would run, and that is not wanted */
    OLD_CLASS_AT_ONCE,      /* all compiled code would go with it, and that is not wanted */
    OLD_CLASS_FATES
};

struct old_class {
    const char *name; /* as in class files: java/util/HashMap */
    uint16_t len;
    enum old_class_fate fate;
};

struct old_code {
    /* Whether the JVM would throw away all compiled code when any class is retransformed, which it does but once. */
    bool (*goes_at_once)(void);
    /* All of it, with a class that nothing is compiled of; also where the JVM would not do that by itself, if that is possible.
     * False: the JVM refused. */
    bool (*discard_all)(void);
    /* What was compiled with code of these classes. beside_agents: although a Java agent is there. Sets their fates. */
    void (*discard)(struct old_class *classes, size_t count, bool beside_agents);
};

extern struct old_code old_code; /* all NULL: there is no JVM */

#endif
