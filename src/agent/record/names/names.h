/* The names behind a recording's ids: threads, methods and symbols, kept for its whole length so that every chunk can
 * write its pools afresh. Answers the JFR writer (struct jfr_pools). Collector only. */
#ifndef CANDOR_AGENT_RECORD_NAMES_NAMES_H
#define CANDOR_AGENT_RECORD_NAMES_NAMES_H

#include "agent/hot/java/method.h"
#include "agent/hot/thread/thread.h"
#include "agent/record/names/contexts.h"
#include "agent/record/names/held.h"
#include "agent/record/names/jmethods.h"
#include "agent/record/names/stacks.h"
#include "agent/record/names/virtuals.h"
#include "base/map.h"
#include "base/strtab.h"
#include "jfr/write/writer.h"

#include <stdint.h>

/* Method ids of a recording: Java methods keep their id from hot/java/method.h, or from jmethods.h where the JVM itself tells the
 * stacks; native functions and pseudo frames follow. */
enum { NAMES_NATIVE_BASE = METHODS_MAX };

struct names {
    struct strtab strings;
    struct stacks stacks;
    struct jfr_thread *threads; /* by uid */
    uint32_t thread_count;
    struct jfr_method *java;  /* by method id; name 0 = not looked up yet */
    struct jmethods jmethods; /* in place of these; empty unless the JVM itself tells the stacks */
    struct jfr_method *native;
    uint32_t native_count, native_cap;
    struct map native_by_key, native_by_pc;
    unsigned long long changes; /* modules_changes when native_by_pc was filled */
    struct virtuals virtuals;
    struct contexts contexts;
    struct held held;   /* the paths that were written last */
    uint32_t forgotten; /* how often the stacks were, and their ids with them */
};

int names_init(struct names *n); /* 0 or -ENOMEM */
void names_deinit(struct names *n);
struct jfr_pools names_pools(struct names *n);

/* Remembers the thread's names as they are now; its id in events is names_thread_id. */
void names_thread(struct names *n, const struct sampled_thread *t);
/* The same for a thread that is known only from Java. Returns its id in events. */
uint32_t names_java_thread(struct names *n, uint32_t uid, const char *name, int64_t java_id);
static inline uint32_t names_thread_id(const struct sampled_thread *t)
{
    return t->uid << 1;
}

/* The id that events of this chunk use for a virtual thread. words: what the record says of the thread (hot/record.h). */
uint32_t names_virtual_thread(struct names *n, const uint64_t *words, size_t count);
/* The name of an operation of the JVM, "G1PauseRemark", for the result of work_operation. False if it is not an operation. */
bool names_operation(uint64_t table, char *out, size_t size);
/* The id that events of this chunk use for a context; 0 = none. words: the record's words of the context (hot/context.h). */
uint32_t names_context(struct names *n, const uint64_t *words, size_t count);
/* Call it when a chunk has ended. Forgets the stacks if there are many: otherwise an endless recording would fill their table, and
 * later stacks could not be added. */
void names_new_chunk(struct names *n);
/* The stack of a sample without one, which every tool shows as one pseudo frame: the reason, and where the pc was (0 = unknown). */
uint32_t names_failed_stack(struct names *n, enum outcome outcome, uint64_t pc);
/* The method id of a native function, by address or by class and name. */
uint32_t names_native(struct names *n, uintptr_t pc);
uint32_t names_pseudo(struct names *n, const char *class_name, const char *name);
/* The names of the method with this id. */
struct jfr_method names_method(struct names *n, uint32_t id);
/* The frame, as a word of hot/record.h, for a frame from the JVM. Asks the JVM for the method's name when it is first seen; if
 * there is none, a pseudo frame gives the reason. */
uint64_t names_told_frame(struct names *n, struct java_frame frame);
/* The stack id of a record's frames (words of hot/record.h, leaf first; they are replaced in place, and may be one more then) of
 * a thread with this role. */
uint32_t names_stack(struct names *n, uint64_t *frames, size_t count, enum thread_role role, bool truncated);

#endif
