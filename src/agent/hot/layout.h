/* The stack walker's knowledge about the JVM in which it runs: field offsets and widths, sizes, constants and a few addresses, all read
 * from the tables that the JVM exports (hotspot/layout.c fills this once, before the first sample). Read-only afterwards, so handlers on
 * any thread may use it without synchronization. */
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
    uintptr_t object; /* CodeHeap*; its committed end is read at each look-up, because it moves */
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

/* Java's objects: how references and headers look under this JVM's collector. */
struct vm_objects {
    bool narrow_references, narrow_klass, klass_in_mark;
    uintptr_t reference_base, klass_base;
    uint8_t reference_shift, klass_shift, mark_klass_shift;
    uintptr_t bad_color;                   /* mask of the bits that are set only in references to moved objects; 0 = there are none */
    uintptr_t color_shift;                 /* address of the number of bits by which references are shifted; 0 = they are not shifted */
    uintptr_t collecting;                  /* address of a byte that is set while all threads stand still for a collection */
    uintptr_t collections;                 /* address of the 32-bit count of collections */
    uint16_t header_bytes, bytes_in_array; /* an array's length follows its header */
    struct vm_field klass_layout;          /* Klass: the size of its instances */
    struct vm_field klass_super;           /* Klass: the class that it extends; not needed for a walk */
    bool usable;                           /* all members above are known, except those that are not needed */
};

/* Virtual threads: the offsets in bytes in their objects, and the fields that refer to these objects. */
struct vm_virtual {
    bool usable;
    struct vm_field thread_current; /* JavaThread: a handle on the java.lang.Thread that runs, virtual or not */
    struct vm_field thread_entry;   /* JavaThread: the innermost ContinuationEntry; JDK 21 lists it in no table */
    struct vm_field thread_owner;   /* JavaThread: id of the current thread, since JDK 24 */
    uint16_t entry_continuation;
    uint16_t id, name; /* of java.lang.Thread */
    uint16_t chunk_parent, chunk_sp, chunk_bottom;
    uint16_t string_value, string_coder;
    uintptr_t barrier_low, barrier_high; /* the stub to which a frame returns if its caller's frame is in the heap */
};

/* The JVM's own count of a thread's allocations; not needed for a walk. */
struct vm_allocations {
    struct vm_field counted; /* JavaThread: allocated bytes, except those in its buffer; width 0 = the JVM has no such count */
    struct vm_field buffer;  /* JavaThread: its buffer (TLAB); the fields below are in the buffer and show how much of it is used */
    struct vm_field buffer_start, buffer_top;
};

/* A reference in a structure of the JVM. The field holds the reference itself, or a handle: the address of the reference. */
struct vm_root {
    struct vm_field field; /* width 0 = this JVM has none */
    bool is_handle;
};

/* Owners of locks, and the objects for which threads are parked; not needed for a walk. The offsets of Java's fields are in bytes, 0 =
 * unknown. */
struct vm_locks {
    struct vm_field owner; /* ObjectMonitor */
    bool owner_is_id;      /* the owner is a java.lang.Thread's id, since JDK 24; before, it is a JavaThread*, or an address on its stack */
    struct vm_root object; /* ObjectMonitor */
    struct vm_field stack_base, stack_size;            /* JavaThread */
    struct vm_field stack, stack_top, stack_first;     /* JavaThread: the stack of objects that it has locked, since JDK 21; two fields in
                                                        * it */
    struct vm_root thread;                             /* JavaThread: its java.lang.Thread, which is a virtual thread if one runs */
    uint16_t park_blocker, thread_id, exclusive_owner; /* the first two in java.lang.Thread, the last in AbstractOwnableSynchronizer */
};

struct vm_layout {
    bool usable;
    char missing[96]; /* the first field that was not found, when not usable */
    int java_version; /* 8, 11, 17, ... */

    struct vm_heap heaps[VM_HEAPS_MAX];
    int heap_count;
    uintptr_t code_low, code_high; /* the range that contains all heaps */
    struct vm_field heap_committed_high;
    struct vm_field block_length, block_used;
    uint16_t block_size;

    struct vm_field blob_name, blob_frame_size, blob_frame_complete, blob_code_begin, blob_code_offset, blob_size, blob_mutable_data,
        blob_relocation_size;
    enum vm_nmethod_family family;
    struct vm_field nm_method, nm_scopes_data, nm_scopes_pcs, nm_scopes_pcs_end, nm_metadata, nm_immutable_data, nm_comp_level,
        nm_compile_id;
    /* The address to which frames of an invalidated method return, and the place in such a frame that keeps its own pc; not needed for a
     * walk. */
    struct vm_field nm_deopt_entry, nm_deopt_mh_entry, nm_original_pc;
    /* The end of the code, its entry, and the bytecode index of the entry; not needed for a walk. */
    struct vm_field blob_code_end, blob_data_offset, nm_entry_bci, nm_verified_entry;
    uint16_t pcdesc_size;
    bool unsigned5_excludes_zero; /* the coding of debug information since JDK 20 */

    struct vm_field method_const, const_constants, const_code_size, const_name, const_signature, const_size, const_flags;
    uint16_t const_sizeof, pool_sizeof;
    uint32_t const_has_line_numbers; /* bit in const_flags */
    struct vm_field pool_holder, pool_length, klass_name, symbol_length;
    struct vm_field const_idnum, klass_method_ids; /* for a method's jmethodID; not needed for a walk */
    uint16_t symbol_body;

    struct vm_field thread_state, thread_osthread, osthread_tid, thread_anchor;
    struct vm_field thread_pending_monitor; /* the monitor that the thread waits to enter; not needed for a walk */
    uint16_t anchor_sp, anchor_pc, anchor_fp;
    uint16_t wrapper_anchor;
    int state_new, state_native, state_vm, state_java, state_blocked; /* odd values between are transitions */

    uintptr_t call_stub_return; /* the return address that ends the Java frames of one call from the JVM */
    uintptr_t interpreter_low, interpreter_high;
    uint16_t codelet_bytes; /* size of the header before each part of the interpreter; 0 = unknown */
    struct vm_field codelet_size, codelet_description;
    int interpreter_method_slot, interpreter_bcp_slot, interpreter_sender_sp_slot; /* words from fp */
    int entry_wrapper_slot;

    struct vm_objects objects;
    struct vm_virtual virtuals;
    struct vm_allocations allocations;
    struct vm_locks locks;

    /* The present work of the JVM's own threads (hot/walk/work.h); not needed for a walk. */
    uint32_t env_offset; /* offset of the JNIEnv in a JavaThread; 0 = unknown */
    struct vm_field compiler_env, env_task, task_method, task_level;
    uintptr_t vm_operation; /* the address of the pointer to the current operation; 0 = unknown */
};

extern struct vm_layout vm_layout;

#endif
