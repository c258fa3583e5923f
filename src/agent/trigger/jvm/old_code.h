/* The interface between healing (collect/heal/) and the code that uses JNI (entry/jvmti/jvmti_heal.c), which fills this table. It makes
 * the JVM throw away compiled code, which the JVM then compiles anew. All functions run on the agent's thread. */
#ifndef CANDOR_AGENT_TRIGGER_JVM_OLD_CODE_H
#define CANDOR_AGENT_TRIGGER_JVM_OLD_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum old_method_fate {
    OLD_METHOD_DISCARDED, /* its compiled code was thrown away */
    OLD_METHOD_GONE,      /* its class is not loaded any more */
    OLD_METHOD_LEFT,      /* the step took too long, so this one is left for the next */
    OLD_METHOD_RETURNED   /* thrown away, but samples met such code again (set by collect/heal/met.c) */
};

struct old_method {
    const char *class_name, *name, *descriptor; /* as in class files: java/util/HashMap, get, (Ljava/lang/Object;)Ljava/lang/Object; */
    uint16_t class_len, name_len, descriptor_len;
    bool again; /* samples met such code again, so it is code for on-stack replacement, which is discarded separately */
    enum old_method_fate fate;
};

struct old_code {
    /* Whether the JVM has the functions for it. The first call searches for them, which takes some milliseconds. */
    bool (*can_discard)(void);
    /* Throws away all compiled code. Returns false if the JVM refused. All threads stop for it once. */
    bool (*discard_all)(void);
    /* Throws away the code of these methods and sets their fates. In JDK 8 and 11 all threads stop once for each method, in each class of
     * its name. Takes about 50 ms at most, and leaves the rest. Returns how many pieces of code the JVM
     * discarded, up to JDK 17 with those that depend on the methods; later JVMs do not report these. */
    size_t (*discard)(struct old_method *methods, size_t count);
};

extern struct old_code old_code; /* all NULL: there is no JVM */

#endif
