/* The interface between healing (collect/heal/) and the code that uses JVMTI (entry/jvmti/jvmti_heal.c), which fills this table. It makes
 * the JVM throw away compiled code, which the JVM then compiles anew. All functions run on the agent's thread. Each call briefly stops all
 * threads of the program, and takes long if other agents transform classes. */
#ifndef CANDOR_AGENT_TRIGGER_JVM_OLD_CODE_H
#define CANDOR_AGENT_TRIGGER_JVM_OLD_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum old_class_fate {
    OLD_CLASS_DISCARDED,    /* all code that contained code of the class was thrown away */
    OLD_CLASS_UNMODIFIABLE, /* it is a hidden class, or no class with this name is loaded any more */
    OLD_CLASS_REFUSED,      /* the JVM refused, or a class transformer did */
    OLD_CLASS_OF_AGENT,     /* a Java agent is present, whose transformers would run, and the caller does not allow that */
    OLD_CLASS_AT_ONCE,      /* all compiled code would be thrown away with it, and the caller does not allow that */
    OLD_CLASS_FATES
};

struct old_class {
    const char *name; /* as in class files: java/util/HashMap */
    uint16_t len;
    enum old_class_fate fate;
};

struct old_code {
    /* Whether the JVM would throw away all compiled code when any class is retransformed. It does so only once. */
    bool (*goes_at_once)(void);
    /* Throws away all compiled code, by retransforming a class that no compiled code depends on. It does so even if the JVM would not by
     * itself, if that is possible. Returns false if the JVM refused. */
    bool (*discard_all)(void);
    /* Throws away the code that was compiled with code of these classes, and sets their fates. beside_agents: do so even if a Java agent is
     * present. */
    void (*discard)(struct old_class *classes, size_t count, bool beside_agents);
};

extern struct old_code old_code; /* all NULL: there is no JVM */

#endif
