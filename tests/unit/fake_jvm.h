/* Structures of a JVM, built by hand, for the walker and the tables in src/agent/hot: vm_layout describes a layout of our own, and
 * everything is in one mapping. Addresses are uintptr_t, as in the agent. */
#ifndef TESTS_FAKE_JVM_H
#define TESTS_FAKE_JVM_H

#include "agent/hot/layout.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    FAKE_SEGMENT_LOG = 7,
    FAKE_HEAP_BYTES = 1 << 20,
    FAKE_DATA_BYTES = 8 << 20,
    FAKE_BLOB_HEADER = 128, /* the code follows */
    FAKE_INTERPRETER_BYTES = 4096
};

struct fake_jvm {
    uintptr_t low, high;         /* of the mapping */
    uintptr_t heap, code_object; /* the code heap and its CodeHeap */
    uintptr_t segmap, data, next, next_segment;
};
extern struct fake_jvm fake;

/* Begins again from nothing; the former mapping is removed. */
void fake_open(enum vm_nmethod_family family, bool excludes_zero);

uintptr_t fake_alloc(size_t bytes); /* zero-filled, aligned to 8 */
uintptr_t fake_copy(const void *bytes, size_t n);
void fake_set(uintptr_t object, struct vm_field field, uint64_t value);

uintptr_t fake_symbol(const char *text);
uintptr_t fake_class(const char *name);
/* Its bytecodes are 100 long; lines: a compressed line number table or NULL. */
uintptr_t fake_method(uintptr_t class, const char *name, const char *descriptor, const void *lines, size_t lines_len);

/* A blob in the code heap with that name ("nmethod", "native nmethod", anything else is a stub). */
uintptr_t fake_blob(const char *name, size_t code_bytes, uint32_t frame_words, int32_t frame_complete);
void fake_free_blob(uintptr_t blob);

struct fake_pcdesc {
    int32_t offset;
    uint32_t decode;
};
/* Gives a blob its method and debug information. */
void fake_debug_info(uintptr_t blob, uintptr_t method, int comp_level, const uint8_t *data, size_t data_len, const struct fake_pcdesc *pcs,
                     size_t pc_count, const uintptr_t *metadata, size_t metadata_count);

/* HotSpot's UNSIGNED5 as its two codings write it; returns the length. */
size_t fake_unsigned5(uint8_t out[5], uint32_t v, bool excludes_zero);

#endif
