#include "agent/hot/walk/walk.h"

#include "agent/hot/java/heap.h"
#include "agent/hot/java/method.h"
#include "agent/hot/java/virtual.h"
#include "agent/hot/load.h"
#include "agent/hot/record.h"
#include "agent/hot/unwind/unwind.h"

#include <stdatomic.h>

enum { STEPS_MAX = 4 * FRAMES_MAX, INTERPRETED_FRAME_BYTES_MAX = 1 << 21 };

uintptr_t walk_libjvm_low, walk_libjvm_high;

static bool finish(struct walk *w, enum outcome outcome)
{
    w->done = true;
    w->outcome = outcome;
    return false;
}

static void go_to(struct walk *w, struct frame f)
{
    w->pc = f.pc;
    w->sp = f.sp;
    w->fp = f.fp;
    w->leaf = false;
}

static struct frame here(const struct walk *w)
{
    return (struct frame){w->pc, w->sp, w->fp};
}

/* The topmost Java frame that an anchor names. *empty: the anchor says there is none. */
static bool anchor_frame(uintptr_t anchor, struct frame *f, bool *empty)
{
    *empty = false;
    if (!load_u64(anchor + vm_layout.anchor_sp, &f->sp) || !load_u64(anchor + vm_layout.anchor_pc, &f->pc) ||
        !load_u64(anchor + vm_layout.anchor_fp, &f->fp))
        return false;
    *empty = !f->sp;
    if (!f->sp || f->sp & 7 || (!f->pc && !load_u64(f->sp - 8, &f->pc)))
        return false;
    f->pc = frame_code_address(f->pc);
    return code_contains(f->pc);
}

static bool go_to_anchor(struct walk *w, uintptr_t anchor, bool *empty)
{
    struct frame f;
    if (!anchor_frame(anchor, &f, empty))
        return false;
    go_to(w, f);
    return true;
}

static enum jfr_thread_state state_of(uint64_t state)
{
    int s = (int)state & ~1; /* a transition counts as the state it leaves */
    if (s == vm_layout.state_java)
        return JFR_STATE_JAVA;
    if (s == vm_layout.state_native)
        return JFR_STATE_NATIVE;
    if (s == vm_layout.state_blocked)
        return JFR_STATE_BLOCKED;
    if (s == vm_layout.state_vm)
        return JFR_STATE_VM;
    return JFR_STATE_UNKNOWN;
}

void walk_begin(struct walk *w, const struct registers *at, uintptr_t java_thread)
{
    uint64_t state;
    *w = (struct walk){.pc = at->pc,
                       .sp = at->sp,
                       .fp = at->fp,
                       .at = *at,
                       .leaf = true,
                       .state = JFR_STATE_NOT_JAVA,
                       .java_thread = java_thread};
    if (java_thread && vm_layout.usable) {
        w->state = load_field(java_thread, vm_layout.thread_state, &state) ? state_of(state) : JFR_STATE_UNKNOWN;
        w->anchor = w->state == JFR_STATE_UNKNOWN ? 0 : java_thread + vm_layout.thread_anchor.offset;
    }
    enum code_kind kind = code_contains(at->pc) ? code_find(at->pc).kind : CODE_NONE;
    /* The JVM calls stubs too, also in threads that run no Java; what then lies below a stub is no Java frame. */
    w->in_native = kind == CODE_NONE || (kind == CODE_STUB && w->state != JFR_STATE_JAVA);
    if (w->in_native && w->state == JFR_STATE_JAVA && frame_is_archived_entry(at->pc, &w->pc)) {
        w->at_entry = true;
        w->in_native = false;
    }
}

uintptr_t walk_call(uintptr_t java_thread)
{
    struct frame f;
    bool empty;
    return vm_layout.usable && anchor_frame(java_thread + vm_layout.thread_anchor.offset, &f, &empty) ? f.pc : 0;
}

void walk_begin_at_call(struct walk *w, uintptr_t java_thread)
{
    uint64_t state;
    bool empty;
    *w = (struct walk){.state = JFR_STATE_UNKNOWN, .java_thread = java_thread};
    if (!vm_layout.usable) {
        finish(w, OUTCOME_UNREADABLE);
        return;
    }
    if (load_field(java_thread, vm_layout.thread_state, &state))
        w->state = state_of(state);
    if (!go_to_anchor(w, java_thread + vm_layout.thread_anchor.offset, &empty))
        finish(w, empty ? OUTCOME_NO_JAVA_STACK : OUTCOME_BAD_ANCHOR);
}

void walk_begin_still(struct walk *w, uintptr_t java_thread)
{
    uint64_t state;
    bool empty;
    *w = (struct walk){.still = true, .state = JFR_STATE_UNKNOWN, .java_thread = java_thread};
    if (!vm_layout.usable || !load_field(java_thread, vm_layout.thread_state, &state)) {
        finish(w, OUTCOME_UNREADABLE);
        return;
    }
    w->state = state_of(state);
    w->anchor = java_thread + vm_layout.thread_anchor.offset;
    if (!go_to_anchor(w, w->anchor, &empty))
        finish(w, empty ? OUTCOME_NO_JAVA_STACK : OUTCOME_BAD_ANCHOR);
}

static bool emit(struct walk *w, uint64_t value, uint64_t *frame)
{
    *frame = value;
    w->frames++;
    return true;
}

static bool emit_method(struct walk *w, uintptr_t method, int32_t bci, unsigned type, uint64_t *frame)
{
    uint32_t id;
    if (!method_intern(method, &id))
        return false;
    if (w->walked)
        w->walked[w->java_frames] = (struct walked_method){method, bci};
    w->java_frames++;
    return emit(w, frame_java(type, id, bci > 0 ? (uint32_t)bci : 0), frame);
}

/* A caller's frame lies higher on the stack. One that was interrupted may not stand yet. */
static bool is_higher(const struct walk *w, struct frame caller)
{
    return w->leaf ? caller.sp >= w->sp : caller.sp > w->sp;
}

/* ---- virtual threads ---- */

/* The frame enterSpecial is the carrier's; it holds the entry of the frames it has called. One blob, made once. */
static bool is_virtual_entry(const struct walk *w)
{
    static _Atomic uintptr_t entry_blob;
    uint64_t method;
    /* Relaxed: the address alone is what is shared. */
    uintptr_t known = atomic_load_explicit(&entry_blob, memory_order_relaxed);
    if (w->leaf || w->in_heap || !vm_layout.virtuals.usable)
        return false;
    if (known)
        return known == w->code.blob;
    if (!load_field(w->code.blob, vm_layout.nm_method, &method) ||
        !method_is(method, "jdk/internal/vm/Continuation", "enterSpecial"))
        return false;
    atomic_store_explicit(&entry_blob, w->code.blob, memory_order_relaxed);
    return true;
}

/* Without frames of its own on the stack a virtual thread is only being mounted, which is the carrier's work. */
static bool ends_virtual(struct walk *w)
{
    if (!w->java_frames || !is_virtual_entry(w))
        return false;
    if (!w->entry)
        w->entry = w->sp;
    w->is_virtual = true;
    return !w->carrier_frames;
}

/* From the stack into the heap, from frame to frame there, and back to the stack. */
static bool go_to_frozen(struct walk *w, enum frozen found, struct frame f)
{
    uint64_t moment;
    w->in_heap = found == FROZEN_FRAME;
    if (!heap_is_still(w->state, &moment) || moment != w->moment)
        w->in_heap = false, found = FROZEN_UNREADABLE;
    if (w->in_heap) {
        go_to(w, f);
        return true;
    }
    if (found == FROZEN_UNREADABLE && !w->cut)
        w->cut = TRUNCATION_FROZEN;
    if (!w->carrier_frames)
        return finish(w, OUTCOME_COMPLETE);
    f = w->barrier;
    if (!frame_stub_caller(&(struct code){.kind = CODE_STUB}, &f, NULL) || f.sp <= w->barrier.sp)
        return finish(w, OUTCOME_TRUNCATED);
    go_to(w, f);
    return true;
}

static void enter_heap(struct walk *w)
{
    enum frozen found = FROZEN_UNREADABLE;
    struct frame f = {0};
    uintptr_t thread;
    w->is_virtual = true;
    w->entry = w->sp;
    w->barrier = here(w);
    if (heap_is_still(w->state, &w->moment) && virtual_find(w->java_thread, w->entry, &thread))
        found = frozen_begin(&w->frozen, thread, &f);
    go_to_frozen(w, found, f);
}

/* A frame returns to the barrier's first instruction; who is further has begun to fetch frames, and nobody knows which of
 * them are where. */
static bool through_barrier(struct walk *w, uint64_t *frame)
{
    bool leaf = w->leaf;
    if (leaf || w->pc != vm_layout.virtuals.barrier_low)
        w->cut = TRUNCATION_THAWING;
    if (leaf)
        emit(w, frame_native(JFR_FRAME_STUB, w->pc), frame);
    enter_heap(w);
    return leaf;
}

static bool leave_frozen(struct walk *w)
{
    struct frame f = here(w);
    enum frozen found = frozen_caller(&w->frozen, &w->code, &f);
    return go_to_frozen(w, found, f);
}

/* ---- Java frames ---- */

/* What was remembered has no Method* for another walker to compare with. */
static void find_code(struct walk *w)
{
    w->recalls = !w->leaf && !w->walked && call_site_recall(w->pc, &w->site);
    w->code = w->recalls ? w->site.code : code_find(w->pc);
}

static bool enter_compiled(struct walk *w)
{
    uintptr_t pc = w->pc;
    if (w->recalls) {
        w->site_next = 0;
        return true;
    }
    if (!w->leaf)
        pc = code_original_pc(&w->code, pc, w->sp);
    w->learns = !w->leaf && !w->still && pc == w->pc && call_site_begin(&w->site, &w->code);
    return code_scopes_begin(&w->scopes, &w->code, pc, w->leaf);
}

/* The next of the Java frames that one compiled frame stands for. */
static bool next_scope(struct walk *w, uint64_t *frame)
{
    struct code_scope scope;
    if (w->recalls) {
        if (w->site_next == w->site.count)
            return false;
        w->java_frames++;
        return emit(w, w->site.frames[w->site_next++], frame);
    }
    if (!code_scopes_next(&w->scopes, &scope)) {
        if (w->learns && w->scopes.is_whole)
            call_site_remember(w->pc, &w->site);
        return false;
    }
    if (!emit_method(w, scope.method, scope.bci, scope.type, frame))
        return false;
    w->learns = w->learns && call_site_add(&w->site, *frame);
    return true;
}

/* Leaves the compiled frame whose scopes have been handed out. */
static bool leave_compiled(struct walk *w)
{
    if (w->in_heap)
        return leave_frozen(w);
    struct frame f = here(w);
    bool found = w->leaf ? frame_leaf_caller(&w->code, &f, &w->at) : frame_caller(&w->code, &f);
    if (!found || !is_higher(w, f))
        return finish(w, OUTCOME_TRUNCATED);
    go_to(w, f);
    return true;
}

static bool load_slot(uintptr_t fp, int slot, uint64_t *out)
{
    return load_u64(fp + (uintptr_t)(8 * (intptr_t)slot), out);
}

static bool interpreted_slots(const struct walk *w, uint64_t *method, uint64_t *bcp, struct frame *caller)
{
    uint64_t sender_sp, pc, fp;
    uintptr_t base = w->fp;
    if (base & 7 || base < w->sp || base - w->sp > INTERPRETED_FRAME_BYTES_MAX ||
        !load_slot(base, vm_layout.interpreter_method_slot, method) ||
        !load_slot(base, vm_layout.interpreter_bcp_slot, bcp) ||
        !load_slot(base, vm_layout.interpreter_sender_sp_slot, &sender_sp) || !load_slot(base, 1, &pc) ||
        !load_slot(base, 0, &fp) || sender_sp & 7)
        return false;
    /* An interpreter that reserves its expression stack (AArch64's) calls from within it: its sp is then lower. */
    *caller = (struct frame){frame_code_address(pc), sender_sp > base ? sender_sp : base + 16, fp};
    return true;
}

/* A method entry of the interpreter, before its frame stands: the Method* and the return address are in their places of
 * the calling convention. */
static bool interpreted_entry(struct walk *w, uint64_t *frame)
{
    struct frame caller = here(w);
    if (!frame_interpreter_entry_caller(&caller, &w->at) ||
        !emit_method(w, w->at.method, 0, JFR_FRAME_INTERPRETED, frame))
        return finish(w, OUTCOME_TRUNCATED);
    go_to(w, caller);
    return true;
}

static bool frozen_interpreted(struct walk *w, uint64_t *frame)
{
    uint64_t method, bcp;
    uint32_t bci = 0;
    if (!load_slot(w->fp, vm_layout.interpreter_method_slot, &method) ||
        !load_slot(w->fp, vm_layout.interpreter_bcp_slot, &bcp))
        return finish(w, OUTCOME_TRUNCATED);
    if (!method_bci(method, bcp, &bci))
        bci = 0;
    if (!emit_method(w, method, (int32_t)bci, JFR_FRAME_INTERPRETED, frame))
        return finish(w, OUTCOME_TRUNCATED);
    leave_frozen(w);
    return true;
}

static bool interpreted(struct walk *w, uint64_t *frame)
{
    uint64_t method, bcp;
    uint32_t bci = 0;
    struct frame caller = here(w);
    if (w->leaf && w->at_entry)
        return interpreted_entry(w, frame);
    if (w->leaf && frame_compiled_caller(&caller, &w->at)) {
        bool is_entry = emit_method(w, w->at.method, 0, JFR_FRAME_INTERPRETED, frame);
        go_to(w, caller);
        return is_entry;
    }
    if (!w->leaf && frame_interpreter_routine_caller(&caller, &w->at)) {
        go_to(w, caller);
        return false;
    }
    if (!interpreted_slots(w, &method, &bcp, &caller) ||
        !(code_find(caller.pc).kind != CODE_NONE))
        return w->leaf ? interpreted_entry(w, frame) : finish(w, OUTCOME_TRUNCATED);
    /* The topmost frame's bytecode pointer lives in a register; the slot holds it while the frame calls. */
    if (!(w->leaf && method_bci(method, w->at.bcp, &bci)) && !method_bci(method, bcp, &bci))
        bci = 0;
    if (!emit_method(w, method, (int32_t)bci, JFR_FRAME_INTERPRETED, frame))
        return w->leaf ? interpreted_entry(w, frame) : finish(w, OUTCOME_TRUNCATED);
    if (caller.sp <= w->sp)
        return finish(w, OUTCOME_TRUNCATED), true;
    go_to(w, caller);
    return true;
}

/* What the anchor says where the native frames could not be left one by one; the rest of them is missing. A thread in Java
 * code has none: it called native code as a leaf, and its stack shows from where. */
static bool skip_native(struct walk *w)
{
    struct frame f = here(w);
    uintptr_t sp = w->sp;
    bool empty = true;
    w->has_gap = true;
    if (w->anchor && go_to_anchor(w, w->anchor, &empty))
        return w->sp > sp || finish(w, OUTCOME_TRUNCATED);
    if (!empty)
        return finish(w, OUTCOME_BAD_ANCHOR);
    if (w->state != JFR_STATE_JAVA || w->java_frames ||
        !frame_native_caller(&f, &w->at, walk_is_in_libjvm(w->pc)))
        return finish(w, OUTCOME_TRUNCATED);
    go_to(w, f);
    return true;
}

static void leave_native(struct walk *w)
{
    struct frame f = here(w);
    enum unwind_step step = unwind_step(&f, &w->at, w->leaf);
    if (step == UNWIND_UNKNOWN && frame_undescribed_caller(&f, w->leaf ? &w->at : NULL) && is_higher(w, f))
        step = UNWIND_CALLER;
    switch (step) {
    case UNWIND_CALLER:
    case UNWIND_INTERRUPTED:
        go_to(w, f);
        w->leaf = step == UNWIND_INTERRUPTED;
        w->in_native = !code_contains(f.pc);
        return;
    case UNWIND_END:
        finish(w, OUTCOME_COMPLETE);
        return;
    case UNWIND_UNKNOWN:
        w->in_native = false;
        skip_native(w);
    }
}

static bool native(struct walk *w, uint64_t *frame)
{
    /* A call may be the last instruction of its function. */
    emit(w, frame_native(JFR_FRAME_NATIVE, w->leaf ? w->pc : w->pc - 1), frame);
    leave_native(w);
    return true;
}

/* Native code called Java here. What Java ran before, the call stub's wrapper knows. */
static bool through_call_stub(struct walk *w)
{
    uint64_t wrapper, pc, fp;
    if (!load_slot(w->fp, vm_layout.entry_wrapper_slot, &wrapper) || !load_slot(w->fp, 1, &pc) ||
        !load_slot(w->fp, 0, &fp) || w->fp < w->sp)
        return finish(w, OUTCOME_TRUNCATED);
    go_to(w, (struct frame){frame_code_address(pc), w->fp + 2 * sizeof(void *), fp});
    w->anchor = wrapper + vm_layout.wrapper_anchor;
    w->in_native = true;
    return true;
}

/* Who waits at a poll in compiled code has called a stub from no call: what lies in the place of its return address is the poll's own
 * address. From outside such threads are met in every collection of garbage. */
static bool leave_poll(const struct walk *w, struct frame *f)
{
    struct frame g = *f;
    if (!w->still || !w->code.frame_words || !frame_caller(&w->code, &g) || code_find(g.pc).kind != CODE_NMETHOD)
        return false;
    *f = g;
    return true;
}

static bool through_stub(struct walk *w, uint64_t *frame)
{
    struct frame f = here(w);
    bool leaf = w->leaf;
    if (leaf)
        emit(w, frame_native(JFR_FRAME_STUB, w->pc), frame);
    if (w->in_heap)
        leave_frozen(w);
    else if ((leave_poll(w, &f) || frame_stub_caller(&w->code, &f, leaf ? &w->at : NULL)) && is_higher(w, f))
        go_to(w, f);
    else
        finish(w, OUTCOME_TRUNCATED);
    return leaf;
}

/* One step: hands out a frame (true), or moves on (false; w->done says whether it is over). */
static bool step(struct walk *w, uint64_t *frame)
{
    if (w->in_native)
        return native(w, frame);
    if (w->in_scopes) {
        if (next_scope(w, frame))
            return true;
        w->in_scopes = false;
        leave_compiled(w);
        return false;
    }
    find_code(w);
    switch (w->code.kind) {
    case CODE_NATIVE_WRAPPER:
        if (ends_virtual(w))
            return finish(w, OUTCOME_COMPLETE);
        /* fall through */
    case CODE_NMETHOD:
        w->in_scopes = enter_compiled(w);
        if (!w->in_scopes)
            finish(w, OUTCOME_TRUNCATED);
        return false;
    case CODE_INTERPRETER:
        return w->in_heap ? frozen_interpreted(w, frame) : interpreted(w, frame);
    case CODE_RETURN_BARRIER:
        return through_barrier(w, frame);
    case CODE_CALL_STUB:
        through_call_stub(w);
        return false;
    case CODE_STUB:
        return through_stub(w, frame);
    case CODE_NONE:
        break;
    }
    return finish(w, OUTCOME_TRUNCATED);
}

/* A walk that found no Java frame where there must be one has failed. */
static void settle(struct walk *w)
{
    if (!vm_layout.usable)
        w->outcome = OUTCOME_UNREADABLE;
    else if ((w->has_gap || w->cut) && w->outcome == OUTCOME_COMPLETE)
        w->outcome = OUTCOME_TRUNCATED;
    else if (w->outcome == OUTCOME_TRUNCATED && w->state == JFR_STATE_JAVA && !w->java_frames)
        w->outcome = OUTCOME_NO_JAVA_FRAME;
}

bool walk_next(struct walk *w, uint64_t *frame)
{
    while (!w->done && w->frames < FRAMES_MAX - 1 && w->steps++ < STEPS_MAX)
        if (step(w, frame))
            return true;
    if (!w->done)
        finish(w, OUTCOME_TRUNCATED);
    settle(w);
    if (!w->cut || w->marked || w->outcome != OUTCOME_TRUNCATED)
        return false;
    w->marked = true;
    *frame = frame_truncation(w->cut);
    return true;
}
