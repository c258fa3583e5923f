/* What the stack walker knows of the JVM it lives in: field offsets and widths, sizes, constants and a few addresses,
 * all read from the tables the JVM exports (hotspot/layout.c fills this once, before the first sample). Read-only
 * afterwards, so handlers on any thread may use it without synchronisation. */
#ifndef CANDOR_AGENT_HOT_LAYOUT_H
#define CANDOR_AGENT_HOT_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

/* A field of a JVM structure; width 0 = this JVM has no such field. */
struct vm_field {
    uint16_t offset;
    uint8_t width; /* bytes: 1, 2, 4 or 8 */
};

struct vm_heap {
    uintptr_t object; /* CodeHeap*; its committed end is read at each look-up, since it moves */
    uintptr_t low, reserved_high;
    uintptr_t segmap; /* one byte per segment: distance to the block's start, capped; 0xff = free */
    uint8_t log2_segment;
};

/* How nmethods lay out their debug information. */
enum vm_nmethod_family {
    VM_NMETHOD_OFFSETS,   /* JDK 8: offsets from the nmethod */
    VM_NMETHOD_ADDRESSES, /* JDK 9 to 22: CompiledMethod holds addresses */
    VM_NMETHOD_IMMUTABLE  /* JDK 23 on: offsets into a separate block */
};

enum { VM_HEAPS_MAX = 8 };

struct vm_layout {
    bool usable;
    char missing[96]; /* the first field that was not found, when not usable */
    int java_version; /* 8, 11, 17, ... */

    struct vm_heap heaps[VM_HEAPS_MAX];
    int heap_count;
    uintptr_t code_low, code_high; /* around all heaps */
    struct vm_field heap_committed_high;
    struct vm_field block_length, block_used;
    uint16_t block_size;

    struct vm_field blob_name, blob_frame_size, blob_frame_complete, blob_code_begin, blob_code_offset, blob_size,
        blob_mutable_data, blob_relocation_size;
    enum vm_nmethod_family family;
    struct vm_field nm_method, nm_scopes_data, nm_scopes_pcs, nm_scopes_pcs_end, nm_metadata, nm_immutable_data,
        nm_comp_level;
    uint16_t pcdesc_size;
    bool unsigned5_excludes_zero; /* the coding of debug information since JDK 20 */

    struct vm_field method_const, const_constants, const_code_size, const_name, const_signature, const_size, const_flags;
    uint16_t const_sizeof, pool_sizeof;
    uint32_t const_has_line_numbers; /* bit in const_flags */
    struct vm_field pool_holder, pool_length, klass_name, symbol_length;
    struct vm_field const_idnum, klass_method_ids; /* of a method's jmethodID; not needed for a walk */
    uint16_t symbol_body;

    struct vm_field thread_state, thread_osthread, osthread_tid, thread_anchor;
    uint16_t anchor_sp, anchor_pc, anchor_fp;
    uint16_t wrapper_anchor;
    int state_new, state_native, state_vm, state_java, state_blocked; /* odd values between are transitions */

    uintptr_t call_stub_return; /* the return address that ends the Java frames of one call from the JVM */
    uintptr_t interpreter_low, interpreter_high;
    int interpreter_method_slot, interpreter_bcp_slot, interpreter_sender_sp_slot; /* words from fp */
    int entry_wrapper_slot;
};

extern struct vm_layout vm_layout;

#endif
