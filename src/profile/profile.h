/* The model of a recording: strings, methods, frames, a trie of stacks, labels, samples, threads, books, settings. It knows no file
 * format. load_jfr.c and src/format/ fill it from a file; stats.c and calltree.c read it.
 *
 *   profile_init -> [ profile_method, _frame, _stack, _thread, _add_sample ... ]* -> read the arrays -> profile_deinit
 *
 * Everything is interned: it gets a dense 32-bit id, in order of arrival. A stack is a node of the trie:
 *
 *      0 root ── 1 Thread.run ── 2 Work.loop ── 3 Work.hot      stack id 3 = run, loop, hot
 *                                     └──────── 4 Work.cold     stack id 4 = run, loop, cold
 *
 * A parent has a smaller id than its children. Therefore a forward pass over the nodes goes from the root to the leaves, and a backward
 * pass goes from the leaves to the root.
 *
 * Weights are nanoseconds of CPU time; for samples of the events safepoint and wall, nanoseconds of wall-clock time; bytes of
 * allocations; events that perf counts; or counts of samples. Functions that intern return 0 or -ENOMEM, and store the id in the last
 * argument. A profile has one owner at a time and does no locking. */
#ifndef CANDOR_PROFILE_PROFILE_H
#define CANDOR_PROFILE_PROFILE_H

#include "base/map.h"
#include "base/strtab.h"
#include "jfr/schema.h"
#include "profile/kinds.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Frame types: those of enum jfr_frame_type, and two more. */
enum {
    PROFILE_TYPE_OTHER = JFR_FRAME_TYPES, /* a type without a word in profile_type_name */
    PROFILE_TYPE_MARK,                    /* a mark in place of missing frames; never counted as a method */
    PROFILE_TYPES
};

enum { PROFILE_DEPTH_MAX = 4096 }; /* frames of one stack; deeper stacks of a recording are cut at the root */

enum { PROFILE_LABELS_MAX = 64 }; /* labels of one sample; further labels are left out */

enum { PROFILE_MAPS = 14 };

struct profile_method {
    uint32_t class_name; /* string ids; the class is written with dots, and empty for native code */
    uint32_t name;
    uint32_t descriptor;
    uint32_t package; /* string id: the package of the class; for native code the library */
    uint32_t label;   /* string id: the label of its frames; 0 = no frame has been met yet */
};

struct profile_frame {
    uint32_t method;
    uint32_t label; /* string id of the name for users (names.h); statistics count by it */
    int32_t line;   /* 0 = unknown */
    uint32_t bci;
    uint8_t type; /* enum jfr_frame_type or PROFILE_TYPE_* */
};

struct profile_node {
    uint32_t parent;
    uint32_t frame;
};

struct profile_thread {
    uint32_t name;            /* string id: Java's name of the thread, otherwise the operating system's */
    uint64_t os_id;           /* 0 = unknown */
    uint64_t java_id;         /* 0 = not a Java thread, or several */
    uint32_t virtual_threads; /* number of virtual threads whose names have this pattern; 0 = not virtual */
    bool cpu_known;
    uint64_t cpu_ns; /* CPU time of the thread during the recording, by its own clock */
};

/* A label: information from the application, or from its tracing, on the work at the time of a sample. A set of labels is a node of a
 * trie, as a stack is. A label's value is a text, or a number with a unit. */
struct profile_label {
    uint32_t parent;     /* the set without this label; 0 = the empty set */
    uint32_t key, value; /* string ids; the value of a number is its digits */
    uint32_t unit;       /* string id: the unit of a number */
    uint32_t count;      /* labels of the set, including this one; set by profile_label */
    bool number;
};

/* Whether the thread of a wall-clock sample has waited without interruption since the sample before it. */
enum profile_wait { PROFILE_WAIT_UNKNOWN, PROFILE_WAIT_NEW, PROFILE_WAIT_SAME };

struct profile_sample {
    int64_t time_ns; /* since the epoch; 0 = unknown */
    uint64_t weight;
    uint32_t thread;
    uint32_t stack;
    uint32_t labels;  /* the set of its labels; 0 = none */
    uint32_t outcome; /* string id: "complete", "truncated", or the reason why there is no stack */
    uint32_t window;  /* number of its window (clocks by lot), which other samples may share; 0 = the clock was not by lot */
    uint32_t count;   /* number of samples with equal weights that a format has added up in this one; otherwise 1 */
    uint8_t state;    /* enum jfr_thread_state */
    uint8_t chance;   /* of its window: the chance with which it was drawn, in percent; 0 = unknown, or no window */
    uint8_t wait;     /* enum profile_wait */
};

/* A sampled object that was alive at the end of the recording, or that died after it had outlived a collection. */
struct profile_object {
    struct profile_sample sample; /* the sample of its allocation; the weight is the live bytes that it stands for */
    int64_t told_ns;              /* since the epoch: the end of the recording, or the time when the object was found dead */
    uint64_t size;                /* bytes */
    bool is_alive;
};

/* The objects alive at the end of a collection. */
struct profile_live_set {
    int64_t time_ns;                       /* since the epoch */
    uint64_t collections, old_collections; /* number of collections since the JVM's start; 0 = unknown, or none */
    uint64_t old_before;                   /* old_collections at the previous set, or at the start: shows whether any came in between */
    uint64_t heap_used;                    /* bytes; 0 = unknown */
    uint64_t objects, bytes, error;        /* sampled objects, their weight, and its standard error */
};

/* One line of the books, cumulative. The accounts are those of base/agreed/accounts.h, or of a later version. */
struct profile_book {
    uint32_t account; /* string ids; reason is empty for an account without reasons */
    uint32_t reason;
    int64_t ns;
    uint64_t count;
};

/* The amount that a line of the books gained in one minute. */
struct profile_book_minute {
    int64_t minute; /* since the epoch */
    uint32_t account, reason;
    int64_t ns, count;
};

struct profile_setting {
    uint32_t name, value; /* string ids */
};

/* The value of a setting in a profile of several recordings in which it differs. */
#define PROFILE_DIFFERS "differs"

/* A message for the user, from the recording itself or about problems in reading it. */
struct profile_problem {
    uint32_t level; /* string ids; level is "info", "warning" or "error" */
    uint32_t text;
};

/* A type of events that have a stack, whether they are samples of this profile or not. */
struct profile_event_type {
    uint32_t name;  /* string id */
    unsigned kinds; /* bits: the kinds of sample that they may be; 0 = none */
    uint64_t count;
};

struct profile {
    struct strtab strings;
    struct profile_method *methods;
    uint32_t method_count, method_cap;
    struct profile_frame *frames;
    uint32_t frame_count, frame_cap;
    struct profile_node *nodes; /* nodes[0] is the root; it is its own parent */
    uint32_t node_count, node_cap;
    struct profile_label *labels; /* labels[0] is the empty set */
    uint32_t label_count, label_cap;
    struct profile_sample *samples;
    uint32_t sample_count, sample_cap;
    struct profile_thread *threads;
    uint32_t thread_count, thread_cap;
    struct profile_book *books; /* none = the recording has no books */
    uint32_t book_count, book_cap;
    struct profile_book_minute *book_minutes; /* with books_by_minute: for each line that is not a level, the minutes add up to the line */
    uint32_t book_minute_count, book_minute_cap;
    struct profile_setting *settings;
    uint32_t setting_count, setting_cap;
    struct profile_problem *problems;
    uint32_t problem_count, problem_cap;
    struct profile_object *objects; /* for the kind PROFILE_LIVE: the living ones are also the samples */
    uint32_t object_count, object_cap;
    struct profile_live_set *live_sets; /* for the same kind, in order of time */
    uint32_t live_set_count, live_set_cap;

    struct profile_event_type *event_types;
    uint32_t event_type_count, event_type_cap;

    enum profile_kind kind; /* set it before the first sample is added */
    bool full_names;        /* likewise: methods keep the names from the file; otherwise they get stable names (base/text/stable_name.h) */
    bool books_by_minute;   /* likewise: the books are also kept by minute */
    bool or_others;         /* likewise: without samples of running threads, another kind is read, and becomes `kind` (load/load_jfr.h) */
    enum profile_unit unit;
    uint32_t unit_name;     /* string id: the word for PROFILE_UNIT_OTHER */
    uint32_t *other_values; /* string ids: further values in the file, which are neither the weights nor counts of samples */
    uint32_t other_value_count, other_value_cap;
    uint32_t value;             /* string id: another profiler's word for what the weights measure ("alloc_space"); or 0 */
    uint64_t weight;            /* sum of all samples' weights */
    double hidden_squares;      /* what the squares of single weights add up to beyond weight^2 / count of the samples, because samples with
                                  * different weights were added up to one; 0 = nothing */
    uint32_t sampled;           /* sum of all samples' counts, limited to less than 2^32 */
    uint32_t merged;            /* number of recordings that profile_merge put together here; 0 = it is a recording that was read */
    uint64_t filtered_weight;   /* weight of the samples that a filter dropped (filter.h) */
    uint32_t filtered;          /* number of the samples that a filter dropped */
    bool discarded;             /* the recording discarded older data on purpose and kept its end */
    uint32_t windows;           /* the highest window number of a sample; 0 = there are no clocks by lot */
    bool thinned;               /* a filter selected by properties of samples: the remaining samples are not successive */
    bool books_elsewhere;       /* it came from a server, whose answer has no books; its page shows them */
    uint32_t kinds;             /* bits 1 << enum profile_kind: the kinds of sample in the recording; 0 = its format has one kind only */
    uint64_t cpu_samples;       /* events of candor.CpuSample */
    uint64_t execution_samples; /* events of jdk.ExecutionSample */
    uint64_t safepoint_samples; /* events of candor.SafepointSample, whatever their threads did */
    uint64_t allocation_samples; /* events of jdk.ObjectAllocationSample, InNewTLAB and OutsideTLAB */
    uint64_t interval_ns;        /* nominal; 0 = unknown */
    int64_t start_ns;            /* since the epoch; 0 = unknown */
    uint64_t duration_ns;
    uint64_t pid;         /* 0 = unknown */
    uint32_t source;      /* string id: the event type, or the format, of the samples; 0 = there are none */
    uint32_t command;     /* string id: main class and arguments of the JVM, empty if unknown */
    uint32_t jvm_version; /* string id */

    struct map maps[PROFILE_MAPS]; /* interning; see profile.c */
    bool unindexed;                /* the maps lack methods, frames and stacks; the next of these that is interned adds all to the maps */
};

int profile_init(struct profile *p); /* returns 0 or -ENOMEM */
void profile_deinit(struct profile *p);

/* Returns the bytes of memory of the names: everything that is interned for samples, but not the samples. */
size_t profile_names_bytes(const struct profile *p);

/* Interns a string. Unlike strtab_add it distinguishes the empty string from lack of memory. */
int profile_string(struct profile *p, const char *text, size_t len, uint32_t *id);
const char *profile_text(const struct profile *p, uint32_t string);

/* Interns a method. A class whose name differs from run to run gets its stable name, and so does the library of a native function. Thus
 * the same method has one id in all runs. */
int profile_method(struct profile *p, uint32_t class_name, uint32_t name, uint32_t descriptor, uint32_t *id);
int profile_frame(struct profile *p, uint32_t method, int32_t line, uint32_t bci, uint8_t type, uint32_t *id);
/* Loads the memory that profile_frame will need for this frame, without waiting for it. Several such loads go on beside each other. */
void profile_frame_soon(const struct profile *p, uint32_t method, int32_t line, uint32_t bci, uint8_t type);
/* Forgets all stacks. Methods and frames stay. */
void profile_drop_stacks(struct profile *p);
/* Finds or adds a child of a node; used by profile_stack if the child's id is not parent + 1. */
int profile_branch(struct profile *p, uint32_t parent, uint32_t frame, uint32_t *id);
/* Interns the stack that consists of `parent` (0 = the empty stack) and one more frame towards the leaf. Most nodes have one child,
 * which was added right after them; this case needs no search. */
static inline int profile_stack(struct profile *p, uint32_t parent, uint32_t frame, uint32_t *id)
{
    uint32_t next = parent + 1;
    if (next < p->node_count && p->nodes[next].parent == parent && p->nodes[next].frame == frame) {
        *id = next;
        return 0;
    }
    return profile_branch(p, parent, frame, id);
}
/* Interns the set that consists of the set one->parent and one more label. A label without a key or a text is ignored: the set does not
 * change. */
int profile_label(struct profile *p, const struct profile_label *one, uint32_t *id);
/* Finds that set without adding it. Returns whether the profile has the set. */
bool profile_label_find(const struct profile *p, const struct profile_label *one, uint32_t *id);
/* Lists the labels of a set in the order in which they were added. Returns their number. */
uint32_t profile_label_list(const struct profile *p, uint32_t labels, const struct profile_label *list[PROFILE_LABELS_MAX]);
/* Interns the pseudo frame that marks a truncated stack at its root. */
int profile_truncation_frame(struct profile *p, uint32_t *id);
/* Interns a thread, identified by (java_id, os_id). The name of a thread that is not a Java thread identifies it, too, because the
 * kernel reuses ids. A later name of the same Java thread replaces the earlier name. */
int profile_thread(struct profile *p, uint32_t name, uint64_t os_id, uint64_t java_id, uint32_t *id);

/* Adds the sample; a count of 0 means 1. Returns 0, -ENOMEM, or -ERANGE if the sum of weights would reach 2^62. In that case the sample
 * is not added. */
int profile_add_sample(struct profile *p, const struct profile_sample *sample);
/* Sets a line of the books. It replaces an earlier line with the same account and reason. profile_set_setting likewise sets a setting,
 * and replaces an earlier setting with the same name. */
int profile_set_book(struct profile *p, const struct profile_book *line);
int profile_set_setting(struct profile *p, uint32_t name, uint32_t value);
/* Sets the host on which the profile was recorded: the setting "host", as Candor's agent writes it. An empty name is ignored. */
int profile_set_host(struct profile *p, const char *name, size_t len);
/* Adds the count of events to the entry of their type. A new type is ignored if there are already 1000. */
int profile_add_event_type(struct profile *p, const struct profile_event_type *type);
/* Adds a problem, unless the profile already has the same problem, or 100 problems. */
int profile_add_problem(struct profile *p, const char *level, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Finds a line of the books. The caller borrows the result; NULL if there is none. profile_setting does the same for a setting's value. */
const struct profile_book *profile_book(const struct profile *p, const char *account, const char *reason);
const char *profile_setting(const struct profile *p, const char *name);
/* Returns the host on which the profile was recorded; "" if it is unknown, or if there are several. */
const char *profile_host(const struct profile *p);
/* Whether the samples come from the event safepoint: they weigh the wall-clock time of threads, and are biased for running threads. */
bool profile_is_safepoint(const struct profile *p);
/* Returns the word for a frame type: "Interpreted", "JIT compiled", ... profile_type_named does the reverse, and returns
 * PROFILE_TYPE_OTHER for an unknown word. */
const char *profile_type_name(uint8_t type);
uint8_t profile_type_named(const char *word, size_t len);
/* Returns the word for the unit of weights: "ns", "samples", "bytes", or another profiler's word. */
const char *profile_unit_word(const struct profile *p);
/* Returns the word for the profile's kind. It is "running" for the event safepoint, and "events" for an event that perf counts. */
const char *profile_kind_word(const struct profile *p);
/* Returns of what shares are a part: "sampled CPU", "samples", or another tool's word, such as "inuse_space". */
const char *profile_whole(const struct profile *p);
/* Returns the kind's name as a choice on a page: "Wall clock". For values of another tool it is that tool's word. */
const char *profile_kind_title(const struct profile *p);
/* Whether the profile's samples are objects, allocated or alive, that have a class (allocated.h). */
static inline bool profile_is_of_objects(const struct profile *p)
{
    return profile_kinds[p->kind].basis == PROFILE_BY_OBJECT;
}
/* Whether the profile's samples are waits for locks, or samples of the threads that held those locks. */
static inline bool profile_is_of_locks(const struct profile *p)
{
    return profile_kinds[p->kind].basis == PROFILE_BY_WAIT;
}
/* Removes all samples and their sums. Interned data stays. */
void profile_drop_samples(struct profile *p);

#endif
