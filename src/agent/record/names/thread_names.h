/* The names of the threads in events. A recording of weeks may see millions of threads, so a thread that no event has named in the present
 * chunk or in the one before is forgotten. Such a thread has ended, because the events of a thread name it first, or it is named again
 * before its next event. Only the collector uses this file. */
#ifndef CANDOR_AGENT_RECORD_NAMES_THREAD_NAMES_H
#define CANDOR_AGENT_RECORD_NAMES_THREAD_NAMES_H

#include "base/map.h"

#include <stdbool.h>
#include <stdint.h>

struct thread_name {
    uint32_t uid;
    uint32_t chunk; /* number of the last chunk with an event that names it */
    uint32_t holds;
    bool has_java_name;      /* the text is the name that Java knows */
    uint64_t os_id, java_id; /* 0 = unknown */
    char *text;
};

struct thread_names {
    struct map by_uid;
    struct thread_name *list;
    uint32_t count, cap, chunk;
};

void thread_names_init(struct thread_names *names);
void thread_names_deinit(struct thread_names *names);
/* Stores a thread, or what has changed of it. t: the members uid, has_java_name, os_id and java_id. Without memory the thread has no
 * name. */
void thread_names_put(struct thread_names *names, const struct thread_name *t, const char *text);
/* Returns the thread with this number; NULL: it is not known, or forgotten. The pointer is valid until the next call of another function
 * here. */
struct thread_name *thread_names_find(const struct thread_names *names, uint32_t uid);
/* Forgets threads when a new chunk begins, except those with holds. */
void thread_names_new_chunk(struct thread_names *names);

#endif
