/* The names for a recording's ids: threads, methods and symbols. Methods and symbols are kept for the whole recording, so that every chunk
 * can write its pools anew. The JFR writer reads them through struct jfr_pools. Only the collector uses this file. */
#ifndef CANDOR_AGENT_RECORD_NAMES_NAMES_H
#define CANDOR_AGENT_RECORD_NAMES_NAMES_H

#include "agent/hot/java/method.h"
#include "agent/hot/thread/thread.h"
#include "agent/record/names/contexts.h"
#include "agent/record/names/held.h"
#include "agent/record/names/jmethods.h"
#include "agent/record/names/stacks.h"
#include "agent/record/names/thread_names.h"
#include "agent/record/names/virtuals.h"
#include "base/map.h"
#include "base/strtab.h"
#include "jfr/write/writer.h"

#include <stdint.h>

/* Method ids of a recording. Java methods keep their id from hot/java/method.h, or from jmethods.h if the JVM itself reports the stacks.
 * Native functions and pseudo frames have the ids from here on. */
enum { NAMES_NATIVE_BASE = METHODS_MAX };

struct names {
    struct strtab strings;
    struct stacks stacks;
    struct thread_names threads;
    struct jfr_method *java;  /* by method id; name 0 = not looked up yet */
    struct jmethods jmethods; /* used in place of `java` if the JVM itself reports the stacks, otherwise empty */
    struct jfr_method *native;
    uint32_t native_count, native_cap;
    struct map native_by_key, native_by_pc;
    unsigned long long changes; /* modules_changes when native_by_pc was filled */
    struct virtuals virtuals;
    struct contexts contexts;
    struct held held;   /* the paths that were written by the last search */
    uint32_t forgotten; /* how often the stacks and their ids were forgotten */
};

int names_init(struct names *n); /* 0 or -ENOMEM */
void names_deinit(struct names *n);
struct jfr_pools names_pools(struct names *n);

/* Stores the thread's present names. Its id in events is names_thread_id. Call it before an event of this chunk names the thread. */
void names_thread(struct names *n, const struct sampled_thread *t);
/* Stores the name of a thread that is known only from Java. Returns its id in events. */
uint32_t names_java_thread(struct names *n, uint32_t uid, const char *name, int64_t java_id);
static inline uint32_t names_thread_id(const struct sampled_thread *t)
{
    return t->uid << 1;
}

/* Whether the thread with this id in events has a name. A thread that ended in an earlier chunk is forgotten (thread_names.h), unless it is
 * held: each hold needs a call that lets it go. */
bool names_knows_thread(const struct names *n, uint32_t id);
void names_hold_thread(struct names *n, uint32_t id);
void names_let_thread_go(struct names *n, uint32_t id);

/* Returns the id that events of this chunk use for a virtual thread. words: the description of the thread in a record (hot/record.h). */
uint32_t names_virtual_thread(struct names *n, const uint64_t *words, size_t count);
/* Writes the name of an operation of the JVM, such as "G1PauseRemark". table: the result of work_operation. Returns false if it is not an
 * operation. */
bool names_operation(uint64_t table, char *out, size_t size);
/* Returns the id that events of this chunk use for a context; 0 = none. words: the record's words of the context (hot/context.h). */
uint32_t names_context(struct names *n, const uint64_t *words, size_t count);
/* Forgets threads that have ended, and the stacks if there are many. Call it when a chunk has ended. Without this, an endless recording
 * would fill the table, and later stacks could not be added. */
void names_new_chunk(struct names *n);
/* Returns the stack for a sample without one. Every tool shows it as one pseudo frame, with the reason and the place of the pc (0 =
 * unknown). */
uint32_t names_failed_stack(struct names *n, enum outcome outcome, uint64_t pc);
/* Return the method id of a native function, by its address or by class and name. */
uint32_t names_native(struct names *n, uintptr_t pc);
uint32_t names_pseudo(struct names *n, const char *class_name, const char *name);
/* Returns the names of the method with this id. */
struct jfr_method names_method(struct names *n, uint32_t id);
/* Returns the frame, as a word of hot/record.h, for a frame that the JVM reported. It asks the JVM for the method's name when the method is
 * first seen. If there is no name, it returns a pseudo frame with the reason. */
uint64_t names_told_frame(struct names *n, struct java_frame frame);
/* Returns how many frames at the leaf are only there because the JVM reports that a virtual thread leaves its carrier or returns: 0 or 1.
 * */
size_t names_of_report(const uint64_t *frames, size_t count);
/* Returns the stack id of a record's frames. frames: words of hot/record.h, leaf first; they are changed in place, and may become one more.
 * role: the role of the thread. */
uint32_t names_stack(struct names *n, uint64_t *frames, size_t count, enum thread_role role, bool truncated);

#endif
