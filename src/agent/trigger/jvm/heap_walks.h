/* The interface between the search for paths and the code that uses JNI and JVMTI (entry/jvmti/jvmti_heap.c), which fills this table.
 *
 *   open -> [ walk -> classify ]* -> name -> close
 *
 * All functions run on the agent's thread, which is a Java thread from open to close. A walk stops all threads while it lasts. Tags belong
 * to a separate JVMTI environment, which ends with close. */
#ifndef CANDOR_AGENT_TRIGGER_JVM_HEAP_WALKS_H
#define CANDOR_AGENT_TRIGGER_JVM_HEAP_WALKS_H

#include "agent/paths/path_search.h"
#include "base/strtab.h"

#include <stdbool.h>
#include <stdint.h>

struct heap_walks {
    /* Returns the bytes of the heap that are in use now, garbage included; 0 = unknown. It may be called at any time. */
    uint64_t (*used)(void);
    /* Gives the samples their tags, through weak references to them. Samples that are gone are noted. Returns false if the JVM does not
     * support this. */
    bool (*open)(struct path_search *s, const uintptr_t *references);
    /* Walks the heap, between path_search_begin and _end. Returns false if the JVM refused. */
    bool (*walk)(struct path_search *s);
    /* Drops the references of the last walk that hold nothing, and anchors classes. Returns false if there is no memory: then the search
     * contains references that hold nothing. */
    bool (*classify)(struct path_search *s);
    /* Names the nodes and edges that are on paths. */
    void (*name)(struct path_search *s, struct strtab *strings);
    void (*close)(void);
};

extern struct heap_walks heap_walks; /* all NULL: there is no JVM */

#endif
