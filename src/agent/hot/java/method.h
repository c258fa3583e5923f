/* Methods seen on stacks: each gets a small id, and its names and line table are copied when it is first seen, while the frame
 * on the stack keeps the method alive. Nothing of a Method* is read later, so the names of unloaded classes remain.
 *
 * The identity of a method is a 64-bit key over its addresses and the text of its own and its class's name. A Method*
 * that is reused after class unloading, even by a new version of the same class at the same addresses, therefore gets a
 * new id.
 *
 * Writers: handlers on any number of threads, wait-free (bounded probes, one compare-and-swap, copies of bounded size).
 * Readers: the collector, for ids it found in a record. A handler that meets a method whose names another handler is
 * still copying copies them once more, so every id in a committed record has its names. */
#ifndef CANDOR_AGENT_HOT_JAVA_METHOD_H
#define CANDOR_AGENT_HOT_JAVA_METHOD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    METHODS_MAX = 1 << 17,
    METHOD_CLASS_MAX = 1024, /* longer names are cut there */
    METHOD_NAME_MAX = 512,
    METHOD_LINES_MAX = 8192
};

struct method_info {
    const char *class_name; /* as in class files: java/util/HashMap */
    const char *name, *descriptor;
    const uint8_t *lines; /* compressed line number table */
    uint16_t class_len, name_len, descriptor_len, lines_len;
};

/* Reserves the table and `arena_bytes` for names; pages are used as they are needed. 0 or a negative errno. */
int method_table_init(size_t arena_bytes);
void method_table_deinit(void);

/* Handler side. True when `method` looks like a live Method*; *id is then its id, or 0 when the table or the arena is full. */
bool method_intern(uintptr_t method, uint32_t *id);
/* The id of a method that is known by a jmethodID only; its names are added later, by method_name. 0: the table is full. */
uint32_t method_intern_id(uintptr_t method_id);
/* The jmethodID the JVM has made for a method; false when it has made none. Up to JDK 25 it is a pointer, later a number. */
bool method_jmethod_id(uintptr_t method, uintptr_t *id);
/* The bytecode index of bcp in method; false when bcp does not point into it. */
bool method_bci(uintptr_t method, uintptr_t bcp, uint32_t *bci);

/* True when the symbol has this text; true when the method has these names. */
bool method_symbol_is(uintptr_t symbol, const char *text);
bool method_is(uintptr_t method, const char *class_name, const char *name);

/* Collector side; id from a committed record. id 0 is the unnamed method. */
struct method_info method_get(uint32_t id);
/* Names a method that method_intern_id registered; the jmethodID is method_id_of(id). No line table. */
void method_name(uint32_t id, const char *class_name, const char *name, const char *descriptor);
bool method_has_names(uint32_t id);
uintptr_t method_id_of(uint32_t id);
/* The source line of a bytecode index, or 0. */
int method_line(const struct method_info *m, uint32_t bci);

#endif
