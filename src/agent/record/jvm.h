/* The JVM's description of itself, queried once through JVMTI when the agent starts (entry/), kept as text. Secrets are removed
 * before anything is kept (record/redact.h). */
#ifndef CANDOR_AGENT_RECORD_JVM_H
#define CANDOR_AGENT_RECORD_JVM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { JVM_PROPERTIES_MAX = 512 };

struct jvm_property {
    char *key, *value;
};

struct jvm_facts {
    int java_version; /* feature release: 8, 11, 17, ... */
    char name[128], version[256];
    char *jvm_arguments, *java_arguments; /* never NULL once filled */
    struct jvm_property properties[JVM_PROPERTIES_MAX];
    int property_count;
    uint64_t start_epoch_ms;
    bool debug_info_is_late; /* code was compiled before full debug information was requested */
};

extern struct jvm_facts jvm_facts;

/* Copies a property, without its secrets. */
void jvm_add_property(const char *key, const char *value);
/* Reads name, version and arguments from the properties and /proc/self/cmdline. */
void jvm_fill(void);
const char *jvm_property(const char *key); /* borrowed; "" if there is no such property */

#endif
