/* Stack images: the data that the walker read from a live thread, so that the same walk can be repeated without a JVM.
 *
 * A corpus is text, one item a line; numbers are hexadecimal. First the items that apply to all images of one JVM:
 *
 *     layout NAME VALUE...                     a field of vm_layout (LAYOUT_FIELDS)
 *     heap OBJECT LOW HIGH SEGMAP LOG2
 *     libjvm LOW HIGH
 *
 * then for each image, in this order:
 *
 *     modules                                  when libraries were loaded or unloaded: those before are no more
 *     module LOW HIGH HEADER TABLE COUNT
 *     image JAVA_THREAD PC SP FP UCONTEXT LINK BCP METHOD SENDER_SP
 *     word ADDRESS VALUE...                    consecutive words of memory that the walk read; those that earlier images
 *                                              of this JVM gave the same value are left out
 *     frame TYPE PC                            a native frame or stub
 *     frame TYPE CLASS.METHOD BCI
 *     end OUTCOME STATE */
#ifndef TESTS_REPLAY_IMAGE_H
#define TESTS_REPLAY_IMAGE_H

#include "agent/hot/layout.h"
#include "agent/hot/walk/walk.h"

#include <stdbool.h>
#include <stdint.h>

enum { IMAGE_LINE_BYTES = 2048, MEMORY_WORDS = 1 << 17 };

/* Words of memory by their address. */
struct memory {
    struct word {
        uintptr_t at; /* a multiple of 8; 0: a free place */
        uint64_t value;
    } words[MEMORY_WORDS];
    uint32_t count;
};

/* The place of a word, or the free place for it. */
struct word *memory_place(struct memory *m, uintptr_t at);
/* Returns false if the memory is full. */
bool memory_set(struct memory *m, uintptr_t at, uint64_t value);

/* Reads this many hexadecimal numbers; returns the rest. */
char *image_read_numbers(char *at, uint64_t *out, int count);
/* Reads the items after the word "module" into the table of modules. */
void image_read_module(char *at);

/* Read the items after the words "frame" and "end". */
void image_frame(char out[IMAGE_LINE_BYTES], uint64_t frame);
void image_end(char out[IMAGE_LINE_BYTES], const struct walk *w);

/* clang-format off */
/* F: a struct vm_field; N: a number. */
#define LAYOUT_FIELDS(F, N)                                                                                            \
    F(heap_committed_high) F(block_length) F(block_used) N(block_size) F(blob_name) F(blob_frame_size)                 \
    F(blob_frame_complete) F(blob_code_begin) F(blob_code_offset) F(blob_size) F(blob_mutable_data)                    \
    F(blob_relocation_size) N(family) F(nm_method) F(nm_scopes_data) F(nm_scopes_pcs) F(nm_scopes_pcs_end)             \
    F(nm_metadata) F(nm_immutable_data) F(nm_comp_level) F(nm_deopt_entry) F(nm_deopt_mh_entry) F(nm_original_pc)      \
    N(pcdesc_size) N(unsigned5_excludes_zero) F(method_const)                                                          \
    F(const_constants) F(const_code_size) F(const_name) F(const_signature) F(const_size) F(const_flags)                \
    N(const_sizeof) N(pool_sizeof) N(const_has_line_numbers) F(pool_holder) F(pool_length) F(klass_name)               \
    F(symbol_length) N(symbol_body) F(thread_state) F(thread_anchor) N(anchor_sp) N(anchor_pc) N(anchor_fp)            \
    N(wrapper_anchor) N(state_new) N(state_native) N(state_vm) N(state_java) N(state_blocked) N(call_stub_return)      \
    N(interpreter_low) N(interpreter_high) N(interpreter_method_slot) N(interpreter_bcp_slot)                          \
    N(interpreter_sender_sp_slot) N(entry_wrapper_slot) N(java_version) N(code_low) N(code_high)                     \
    N(objects.narrow_references) N(objects.narrow_klass) N(objects.klass_in_mark) N(objects.reference_base)            \
    N(objects.klass_base) N(objects.reference_shift) N(objects.klass_shift) N(objects.mark_klass_shift)                \
    N(objects.bad_color) N(objects.color_shift) N(objects.collecting) N(objects.collections) N(objects.header_bytes)   \
    N(objects.bytes_in_array) F(objects.klass_layout) N(virtuals.usable) F(virtuals.thread_current)                    \
    F(virtuals.thread_entry) F(virtuals.thread_owner) N(virtuals.entry_continuation) N(virtuals.id) N(virtuals.name)   \
    N(virtuals.chunk_parent) N(virtuals.chunk_sp) N(virtuals.chunk_bottom) N(virtuals.string_value)                    \
    N(virtuals.string_coder) N(virtuals.barrier_low) N(virtuals.barrier_high)
/* clang-format on */

#endif
