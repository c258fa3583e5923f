/* Writes one recording: a JFR file (version 2.0 chunks, compressed integers) that is complete after every flush.
 *
 *   jfr_writer_new -> [ events ... jfr_writer_flush ]* -> jfr_writer_close
 *
 * Events collect in memory. A flush writes them, then a checkpoint with the constant-pool entries that those events need and this chunk
 * does not have yet (and, the first time in a chunk, the metadata), after the part that readers see, and finally makes all of it visible: a
 * process killed at any moment leaves a complete file with everything up to the last flush (writer_tail.h). jfr_writer_rotate ends the
 * chunk and begins the next one; its pools start empty.
 *
 * The writer keeps no names. Events refer to stacks, threads and contexts by the caller's consecutive ids (0 = none); at a flush the writer
 * asks the caller, through struct jfr_pools, for the entries of ids that it has not written yet. Names are symbol ids; 0 is the empty
 * string. The writer is for one thread, needs only libc, and allocates only in its own buffers (with the limit `memory_max`).
 *
 * Errors are a negative errno with a text. After a failed write (disk full, file too large, I/O error) the file is cut back to the last
 * whole flush, the error stays, and every later call returns it at once: nothing half-written is left. If another process has cut or
 * deleted the file meanwhile, the next flush notices this (-ESTALE), and leaves the file as it is. */
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

/* UTF-8, or NULL. Borrowed until the next call. */
struct jfr_name {
    const char *text;
    size_t len;
};

struct jfr_thread {
    struct jfr_name java_name; /* NULL for a thread that is not a Java thread */
    struct jfr_name os_name;   /* NULL = empty, as for a virtual thread */
    uint64_t os_id;
    uint64_t java_id; /* 0 = not a Java thread */
    bool is_virtual;
};

enum { JFR_TRACE_ID_DIGITS = 32, JFR_SPAN_ID_DIGITS = 16, JFR_CONTEXT_LABELS_MAX = 16 };

/* The work that a thread did while a sample was taken. */
struct jfr_context {
    uint32_t endpoint;                                                                                             /* symbol id */
    char trace_id[JFR_TRACE_ID_DIGITS + 1], span_id[JFR_SPAN_ID_DIGITS + 1], root_span_id[JFR_SPAN_ID_DIGITS + 1]; /* or empty */
    uint32_t label_count;
    uint32_t labels[JFR_CONTEXT_LABELS_MAX]; /* symbol ids of "KEY=VALUE" */
};

/* A sampled object, or an object on the path to it: how it is held, and, at the path's end, by which root. */
struct jfr_held_object {
    uint32_t class_name;  /* symbol id */
    uint32_t description; /* symbol id: for a class "Class Name: com.shop.Orders", for a thread "Thread Name: main"; 0 = none */
    uint32_t holder;      /* id of the object that refers to it; 0 = the path ends here */
    bool is_element;      /* the holder is an array that refers to it by an element; otherwise by a field */
    int32_t array_size, array_index;
    uint32_t field;                      /* symbol id */
    uint16_t modifiers;                  /* of the field: 8 = static */
    const char *root_system, *root_type; /* the JDK's terms: "Threads", "Stack Variable" */
    uint32_t root_description;           /* symbol id */
};

/* The caller's functions that resolve ids. They are called while the writer gathers names or flushes, with ids that events or earlier
 * results contained. */
struct jfr_pools {
    void *context;
    /* Fills up to max frames, leaf first, and sets *truncated. Returns how many there are. */
    size_t (*stack)(void *context, uint32_t id, struct jfr_frame *frames, size_t max, bool *truncated);
    void (*method)(void *context, uint32_t id, struct jfr_method *method);
    void (*thread)(void *context, uint32_t id, struct jfr_thread *thread);
    const char *(*symbol)(void *context, uint32_t id, size_t *len);               /* UTF-8; valid until the next call of another function */
    void (*whose_work)(void *context, uint32_t id, struct jfr_context *out);      /* NULL: no event has a context */
    void (*held_object)(void *context, uint32_t id, struct jfr_held_object *out); /* NULL: no event has a path */
    void (*sort_stacks)(void *context, uint32_t *ids, size_t count);              /* sorts similar stacks together; NULL: keep their
                                                                                   * order */
};

struct jfr_writer_options {
    uint64_t ticks_per_second; /* the unit of all `ticks` below */
    uint32_t grain;            /* number of ticks that are one tick in the file: a coarser unit costs fewer bytes; 0 = 1 */
    uint64_t start_ticks;
    uint64_t start_epoch_ns; /* the wall-clock time of start_ticks */
    uint64_t offset;         /* if the writer continues after a recording that another one flushed but did not close: the file's size; 0 =
                              * none */
    uint32_t without;        /* bits of enum jfr_without */
    bool ring;               /* it may drop its oldest chunks (writer_ring.h), so it remembers where they are */
    size_t memory_max;       /* limit for bytes of events and pools that are kept in memory between two flushes; 0 = 64 MiB */
};

struct jfr_writer;

/* Creates a writer, which takes fd over: a file open for writing, empty except for the bytes below the offset. It is closed by
 * jfr_writer_close or on failure. */
int jfr_writer_new(struct jfr_writer **out, int fd, const struct jfr_writer_options *options, const struct jfr_pools *pools,
                   struct error *e);
/* Creates a writer without a file. Each event goes to all writers at which this one is aimed, except to those without its type (enum
 * jfr_without). If one of them has no room for an event, the event goes to none, and is counted as dropped here. Only events can be written
 * to it. The writers share the functions that resolve ids. Returns 0 or -ENOMEM. */
enum { JFR_TEE_MAX = 4 };
int jfr_tee_new(struct jfr_writer **out);
void jfr_tee_aim(struct jfr_writer *tee, struct jfr_writer *const *writers, uint32_t count);
void jfr_tee_free(struct jfr_writer *tee);
/* Flushes, closes and frees, also after an error. */
int jfr_writer_close(struct jfr_writer *w, uint64_t ticks, struct error *e);
int jfr_writer_flush(struct jfr_writer *w, uint64_t ticks, struct error *e);
/* Encodes the names that the events need, so that jfr_writer_growth knows how much longer the file will become. Call it before close, flush
 * or rotate, with no event in between. Up to 1 MiB of names wait in memory. Names beyond that, and the events before them, are written to
 * the tail at once. */
int jfr_writer_gather(struct jfr_writer *w, uint64_t ticks, struct error *e);
/* Returns an upper bound of the bytes by which the file grows when all waiting data is written, even by a rotation: the events and, after
 * jfr_writer_gather, their names. */
uint64_t jfr_writer_growth(const struct jfr_writer *w);
/* Flushes, ends this chunk and begins the next at `ticks`. epoch_ns is the same time by the wall clock. */
int jfr_writer_rotate(struct jfr_writer *w, uint64_t ticks, uint64_t epoch_ns, struct error *e);
/* Return the bytes in the file (up to a few pages more than after the close), and the bytes of content in this chunk. */
uint64_t jfr_writer_size(const struct jfr_writer *w);
uint64_t jfr_writer_chunk_size(const struct jfr_writer *w);
/* Returns the bytes of events that the next flush will write. */
uint64_t jfr_writer_pending(const struct jfr_writer *w);

/* Returns the number of dropped events. The functions below write events. They never fail: beyond memory_max an event is dropped and
 * counted. */
uint64_t jfr_writer_dropped(const struct jfr_writer *w);

void jfr_write_execution_sample(struct jfr_writer *w, uint64_t ticks, uint32_t thread, uint32_t stack, enum jfr_thread_state state);

struct jfr_cpu_sample {
    uint64_t ticks;
    uint32_t thread;
    uint32_t carrier; /* the carrier of a virtual thread, else 0 */
    uint32_t stack;
    uint64_t weight_ns; /* CPU time the sample stands for */
    uint32_t outcome;   /* symbol id: "complete", "truncated", or the reason of a failed sample */
    enum jfr_thread_state state;
    uint64_t pc;
    uint32_t context; /* 0 = none */
    uint32_t window;  /* of a clock by lot; 0 = another clock */
    uint32_t chance;  /* with which it was drawn, in percent; 0 = no window */
};
void jfr_write_cpu_sample(struct jfr_writer *w, const struct jfr_cpu_sample *sample);
/* Writes a sample of a recording that counts events. weight_ns is a number of events. */
void jfr_write_event_sample(struct jfr_writer *w, const struct jfr_cpu_sample *s);

/* Machine code, only in recordings for which it was requested (docs/formats/recording.md). */
struct jfr_code_sample {
    uint64_t ticks;
    uint32_t stack;
    uint64_t weight_ns;
    uint64_t pc;
    uint32_t compilation; /* 0 = none */
    uint64_t code;        /* start address of the snapshot's code; 0 = there is none */
    uint32_t capture;     /* symbol id */
};
void jfr_write_code_sample(struct jfr_writer *w, const struct jfr_code_sample *sample);

struct jfr_code_snapshot {
    uint64_t ticks;
    uint32_t stack; /* a stack of one frame, the method; 0 = no method */
    const char *kind, *name;
    uint32_t compilation, level;
    int32_t entry_bci; /* -1 = the method's beginning */
    uint64_t address, entry;
    const char *code; /* the bytes, as hexadecimal digits */
};
void jfr_write_code_snapshot(struct jfr_writer *w, const struct jfr_code_snapshot *snapshot);
/* Writes the frames of the code from the end of the previous place up to `end`. Compilation and address identify the snapshot. */
void jfr_write_code_place(struct jfr_writer *w, uint64_t ticks, uint32_t stack, uint32_t compilation, uint64_t address, uint32_t end);
void jfr_write_code_name(struct jfr_writer *w, uint64_t ticks, const char *name, uint64_t address, uint32_t size);

struct jfr_safepoint_sample {
    uint64_t ticks;
    uint32_t thread;
    uint32_t stack;
    uint64_t weight_ns; /* wall-clock time of threads that the sample stands for */
    uint32_t outcome;   /* as above */
    enum jfr_thread_state state;
    uint32_t context; /* 0 = none */
};
void jfr_write_safepoint_sample(struct jfr_writer *w, const struct jfr_safepoint_sample *sample);

struct jfr_allocation_sample {
    uint64_t ticks;
    uint32_t thread;
    uint32_t carrier; /* the carrier of a virtual thread, else 0 */
    uint32_t stack;
    uint32_t class_name;        /* symbol id: "java.util.HashMap", "[B" as in Class.getName() */
    uint64_t weight, size;      /* in bytes: what the sample stands for; the object's size */
    uint64_t interval, counted; /* in bytes: see docs/formats/recording.md */
    uint32_t outcome;           /* as above */
    uint32_t context;           /* 0 = none */
};
/* Writes a jdk.ObjectAllocationSample, with more fields than the JDK's. */
void jfr_write_allocation_sample(struct jfr_writer *w, const struct jfr_allocation_sample *sample);

/* A sampled object that is alive. */
struct jfr_old_object {
    uint64_t ticks;
    uint32_t thread;
    uint32_t stack;
    uint32_t class_name; /* as above */
    uint64_t born_ticks;
    uint64_t size, weight; /* in bytes: the object's size; what the sample stands for */
    uint64_t collections;  /* number of collections that have begun since it was allocated */
    uint64_t heap_used;    /* bytes in use after the last collection; 0 = unknown */
    uint32_t outcome;      /* as above */
    uint32_t context;      /* of the thread that allocated it, at that time; 0 = none */
    /* The path, if the object's holders were searched for (struct jfr_held_object). */
    uint32_t path;   /* symbol id of the search's result; 0 = there was no search */
    uint32_t object; /* id; 0 = nothing is known about the object */
    bool has_holder;
    uint32_t root;    /* id of the object that a root refers to; 0 = the path does not reach one */
    int32_t elements; /* length of an array; below 0: the object is not an array, or the length is unknown */
};
/* Writes a jdk.OldObjectSample, with more fields than the JDK's. Samples with the same time belong together. An object of a path has an id,
 * unique in the chunk, in place of its address. */
void jfr_write_old_object(struct jfr_writer *w, const struct jfr_old_object *object);
/* Writes that a watched object was found dead. heap_used and collections are ignored. */
void jfr_write_object_end(struct jfr_writer *w, const struct jfr_old_object *object);

struct jfr_live_set {
    uint64_t ticks;
    uint64_t collections, old_collections; /* since the JVM's start; 0 = unknown, or none */
    uint64_t old_before;                   /* old_collections at the set before, or at the beginning */
    uint64_t heap_used;                    /* 0 = unknown */
    uint64_t objects, bytes, error;
};
void jfr_write_live_set(struct jfr_writer *w, const struct jfr_live_set *set);

struct jfr_lock_wait {
    uint64_t ticks, duration_ticks; /* when the wait began, and how long it took */
    uint32_t thread;
    uint32_t carrier; /* the carrier of a virtual thread, else 0 */
    uint32_t stack;
    uint32_t class_name;                /* symbol id; valid only if has_class */
    bool has_class;                     /* the class of the locked object is known */
    uint32_t owner;                     /* a thread, 0 = unknown */
    uint64_t address;                   /* 0 = unknown */
    int64_t timeout_ns, until_epoch_ms; /* of a park; INT64_MIN = none */
    uint64_t weight_ns;
    bool finished;
    uint32_t outcome;                /* as above */
    uint32_t context, owner_context; /* of the thread, and of the owner when the wait began; 0 = none */
};
/* Write a jdk.JavaMonitorEnter and a jdk.ThreadPark, with more fields than the JDK's. */
void jfr_write_monitor_enter(struct jfr_writer *w, const struct jfr_lock_wait *wait);
void jfr_write_thread_park(struct jfr_writer *w, const struct jfr_lock_wait *wait);

struct jfr_lock_holder {
    uint64_t ticks;
    uint32_t thread;
    uint32_t stack;
    uint64_t weight_ns; /* other threads' time of waiting that the sample stands for */
    uint32_t outcome;   /* as above */
    enum jfr_thread_state state;
    uint32_t class_name; /* symbol id: class of the lock; valid only if has_class */
    bool has_class;
    uint32_t context; /* 0 = none */
};
void jfr_write_lock_holder(struct jfr_writer *w, const struct jfr_lock_holder *sample);

struct jfr_wall_sample {
    uint64_t ticks;
    uint32_t thread;
    uint32_t carrier; /* the carrier of a virtual thread, else 0 */
    uint32_t stack;
    uint64_t weight_ns; /* wall-clock time of threads that the sample stands for */
    uint32_t outcome;   /* as above */
    uint32_t evidence;  /* symbol id: the evidence for the state */
    enum jfr_thread_state state;
    uint32_t context; /* 0 = none */
    bool same_wait;   /* the thread has not run since the look before, which this recording may have left out */
};
void jfr_write_wall_sample(struct jfr_writer *w, const struct jfr_wall_sample *sample);

/* A jdk.GarbageCollection that is one pause. It has one field more than the JDK's: toldBy. */
struct jfr_garbage_collection {
    uint64_t start_ticks, end_ticks;
    uint64_t pause_ns;
    uint32_t id;
    uint32_t name, cause; /* symbol ids; 0 = unknown */
};
void jfr_write_garbage_collection(struct jfr_writer *w, const struct jfr_garbage_collection *collection);

struct jfr_safepoint_count {
    uint64_t start_ticks, end_ticks; /* the interval in which they were counted */
    uint64_t count, stopped_ns, synchronizing_ns;
};
void jfr_write_safepoint_count(struct jfr_writer *w, const struct jfr_safepoint_count *count);

/* Numbers of the JVM's classes and threads, as in the JDK's events. */
struct jfr_class_statistics {
    uint64_t ticks, loaded, unloaded;
};
struct jfr_thread_statistics {
    uint64_t ticks, active, daemon, accumulated, peak;
};
void jfr_write_class_statistics(struct jfr_writer *w, const struct jfr_class_statistics *s);
void jfr_write_thread_statistics(struct jfr_writer *w, const struct jfr_thread_statistics *s);

/* Writes one line of the books, cumulative since the recording began. account: the name of an account in base/agreed/accounts.h, of CPU
 * time or of another event. reason: "" if the account has none. The last line of a recording with the same account and reason is valid. */
void jfr_write_book_line(struct jfr_writer *w, uint64_t ticks, const char *account, const char *reason, int64_t ns, uint64_t count);
/* Writes the CPU time of one thread since the recording began. It is cumulative, and the last event of each thread is valid. */
void jfr_write_thread_cpu(struct jfr_writer *w, uint64_t ticks, uint32_t thread, uint64_t cpu_ns, uint64_t samples);
/* Write the same two events with the values at the beginning of a chunk, for a file that may drop older data (writer_ring.h). If this chunk
 * becomes the first of the file, the file's books count from these values. */
void jfr_write_book_base(struct jfr_writer *w, uint64_t ticks, const char *account, const char *reason, int64_t ns, uint64_t count);
void jfr_write_thread_base(struct jfr_writer *w, uint64_t ticks, uint32_t thread, uint64_t cpu_ns, uint64_t samples);
/* The type of jfr_write_book_line and jfr_write_book_base. */
typedef void jfr_write_book(struct jfr_writer *w, uint64_t ticks, const char *account, const char *reason, int64_t ns, uint64_t count);
/* Writes a fact about how the recording was made: "version", "clock", "clock_reason", "clock_resolution_ns", "interval_ns", "kernel"
 * (included|excluded), "signal", "attached" (at-start|late), "debug_info" (full|sparse), "walker", ... */
void jfr_write_setting(struct jfr_writer *w, uint64_t ticks, const char *name, const char *value);
/* Writes a message for the user. level is "info", "warning" or "error". */
void jfr_write_log(struct jfr_writer *w, uint64_t ticks, const char *level, const char *message);

/* The JDK's own types, so that other tools show what they expect. */
void jfr_write_active_recording(struct jfr_writer *w, uint64_t ticks, const char *name, const char *destination, uint64_t start_epoch_ms,
                                uint64_t duration_ms);
/* Writes a jdk.ActiveSetting of the event type with that name, e.g. ("jdk.ExecutionSample", "period", "10 ms"). */
void jfr_write_active_setting(struct jfr_writer *w, uint64_t ticks, const char *event, const char *name, const char *value);

struct jfr_jvm_information {
    const char *jvm_name, *jvm_version, *jvm_arguments, *jvm_flags, *java_arguments; /* without secrets */
    uint64_t start_epoch_ms;
    int64_t pid;
};
void jfr_write_jvm_information(struct jfr_writer *w, uint64_t ticks, const struct jfr_jvm_information *info);
void jfr_write_os_information(struct jfr_writer *w, uint64_t ticks, const char *version);
void jfr_write_cpu_information(struct jfr_writer *w, uint64_t ticks, const char *cpu, const char *description, uint32_t sockets,
                               uint32_t cores, uint32_t hw_threads);
void jfr_write_system_property(struct jfr_writer *w, uint64_t ticks, const char *key, const char *value);

#endif
