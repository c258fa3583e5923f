/* Reads a recording's information on its JVM: its arguments, its version, and its start. Candor's recordings have it, and those of the
 * JDK's recorder (jdk.JVMInformation). */
#ifndef CANDOR_EVENTS_FIGURES_JVM_INFO_H
#define CANDOR_EVENTS_FIGURES_JVM_INFO_H

#include "jfr/read/reader.h"

#include <stdbool.h>
#include <stdint.h>

struct jvm_info {
    char *arguments;      /* arguments of the JVM, separated by blanks; never NULL after jvm_info_read */
    char *java_arguments; /* the main class and the program's arguments */
    uint32_t feature;     /* 8, 25; 0 = unknown */
    int64_t start_ns;     /* since the epoch; 0 = unknown */
    bool known;           /* there was such an event; the first one counts */
};

/* Reads a file. Returns 0 or a negative code with e. Call jvm_info_deinit in any case. */
int jvm_info_read(struct jvm_info *info, const struct jfr_file *file, struct error *e);
/* Does the same in a pass with other readers (jfr/read/pass.h): looks at one chunk. `jvm_info` is {0} at first. */
int jvm_info_take(void *jvm_info, struct jfr_chunk *chunk);
void jvm_info_deinit(struct jvm_info *info);
/* Returns the feature version in a version text of jdk.JVMInformation: "25.0.5+8", "OpenJDK ... JRE (1.8.0_504-b01)", or "25.504-b01",
 * which is the separate version of JDK 8's JVM. 0 = unknown. */
uint32_t jvm_info_feature(const char *version);

#endif
