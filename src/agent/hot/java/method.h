/* A table of the methods on sampled stacks. Each method gets a small id. Its names and line table are copied when it is first seen, while
 * the frame on the stack keeps the method alive. The Method* is not read later, so the names of unloaded classes remain.
 *
 * The identity of a method is a 64-bit key over its addresses and the text of its own and its class's name. A Method* that is reused after
 * class unloading, even by a new version of the same class at the same addresses, therefore gets a new id.
 *
 * Writers: handlers on any number of threads, wait-free (bounded probes, one compare-and-swap, copies of bounded size). Readers: the
 * collector, for ids it found in a record. A handler that meets a method whose names another handler is still copying copies them once
 * more, so every id in a committed record has its names. */
#ifndef CANDOR_AGENT_HOT_JAVA_METHOD_H
#define CANDOR_AGENT_HOT_JAVA_METHOD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    METHODS_MAX = 1 << 17,
    METHOD_CLASS_MAX = 1024, /* longer names are cut at this length */
    METHOD_NAME_MAX = 512,
    METHOD_LINES_MAX = 8192
};

struct method_info {
    const char *class_name; /* as in class files: java/util/HashMap */
    const char *name, *descriptor;
    const uint8_t *lines; /* compressed line number table */
    uint16_t class_len, name_len, descriptor_len, lines_len;
};

/* Reserves the table and `arena_bytes` for names; pages are used as they are needed. Returns 0 or a negative errno. */
int method_table_init(size_t arena_bytes);
void method_table_deinit(void);

/* Called by handlers. Returns true if `method` looks like a live Method*. *id is then its id, or 0 if the table or the arena is full. */
bool method_intern(uintptr_t method, uint32_t *id);
/* Returns the id of a method of which only the jmethodID is known. method_name adds its names later. 0: the table is full. */
uint32_t method_intern_id(uintptr_t method_id);
/* Finds the jmethodID that the JVM has made for a method. Returns false if it has made none. Up to JDK 25 it is a pointer, later a
 * number. */
bool method_jmethod_id(uintptr_t method, uintptr_t *id);
/* Finds the bytecode index of bcp in the method. Returns false if bcp does not point into it. */
bool method_bci(uintptr_t method, uintptr_t bcp, uint32_t *bci);

/* Whether the symbol has this text, and whether the method has these names. */
bool method_symbol_is(uintptr_t symbol, const char *text);
bool method_is(uintptr_t method, const char *class_name, const char *name);

/* Returns a method's data. Only the collector calls it. id: from a committed record; 0 is the unnamed method. */
struct method_info method_get(uint32_t id);
/* Names a method that method_intern_id registered. Its jmethodID is method_id_of(id). It has no line table. */
void method_name(uint32_t id, const char *class_name, const char *name, const char *descriptor);
bool method_has_names(uint32_t id);
uintptr_t method_id_of(uint32_t id);
/* Returns the source line of a bytecode index, or 0. */
int method_line(const struct method_info *m, uint32_t bci);

#endif
