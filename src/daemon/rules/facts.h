/* The facts about a JVM that rules and labels use: main class, user, options, environment. The owner of the JVM controls all of them. So
 * they are treated only as texts with a limited length. */
#ifndef CANDOR_DAEMON_RULES_FACTS_H
#define CANDOR_DAEMON_RULES_FACTS_H

#include "attach/jvm.h"

struct facts {
    struct jvm jvm;
    char *command;                   /* arguments, each followed by a zero byte */
    size_t command_len, options_end; /* options_end: the end of the JVM's own options in `command` */
    char *environment;               /* NAME=VALUE texts, each followed by a zero byte */
    size_t environment_len;
    char value[1024]; /* the value that the last call returned */
};

/* Takes over the JVM, and reads the other facts. A fact that cannot be read is empty. Returns 0 or -ENOMEM. Call facts_deinit
 * afterwards. */
int facts_read(struct facts *f, const struct jvm *jvm);
void facts_deinit(struct facts *f);

/* facts_variable returns the value of an environment variable. facts_property returns the value of -Dname=value in the arguments, or in
 * JAVA_TOOL_OPTIONS, JDK_JAVA_OPTIONS or _JAVA_OPTIONS (the value that the JVM uses). Both return NULL if there is none. The result is
 * valid until the next call. */
const char *facts_variable(struct facts *f, const char *name);
const char *facts_property(struct facts *f, const char *name);

#endif
