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
    w->place = WALK_IS_OVER;
    w->outcome = outcome;
    return false;
}

static void go_to(struct walk *w, struct frame f)
{
    w->pc = f.pc;
    w->sp = f.sp;
    w->fp = f.fp;
    w->left = WALK_LEFT_BY_CALL;
}

static struct frame here(const struct walk *w)
{
    return (struct frame){w->pc, w->sp, w->fp};
}

static bool is_leaf(const struct walk *w)
{
    return w->left != WALK_LEFT_BY_CALL;
}

static bool is_in_heap(const struct walk *w)
{
    return w->virtuals.stack == WALK_STACK_FROZEN;
}

/* Finds the topmost Java frame in an anchor. *empty: the anchor has no frame. */
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
    int s = (int)state & ~1; /* a transition counts as the state that it leaves */
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
                       .begun = WALK_BEGUN_AT_SIGNAL,
                       .left = WALK_LEFT_BY_SIGNAL,
                       .at = *at,
                       .state = JFR_STATE_NOT_JAVA,
                       .java_thread = java_thread};
    if (java_thread && vm_layout.usable) {
        w->state = load_field(java_thread, vm_layout.thread_state, &state) ? state_of(state) : JFR_STATE_UNKNOWN;
        w->anchor = w->state == JFR_STATE_UNKNOWN ? 0 : java_thread + vm_layout.thread_anchor.offset;
    }
    enum code_kind kind = code_contains(at->pc) ? code_find(at->pc).kind : CODE_NONE;
    /* The JVM also calls stubs, even in threads that run no Java. The frame below such a stub is not a Java frame. */
    bool in_native = kind == CODE_NONE || (kind == CODE_STUB && w->state != JFR_STATE_JAVA);
    if (in_native && w->state == JFR_STATE_JAVA && frame_is_archived_entry(at->pc, &w->pc))
        w->left = WALK_LEFT_AT_ENTRY;
    else if (in_native)
        w->place = WALK_IN_NATIVE;
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
    *w = (struct walk){.begun = WALK_BEGUN_AT_CALL, .state = JFR_STATE_UNKNOWN, .java_thread = java_thread};
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
    *w = (struct walk){.begun = WALK_BEGUN_FROM_OUTSIDE, .state = JFR_STATE_UNKNOWN, .java_thread = java_thread};
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
        w->walked[w->java_frames] = (struct walked_method){method, w->sp};
    w->java_frames++;
    return emit(w, frame_java(type, id, bci > 0 ? (uint32_t)bci : 0), frame);
}

/* A caller's frame is higher on the stack. An interrupted function may not have built its frame yet. */
static bool is_higher(const struct walk *w, struct frame caller)
{
    return is_leaf(w) ? caller.sp >= w->sp : caller.sp > w->sp;
}

/* ---- virtual threads ---- */

/* Whether the frame is enterSpecial, which belongs to the carrier and contains the entry of the frames that it has called. There is one
 * such blob, which is created once. */
static bool is_virtual_entry(const struct walk *w)
{
    static _Atomic uintptr_t entry_blob;
    uint64_t method;
    /* Relaxed, because only the address itself is shared. */
    uintptr_t known = atomic_load_explicit(&entry_blob, memory_order_relaxed);
    if (is_leaf(w) || is_in_heap(w) || !vm_layout.virtuals.usable)
        return false;
    if (known)
        return known == w->code.blob;
    if (!load_field(w->code.blob, vm_layout.nm_method, &method) || !method_is(method, "jdk/internal/vm/Continuation", "enterSpecial"))
        return false;
    atomic_store_explicit(&entry_blob, w->code.blob, memory_order_relaxed);
    return true;
}

/* Whether the frames of a virtual thread end here. A virtual thread without frames on the stack is only being mounted, which is the
 * carrier's work. */
static bool ends_virtual(struct walk *w)
{
    if (!w->java_frames || !is_virtual_entry(w))
        return false;
    if (!w->virtuals.entry)
        w->virtuals.entry = w->sp;
    w->virtuals.stack = WALK_STACK_VIRTUAL;
    return !w->virtuals.carrier_frames;
}

/* Continues from the stack to the heap, from frame to frame there, or back to the stack. */
static bool go_to_frozen(struct walk *w, enum frozen found, struct frame f)
{
    uint64_t moment;
    if (!heap_is_still(w->state, &moment) || moment != w->virtuals.moment)
        found = FROZEN_UNREADABLE;
    w->virtuals.stack = found == FROZEN_FRAME ? WALK_STACK_FROZEN : WALK_STACK_VIRTUAL;
    if (found == FROZEN_FRAME) {
        go_to(w, f);
        return true;
    }
    if (found == FROZEN_UNREADABLE && !w->missing.cut)
        w->missing.cut = TRUNCATION_FROZEN;
    if (!w->virtuals.carrier_frames)
        return finish(w, OUTCOME_COMPLETE);
    f = w->virtuals.barrier;
    if (!frame_stub_caller(&(struct code){.kind = CODE_STUB}, &f, NULL) || f.sp <= w->virtuals.barrier.sp)
        return finish(w, OUTCOME_TRUNCATED);
    go_to(w, f);
    return true;
}

static void enter_heap(struct walk *w)
{
    enum frozen found = FROZEN_UNREADABLE;
    struct frame f = {0};
    uintptr_t thread;
    w->virtuals.entry = w->sp;
    w->virtuals.barrier = here(w);
    if (heap_is_still(w->state, &w->virtuals.moment) && virtual_find(w->java_thread, w->virtuals.entry, &thread))
        found = frozen_begin(&w->virtuals.frozen, thread, &f);
    go_to_frozen(w, found, f);
}

/* Continues at the return barrier. A frame returns to the barrier's first instruction. A thread that is further in it has begun to fetch
 * frames, so it is unknown which of them are on the stack and which in the heap. */
static bool through_barrier(struct walk *w, uint64_t *frame)
{
    bool leaf = is_leaf(w);
    if (leaf || w->pc != vm_layout.virtuals.barrier_low)
        w->missing.cut = TRUNCATION_THAWING;
    if (leaf)
        emit(w, frame_native(JFR_FRAME_STUB, w->pc), frame);
    enter_heap(w);
    return leaf;
}

static bool leave_frozen(struct walk *w)
{
    struct frame f = here(w);
    enum frozen found = frozen_caller(&w->virtuals.frozen, &w->code, &f);
    return go_to_frozen(w, found, f);
}

/* ---- Java frames ---- */

/* Finds the code at pc. A remembered call site has no Method*, which the comparison with another walker needs. */
static void find_code(struct walk *w)
{
    struct walk_compiled *c = &w->compiled;
    bool recalls = !is_leaf(w) && !w->walked && call_site_recall(w->pc, &c->site);
    c->by = recalls ? WALK_SITE_RECALLED : WALK_SITE_DECODED;
    w->code = recalls ? c->site.code : code_find(w->pc);
}

static bool enter_compiled(struct walk *w)
{
    struct walk_compiled *c = &w->compiled;
    uintptr_t pc = w->pc;
    bool leaf = is_leaf(w);
    if (c->by == WALK_SITE_RECALLED) {
        c->site_next = 0;
        return true;
    }
    if (!leaf)
        pc = code_original_pc(&w->code, pc, w->sp);
    if (!leaf && w->begun != WALK_BEGUN_FROM_OUTSIDE && pc == w->pc && call_site_begin(&c->site, &w->code))
        c->by = WALK_SITE_LEARNT;
    return code_scopes_begin(&c->scopes, &w->code, pc, leaf);
}

/* Returns the next of the Java frames of a compiled frame. */
static bool next_scope(struct walk *w, uint64_t *frame)
{
    struct walk_compiled *c = &w->compiled;
    struct code_scope scope;
    if (c->by == WALK_SITE_RECALLED) {
        if (c->site_next == c->site.count)
            return false;
        w->java_frames++;
        return emit(w, c->site.frames[c->site_next++], frame);
    }
    if (!code_scopes_next(&c->scopes, &scope)) {
        if (c->by == WALK_SITE_LEARNT && c->scopes.is_whole)
            call_site_remember(w->pc, &c->site);
        return false;
    }
    if (!emit_method(w, scope.method, scope.bci, scope.type, frame))
        return false;
    if (c->by == WALK_SITE_LEARNT && !call_site_add(&c->site, *frame))
        c->by = WALK_SITE_DECODED;
    return true;
}

/* Leaves a compiled frame whose Java frames have all been returned. */
static bool leave_compiled(struct walk *w)
{
    if (is_in_heap(w))
        return leave_frozen(w);
    struct frame f = here(w);
    bool found =
        is_leaf(w) ? frame_leaf_caller(&w->code, &f, &w->at) : frame_caller(&w->code, &f) || frame_caller_below_pushes(&w->code, &f);
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
        !load_slot(base, vm_layout.interpreter_method_slot, method) || !load_slot(base, vm_layout.interpreter_bcp_slot, bcp) ||
        !load_slot(base, vm_layout.interpreter_sender_sp_slot, &sender_sp) || !load_slot(base, 1, &pc) || !load_slot(base, 0, &fp) ||
        sender_sp & 7)
        return false;
    /* An interpreter that reserves its expression stack (AArch64) makes calls from within that stack: its sp is then lower. */
    *caller = (struct frame){frame_code_address(pc), sender_sp > base ? sender_sp : base + 16, fp};
    return true;
}

/* Handles a method entry of the interpreter, before the method's frame is complete. The Method* and the return address are in the places of
 * the calling convention. */
static bool interpreted_entry(struct walk *w, uint64_t *frame)
{
    struct frame caller = here(w);
    if (!frame_interpreter_entry_caller(&caller, &w->at) || !emit_method(w, w->at.method, 0, JFR_FRAME_INTERPRETED, frame))
        return finish(w, OUTCOME_TRUNCATED);
    go_to(w, caller);
    return true;
}

static bool frozen_interpreted(struct walk *w, uint64_t *frame)
{
    uint64_t method, bcp;
    uint32_t bci = 0;
    if (!load_slot(w->fp, vm_layout.interpreter_method_slot, &method) || !load_slot(w->fp, vm_layout.interpreter_bcp_slot, &bcp))
        return finish(w, OUTCOME_TRUNCATED);
    if (!method_bci(method, bcp, &bci))
        bci = 0;
    if (!emit_method(w, method, (int32_t)bci, JFR_FRAME_INTERPRETED, frame))
        return finish(w, OUTCOME_TRUNCATED);
    leave_frozen(w);
    return true;
}

/* Returns the bytecode at which a thread waits for a monitor. The interpreter goes to the next one before it locks, and that may be in the
 * next line. */
static uint32_t bci_of_wait(const struct walk *w, uint64_t method, uint64_t bcp, uint32_t bci)
{
    enum { MONITORENTER = 0xc2 };
    uint64_t monitor;
    uint8_t code;
    uint32_t before;
    bool waits = !is_leaf(w) && !w->java_frames && vm_layout.thread_pending_monitor.width &&
                 load_field(w->java_thread, vm_layout.thread_pending_monitor, &monitor) && monitor;
    return waits && bci && method_bci(method, bcp - 1, &before) && load_u8(bcp - 1, &code) && code == MONITORENTER ? before : bci;
}

static bool interpreted(struct walk *w, uint64_t *frame)
{
    uint64_t method, bcp;
    uint32_t bci = 0;
    struct frame caller = here(w);
    if (w->left == WALK_LEFT_AT_ENTRY)
        return interpreted_entry(w, frame);
    if (is_leaf(w) && frame_compiled_caller(&caller, &w->at)) {
        bool is_entry = emit_method(w, w->at.method, 0, JFR_FRAME_INTERPRETED, frame);
        go_to(w, caller);
        return is_entry;
    }
    if (!is_leaf(w) && frame_interpreter_routine_caller(&caller, &w->at)) {
        go_to(w, caller);
        return false;
    }
    if (!interpreted_slots(w, &method, &bcp, &caller) || !(code_find(caller.pc).kind != CODE_NONE))
        return is_leaf(w) ? interpreted_entry(w, frame) : finish(w, OUTCOME_TRUNCATED);
    /* The topmost frame's bytecode pointer is in a register. The slot contains it while the frame makes a call. */
    if (!(is_leaf(w) && method_bci(method, w->at.bcp, &bci)) && !method_bci(method, bcp, &bci))
        bci = 0;
    bci = bci_of_wait(w, method, bcp, bci);
    if (!emit_method(w, method, (int32_t)bci, JFR_FRAME_INTERPRETED, frame))
        return is_leaf(w) ? interpreted_entry(w, frame) : finish(w, OUTCOME_TRUNCATED);
    if (caller.sp <= w->sp)
        return finish(w, OUTCOME_TRUNCATED), true;
    go_to(w, caller);
    return true;
}

/* Continues at the Java frame in the anchor, if the native frames could not be unwound one by one. The rest of them is missing. A thread in
 * Java code has no anchor: it called native code as a leaf, and its stack shows the caller. */
static bool skip_native(struct walk *w)
{
    struct frame f = here(w);
    uintptr_t sp = w->sp;
    bool empty = true;
    w->missing.gap = true;
    if (w->anchor && go_to_anchor(w, w->anchor, &empty))
        return w->sp > sp || finish(w, OUTCOME_TRUNCATED);
    if (!empty)
        return finish(w, OUTCOME_BAD_ANCHOR);
    if (w->state != JFR_STATE_JAVA || w->java_frames || !frame_native_caller(&f, &w->at, walk_is_in_libjvm(w->pc)))
        return finish(w, OUTCOME_TRUNCATED);
    go_to(w, f);
    return true;
}

static void leave_native(struct walk *w)
{
    struct frame f = here(w);
    enum unwind_step step = unwind_step(&f, &w->at, is_leaf(w));
    if (step == UNWIND_UNKNOWN && frame_undescribed_caller(&f, is_leaf(w) ? &w->at : NULL) && is_higher(w, f))
        step = UNWIND_CALLER;
    switch (step) {
    case UNWIND_CALLER:
    case UNWIND_INTERRUPTED:
        go_to(w, f);
        w->left = step == UNWIND_INTERRUPTED ? WALK_LEFT_BY_SIGNAL : WALK_LEFT_BY_CALL;
        w->place = code_contains(f.pc) ? WALK_AT_CODE : WALK_IN_NATIVE;
        return;
    case UNWIND_END:
        finish(w, OUTCOME_COMPLETE);
        return;
    case UNWIND_UNKNOWN:
        w->place = WALK_AT_CODE;
        skip_native(w);
    }
}

static bool native(struct walk *w, uint64_t *frame)
{
    /* The call may be the last instruction of its function. */
    emit(w, frame_native(JFR_FRAME_NATIVE, is_leaf(w) ? w->pc : w->pc - 1), frame);
    leave_native(w);
    return true;
}

/* Continues below a call stub, by which native code has called Java. The wrapper of the call stub has the earlier Java frames. */
static bool through_call_stub(struct walk *w)
{
    uint64_t wrapper, pc, fp;
    if (!load_slot(w->fp, vm_layout.entry_wrapper_slot, &wrapper) || !load_slot(w->fp, 1, &pc) || !load_slot(w->fp, 0, &fp) ||
        w->fp < w->sp)
        return finish(w, OUTCOME_TRUNCATED);
    go_to(w, (struct frame){frame_code_address(pc), w->fp + 2 * sizeof(void *), fp});
    w->anchor = wrapper + vm_layout.wrapper_anchor;
    w->place = WALK_IN_NATIVE;
    return true;
}

/* Leaves the stub in which a thread waits at a poll in compiled code. No call instruction called the stub: its return address is the
 * address of the poll. The agent's thread finds such threads during every garbage collection. */
static bool leave_poll(const struct walk *w, struct frame *f)
{
    struct frame g = *f;
    if (w->begun != WALK_BEGUN_FROM_OUTSIDE || !w->code.frame_words || !frame_caller(&w->code, &g) || code_find(g.pc).kind != CODE_NMETHOD)
        return false;
    *f = g;
    return true;
}

static bool through_stub(struct walk *w, uint64_t *frame)
{
    struct frame f = here(w);
    bool leaf = is_leaf(w);
    if (leaf)
        emit(w, frame_native(JFR_FRAME_STUB, w->pc), frame);
    if (is_in_heap(w))
        leave_frozen(w);
    else if ((leave_poll(w, &f) || frame_stub_caller(&w->code, &f, leaf ? &w->at : NULL)) && is_higher(w, f))
        go_to(w, f);
    else
        finish(w, OUTCOME_TRUNCATED);
    return leaf;
}

/* Does one step. Returns true if it returns a frame, and false if it only moves on; w->place then shows whether the walk is over. */
static bool step(struct walk *w, uint64_t *frame)
{
    if (w->place == WALK_IN_NATIVE)
        return native(w, frame);
    if (w->place == WALK_IN_SCOPES) {
        if (next_scope(w, frame))
            return true;
        w->place = WALK_AT_CODE;
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
        if (enter_compiled(w))
            w->place = WALK_IN_SCOPES;
        else
            finish(w, OUTCOME_TRUNCATED);
        return false;
    case CODE_INTERPRETER:
        return is_in_heap(w) ? frozen_interpreted(w, frame) : interpreted(w, frame);
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

/* Sets the final outcome. A walk that found no Java frame where there must be one has failed. */
static void settle(struct walk *w)
{
    if (!vm_layout.usable)
        w->outcome = OUTCOME_UNREADABLE;
    else if ((w->missing.gap || w->missing.cut) && w->outcome == OUTCOME_COMPLETE)
        w->outcome = OUTCOME_TRUNCATED;
    else if (w->outcome == OUTCOME_TRUNCATED && w->state == JFR_STATE_JAVA && !w->java_frames)
        w->outcome = OUTCOME_NO_JAVA_FRAME;
}

bool walk_next(struct walk *w, uint64_t *frame)
{
    while (w->place != WALK_IS_OVER && w->frames < FRAMES_MAX - 1 && w->steps++ < STEPS_MAX)
        if (step(w, frame))
            return true;
    if (w->place != WALK_IS_OVER)
        finish(w, OUTCOME_TRUNCATED);
    settle(w);
    if (!w->missing.cut || w->missing.told || w->outcome != OUTCOME_TRUNCATED)
        return false;
    w->missing.told = true;
    *frame = frame_truncation(w->missing.cut);
    return true;
}
