/* The table of the kinds of sample, with one row for each, and the table of the JFR event types from which each kind is read. Everything
 * that depends on a kind alone is a column here. The texts, the formats and the command line look it up. A profile has samples of one
 * kind.
 *
 * KIND(symbol, word, basis, event, unit, value, stored, id, title, whole, methods, lines, none, lack, command, help):
 *   word       the name of the kind for --kind, and for "kind" in JSON
 *   basis      a value of enum profile_basis: what triggers such a sample
 *   event      the event of `candor record -e` that records Candor's samples of this kind, or another profiler's word
 *   unit       of the weights, if the recording does not say otherwise
 *   value      pprof's word for what the weights measure; NULL = the kind's word
 *   stored     the type under which a server stores such samples; NULL if their sum over time has no meaning
 *   id         the profile type ID under which Pyroscope's clients ask for that type; NULL if it follows from the type (connect/kinds.h)
 *   title      the kind as a choice on a page
 *   whole      the name of the sum of all weights; shares are parts of this sum
 *   methods, lines  titles of these tables
 *   none       the text of a report without samples
 *   lack, command   for a recording that does not have this kind: "no wall samples" [in this recording; record with] "-e wall"
 *   help       the text on --kind
 * SOURCE(symbol, kinds, first, second): the events `first` and `second` (or NULL) are samples of these kinds. Rows with worse samples come
 * first. For each kind, only the best row for which a chunk has events is read. The events of both types of a row add up.
 *
 * A new kind needs a row in each table, and a handler in load/load_events.c. */
#ifndef CANDOR_PROFILE_KINDS_H
#define CANDOR_PROFILE_KINDS_H

#include <stdbool.h>

/* OTHER: a unit without its own arithmetic here. The profile's `unit_name` is the word for it. */
enum profile_unit { PROFILE_UNIT_NS, PROFILE_UNIT_SAMPLES, PROFILE_UNIT_BYTES, PROFILE_UNIT_OTHER };

/* What triggers a sample: a clock, the allocation of an object, the end of a wait, or a call of a function. */
enum profile_basis { PROFILE_BY_CLOCK, PROFILE_BY_OBJECT, PROFILE_BY_WAIT, PROFILE_BY_CALL };

#define PROFILE_KIND_ROWS(KIND)                                                                                                            \
    KIND(RUNNING, "cpu", CLOCK, "cpu", NS, NULL, "cpu:ns", "process_cpu:cpu:nanoseconds:cpu:nanoseconds", "CPU", "sampled CPU",            \
         "Hot methods", "Hot lines", "nothing was running, or this recording has no CPU samples", "no cpu samples", "-e cpu",              \
         "cpu: running threads (default)")                                                                                                 \
    KIND(WALL, "wall", CLOCK, "wall", NS, NULL, "wall:ns", "wall:wall:nanoseconds:wall:nanoseconds", "Wall clock", "wall-clock time",      \
         "Methods, running or not", "Lines, running or not", "this recording has no wall-clock samples", "no wall samples",                \
         "-e wall, or -e cpu,wall", "wall: all threads, from -e wall")                                                                     \
    KIND(ALLOC, "alloc", OBJECT, "alloc", BYTES, "alloc_space", "alloc_space:bytes", "memory:alloc_space:bytes:space:bytes",               \
         "Allocations", "allocated bytes", "Allocating methods", "Allocating lines", "nothing was allocated, or too little to be sampled", \
         "no allocation samples", "-e alloc", "alloc: allocations, from -e alloc")                                                         \
    KIND(LIVE, "live", OBJECT, "live", BYTES, "inuse_space", NULL, NULL, "Live heap", "live bytes", "Methods that allocated live objects", \
         "Lines that allocated live objects",                                                                                              \
         "no sampled object survived a collection, or there was no collection; 'jcmd PID GC.run' starts one", "no live objects",           \
         "-e live", "live: objects that are alive, and leak candidates, from -e live")                                                     \
    KIND(LOCK, "lock", WAIT, "lock", NS, NULL, "lock:ns", "mutex:lock:nanoseconds:mutex:count", "Locks", "time of waiting for locks",      \
         "Methods that waited", "Lines that waited", "no thread waited for a lock", "no waits for locks", "-e lock",                       \
         "lock: waits for locks, from -e lock")                                                                                            \
    KIND(HOLDER, "holder", WAIT, "lock", NS, NULL, "holder:ns", "mutex:holder:nanoseconds:mutex:count", "Lock holders",                    \
         "time that other threads waited", "Methods of lock holders", "Lines of lock holders", "no thread waited for a lock",              \
         "no waits for locks", "-e lock", "holder: what threads did while they held locks for which others waited")                        \
    KIND(WAITING, "waiting", CLOCK, "safepoint", NS, NULL, NULL, NULL, "Waiting", "waiting time", "Waiting methods", "Waiting lines",      \
         "nothing was waiting", "no samples of waiting threads", "-e safepoint", "waiting: waiting threads, from -e safepoint")            \
    KIND(NATIVEMEM, "nativemem", CALL, "nativemem", BYTES, "malloc_space", "malloc_space:bytes", NULL, "Native memory",                    \
         "allocated native memory", "Methods that called malloc", "Lines that called malloc", "no native memory was allocated",            \
         "no allocations of native memory", "async-profiler's nativemem",                                                                  \
         "nativemem: calls of malloc and similar functions, from recordings by async-profiler")                                            \
    KIND(NATIVELEAK, "nativeleak", CALL, "nativemem", BYTES, "malloc_inuse_space", NULL, NULL, "Native leaks",                             \
         "native memory that was not freed", "Methods whose memory was not freed", "Lines whose memory was not freed",                     \
         "all native memory that was allocated was freed", "no allocations of native memory", "async-profiler's nativemem",                \
         "nativeleak: the calls of these that no call of free followed")

#define PROFILE_KIND_SYMBOL(symbol, ...) PROFILE_##symbol,
enum profile_kind { PROFILE_KIND_ROWS(PROFILE_KIND_SYMBOL) PROFILE_KINDS };

#define PROFILE_KIND_BIT(symbol) (1u << PROFILE_##symbol)

#define PROFILE_SOURCE_ROWS(SOURCE)                                                                                                        \
    SOURCE(HOLDER, PROFILE_KIND_BIT(HOLDER), "candor.LockHolder", NULL)                                                                    \
    SOURCE(LOCK, PROFILE_KIND_BIT(LOCK), "jdk.JavaMonitorEnter", "jdk.ThreadPark")                                                         \
    SOURCE(LIVE_OBJECT, PROFILE_KIND_BIT(LIVE), "profiler.LiveObject", NULL)                                                               \
    SOURCE(LIVE, PROFILE_KIND_BIT(LIVE), "jdk.OldObjectSample", NULL)                                                                      \
    SOURCE(MALLOC, PROFILE_KIND_BIT(NATIVEMEM) | PROFILE_KIND_BIT(NATIVELEAK), "profiler.Malloc", "profiler.Free")                         \
    SOURCE(TLAB, PROFILE_KIND_BIT(ALLOC), "jdk.ObjectAllocationInNewTLAB", "jdk.ObjectAllocationOutsideTLAB")                              \
    SOURCE(ALLOCATION, PROFILE_KIND_BIT(ALLOC), "jdk.ObjectAllocationSample", NULL)                                                        \
    SOURCE(EXECUTION, PROFILE_KIND_BIT(RUNNING) | PROFILE_KIND_BIT(WALL), "jdk.ExecutionSample", NULL)                                     \
    SOURCE(WALL_CLOCK, PROFILE_KIND_BIT(WALL), "profiler.WallClockSample", NULL)                                                           \
    SOURCE(DATADOG, PROFILE_KIND_BIT(RUNNING), "datadog.ExecutionSample", NULL)                                                            \
    SOURCE(SAFEPOINT, PROFILE_KIND_BIT(RUNNING) | PROFILE_KIND_BIT(WAITING), "candor.SafepointSample", NULL)                               \
    SOURCE(WALL, PROFILE_KIND_BIT(WALL), "candor.WallSample", NULL)                                                                        \
    SOURCE(CPU_TIME, PROFILE_KIND_BIT(RUNNING), "jdk.CPUTimeSample", NULL)                                                                 \
    SOURCE(CANDOR, PROFILE_KIND_BIT(RUNNING), "candor.CpuSample", NULL)                                                                    \
    SOURCE(EVENT, PROFILE_KIND_BIT(RUNNING), "candor.EventSample", NULL)

struct profile_kind_info {
    const char *word, *event, *value, *stored, *id, *title, *whole, *methods, *lines, *none, *lack, *command;
    enum profile_basis basis;
    enum profile_unit unit;
};

extern const struct profile_kind_info profile_kinds[PROFILE_KINDS];

struct profile_source {
    unsigned kinds;             /* bits */
    const char *first, *second; /* NULL = there is no second one */
};

/* The rows of the table. Element 0 is not a row of the table. */
extern const struct profile_source profile_sources[];

/* Texts for the command line: "cpu|wall|..." with further choices at the end ("" or "|halt"), and half a sentence about each kind. */
#define PROFILE_KIND_CHOICE(symbol, word, ...) "|" word
#define PROFILE_KIND_CHOICES(more)             (&(PROFILE_KIND_ROWS(PROFILE_KIND_CHOICE) more)[1])
#define PROFILE_KIND_HELP_ROW(symbol, word, basis, event, unit, value, stored, id, title, whole, methods, lines, none, lack, command,      \
                              help)                                                                                                        \
    help "; "
#define PROFILE_KIND_HELP PROFILE_KIND_ROWS(PROFILE_KIND_HELP_ROW)

/* Finds the kind with that word. Returns false if there is none. */
bool profile_kind_named(const char *word, enum profile_kind *kind);
/* Whether a file's events of that type are samples of this kind. */
bool profile_kind_comes_from(enum profile_kind kind, const char *event_type);
/* Finds the first of several kinds (bits). It is the default for an event type whose samples may be of several kinds. Returns false if
 * `kinds` is empty. */
bool profile_kind_first(unsigned kinds, enum profile_kind *kind);
/* Returns the kinds (bits) that events of this type may be samples of. In JDK 9, jdk.X has the name com.oracle.jdk.X. */
unsigned profile_kinds_of(const char *event_type);

#endif
