/* Writes one recording: a JFR file (version 2.0 chunks, compressed integers) that is whole after every flush.
 *
 *   jfr_writer_new -> [ events ... jfr_writer_flush ]* -> jfr_writer_close
 *
 * Events collect in memory. A flush writes them, then a checkpoint with the constant-pool entries that those events need and
 * this chunk does not have yet (and, the first time in a chunk, the metadata), after the part that readers see, and finally
 * makes all of it visible: a process killed at any moment leaves a whole file with everything up to the last flush
 * (writer_tail.h). jfr_writer_rotate ends the chunk and begins the next one; its pools start empty.
 *
 * The writer keeps no names. Events refer to stacks, threads and contexts by the caller's dense ids (0 = none); at a flush the
 * writer asks the caller, through struct jfr_pools, for the entries of ids that it has not written yet. Names are symbol ids, 0
 * being the empty string. Single-threaded, libc only, allocates only in its own buffers (hard cap `memory_max`).
 *
 * Errors: negative errno with a text. After a failed write (disk full, file too large, I/O error) the file is cut back to the
 * last whole flush, the error stays, and every later call returns it at once: nothing half-written is left. If somebody else
 * has cut or deleted the file meanwhile, the next flush notices it (-ESTALE), and leaves the file as it is.
 */
#ifndef CANDOR_JFR_WRITE_WRITER_H
#define CANDOR_JFR_WRITE_WRITER_H

#include "base/error.h"
#include "jfr/schema.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct jfr_frame {
    uint32_t method; /* the caller's method id */
    int32_t line;    /* 0 = unknown */
    uint32_t bci;
    uint8_t type; /* enum jfr_frame_type */
};

struct jfr_method {
    uint32_t class_name; /* symbol ids; class names with dots: "java.util.HashMap" */
    uint32_t name;
    uint32_t descriptor;
};

struct jfr_thread {
    uint32_t java_name; /* symbol id, 0 for a thread that is not Java's */
    uint32_t os_name;
    uint64_t os_id;
    uint64_t java_id; /* 0 = not a Java thread */
    /* UTF-8, of a virtual thread in place of the other two; NULL = it is none. Borrowed until the next question. */
    const char *virtual_name;
    size_t virtual_name_len;
};

enum { JFR_TRACE_ID_DIGITS = 32, JFR_SPAN_ID_DIGITS = 16, JFR_CONTEXT_LABELS_MAX = 16 };

/* Whose work a thread did while a sample was taken. */
struct jfr_context {
    uint32_t endpoint;                                                                                             /* symbol id */
    char trace_id[JFR_TRACE_ID_DIGITS + 1], span_id[JFR_SPAN_ID_DIGITS + 1], root_span_id[JFR_SPAN_ID_DIGITS + 1]; /* or empty */
    uint32_t label_count;
    uint32_t labels[JFR_CONTEXT_LABELS_MAX]; /* symbol ids of "KEY=VALUE" */
};

/* An object on a path to a sampled one, or that itself; how it is held, and, at the path's end, by which root. */
struct jfr_held_object {
    uint32_t class_name;  /* symbol id */
    uint32_t description; /* symbol id: of a class "Class Name: com.shop.Orders", of a thread "Thread Name: main"; 0 = none */
    uint32_t holder;      /* id of the object that refers to it; 0 = the path ends here */
    bool is_element;      /* it does by an element of its array, else by a field */
    int32_t array_size, array_index;
    uint32_t field;                      /* symbol id */
    uint16_t modifiers;                  /* of the field: 8 = static */
    const char *root_system, *root_type; /* the JDK's words: "Threads", "Stack Variable" */
    uint32_t root_description;           /* symbol id */
};

/* Answers of the caller. Each is called while the writer gathers names or flushes, with ids that events or other answers named. */
struct jfr_pools {
    void *context;
    /* Fills up to max frames, leaf first, and sets *truncated; returns how many. */
    size_t (*stack)(void *context, uint32_t id, struct jfr_frame *frames, size_t max, bool *truncated);
    void (*method)(void *context, uint32_t id, struct jfr_method *method);
    void (*thread)(void *context, uint32_t id, struct jfr_thread *thread);
    const char *(*symbol)(void *context, uint32_t id, size_t *len);               /* UTF-8; valid until the next question that is not for a
                                                                     * symbol */
    void (*whose_work)(void *context, uint32_t id, struct jfr_context *out);      /* NULL: no event has a context */
    void (*held_object)(void *context, uint32_t id, struct jfr_held_object *out); /* NULL: no event has a path */
    void (*sort_stacks)(void *context, uint32_t *ids, size_t count);              /* so that like ones stand together; NULL: as they came */
};

struct jfr_writer_options {
    uint64_t ticks_per_second; /* of all `ticks` below */
    uint32_t grain;            /* how many of them are one in the file: what it does not tell apart costs no bytes; 0 = 1 */
    uint64_t start_ticks;
    uint64_t start_epoch_ns; /* the wall-clock time of start_ticks */
    uint64_t offset;         /* behind a recording that another writer flushed last and did not close: the size of its file; 0 = none */
    uint32_t without;        /* enum jfr_without, several */
    bool ring;               /* it may give up its oldest chunks (writer_ring.h), so where they are is remembered */
    size_t memory_max;       /* bytes of events and pools held between two flushes; 0 = 64 MiB */
};

struct jfr_writer;

/* Takes fd (a file open for writing, empty but for what lies below the offset; closed by jfr_writer_close or on failure). */
int jfr_writer_new(struct jfr_writer **out, int fd, const struct jfr_writer_options *options, const struct jfr_pools *pools,
                   struct error *e);
/* A writer without a file: each event goes to all writers that it is aimed at, except to those that do without its type (enum
 * jfr_without). An event for which one of them has no room goes to none, and is dropped here. Only events can be written to it. The
 * writers share what answers for ids. 0 or -ENOMEM. */
enum { JFR_TEE_MAX = 4 };
int jfr_tee_new(struct jfr_writer **out);
void jfr_tee_aim(struct jfr_writer *tee, struct jfr_writer *const *writers, uint32_t count);
void jfr_tee_free(struct jfr_writer *tee);
/* Flushes, closes and frees, also after an error. */
int jfr_writer_close(struct jfr_writer *w, uint64_t ticks, struct error *e);
int jfr_writer_flush(struct jfr_writer *w, uint64_t ticks, struct error *e);
/* Call it before one of these three functions, with no event in between: encodes the names that the events need, so that
 * jfr_writer_growth knows how much longer the file will become. Up to 1 MiB of names wait in memory. Names beyond that, and the
 * events before them, are written to the tail at once. */
int jfr_writer_gather(struct jfr_writer *w, uint64_t ticks, struct error *e);
/* An upper bound of the bytes by which the file grows when everything that waits is written, even by a rotation: the events and,
 * after jfr_writer_gather, their names. */
uint64_t jfr_writer_growth(const struct jfr_writer *w);
/* Flushes, ends this chunk and begins the next at `ticks`, which is epoch_ns on the wall clock. */
int jfr_writer_rotate(struct jfr_writer *w, uint64_t ticks, uint64_t epoch_ns, struct error *e);
/* Bytes in the file, up to a few pages more than it will have when closed; and of content in this chunk. */
uint64_t jfr_writer_size(const struct jfr_writer *w);
uint64_t jfr_writer_chunk_size(const struct jfr_writer *w);
/* Bytes of events that the next flush will write. */
uint64_t jfr_writer_pending(const struct jfr_writer *w);

/* Events. They never fail: beyond memory_max an event is dropped and counted. */
uint64_t jfr_writer_dropped(const struct jfr_writer *w);

void jfr_write_execution_sample(struct jfr_writer *w, uint64_t ticks, uint32_t thread, uint32_t stack, enum jfr_thread_state state);

struct jfr_cpu_sample {
    uint64_t ticks;
    uint32_t thread;
    uint32_t carrier; /* of a virtual thread, else 0 */
    uint32_t stack;
    uint64_t weight_ns; /* CPU time the sample stands for */
    uint32_t outcome;   /* symbol id: "complete", "truncated", or the name of the reason it failed */
    enum jfr_thread_state state;
    uint64_t pc;
    uint32_t context; /* 0 = none */
    uint32_t window;  /* of a clock by lot; 0 = of another */
};
void jfr_write_cpu_sample(struct jfr_writer *w, const struct jfr_cpu_sample *sample);
/* The same of a recording that counts events: weight_ns is how many of them. */
void jfr_write_event_sample(struct jfr_writer *w, const struct jfr_cpu_sample *s);

/* Machine code; only of recordings that were asked for it (docs/formats/recording.md). */
struct jfr_code_sample {
    uint64_t ticks;
    uint32_t stack;
    uint64_t weight_ns;
    uint64_t pc;
    uint32_t compilation; /* 0 = none */
    uint64_t code;        /* where the snapshot's code begins; 0 = there is none */
    uint32_t capture;     /* symbol id */
};
void jfr_write_code_sample(struct jfr_writer *w, const struct jfr_code_sample *sample);

struct jfr_code_snapshot {
    uint64_t ticks;
    uint32_t stack; /* of one frame, the method; 0 = none's */
    const char *kind, *name;
    uint32_t compilation, level;
    int32_t entry_bci; /* -1 = the method's beginning */
    uint64_t address, entry;
    const char *code; /* the bytes, as hexadecimal digits */
};
void jfr_write_code_snapshot(struct jfr_writer *w, const struct jfr_code_snapshot *snapshot);
/* The frames of the code from the end of the previous place up to `end`. Compilation and address identify the snapshot. */
void jfr_write_code_place(struct jfr_writer *w, uint64_t ticks, uint32_t stack, uint32_t compilation, uint64_t address, uint32_t end);
void jfr_write_code_name(struct jfr_writer *w, uint64_t ticks, const char *name, uint64_t address, uint32_t size);

struct jfr_safepoint_sample {
    uint64_t ticks;
    uint32_t thread;
    uint32_t stack;
    uint64_t weight_ns; /* wall-clock time of threads that the sample stands for */
    uint32_t outcome;   /* as above */
    enum jfr_thread_state state;
};
void jfr_write_safepoint_sample(struct jfr_writer *w, const struct jfr_safepoint_sample *sample);

struct jfr_allocation_sample {
    uint64_t ticks;
    uint32_t thread;
    uint32_t carrier; /* of a virtual thread, else 0 */
    uint32_t stack;
    uint32_t class_name;        /* symbol id: "java.util.HashMap", "[B" as Class.getName() has it */
    uint64_t weight, size;      /* bytes it stands for; of the object */
    uint64_t interval, counted; /* bytes: docs/formats/recording.md */
    uint32_t outcome;           /* as above */
    uint32_t context;           /* 0 = none */
};
/* A jdk.ObjectAllocationSample, with more fields than the JDK's. */
void jfr_write_allocation_sample(struct jfr_writer *w, const struct jfr_allocation_sample *sample);

/* A sampled object, as long as it is alive. */
struct jfr_old_object {
    uint64_t ticks;
    uint32_t thread;
    uint32_t stack;
    uint32_t class_name; /* as above */
    uint64_t born_ticks;
    uint64_t size, weight; /* bytes of the object, and those it stands for */
    uint64_t collections;  /* begun since it was allocated */
    uint64_t heap_used;    /* after the last one; 0 = unknown */
    uint32_t outcome;      /* as above */
    /* The path, of objects that were searched for (struct jfr_held_object). */
    uint32_t path;   /* symbol id: how that went; 0 = it was not */
    uint32_t object; /* id; 0 = nothing is known of it */
    bool has_holder;
    uint32_t root;    /* id of the object that a root refers to; 0 = the path does not reach one */
    int32_t elements; /* of an array; below 0: it is none, or not known */
};
/* A jdk.OldObjectSample, with more fields than the JDK's. Samples with the same time belong together. An object of a path has an id
 * in place of its address, which is unique in the chunk. */
void jfr_write_old_object(struct jfr_writer *w, const struct jfr_old_object *object);
/* Writes that a watched object was found dead. heap_used and collections are ignored. */
void jfr_write_object_end(struct jfr_writer *w, const struct jfr_old_object *object);

struct jfr_live_set {
    uint64_t ticks;
    uint64_t collections, old_collections; /* in the JVM's life; 0 = unknown, or none */
    uint64_t old_before;                   /* as of the set before, or of the beginning */
    uint64_t heap_used;                    /* 0 = unknown */
    uint64_t objects, bytes, error;
};
void jfr_write_live_set(struct jfr_writer *w, const struct jfr_live_set *set);

struct jfr_lock_wait {
    uint64_t ticks, duration_ticks; /* when it began, how long it took */
    uint32_t thread;
    uint32_t carrier; /* of a virtual thread, else 0 */
    uint32_t stack;
    uint32_t class_name;                /* symbol id; meant only if has_class */
    bool has_class;                     /* what was locked is known */
    uint32_t owner;                     /* a thread, 0 = unknown */
    uint64_t address;                   /* 0 = unknown */
    int64_t timeout_ns, until_epoch_ms; /* of a park; INT64_MIN = none */
    uint64_t weight_ns;
    bool finished;
    uint32_t outcome; /* as above */
};
/* A jdk.JavaMonitorEnter, and a jdk.ThreadPark, with more fields than the JDK's. */
void jfr_write_monitor_enter(struct jfr_writer *w, const struct jfr_lock_wait *wait);
void jfr_write_thread_park(struct jfr_writer *w, const struct jfr_lock_wait *wait);

struct jfr_lock_holder {
    uint64_t ticks;
    uint32_t thread;
    uint32_t stack;
    uint64_t weight_ns; /* time of waiting of others that the sample stands for */
    uint32_t outcome;   /* as above */
    enum jfr_thread_state state;
    uint32_t class_name; /* symbol id: of the lock; meant only if has_class */
    bool has_class;
};
void jfr_write_lock_holder(struct jfr_writer *w, const struct jfr_lock_holder *sample);

struct jfr_wall_sample {
    uint64_t ticks;
    uint32_t thread;
    uint32_t carrier; /* of a virtual thread, else 0 */
    uint32_t stack;
    uint64_t weight_ns; /* wall-clock time of threads that the sample stands for */
    uint32_t outcome;   /* as above */
    uint32_t evidence;  /* symbol id: what the state is known by */
    enum jfr_thread_state state;
    uint32_t context; /* 0 = none */
};
void jfr_write_wall_sample(struct jfr_writer *w, const struct jfr_wall_sample *sample);

/* A jdk.GarbageCollection that is one pause, with a field more than the JDK's: toldBy. */
struct jfr_garbage_collection {
    uint64_t start_ticks, end_ticks;
    uint64_t pause_ns;
    uint32_t id;
    uint32_t name, cause; /* symbol ids; 0 = unknown */
};
void jfr_write_garbage_collection(struct jfr_writer *w, const struct jfr_garbage_collection *collection);

struct jfr_safepoint_count {
    uint64_t start_ticks, end_ticks; /* of the while they were counted in */
    uint64_t count, stopped_ns, synchronizing_ns;
};
void jfr_write_safepoint_count(struct jfr_writer *w, const struct jfr_safepoint_count *count);

/* One line of the books, cumulative since the recording began. account: the name of an account in base/agreed/accounts.h, which may be one
 * of CPU time or of another event; reason: "" where the account has none. The last line of a recording with a given (account, reason) is
 * the one that counts. */
void jfr_write_book_line(struct jfr_writer *w, uint64_t ticks, const char *account, const char *reason, int64_t ns, uint64_t count);
/* The CPU time of one thread since the recording began, cumulative; the last one per thread counts. */
void jfr_write_thread_cpu(struct jfr_writer *w, uint64_t ticks, uint32_t thread, uint64_t cpu_ns, uint64_t samples);
/* The same two, with the values at the beginning of a chunk, for a file that may drop older data (writer_ring.h). If this chunk
 * becomes the first of the file, the file's books count from these values. */
void jfr_write_book_base(struct jfr_writer *w, uint64_t ticks, const char *account, const char *reason, int64_t ns, uint64_t count);
void jfr_write_thread_base(struct jfr_writer *w, uint64_t ticks, uint32_t thread, uint64_t cpu_ns, uint64_t samples);
/* Either of the two for books. */
typedef void jfr_write_book(struct jfr_writer *w, uint64_t ticks, const char *account, const char *reason, int64_t ns, uint64_t count);
/* A fact about how the recording was made: "version", "clock", "clock_reason", "clock_resolution_ns", "interval_ns",
 * "kernel" (included|excluded), "signal", "attached" (at-start|late), "debug_info" (full|sparse), "walker", ... */
void jfr_write_setting(struct jfr_writer *w, uint64_t ticks, const char *name, const char *value);
/* Something the user should know: level is "info", "warning" or "error". */
void jfr_write_log(struct jfr_writer *w, uint64_t ticks, const char *level, const char *message);

/* The JDK's own types, so that other tools show what they expect. */
void jfr_write_active_recording(struct jfr_writer *w, uint64_t ticks, const char *name, const char *destination, uint64_t start_epoch_ms,
                                uint64_t duration_ms);
/* A jdk.ActiveSetting of the event type with that name, e.g. ("jdk.ExecutionSample", "period", "10 ms"). */
void jfr_write_active_setting(struct jfr_writer *w, uint64_t ticks, const char *event, const char *name, const char *value);

struct jfr_jvm_information {
    const char *jvm_name, *jvm_version, *jvm_arguments, *jvm_flags, *java_arguments; /* already redacted */
    uint64_t start_epoch_ms;
    int64_t pid;
};
void jfr_write_jvm_information(struct jfr_writer *w, uint64_t ticks, const struct jfr_jvm_information *info);
void jfr_write_os_information(struct jfr_writer *w, uint64_t ticks, const char *version);
void jfr_write_cpu_information(struct jfr_writer *w, uint64_t ticks, const char *cpu, const char *description, uint32_t sockets,
                               uint32_t cores, uint32_t hw_threads);
void jfr_write_system_property(struct jfr_writer *w, uint64_t ticks, const char *key, const char *value);

#endif
