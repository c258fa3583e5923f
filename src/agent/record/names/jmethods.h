/* The methods of a recording whose stacks come from the JVM itself (event safepoint). They are identified by their jmethodID, and named
 * when they are first seen. A jmethodID is never reused for another method: HotSpot keeps those of unloaded classes forever, for agents
 * that still ask (docs/internals/hotspot.md). Ids are consecutive and begin at 1. Only the collector uses this file. */
#ifndef CANDOR_AGENT_RECORD_NAMES_JMETHODS_H
#define CANDOR_AGENT_RECORD_NAMES_JMETHODS_H

#include "agent/trigger/jvm/java_stacks.h"
#include "base/map.h"
#include "base/strtab.h"
#include "jfr/write/writer.h"

#include <stdint.h>

enum { JMETHODS_MAX = 1 << 17 };

struct jmethod {
    struct jfr_method names;
    struct java_line *lines;
    uint32_t line_count;
};

struct jmethods {
    struct map by_id;
    struct jmethod *list; /* indexed by id; the first entry is unused */
    uint32_t count, cap;
};

void jmethods_init(struct jmethods *m);
void jmethods_deinit(struct jmethods *m);
/* Returns the id of a method; 0 if it is not known yet. */
uint32_t jmethods_find(const struct jmethods *m, uintptr_t method);
/* Adds a method; its texts go into strings. Returns its id; 0 if there is no room. */
uint32_t jmethods_add(struct jmethods *m, uintptr_t method, const struct java_method *facts, struct strtab *strings);
/* Returns the names of the method with this id, or NULL if there is none. */
const struct jfr_method *jmethods_names(const struct jmethods *m, uint32_t id);
/* Returns the source line of a bytecode index; 0 if it is unknown. */
int jmethods_line(const struct jmethods *m, uint32_t id, uint32_t bci);

#endif
