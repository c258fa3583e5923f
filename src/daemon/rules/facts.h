/* The facts about a JVM from which rules and labels are made: main class, user, options, environment. The JVM's owner controls
 * all of them: they are texts of bounded length, nothing more. */
#ifndef CANDOR_DAEMON_RULES_FACTS_H
#define CANDOR_DAEMON_RULES_FACTS_H

#include "attach/jvm.h"

struct facts {
    struct jvm jvm;
    char *command;                   /* arguments with a zero behind each */
    size_t command_len, options_end; /* of them the JVM's own */
    char *environment;               /* NAME=VALUE with a zero behind each */
    size_t environment_len;
    char value[1024]; /* of the last question */
};

/* Takes the JVM over and reads the rest; what cannot be read is empty. 0 or -ENOMEM. Then facts_deinit. */
int facts_read(struct facts *f, const struct jvm *jvm);
void facts_deinit(struct facts *f);

/* Value of an environment variable; of -Dname=value, among the arguments or in JAVA_TOOL_OPTIONS, JDK_JAVA_OPTIONS,
 * _JAVA_OPTIONS (the one that counts for the JVM). NULL when there is none; valid until the next question. */
const char *facts_variable(struct facts *f, const char *name);
const char *facts_property(struct facts *f, const char *name);

#endif
