/* Reads any JFR file (chunk format 1.x and 2.x, compressed integers as every known writer uses them): files of the JDK, of async-profiler,
 * and ours. The metadata in a file describes its content; no event types are built in.
 *
 *   jfr_file_open
 *     for each chunk: jfr_chunk_open
 *       jfr_chunk_type, jfr_type_field           once per chunk: handles instead of names
 *       jfr_cursor_init, jfr_cursor_next ...     every event of the chunk, in file order (NOT in time order)
 *         jfr_event_value(event, field)          a value: type + place in the file, nothing is copied
 *         jfr_value_member(value, "name") ...    walks into structs and, through the pools, into what they refer to
 *       jfr_chunk_close
 *   jfr_file_close
 *
 * Values are lazy and total: every accessor accepts every value. Anything missing (an unknown field, a reference without an entry, null,
 * damaged bytes) is the value `none`, whose members are none, whose integer is 0, whose text is empty. So
 * `jfr_value_text(jfr_value_member(jfr_value_member(v, "type"), "name"))` needs no checks on the way.
 *
 * Damage: a chunk that is cut off, half-written or corrupt is read as far as it is intact, or skipped, and one line goes into the caller's
 * problem list. Time and memory are bounded by a small multiple of the file's size, whatever the bytes are. There are only two errors: lack
 * of memory, and a file that cannot be read, is not a JFR recording or has no readable chunk.
 *
 * Threads: a file may be shared; a chunk and its cursors, events and values belong to one thread at a time. So chunks can be read in
 * parallel, each thread with its own problem list. Pointers into a chunk (types, fields, texts) live until jfr_chunk_close. The reader uses
 * malloc and mmap; the agent must not use it. */
#ifndef CANDOR_JFR_READ_READER_H
#define CANDOR_JFR_READ_READER_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct jfr_file;
struct jfr_chunk;

/* ---- problems ---- */

struct jfr_problem {
    uint32_t chunk;  /* index; JFR_NO_CHUNK if the problem is about the file */
    uint64_t offset; /* in the file */
    char text[160];
};

#define JFR_NO_CHUNK UINT32_MAX
enum { JFR_PROBLEMS_MAX = 64 };

/* The caller's storage; start with {0}. Beyond JFR_PROBLEMS_MAX problems are only counted. */
struct jfr_problems {
    struct jfr_problem list[JFR_PROBLEMS_MAX];
    uint32_t listed;
    uint64_t count;
};

/* ---- file ---- */

/* Opens the file at path. "-" is standard input, which is read to its end. The file may be packed (compress/intake.h). The function either
 * fails with one line ("FILE: not a JFR recording (it begins with ...)"), or finds at least one chunk that can be read. problems may be
 * NULL here and below. Files larger than 64 MiB are mapped. If such a file is shortened while it is read, SIGBUS kills the reader. */
int jfr_file_open(struct jfr_file **out, const char *path, struct jfr_problems *problems, struct error *e);
struct intake;
/* Does the same for an input that is already open. It takes the input over, even if it fails. */
int jfr_file_take(struct jfr_file **out, struct intake *in, const char *name, struct jfr_problems *problems, struct error *e);
/* Does the same for bytes in memory, which must outlive the file. name is for messages. */
int jfr_file_open_memory(struct jfr_file **out, const void *bytes, size_t size, const char *name, struct jfr_problems *problems,
                         struct error *e);
void jfr_file_close(struct jfr_file *f);
uint32_t jfr_file_chunks(const struct jfr_file *f);
uint64_t jfr_file_size(const struct jfr_file *f); /* unpacked */
const uint8_t *jfr_file_bytes(const struct jfr_file *f);
/* Whether the file's last chunk is marked as the last of the recording, which means that its writer finished. Only JFR 2 has this mark. */
bool jfr_file_is_closed(const struct jfr_file *f);

/* ---- types ---- */

enum jfr_kind { /* how a value of the type is stored */
                JFR_KIND_STRUCT,
                JFR_KIND_BOOLEAN,
                JFR_KIND_BYTE,
                JFR_KIND_CHAR,
                JFR_KIND_SHORT,
                JFR_KIND_INT,
                JFR_KIND_LONG,
                JFR_KIND_FLOAT,
                JFR_KIND_DOUBLE,
                JFR_KIND_STRING,
};

enum jfr_unit { /* the unit of a number, from its field's annotations */
                JFR_UNIT_NONE,
                JFR_UNIT_TIMESTAMP_TICKS,
                JFR_UNIT_EPOCH_NS,
                JFR_UNIT_EPOCH_MS,
                JFR_UNIT_EPOCH_S,
                JFR_UNIT_SPAN_TICKS,
                JFR_UNIT_SPAN_NS,
                JFR_UNIT_SPAN_US,
                JFR_UNIT_SPAN_MS,
                JFR_UNIT_SPAN_S,
                JFR_UNIT_BYTES,
                JFR_UNIT_BITS,
                JFR_UNIT_HERTZ,
                JFR_UNIT_PERCENTAGE, /* 1.0 = 100 % */
                JFR_UNIT_ADDRESS,
};

struct jfr_field {
    const char *name, *label, *description; /* never NULL */
    const struct jfr_type *type;
    uint32_t index; /* in type->fields of the type that contains the field */
    bool array;
    bool pooled; /* stored as the key of a constant-pool entry */
    bool is_unsigned;
    enum jfr_unit unit;
    uint32_t varints; /* number of fields, from this one on, that are one compressed integer each */
    uint32_t fixed;   /* the size in bytes if it is the same in each value; 0 = it is not */
};

struct jfr_type {
    uint64_t id;
    const char *name, *super, *label, *description; /* never NULL */
    const char *category;                           /* "Java Virtual Machine/GC/Phases", or "" */
    enum jfr_kind kind;
    bool event;
    struct jfr_field *fields; /* fields without content (of an empty struct type) are left out */
    uint32_t field_count;
    uint32_t index;                     /* in jfr_chunk_types */
    uint64_t min_size;                  /* size of the smallest value in bytes */
    uint32_t varints;                   /* a value is exactly this many compressed integers; 0 = it is not */
    bool texts;                         /* a value contains strings directly, not in a pool */
    const struct jfr_field *start_time; /* of an event type; NULL = it has none */
    uint64_t events;                    /* number of events of this type in the chunk */
    uint64_t event_bytes;               /* size of these events in bytes, headers included */
    const struct jfr_field **by_name;   /* for the reader only, like the next three: sorted fields, or NULL if there are few */
    struct jfr_pool *pool;
    uint32_t depth; /* of structs within structs */
    bool simple;    /* readers show its only field in its place: a symbol, or a name from a list */
    bool broken;    /* it cannot be decoded, because it contains itself or an undeclared type */
};

/* ---- chunk ---- */

struct jfr_chunk_info {
    uint64_t offset, size; /* in the file; size: as many bytes as the file has, header included */
    uint16_t major, minor;
    int64_t start_ns; /* wall clock */
    int64_t duration_ns;
    int64_t start_ticks;
    uint64_t ticks_per_second; /* never 0 */
    bool whole;                /* header and content agree; otherwise a problem was reported */
};

/* The types that the last chunks declared. All chunks of a writer usually declare them with the same bytes, and the chunks of two writers,
 * Candor's agent and the JDK's recorder, may alternate. A chunk that is opened with this struct need not parse them again. The caller
 * provides it, reads one chunk after the other, and begins with {0}. */
enum { JFR_DECLARED_MAX = 2 };
struct jfr_declared {
    struct jfr_types *types[JFR_DECLARED_MAX]; /* NULL = none, or an open chunk uses them */
};
void jfr_declared_deinit(struct jfr_declared *d); /* call it when no chunk is open any more */

/* The size of a chunk's content that is not events. */
struct jfr_chunk_rest {
    uint64_t metadata, metadata_bytes, checkpoints, checkpoint_bytes;
};

/* Parses metadata and pools of chunk `index`. Returns 0 and *out, or -ENOMEM. If nothing in the chunk can be read, it returns 0 and sets
 * *out to NULL; a problem gives the reason, and the caller continues with the next chunk. */
int jfr_chunk_open(struct jfr_chunk **out, const struct jfr_file *f, uint32_t index, struct jfr_problems *problems, struct error *e);
/* Does the same, and uses the types of the chunk before if they are the same. `declared` must outlive the chunk. */
int jfr_chunk_open_next(struct jfr_chunk **out, const struct jfr_file *f, uint32_t index, struct jfr_declared *declared,
                        struct jfr_problems *problems, struct error *e);
void jfr_chunk_close(struct jfr_chunk *c); /* c may be NULL */
const struct jfr_chunk_info *jfr_chunk_get_info(const struct jfr_chunk *c);
struct jfr_chunk_rest jfr_chunk_get_rest(const struct jfr_chunk *c);
int64_t jfr_chunk_epoch_ns(const struct jfr_chunk *c, int64_t ticks);
int64_t jfr_chunk_ticks_to_ns(const struct jfr_chunk *c, int64_t ticks); /* for a span */

/* Converts a number with this unit: a time to ns since the epoch, a span to ns. False if the unit is neither. */
bool jfr_moment_ns(const struct jfr_chunk *c, enum jfr_unit unit, int64_t v, int64_t *ns);
bool jfr_unit_is_span(enum jfr_unit unit);

/* Returns all types, an array of *count. */
const struct jfr_type *jfr_chunk_types(const struct jfr_chunk *c, uint32_t *count);
/* Returns NULL if the chunk has no type of that name. */
const struct jfr_type *jfr_chunk_type(const struct jfr_chunk *c, const char *name);
/* Returns NULL if there is no such field, or if type is NULL. */
const struct jfr_field *jfr_type_field(const struct jfr_type *type, const char *name);

/* ---- values ---- */

struct jfr_text {
    const char *bytes; /* valid UTF-8 (Java's variants are converted), not zero-terminated */
    size_t len;
};

struct jfr_value {
    struct jfr_chunk *chunk;
    const struct jfr_type *type; /* NULL = none; for an array: the type of its elements */
    const uint8_t *at, *end;     /* where the value begins, and the end of the structure that contains it */
    bool array, pooled;          /* pooled: the elements of the array are keys */
    bool is_unsigned;
    bool exact; /* the value ends exactly at `end`: it is an entry of a constant pool */
};

bool jfr_value_none(struct jfr_value v);
int64_t jfr_value_int(struct jfr_value v);          /* boolean, byte, char, short, int, long; float and double are truncated */
double jfr_value_number(struct jfr_value v);        /* the same types, without truncation */
struct jfr_text jfr_value_text(struct jfr_value v); /* a string, or a struct whose only field is one (a symbol) */
bool jfr_text_is(struct jfr_text text, const char *wanted);
/* Return a member of a struct. References are followed. */
struct jfr_value jfr_value_member(struct jfr_value v, const char *name);
struct jfr_value jfr_value_field(struct jfr_value v, const struct jfr_field *f);
/* Returns the key in a pooled field of the struct, without following it; 0 if the field is none. The key identifies the entry within the
 * chunk and the field's type, so results can be cached by it. */
uint64_t jfr_value_key(struct jfr_value v, const struct jfr_field *f);

/* Elements of an array: `for (it = jfr_array_of(v); jfr_array_next(&it, &element);)`. */
struct jfr_array {
    struct jfr_value next;
    uint64_t left; /* how many elements follow; damage may end the array sooner */
};
struct jfr_array jfr_array_of(struct jfr_value v);
bool jfr_array_next(struct jfr_array *a, struct jfr_value *element);

/* Returns an entry of a type's constant pool; none if there is no such entry. */
struct jfr_value jfr_pool_get(struct jfr_chunk *c, const struct jfr_type *type, uint64_t key);

/* ---- events ---- */

enum { JFR_SPLIT_MAX = 32 };

struct jfr_event {
    struct jfr_chunk *chunk;
    const struct jfr_type *type;
    uint64_t offset, size;            /* in the file */
    const uint8_t *at[JFR_SPLIT_MAX]; /* where the first fields begin; only the first `known` are set */
    uint32_t known;
};

struct jfr_cursor {
    struct jfr_chunk *chunk;
    const uint8_t *at;
};

struct jfr_cursor jfr_cursor_init(struct jfr_chunk *c);
/* Finds the next event of a known type. Returns false at the end. */
bool jfr_cursor_next(struct jfr_cursor *cursor, struct jfr_event *event);
/* Returns the event's field. f must be a field of event->type, or NULL for none. Amortized O(1) per field. */
struct jfr_value jfr_event_value(struct jfr_event *event, const struct jfr_field *f);
uint64_t jfr_event_key(struct jfr_event *event, const struct jfr_field *f); /* as jfr_value_key */
int64_t jfr_event_int(struct jfr_event *event, const struct jfr_field *f);  /* as jfr_value_int, for the field's value */
/* Returns the wall-clock time of `startTime`, or the chunk's start if there is none. */
int64_t jfr_event_epoch_ns(struct jfr_event *event);
/* Returns the event's field as a length of time; a number without such a unit is one of ticks. 0 if there is no such field, or if it is
 * negative. */
int64_t jfr_event_span_ns(struct jfr_event *event, const char *field);

/* ---- what profiles need, resolved ---- */

struct jfr_thread_info {
    struct jfr_text os_name, java_name, group;
    uint64_t os_id;
    uint64_t java_id; /* 0 = not a Java thread, or unknown */
    bool is_virtual;
};
/* Reads a value of type java.lang.Thread. Returns false if it is none. */
bool jfr_thread_of(struct jfr_value thread, struct jfr_thread_info *out);
/* Returns the name of a thread: Java's, or the system's, or "[123]", its id, which is written to `number`; empty if it has none of them. */
enum { JFR_THREAD_NUMBER = 32 };
struct jfr_text jfr_thread_name(const struct jfr_thread_info *t, char number[JFR_THREAD_NUMBER]);

struct jfr_method_info {
    struct jfr_text class_name; /* with dots */
    struct jfr_text name, descriptor;
    bool hidden;
};
bool jfr_method_of(struct jfr_value method, struct jfr_method_info *out);

/* Returns the name, with dots, of a value of type java.lang.Class; empty if it is none. Arrays are "[Ljava.lang.String;", as in the JVM. */
struct jfr_text jfr_class_of(struct jfr_value class);
/* The same by keys, for callers that cache results by part and key within the chunk: many methods are of the same class. */
enum jfr_method_part { JFR_METHOD_CLASS, JFR_METHOD_NAME, JFR_METHOD_DESCRIPTOR, JFR_METHOD_PARTS };
/* Reads the keys of a method's parts. Returns false if the value is not a method, or if its parts have no keys. A key of 0 means that the
 * part is missing. */
bool jfr_method_keys(struct jfr_value method, uint64_t keys[JFR_METHOD_PARTS]);
struct jfr_text jfr_method_text(struct jfr_value method, enum jfr_method_part part, uint64_t key);
/* Whether jfr_method_text would return this text. It does not make the text. */
bool jfr_method_text_is(struct jfr_value method, enum jfr_method_part part, uint64_t key, struct jfr_text wanted);

struct jfr_frame_info {
    uint64_t method_key; /* for caching; 0 if methods are not pooled */
    struct jfr_value method;
    int32_t line; /* 0 or less = unknown */
    int32_t bci;
    struct jfr_text type; /* "Interpreted", "JIT compiled", "Inlined", "Native", ... */
};

/* Iterates over a stack trace, leaf first: `struct jfr_stack s; jfr_stack_of(v, &s); while (jfr_stack_next(&s, &frame)) ...`. */
struct jfr_stack {
    struct jfr_array frames;
    bool truncated;
    const struct jfr_field *method, *line, *bci, *frame_type;
    const uint8_t *end; /* end of the last frame; NULL if it is not known before the walk */
    bool raw;           /* each frame consists only of compressed integers, as all known writers store it */
};
/* Begins with a value of type jdk.types.StackTrace. Returns false if it is none. */
bool jfr_stack_of(struct jfr_value trace, struct jfr_stack *out);
bool jfr_stack_next(struct jfr_stack *s, struct jfr_frame_info *out);
/* Reads only the leaf. Returns false if there is none. */
bool jfr_stack_leaf(struct jfr_value trace, struct jfr_frame_info *out);

/* A frame as it is stored, with the keys of its entries, for callers that cache results by these keys within the chunk. */
struct jfr_raw_frame {
    uint64_t method, type;
    int32_t line, bci;
};
/* Returns the next frame many times faster. It works only for stacks that are raw. */
bool jfr_stack_next_raw(struct jfr_stack *s, struct jfr_raw_frame *out);
/* The bytes of a raw frame, followed by zeros. Within a chunk, the same bytes are the same frame. */
struct jfr_frame_key {
    uint64_t bytes[2];
    uint32_t size; /* number of bytes */
};
/* Reads the keys of the next frames, at most `max`, and moves past these frames. Returns how many there are. It stops at the end, and
 * before a frame without a key, which is longer than 16 bytes or near the end of its data. Read that frame with jfr_stack_next_raw. */
uint32_t jfr_stack_next_keys(struct jfr_stack *s, struct jfr_frame_key *keys, uint32_t max);
void jfr_stack_decode(const struct jfr_stack *s, const struct jfr_frame_key *key, struct jfr_raw_frame *out);
/* Return the entries for the keys in a raw frame. */
struct jfr_value jfr_stack_method(const struct jfr_stack *s, uint64_t method);
struct jfr_text jfr_stack_type(const struct jfr_stack *s, uint64_t type);

#endif
