/* The types that a recording declares in its metadata, as one table. The writer encodes events with it and metadata_write.c writes it to
 * the file, so the two cannot disagree. Only the writer uses it. */
#ifndef CANDOR_JFR_SCHEMA_TABLE_H
#define CANDOR_JFR_SCHEMA_TABLE_H

#include <stdint.h>

/* Type ids in the file; 0 and 1 belong to the format (metadata, checkpoint). The JDK's `jfr summary` assumes that an id means the same type
 * in all chunks of a file, and the JDK's chunks may come after ours (append.h): the ids of its events are below 400, or are numbers of Java
 * classes, and the first thousand classes are not events. */
enum schema_id {
    SCHEMA_FIRST = 640,
    T_BOOLEAN = SCHEMA_FIRST,
    T_BYTE,
    T_CHAR,
    T_SHORT,
    T_INT,
    T_LONG,
    T_FLOAT,
    T_DOUBLE,
    T_STRING,

    T_LABEL,
    T_DESCRIPTION,
    T_CATEGORY,
    T_CONTENT_TYPE,
    T_TIMESTAMP,
    T_TIMESPAN,
    T_UNSIGNED,
    T_MEMORY_ADDRESS,

    T_THREAD,
    T_THREAD_GROUP,
    T_CLASS,
    T_CLASS_LOADER,
    T_PACKAGE,
    T_SYMBOL,
    T_METHOD,
    T_STACK_TRACE,
    T_STACK_FRAME,
    T_FRAME_TYPE,
    T_THREAD_STATE,

    T_EXECUTION_SAMPLE,
    T_ACTIVE_RECORDING,
    T_ACTIVE_SETTING,
    T_JVM_INFORMATION,
    T_OS_INFORMATION,
    T_CPU_INFORMATION,
    T_SYSTEM_PROPERTY,

    T_CPU_SAMPLE,
    T_BOOK_LINE,
    T_THREAD_CPU,
    T_SETTING,
    T_LOG,
    T_SAFEPOINT_SAMPLE,
    T_BOOK_BASE,
    T_THREAD_BASE,
    T_DATA_AMOUNT, /* an annotation */
    T_ALLOCATION_SAMPLE,
    T_WALL_SAMPLE,
    T_CODE_SAMPLE,
    T_CODE_SNAPSHOT,
    T_CODE_PLACE,
    T_CODE_NAME,
    T_GARBAGE_COLLECTION,
    T_SAFEPOINT_COUNT,
    T_CLASS_STATISTICS,
    T_THREAD_STATISTICS,
    T_MONITOR_ENTER,
    T_THREAD_PARK,
    T_LOCK_HOLDER,
    T_OLD_OBJECT_SAMPLE,
    T_OLD_OBJECT,
    T_REFERENCE,
    T_OLD_OBJECT_ROOT,
    T_OBJECT_END,
    T_LIVE_SET,
    T_CONTEXT,
    T_EVENT_SAMPLE,
    T_OLD_OBJECT_ARRAY,
    T_OLD_OBJECT_FIELD,

    SCHEMA_END,

    /* An id that no event has. It marks the fields after those that a reader reads if it does not look at the metadata. */
    T_TAIL = 2,
    T_PADDING = 'L' /* the type id of a chunk's header when it is read as an event (writer_tail.h) */
};

_Static_assert((enum schema_id)T_PADDING < SCHEMA_FIRST, "the id of padding is free");

enum schema_flags {
    S_POOL = 1, /* holds the key of a constant-pool entry */
    S_ARRAY = 2,
    S_STRING_REF = 4, /* a string, written as a reference into the pool of strings */
    S_UNSIGNED = 8,
    S_ADDRESS = 16,
    S_SIMPLE = 32, /* for a type: readers show its only field in its place */
    S_TICKS = 64,  /* a time in ticks of the file's clock */
    S_TAIL = 128,  /* the remaining bytes of the event; the next field is of type T_TAIL */
};

/* A field. If its type is a struct, and the field is not a key, the struct's fields are stored in its place. */
struct schema_field {
    const char *name;
    uint16_t type; /* enum schema_id */
    uint8_t flags;
    uint16_t unit_type; /* T_TIMESTAMP, T_TIMESPAN, T_DATA_AMOUNT or 0 */
    const char *unit;   /* "TICKS", ...: the value of the unit annotation */
    const char *label;
    const char *description; /* or NULL */
};

enum { SCHEMA_FIELDS_MAX = 20 };

struct schema_type {
    const char *name, *super; /* super: or NULL */
    const char *label, *description;
    const char *category; /* parts separated by '/', or NULL */
    uint8_t flags;
    uint16_t without; /* enum jfr_without: recordings without this kind of event do not declare the type; 0 = all recordings declare it */
    struct schema_field fields[SCHEMA_FIELDS_MAX + 1]; /* ends with a NULL name */
};

extern const struct schema_type schema_types[SCHEMA_END - SCHEMA_FIRST];
extern const struct schema_type schema_padding;

static inline const struct schema_type *schema_type(enum schema_id id)
{
    return &schema_types[id - SCHEMA_FIRST];
}

/* Returns the id of the type with that name, or 0. */
uint32_t schema_id(const char *name);

#endif
