/* Reads the layout. The three families of nmethod layout, and renamed members, are distinguished by the members that exist, never by
 * version. A few facts are in no table (the interpreter's frame slots, the coding of debug information) and depend on the version. Verified
 * on: 8 (offsets); 11, 17, 21 (addresses); 25, 27 (immutable data). */
#include "agent/hotspot/layout.h"

#include "agent/hot/layout.h"
#include "agent/hot/unwind/frame.h"
#include "agent/hotspot/vmstructs.h"

#include <stdio.h>
#include <string.h>

static bool miss(const char *type, const char *field)
{
    snprintf(vm_layout.missing, sizeof vm_layout.missing, "%s::%s", type, field);
    return false;
}

static bool need(const struct vmstructs *v, const char *type, const char *field, struct vm_field *out)
{
    return vmstructs_field(v, type, field, out) || miss(type, field);
}

static bool need_address(const struct vmstructs *v, const char *type, const char *field, struct vm_field *out)
{
    return need(v, type, field, out) && (out->width == sizeof(void *) || miss(type, field));
}

static bool need_offset(const struct vmstructs *v, const char *type, const char *field, uint16_t *out)
{
    struct vm_field f;
    if (!need(v, type, field, &f))
        return false;
    *out = f.offset;
    return true;
}

static bool need_size(const struct vmstructs *v, const char *type, uint16_t *out)
{
    uint64_t size;
    if (!vmstructs_sizeof(v, type, &size) || size > UINT16_MAX)
        return miss("sizeof", type);
    *out = (uint16_t)size;
    return true;
}

static uintptr_t read_word(uintptr_t at)
{
    return *(const uintptr_t *)at;
}

static bool add_heap(const struct vmstructs *v, uintptr_t heap)
{
    struct vm_field memory, segmap, log2, low, high, reserved;
    if (!need(v, "CodeHeap", "_memory", &memory) || !need(v, "CodeHeap", "_segmap", &segmap) ||
        !need(v, "CodeHeap", "_log2_segment_size", &log2) || !need(v, "VirtualSpace", "_low", &low) ||
        !need(v, "VirtualSpace", "_high", &high) || !need(v, "VirtualSpace", "_high_boundary", &reserved))
        return false;
    struct vm_layout *l = &vm_layout;
    if (l->heap_count == VM_HEAPS_MAX)
        return miss("CodeCache", "_heaps (too many)");
    l->heap_committed_high = (struct vm_field){(uint16_t)(memory.offset + high.offset), 8};
    struct vm_heap *h = &l->heaps[l->heap_count++];
    h->object = heap;
    h->low = read_word(heap + memory.offset + low.offset);
    h->reserved_high = read_word(heap + memory.offset + reserved.offset);
    h->segmap = read_word(heap + segmap.offset + low.offset);
    h->log2_segment = *(const uint8_t *)(heap + log2.offset);
    if (!l->code_low || h->low < l->code_low)
        l->code_low = h->low;
    if (h->reserved_high > l->code_high)
        l->code_high = h->reserved_high;
    return true;
}

static bool code_heaps(const struct vmstructs *v)
{
    const uintptr_t *single = vmstructs_static(v, "CodeCache", "_heap");
    if (single)
        return add_heap(v, *single);
    const uintptr_t *list = vmstructs_static(v, "CodeCache", "_heaps");
    struct vm_field len, data;
    if (!list || !*list)
        return miss("CodeCache", "_heaps");
    if ((!vmstructs_field(v, "GrowableArrayBase", "_len", &len) && !need(v, "GenericGrowableArray", "_len", &len)) ||
        !need(v, "GrowableArray<int>", "_data", &data))
        return false;
    int count = *(const int *)(*list + len.offset);
    const uintptr_t *heaps = (const uintptr_t *)read_word(*list + data.offset);
    for (int i = 0; i < count; i++)
        if (!add_heap(v, heaps[i]))
            return false;
    return true;
}

static bool code_blobs(const struct vmstructs *v)
{
    struct vm_layout *l = &vm_layout;
    bool has_begin = vmstructs_field(v, "CodeBlob", "_code_begin", &l->blob_code_begin);
    return need(v, "HeapBlock::Header", "_length", &l->block_length) && need(v, "HeapBlock::Header", "_used", &l->block_used) &&
           need_size(v, "HeapBlock", &l->block_size) && need_address(v, "CodeBlob", "_name", &l->blob_name) &&
           need(v, "CodeBlob", "_size", &l->blob_size) && need(v, "CodeBlob", "_frame_size", &l->blob_frame_size) &&
           need(v, "CodeBlob", "_frame_complete_offset", &l->blob_frame_complete) &&
           (has_begin || need(v, "CodeBlob", "_code_offset", &l->blob_code_offset)) && need_size(v, "PcDesc", &l->pcdesc_size);
}

static void deoptimisation(const struct vmstructs *v)
{
    struct vm_layout *l = &vm_layout;
    static const char *const entries[] = {"_deopt_handler_entry_offset", "_deopt_handler_offset", "_deoptimize_offset"};
    static const char *const mh_entries[] = {"_deopt_mh_handler_offset", "_deoptimize_mh_offset"};
    vmstructs_field(v, "nmethod", "_orig_pc_offset", &l->nm_original_pc);
    vmstructs_field(v, "CompiledMethod", "_deopt_handler_begin", &l->nm_deopt_entry);
    vmstructs_field(v, "CompiledMethod", "_deopt_mh_handler_begin", &l->nm_deopt_mh_entry);
    for (size_t i = 0; i < sizeof entries / sizeof *entries && !l->nm_deopt_entry.width; i++)
        vmstructs_field(v, "nmethod", entries[i], &l->nm_deopt_entry);
    for (size_t i = 0; i < sizeof mh_entries / sizeof *mh_entries && !l->nm_deopt_mh_entry.width; i++)
        vmstructs_field(v, "nmethod", mh_entries[i], &l->nm_deopt_mh_entry);
}

/* Reads what a snapshot of code describes in addition to its bytes (collect/sampling/snapshots.h). */
static void snapshots(const struct vmstructs *v)
{
    struct vm_layout *l = &vm_layout;
    vmstructs_field(v, "CodeBlob", "_code_end", &l->blob_code_end);
    vmstructs_field(v, "CodeBlob", "_data_offset", &l->blob_data_offset);
    vmstructs_field(v, "nmethod", "_entry_bci", &l->nm_entry_bci);
    if (!vmstructs_field(v, "nmethod", "_verified_entry_point", &l->nm_verified_entry))
        vmstructs_field(v, "nmethod", "_verified_entry_offset", &l->nm_verified_entry);
    vmstructs_field(v, "InterpreterCodelet", "_size", &l->codelet_size);
    vmstructs_field(v, "InterpreterCodelet", "_description", &l->codelet_description);
    if (l->codelet_size.width == 4 && l->codelet_description.width == 8)
        need_size(v, "InterpreterCodelet", &l->codelet_bytes);
}

static bool nmethods(const struct vmstructs *v)
{
    struct vm_layout *l = &vm_layout;
    deoptimisation(v);
    snapshots(v);
    vmstructs_field(v, "nmethod", "_compile_id", &l->nm_compile_id);
    if (!need(v, "nmethod", "_comp_level", &l->nm_comp_level))
        return false;
    if (vmstructs_field(v, "nmethod", "_immutable_data", &l->nm_immutable_data)) {
        l->family = VM_NMETHOD_IMMUTABLE;
        return need(v, "nmethod", "_method", &l->nm_method) && need(v, "nmethod", "_scopes_data_offset", &l->nm_scopes_data) &&
               need(v, "nmethod", "_scopes_pcs_offset", &l->nm_scopes_pcs) &&
               need(v, "nmethod", "_scopes_data_offset", &l->nm_scopes_pcs_end) &&
               need(v, "CodeBlob", "_mutable_data", &l->blob_mutable_data) &&
               need(v, "CodeBlob", "_relocation_size", &l->blob_relocation_size);
    }
    if (!need(v, "nmethod", "_scopes_pcs_offset", &l->nm_scopes_pcs) ||
        !need(v, "nmethod", "_dependencies_offset", &l->nm_scopes_pcs_end) || !need(v, "nmethod", "_metadata_offset", &l->nm_metadata))
        return false;
    if (vmstructs_field(v, "CompiledMethod", "_scopes_data_begin", &l->nm_scopes_data)) {
        l->family = VM_NMETHOD_ADDRESSES;
        return need(v, "CompiledMethod", "_method", &l->nm_method);
    }
    l->family = VM_NMETHOD_OFFSETS;
    return need(v, "nmethod", "_scopes_data_offset", &l->nm_scopes_data) && need(v, "nmethod", "_method", &l->nm_method);
}

static bool methods(const struct vmstructs *v)
{
    struct vm_layout *l = &vm_layout;
    int bit;
    vmstructs_field(v, "ConstMethod", "_method_idnum", &l->const_idnum);
    vmstructs_field(v, "InstanceKlass", "_methods_jmethod_ids", &l->klass_method_ids);
    if (vmstructs_constant(v, "ConstMethodFlags::_misc_has_linenumber_table", &bit) ||
        vmstructs_constant(v, "ConstMethod::_has_linenumber_table", &bit))
        l->const_has_line_numbers = (uint32_t)bit;
    return need_address(v, "Method", "_constMethod", &l->method_const) &&
           need_address(v, "ConstMethod", "_constants", &l->const_constants) && need(v, "ConstMethod", "_code_size", &l->const_code_size) &&
           need(v, "ConstMethod", "_constMethod_size", &l->const_size) &&
           (vmstructs_field(v, "ConstMethod", "_flags._flags", &l->const_flags) || need(v, "ConstMethod", "_flags", &l->const_flags)) &&
           need(v, "ConstMethod", "_name_index", &l->const_name) && need(v, "ConstMethod", "_signature_index", &l->const_signature) &&
           need_size(v, "ConstMethod", &l->const_sizeof) && need_size(v, "ConstantPool", &l->pool_sizeof) &&
           need_address(v, "ConstantPool", "_pool_holder", &l->pool_holder) && need(v, "ConstantPool", "_length", &l->pool_length) &&
           need_address(v, "Klass", "_name", &l->klass_name) && need(v, "Symbol", "_length", &l->symbol_length) &&
           (need_offset(v, "Symbol", "_body", &l->symbol_body) || need_offset(v, "Symbol", "_body[0]", &l->symbol_body));
}

static bool states(const struct vmstructs *v)
{
    struct vm_layout *l = &vm_layout;
    return (vmstructs_constant(v, "_thread_new", &l->state_new) || miss("JavaThreadState", "_thread_new")) &&
           (vmstructs_constant(v, "_thread_in_native", &l->state_native) || miss("JavaThreadState", "native")) &&
           (vmstructs_constant(v, "_thread_in_vm", &l->state_vm) || miss("JavaThreadState", "vm")) &&
           (vmstructs_constant(v, "_thread_in_Java", &l->state_java) || miss("JavaThreadState", "java")) &&
           (vmstructs_constant(v, "_thread_blocked", &l->state_blocked) || miss("JavaThreadState", "blocked"));
}

static bool threads(const struct vmstructs *v)
{
    struct vm_layout *l = &vm_layout;
    if (!vmstructs_field(v, "JavaThread", "_current_pending_monitor", &l->thread_pending_monitor))
        vmstructs_field(v, "Thread", "_current_pending_monitor", &l->thread_pending_monitor);
    return states(v) && need(v, "JavaThread", "_thread_state", &l->thread_state) && need(v, "JavaThread", "_anchor", &l->thread_anchor) &&
           (vmstructs_field(v, "JavaThread", "_osthread", &l->thread_osthread) || need(v, "Thread", "_osthread", &l->thread_osthread)) &&
           need(v, "OSThread", "_thread_id", &l->osthread_tid) && need_offset(v, "JavaFrameAnchor", "_last_Java_sp", &l->anchor_sp) &&
           need_offset(v, "JavaFrameAnchor", "_last_Java_pc", &l->anchor_pc) &&
           need_offset(v, "JavaFrameAnchor", "_last_Java_fp", &l->anchor_fp) &&
           need_offset(v, "JavaCallWrapper", "_anchor", &l->wrapper_anchor);
}

static bool frames(const struct vmstructs *v)
{
    struct vm_layout *l = &vm_layout;
    const uintptr_t *call_stub = vmstructs_static(v, "StubRoutines", "_call_stub_return_address");
    const uintptr_t *interpreter = vmstructs_static(v, "AbstractInterpreter", "_code");
    struct vm_field buffer, limit;
    if (!call_stub || !*call_stub)
        return miss("StubRoutines", "_call_stub_return_address");
    if (!interpreter || !*interpreter)
        return miss("AbstractInterpreter", "_code");
    if (!need(v, "StubQueue", "_stub_buffer", &buffer) || !need(v, "StubQueue", "_buffer_limit", &limit))
        return false;
    l->call_stub_return = *call_stub;
    l->interpreter_low = read_word(*interpreter + buffer.offset);
    l->interpreter_high = l->interpreter_low + *(const uint32_t *)(*interpreter + limit.offset);
    if (!vmstructs_constant(v, "frame::entry_frame_call_wrapper_offset", &l->entry_wrapper_slot))
        l->entry_wrapper_slot = frame_slots.entry_wrapper;
    if (!vmstructs_constant(v, "frame::interpreter_frame_sender_sp_offset", &l->interpreter_sender_sp_slot))
        l->interpreter_sender_sp_slot = -1;
    l->interpreter_method_slot = frame_slots.method;
    l->interpreter_bcp_slot = l->java_version <= 8 ? frame_slots.bcp_jdk8 : frame_slots.bcp;
    return true;
}

static void work(const struct vmstructs *v)
{
    struct vm_layout *l = &vm_layout;
    vmstructs_field(v, "CompilerThread", "_env", &l->compiler_env);
    vmstructs_field(v, "ciEnv", "_task", &l->env_task);
    vmstructs_field(v, "CompileTask", "_method", &l->task_method);
    vmstructs_field(v, "CompileTask", "_comp_level", &l->task_level);
}

static void allocations(const struct vmstructs *v)
{
    struct vm_allocations *a = &vm_layout.allocations;
    if (!vmstructs_field(v, "Thread", "_tlab", &a->buffer) || !vmstructs_field(v, "ThreadLocalAllocBuffer", "_start", &a->buffer_start) ||
        !vmstructs_field(v, "ThreadLocalAllocBuffer", "_top", &a->buffer_top) ||
        !vmstructs_field(v, "Thread", "_allocated_bytes", &a->counted))
        a->counted.width = 0;
}

bool layout_fill(void *libjvm, int java_version)
{
    struct vm_layout *l = &vm_layout;
    if (l->usable)
        return true;
    struct vmstructs v;
    memset(l, 0, sizeof *l);
    l->java_version = java_version;
    l->unsigned5_excludes_zero = java_version >= 20;
    if (!vmstructs_open(&v, libjvm))
        return miss("libjvm", "gHotSpotVMStructs");
    work(&v);
    allocations(&v);
    l->usable = code_heaps(&v) && code_blobs(&v) && nmethods(&v) && methods(&v) && threads(&v) && frames(&v);
    return l->usable;
}
