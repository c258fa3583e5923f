/* Garbage collections from JVMTI. Two events of a recording need them, halt (jvmti_pauses.c) and live (jvmti_live.c): the first
 * user turns the JVM's notifications on, and the last one turns them off. */
#ifndef CANDOR_AGENT_ENTRY_JVMTI_JVMTI_COLLECTIONS_H
#define CANDOR_AGENT_ENTRY_JVMTI_JVMTI_COLLECTIONS_H

#include <jvmti.h>

/* A listener, which must stay at its address. Its functions are called while all threads stand still: they must not call JNI or JVMTI. */
struct jvmti_collections_user {
    void (*started)(void); /* may be NULL */
    void (*finished)(void);
};

void jvmti_collections_init(jvmtiEnv *env);
/* Adds and removes a listener, on the agent's thread, attached to the JVM. If open returns an error, do not call close. */
jvmtiError jvmti_collections_open(const struct jvmti_collections_user *user);
void jvmti_collections_close(const struct jvmti_collections_user *user);

void JNICALL jvmti_collections_started(jvmtiEnv *env);
void JNICALL jvmti_collections_finished(jvmtiEnv *env);

#endif
