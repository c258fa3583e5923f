/* The stack walker, on stacks built by hand, and on a million random ones.
 * tier: quick
 * timeout: 120
 * aarch64: yes */
#include "../half.h"
#include "../tap.h"
#include "fake_cfi.h"
#include "fake_frames.h"
#include "fake_jvm.h"

#include "agent/hot/fault/fault.h"
#include "agent/hot/java/method.h"
#include "agent/hot/record.h"
#include "agent/hot/walk/walk.h"

#include <string.h>
#include <ucontext.h>

enum { STACK_WORDS = 4096 };

static uint64_t *stack; /* grows down: the leaf has the lowest address */
static uintptr_t java_thread;
static uintptr_t methods[4], compiled, wrapper, stub, call_stub_return;
static uint32_t ids[4];

/* An address in the code of a blob that follows a call. */
static uintptr_t behind_call(uintptr_t blob, uint32_t offset)
{
    uintptr_t pc = blob + FAKE_BLOB_HEADER + offset;
    fake_call_before(pc);
    return pc;
}

static void build(void)
{
    static const char *const names[4] = {"inner", "outer", "native", "interpreted"};
    static const struct fake_pcdesc pcs[] = {{-1, 0}, {300, 1}, {INT32_MAX, 0}};
    uint8_t data[16];
    size_t n = 1;
    fake_open(VM_NMETHOD_ADDRESSES, false);
    method_table_deinit();
    method_table_init(8 << 20);
    uintptr_t class = fake_class("app/Work");
    for (int i = 0; i < 4; i++) {
        methods[i] = fake_method(class, names[i], "()V", NULL, 0);
        method_intern(methods[i], &ids[i]);
    }
    compiled = fake_blob("nmethod", 400, 4, 16);
    wrapper = fake_blob("native nmethod", 100, 6, 16);
    stub = fake_blob("StubRoutines", 400, 0, -1);
    data[0] = 0;
    n += fake_unsigned5(data + n, 0, false); /* scope 1: sender, method, bci + 1 */
    n += fake_unsigned5(data + n, 1, false);
    n += fake_unsigned5(data + n, 12 + 1, false);
    fake_debug_info(compiled, methods[1], 4, data, n, pcs, 3, &methods[1], 1);
    fake_set(wrapper, vm_layout.nm_method, methods[2]);
    call_stub_return = vm_layout.call_stub_return = stub + FAKE_BLOB_HEADER + 100;
    stack = (uint64_t *)fake_alloc(STACK_WORDS * 8);
    java_thread = fake_alloc(256);
    fake_set(java_thread, vm_layout.thread_state, 8);
}

static uintptr_t at(int word)
{
    return (uintptr_t)&stack[word];
}

static struct fake_cfi root, between;

/* The native function in which every thread begins, and one that keeps 6 words. */
static void add_native_code(void)
{
    fake_cfi(&root, "zR", FAKE_INSTRUCTIONS(0x07, FAKE_RETURN));
    fake_cfi(&between, "zR", FAKE_INSTRUCTIONS(0x0e, 56));
    module_add(&root.module);
    module_add(&between.module);
}

/* The call stub's frame at fp. The wrapper in its slot says what Java code ran before; here there is none. The thread's first function
 * called it. */
static void put_first_frame(int fp_word)
{
    uintptr_t call_wrapper = fake_alloc(64);
    stack[fp_word + vm_layout.entry_wrapper_slot] = call_wrapper;
    stack[fp_word + 1] = root.module.low + 1;
}

static bool next_is(struct walk *w, uint64_t wanted)
{
    uint64_t frame = 0;
    bool good = walk_next(w, &frame) && frame == wanted;
    if (!good)
        tap_note("frame %#llx, wanted %#llx", (unsigned long long)frame, (unsigned long long)wanted);
    return good;
}

static bool ends(struct walk *w, enum outcome outcome)
{
    uint64_t frame;
    bool more = walk_next(w, &frame);
    if (more || w->outcome != outcome)
        tap_note("more %d outcome %d", more, w->outcome);
    return !more && w->outcome == outcome && !walk_next(w, &frame);
}

/* The thread's first function, which has no caller. */
static bool ends_at_root(struct walk *w)
{
    return next_is(w, frame_native(JFR_FRAME_NATIVE, root.module.low)) && ends(w, OUTCOME_COMPLETE);
}

static void test_compiled(void)
{
    struct walk w;
    build();
    /* leaf: compiled, frame of 4 words: two of its own, fp, return address; below it the call stub. */
    stack[102] = at(200);
    stack[103] = call_stub_return;
    put_first_frame(200);
    struct registers r = {.pc = compiled + FAKE_BLOB_HEADER + 100, .sp = at(100)};
    walk_begin(&w, &r, java_thread);
    tap_ok(w.state == JFR_STATE_JAVA, "the state is Java's");
    tap_ok(next_is(&w, frame_java(JFR_FRAME_C2, ids[1], 12)) && ends_at_root(&w), "compiled code that the call stub called");
    stack[100 - FAKE_PUSHED_WORDS] = 0x55;
    r.sp = at(100 - FAKE_PUSHED_WORDS);
    walk_begin(&w, &r, java_thread);
    tap_ok(next_is(&w, frame_java(JFR_FRAME_C2, ids[1], 12)) && ends_at_root(&w), "the same with words pushed on its frame");
    r.sp = at(100);
    /* Twice: the upper one at a return address. */
    stack[102] = 0x1234;
    stack[103] = fake_return_word(behind_call(compiled, 300));
    stack[106] = at(200);
    stack[107] = call_stub_return;
    walk_begin(&w, &r, java_thread);
    tap_ok(next_is(&w, frame_java(JFR_FRAME_C2, ids[1], 12)) && next_is(&w, frame_java(JFR_FRAME_C2, ids[1], 12)) && ends_at_root(&w),
           "compiled code that calls itself");
    stack[107] = fake.data;
    walk_begin(&w, &r, java_thread);
    tap_ok(next_is(&w, frame_java(JFR_FRAME_C2, ids[1], 12)) && next_is(&w, frame_java(JFR_FRAME_C2, ids[1], 12)) &&
               ends(&w, OUTCOME_TRUNCATED),
           "a caller that is no code: truncated");
}

/* A thread that has called native code from Java: its stack from that call on, whatever native code runs now. */
static void test_at_call(void)
{
    struct walk w;
    build();
    uintptr_t anchor = java_thread + vm_layout.thread_anchor.offset;
    fake_set(java_thread, vm_layout.thread_state, vm_layout.state_native);
    stack[103] = fake_return_word(behind_call(compiled, 300));
    stack[107] = fake_return_word(call_stub_return);
    stack[106] = at(200);
    put_first_frame(200);
    *(uint64_t *)(anchor + vm_layout.anchor_sp) = at(104);
    walk_begin_at_call(&w, java_thread);
    tap_ok(next_is(&w, frame_java(JFR_FRAME_C2, ids[1], 12)) && ends_at_root(&w) && w.state == JFR_STATE_NATIVE, "from a call on");
    *(uint64_t *)(anchor + vm_layout.anchor_sp) = 0;
    walk_begin_at_call(&w, java_thread);
    tap_ok(ends(&w, OUTCOME_NO_JAVA_STACK), "a thread without Java frames");
    *(uint64_t *)(anchor + vm_layout.anchor_sp) = 1;
    walk_begin_at_call(&w, java_thread);
    tap_ok(ends(&w, OUTCOME_BAD_ANCHOR), "a broken anchor");
    walk_begin_at_call(&w, 8);
    tap_ok(ends(&w, OUTCOME_BAD_ANCHOR), "no thread at all");
}

/* The debug information that a call site had when it was first walked is not read again while its nmethod lives. */
static void test_remembered(void)
{
    struct walk w;
    struct walked_method walked[FRAMES_MAX];
    build();
    fake_set(compiled, vm_layout.nm_compile_id, 7);
    stack[103] = fake_return_word(behind_call(compiled, 300));
    stack[106] = at(200);
    stack[107] = fake_return_word(call_stub_return);
    put_first_frame(200);
    const uint64_t before = frame_java(JFR_FRAME_C2, ids[1], 12), after = frame_java(JFR_FRAME_C2, ids[0], 12);
    struct registers r = {.pc = compiled + FAKE_BLOB_HEADER + 100, .sp = at(100)};
    walk_begin(&w, &r, java_thread);
    tap_ok(next_is(&w, before) && next_is(&w, before) && ends_at_root(&w), "a call site is walked");
    uint32_t metadata;
    memcpy(&metadata, (void *)(compiled + vm_layout.nm_metadata.offset), sizeof metadata);
    *(uintptr_t *)(compiled + metadata) = methods[0];
    walk_begin(&w, &r, java_thread);
    tap_ok(next_is(&w, after) && next_is(&w, before) && ends_at_root(&w), "and known the next time; the leaf is looked at each time");
    walk_begin(&w, &r, java_thread);
    w.walked = walked;
    tap_ok(next_is(&w, after) && next_is(&w, after) && ends_at_root(&w) && walked[1].method == methods[0],
           "beside another walker nothing is taken from memory");
    fake_set(compiled, vm_layout.nm_compile_id, 8);
    walk_begin(&w, &r, java_thread);
    tap_ok(next_is(&w, after) && next_is(&w, after) && ends_at_root(&w), "nor of a new nmethod");
}

static void test_interpreted(void)
{
    struct walk w;
    uint64_t constant;
    build();
    memcpy(&constant, (void *)(methods[3] + vm_layout.method_const.offset), 8);
    int fp = 120;
    stack[fp] = at(200);
    stack[fp + 1] = call_stub_return;
    stack[fp - 1] = at(fp + 2); /* the caller's sp */
    stack[fp + FAKE_METHOD_SLOT] = methods[3];
    stack[fp + FAKE_BCP_SLOT] = constant + vm_layout.const_sizeof + 33;
    put_first_frame(200);
    struct registers r = {.pc = fake.heap + 100, .sp = at(100), .fp = at(fp), .bcp = constant + vm_layout.const_sizeof + 44};
    walk_begin(&w, &r, java_thread);
    tap_ok(next_is(&w, frame_java(JFR_FRAME_INTERPRETED, ids[3], 44)) && ends_at_root(&w),
           "the topmost interpreted frame has its place in a register");
    r.bcp = 0;
    walk_begin(&w, &r, java_thread);
    tap_ok(next_is(&w, frame_java(JFR_FRAME_INTERPRETED, ids[3], 33)) && ends_at_root(&w), "or in its slot");
    stack[fp + vm_layout.interpreter_sender_sp_slot] = at(80); /* the place where its expression stack is reserved */
    walk_begin(&w, &r, java_thread);
    tap_ok(next_is(&w, frame_java(JFR_FRAME_INTERPRETED, ids[3], 33)) && ends_at_root(&w), "a caller whose stack pointer runs ahead");
    stack[fp + FAKE_METHOD_SLOT] = 0;
    uint64_t *sp = &stack[101];
    fake_call(&r, &sp, call_stub_return);
    r.method = methods[3];
    r.fp = at(200);
    walk_begin(&w, &r, java_thread);
    tap_ok(next_is(&w, frame_java(JFR_FRAME_INTERPRETED, ids[3], 0)) && ends_at_root(&w), "an entry, before its frame stands");
    r.sender_sp = at(110);
    stack[112] = at(200);
    stack[113] = fake_return_word(call_stub_return);
    fake_call(&r, &sp, behind_call(compiled, 300));
    walk_begin(&w, &r, java_thread);
    tap_ok(next_is(&w, frame_java(JFR_FRAME_INTERPRETED, ids[3], 0)) && next_is(&w, frame_java(JFR_FRAME_C2, ids[1], 12)) &&
               ends_at_root(&w),
           "its compiled caller has more than the arguments above its frame");
}

static void test_native(void)
{
    struct walk w;
    build();
    uintptr_t anchor = java_thread + vm_layout.thread_anchor.offset, native = (uintptr_t)test_native;
    stack[104] = at(200);
    stack[105] = call_stub_return;
    put_first_frame(200);
    *(uint64_t *)(anchor + vm_layout.anchor_sp) = at(100);
    *(uint64_t *)(anchor + vm_layout.anchor_pc) = behind_call(wrapper, 50);
    fake_set(java_thread, vm_layout.thread_state, 4);
    struct registers r = {.pc = native, .sp = at(50)};
    walk_begin(&w, &r, java_thread);
    tap_ok(w.state == JFR_STATE_NATIVE && next_is(&w, frame_native(JFR_FRAME_NATIVE, native)) &&
               next_is(&w, (uint64_t)FRAME_NATIVE_METHOD << 60 | (uint64_t)ids[2] << 16) &&
               next_is(&w, frame_native(JFR_FRAME_NATIVE, root.module.low)) && ends(&w, OUTCOME_TRUNCATED),
           "native code that nothing describes: its pc, then from the anchor on, and a gap");
    /* With call frame information: 6 words of its own, then it returns into the wrapper. */
    r.pc = between.module.low + 8;
    r.sp = at(93);
    stack[99] = behind_call(wrapper, 50);
    walk_begin(&w, &r, java_thread);
    tap_ok(next_is(&w, frame_native(JFR_FRAME_NATIVE, r.pc)) && next_is(&w, (uint64_t)FRAME_NATIVE_METHOD << 60 | (uint64_t)ids[2] << 16) &&
               ends_at_root(&w),
           "native code that is described: frame by frame");
    /* On AArch64 the code around Continuation.doYield pushes two words for its call. */
    r.sp = at(93 - FAKE_PUSHED_WORDS);
    stack[99 - FAKE_PUSHED_WORDS] = behind_call(wrapper, 50);
    stack[99] = 0x55;
    walk_begin(&w, &r, java_thread);
    tap_ok(next_is(&w, frame_native(JFR_FRAME_NATIVE, r.pc)) && next_is(&w, (uint64_t)FRAME_NATIVE_METHOD << 60 | (uint64_t)ids[2] << 16) &&
               ends_at_root(&w),
           "which was called below pushed words");
    stack[99] = behind_call(wrapper, 50);
    r.sp = at(86);
    stack[92] = between.module.low + 9;
    walk_begin(&w, &r, java_thread);
    tap_ok(next_is(&w, frame_native(JFR_FRAME_NATIVE, r.pc)) && next_is(&w, frame_native(JFR_FRAME_NATIVE, r.pc)) &&
               next_is(&w, (uint64_t)FRAME_NATIVE_METHOD << 60 | (uint64_t)ids[2] << 16) && ends_at_root(&w),
           "and its caller at the place of the call");
    /* Java, native, Java again: the wrapper of the upper call stub has the anchor of its caller. */
    stack[200 + 1] = between.module.low + 9;
    stack[202 + 6] = behind_call(compiled, 300);
    stack[209 + 2] = at(400);
    stack[209 + 3] = call_stub_return;
    put_first_frame(400);
    walk_begin(&w, &r, java_thread);
    tap_ok(next_is(&w, frame_native(JFR_FRAME_NATIVE, r.pc)) && next_is(&w, frame_native(JFR_FRAME_NATIVE, r.pc)) &&
               next_is(&w, (uint64_t)FRAME_NATIVE_METHOD << 60 | (uint64_t)ids[2] << 16) &&
               next_is(&w, frame_native(JFR_FRAME_NATIVE, r.pc)) && next_is(&w, frame_java(JFR_FRAME_C2, ids[1], 12)) && ends_at_root(&w),
           "Java that was called by native code that was called by Java");
    r = (struct registers){.pc = native, .sp = at(50)};
    fake_set(java_thread, vm_layout.thread_state, 7);
    walk_begin(&w, &r, java_thread);
    tap_ok(w.state == JFR_STATE_VM && next_is(&w, frame_native(JFR_FRAME_NATIVE, native)), "a transition is the state it leaves");
    *(uint64_t *)(anchor + vm_layout.anchor_sp) = 1;
    walk_begin(&w, &r, java_thread);
    tap_ok(next_is(&w, frame_native(JFR_FRAME_NATIVE, native)) && ends(&w, OUTCOME_BAD_ANCHOR), "a broken anchor");
    *(uint64_t *)(anchor + vm_layout.anchor_sp) = 0;
    walk_begin(&w, &r, java_thread);
    tap_ok(next_is(&w, frame_native(JFR_FRAME_NATIVE, native)) && ends(&w, OUTCOME_TRUNCATED), "an empty one");
    walk_begin(&w, &r, 0);
    tap_ok(w.state == JFR_STATE_NOT_JAVA && next_is(&w, frame_native(JFR_FRAME_NATIVE, native)) && ends(&w, OUTCOME_TRUNCATED),
           "a thread that Java does not know");
    walk_begin(&w, &r, 0x8000000000000000u);
    tap_ok(w.state == JFR_STATE_UNKNOWN && next_is(&w, frame_native(JFR_FRAME_NATIVE, native)), "a JavaThread that is gone");
    fake_set(java_thread, vm_layout.thread_state, 8);
    walk_begin(&w, &r, java_thread);
    tap_ok(next_is(&w, frame_native(JFR_FRAME_NATIVE, native)), "Java's state in native code");
    vm_layout.usable = false;
    walk_begin(&w, &r, java_thread);
    tap_ok(next_is(&w, frame_native(JFR_FRAME_NATIVE, native)) && ends(&w, OUTCOME_UNREADABLE), "a JVM we cannot read");
}

/* A compiled caller, itself called by the call stub; *sp is the beginning of its frame. */
static uintptr_t put_compiled_caller(uint64_t **sp)
{
    *sp = &stack[150];
    stack[152] = at(200);
    stack[153] = fake_return_word(call_stub_return);
    put_first_frame(200);
    return behind_call(compiled, 300);
}

static bool goes_on_to_caller(struct walk *w, enum outcome at_worst)
{
    uint64_t frame;
    return next_is(w, frame_java(JFR_FRAME_C2, ids[1], 12)) && next_is(w, frame_native(JFR_FRAME_NATIVE, root.module.low)) &&
           !walk_next(w, &frame) && w->outcome <= at_worst;
}

/* *sp: the beginning of the frame of the method's caller. The top of the method's own frame still contains the previous word: a return
 * address. */
static bool boundary_has_caller(const struct fake_instruction *next, uintptr_t pc, uint64_t *sp, uintptr_t caller, bool is_compiled)
{
    struct walk w;
    struct registers r = {.pc = pc, .fp = next->saved ? 0x77 : at(200), .link = 0x88};
    uint64_t *end = sp;
    memset(sp - 16, 0x55, 16 * sizeof *sp);
    if (next->depth == FAKE_FRAME_WORDS)
        sp[-FAKE_FRAME_WORDS] = fake_return_word(behind_call(compiled, 340));
    if (next->saved) {
        sp[-2] = at(200);
        sp[-1] = fake_return_word(caller);
    } else
        fake_call(&r, &end, caller);
    r.sp = (uintptr_t)(sp - next->depth);
    walk_begin(&w, &r, java_thread);
    return next_is(&w, (uint64_t)FRAME_NATIVE_METHOD << 60 | (uint64_t)ids[2] << 16) &&
           (is_compiled ? goes_on_to_caller(&w, OUTCOME_COMPLETE) : ends_at_root(&w));
}

/* Code that is interrupted between any two of its instructions: its caller must be found. A register that does not hold its value any
 * more, or does not hold it yet, contains a wrong value. The call stub is found by the frame pointer, compiled code by the stack
 * pointer. */
static void test_boundaries(void)
{
    for (const struct fake_code *code = fake_codes; code->name; code++) {
        build();
        uint64_t *sp;
        uintptr_t blob = fake_blob("native nmethod", 100, FAKE_FRAME_WORDS, code->frame_complete), pc = blob + FAKE_BLOB_HEADER,
                  caller = put_compiled_caller(&sp);
        fake_set(blob, vm_layout.nm_method, methods[2]);
        for (size_t i = 0; i < code->count; pc += code->instructions[i++].length)
            memcpy((void *)pc, code->instructions[i].bytes, code->instructions[i].length);
        pc = blob + FAKE_BLOB_HEADER;
        for (size_t i = 0; i < code->count; pc += code->instructions[i++].length) {
            const struct fake_instruction *next = &code->instructions[i];
            tap_ok(boundary_has_caller(next, pc, sp, caller, true) && boundary_has_caller(next, pc, &stack[120], call_stub_return, false),
                   "%s, before instruction %zu: its caller", code->name, i);
        }
    }
}

static void test_native_without_anchor(void)
{
    struct walk w;
    uint64_t *sp;
    uintptr_t native = (uintptr_t)test_native;
    build();
    struct registers r = {.pc = native, .fp = 0x77};
    uintptr_t caller = put_compiled_caller(&sp);
    fake_native_call_before(caller);
    fake_call(&r, &sp, caller);
    walk_begin(&w, &r, java_thread);
    tap_ok(next_is(&w, frame_native(JFR_FRAME_NATIVE, native)) && goes_on_to_caller(&w, OUTCOME_TRUNCATED),
           "native code just called from Java");
    for (int depth = 1; depth <= 3; depth++) {
        build();
        caller = put_compiled_caller(&sp);
        fake_native_call_before(caller);
        fake_native_frame(&r, &sp, 5, caller);
        for (int i = 1; i < depth; i++)
            fake_native_frame(&r, &sp, 6, native + 8);
        walk_begin(&w, &r, java_thread);
        tap_ok(next_is(&w, frame_native(JFR_FRAME_NATIVE, native)) && goes_on_to_caller(&w, OUTCOME_TRUNCATED),
               "native code, %d frames above Java", depth);
    }
}

static void test_archived_entry(void)
{
    struct walk w;
    build();
    uintptr_t jump = fake_alloc(32);
    size_t last = fake_archived_entry(jump, fake.heap + 100);
    for (size_t offset = 0; last && offset <= last; offset += last) {
        uint64_t *sp = &stack[101];
        struct registers r = {.pc = jump + offset, .fp = at(200), .method = methods[3]};
        put_first_frame(200);
        fake_call(&r, &sp, call_stub_return);
        walk_begin(&w, &r, java_thread);
        tap_ok(next_is(&w, frame_java(JFR_FRAME_INTERPRETED, ids[3], 0)) && ends_at_root(&w),
               "on the way through a jump in the class archive, at %zu", offset);
    }
}

/* A native frame contains words of earlier frames: only words that follow a call of native code lead back. */
static void test_leftovers(void)
{
    struct walk w;
    uint64_t *sp;
    uintptr_t native = (uintptr_t)test_native;
    build();
    struct registers r = {.pc = native, .fp = 0x77};
    uintptr_t caller = put_compiled_caller(&sp);
    fake_native_call_before(caller);
    uintptr_t leftover = compiled + FAKE_BLOB_HEADER + 380;
    fake_native_frame(&r, &sp, 20, caller);
    fake_call_before(leftover); /* found there: itself */
    sp[4] = sp[9] = leftover;
    walk_begin(&w, &r, java_thread);
    tap_ok(next_is(&w, frame_native(JFR_FRAME_NATIVE, native)) && goes_on_to_caller(&w, OUTCOME_TRUNCATED),
           "native code on top of a return address into Java that a call of Java left");
}

/* Compiled code returns to the place where frames of an invalidated method go; the frame contains the original pc. */
static void test_invalidated(void)
{
    enum { ENTRY = 360, ORIGINAL_WORD = 1 };
    struct walk w;
    build();
    uintptr_t invalid = compiled, entry = invalid + FAKE_BLOB_HEADER + ENTRY;
    fake_set(invalid, vm_layout.nm_deopt_entry, entry);
    fake_set(invalid, vm_layout.nm_original_pc, 8 * ORIGINAL_WORD);
    stack[103] = fake_return_word(entry);
    stack[104 + ORIGINAL_WORD] = behind_call(invalid, 250);
    stack[106] = at(200);
    stack[107] = fake_return_word(call_stub_return);
    put_first_frame(200);
    struct registers r = {.pc = compiled + FAKE_BLOB_HEADER + 100, .sp = at(100)};
    walk_begin(&w, &r, java_thread);
    tap_ok(next_is(&w, frame_java(JFR_FRAME_C2, ids[1], 12)) && next_is(&w, frame_java(JFR_FRAME_C2, ids[1], 12)) && ends_at_root(&w),
           "a frame of a method that has been invalidated, by the place where it was");
    stack[104 + ORIGINAL_WORD] = wrapper + FAKE_BLOB_HEADER + 20;
    walk_begin(&w, &r, java_thread);
    tap_ok(next_is(&w, frame_java(JFR_FRAME_C2, ids[1], 12)) && next_is(&w, frame_java(JFR_FRAME_C2, ids[1], 0)) && ends_at_root(&w),
           "without a place, where none of its own stands there");
}

static void test_stub(void)
{
    struct walk w;
    uint64_t *sp;
    build();
    uintptr_t pc = stub + FAKE_BLOB_HEADER + 200, caller = put_compiled_caller(&sp);
    struct registers r = {.pc = pc, .fp = 0x77};
    fake_call(&r, &sp, caller);
    walk_begin(&w, &r, java_thread);
    tap_ok(next_is(&w, frame_native(JFR_FRAME_STUB, pc)) && goes_on_to_caller(&w, OUTCOME_COMPLETE), "a stub without a frame");
    build();
    pc = stub + FAKE_BLOB_HEADER + 200;
    r = (struct registers){.pc = pc};
    caller = put_compiled_caller(&sp);
    sp[-2] = 0x77;
    sp[-1] = fake_return_word(caller);
    r.fp = (uintptr_t)(sp - 2);
    r.sp = (uintptr_t)(sp - 8);
    walk_begin(&w, &r, java_thread);
    tap_ok(next_is(&w, frame_native(JFR_FRAME_STUB, pc)) && goes_on_to_caller(&w, OUTCOME_COMPLETE), "one with a frame pointer");
    r.fp = 0x77;
    walk_begin(&w, &r, java_thread);
    tap_ok(next_is(&w, frame_native(JFR_FRAME_STUB, pc)) && goes_on_to_caller(&w, OUTCOME_COMPLETE),
           "one whose return address must be looked for");
}

#if defined(__x86_64__)
/* A stub that keeps its data on the stack. Where it has not written yet, there are words left from earlier calls. */
static void test_stub_with_stale_words(void)
{
    struct walk w;
    uint64_t *sp;
    build();
    uintptr_t begin = stub + FAKE_BLOB_HEADER + 160, pc = begin + 40, caller = put_compiled_caller(&sp);
    int32_t relative = (int32_t)(begin - caller);
    memcpy((void *)(caller - 4), &relative, sizeof relative);
    sp[-2] = 0x77;
    sp[-1] = caller;
    sp[-8] = behind_call(compiled, 330);
    struct registers r = {.pc = pc, .sp = (uintptr_t)(sp - 8), .fp = (uintptr_t)(sp - 2)};
    walk_begin(&w, &r, java_thread);
    tap_ok(next_is(&w, frame_native(JFR_FRAME_STUB, pc)) && goes_on_to_caller(&w, OUTCOME_COMPLETE),
           "one with an old return address on top of the stack, and a frame pointer");
    r.fp = 0x77;
    walk_begin(&w, &r, java_thread);
    tap_ok(next_is(&w, frame_native(JFR_FRAME_STUB, pc)) && goes_on_to_caller(&w, OUTCOME_COMPLETE), "and without one");
    sp[-7] = caller;
    walk_begin(&w, &r, java_thread);
    tap_ok(next_is(&w, frame_native(JFR_FRAME_STUB, pc)) && goes_on_to_caller(&w, OUTCOME_COMPLETE),
           "and with the return address that its last call left elsewhere");
}

/* C2's stubs for exceptions. */
static void test_exception_stubs(void)
{
    enum { WORDS = 3, PUSH_RDX = 0x52, POP_RDX = 0x5a };
    struct walk w;
    uint64_t *sp;
    ucontext_t context = {0};
    build();
    uintptr_t rethrow = fake_blob("_rethrow", 100, WORDS, -1), begin = rethrow + FAKE_BLOB_HEADER, pc = begin + 40;
    uintptr_t caller = put_compiled_caller(&sp);
    sp[-2] = 0x77;
    sp[-1] = sp[-WORDS] = caller;
    struct registers r = {.pc = pc, .sp = (uintptr_t)(sp - WORDS), .fp = 0x77};
    walk_begin(&w, &r, java_thread);
    tap_ok(next_is(&w, frame_native(JFR_FRAME_STUB, pc)) && goes_on_to_caller(&w, OUTCOME_COMPLETE),
           "a stub with a copy of its return address on top of its frame");
    r.pc = begin;
    r.sp = (uintptr_t)(sp - 1);
    walk_begin(&w, &r, java_thread);
    tap_ok(next_is(&w, frame_native(JFR_FRAME_STUB, begin)) && goes_on_to_caller(&w, OUTCOME_COMPLETE), "at its first instruction");
    *(uint8_t *)pc = POP_RDX;
    r.pc = pc;
    sp[WORDS - 2] = caller;
    walk_begin(&w, &r, java_thread);
    tap_ok(next_is(&w, frame_native(JFR_FRAME_STUB, pc)) && goes_on_to_caller(&w, OUTCOME_COMPLETE), "and about to pop it");
    build();
    uintptr_t exception = fake_blob("Exceptio", 100, 6, -1);
    begin = exception + FAKE_BLOB_HEADER;
    *(uint8_t *)begin = PUSH_RDX;
    caller = put_compiled_caller(&sp);
    context.uc_mcontext.gregs[REG_RDX] = (greg_t)caller;
    r = (struct registers){.pc = begin, .sp = (uintptr_t)sp, .fp = 0x77, .ucontext = (uintptr_t)&context};
    walk_begin(&w, &r, java_thread);
    tap_ok(next_is(&w, frame_native(JFR_FRAME_STUB, begin)) && goes_on_to_caller(&w, OUTCOME_COMPLETE),
           "a stub to which compiled code jumps with its pc in a register");
    *(uint8_t *)(begin + 60) = POP_RDX;
    r.pc = begin + 80;
    walk_begin(&w, &r, java_thread);
    tap_ok(next_is(&w, frame_native(JFR_FRAME_STUB, r.pc)) && goes_on_to_caller(&w, OUTCOME_COMPLETE),
           "and one that has popped its return address into it");
}

/* An interpreted frame far up, whose frame pointer is still in its register, and a compiled frame that returns to it; r is the place
 * from which the compiled frame has called. */
static uintptr_t put_mixed_frames(struct registers *r)
{
    enum { COMPILED = 104, FP = 150 };
    uint64_t constant;
    build();
    memcpy(&constant, (void *)(methods[3] + vm_layout.method_const.offset), 8);
    stack[COMPILED + 2] = at(FP);
    stack[COMPILED + 3] = fake.heap + 80;
    stack[FP] = at(200);
    stack[FP + 1] = call_stub_return;
    stack[FP - 1] = at(FP + 2);
    stack[FP + FAKE_METHOD_SLOT] = methods[3];
    stack[FP + FAKE_BCP_SLOT] = constant + vm_layout.const_sizeof + 33;
    put_first_frame(200);
    *r = (struct registers){.fp = at(FP), .sender_sp = at(COMPILED)};
    return behind_call(compiled, 300);
}

static bool goes_on_to_mixed_frames(struct walk *w)
{
    return next_is(w, frame_java(JFR_FRAME_C2, ids[1], 12)) && next_is(w, frame_java(JFR_FRAME_INTERPRETED, ids[3], 33)) && ends_at_root(w);
}

/* The interpreter's code for an intrinsic has called a routine, with or without a word that aligns the stack. */
static void test_interpreter_routine(void)
{
    static const uint8_t end[] = {0x48, 0x83, 0xc4, 8, 0x5f, 0x49, 0x8b, 0xe5, 0xff, 0xe7}; /* add rsp, 8; pop rdi; mov rsp, r13; jmp rdi */
    struct walk w;
    struct registers r;
    for (int pad = 0; pad < 2; pad++)
        for (int is_sp_known = 0; is_sp_known < 2; is_sp_known++) {
            uintptr_t caller = put_mixed_frames(&r), routine = stub + FAKE_BLOB_HEADER + 200, code = fake.heap + 100;
            memcpy((void *)code, end, sizeof end);
            stack[100] = code + (pad ? 0 : 4);
            stack[101 + pad] = caller;
            r.pc = routine;
            r.sp = at(100);
            r.sender_sp = is_sp_known ? r.sender_sp : 0;
            walk_begin(&w, &r, java_thread);
            tap_ok(next_is(&w, frame_native(JFR_FRAME_STUB, routine)) && goes_on_to_mixed_frames(&w),
                   "a routine of the interpreter's, %d words to align the stack, its caller's stack pointer %s", pad,
                   is_sp_known ? "in its register" : "lost");
        }
}

/* From compiled code to the interpreter: the adapter, and the entry. */
static void test_interpreter_entered(void)
{
    struct walk w;
    struct registers r;
    ucontext_t context = {0};
    for (int in_rax = 0; in_rax < 2; in_rax++) {
        uintptr_t caller = put_mixed_frames(&r);
        context.uc_mcontext.gregs[REG_RAX] = in_rax ? (greg_t)caller : 0;
        stack[101] = in_rax ? 0x1234 : caller;
        r.sp = at(101);
        r.ucontext = (uintptr_t)&context;
        r.method = methods[2];
        r.pc = fake.heap + 100;
        walk_begin(&w, &r, java_thread);
        tap_ok(next_is(&w, frame_java(JFR_FRAME_INTERPRETED, ids[2], 0)) && goes_on_to_mixed_frames(&w),
               "an entry below an interpreted frame far up, the return address %s", in_rax ? "in rax" : "on top");
        uintptr_t adapter = r.pc = fake_blob("I2C/C2I adapters", 100, 0, -1) + FAKE_BLOB_HEADER + 20;
        walk_begin(&w, &r, java_thread);
        tap_ok(next_is(&w, frame_native(JFR_FRAME_STUB, adapter)) && goes_on_to_mixed_frames(&w), "and the adapter before it");
    }
    put_mixed_frames(&r);
    r.sp = at(101);
    r.ucontext = (uintptr_t)&context;
    context.uc_mcontext.gregs[REG_RAX] = (greg_t)(fake.heap + 80);
    uintptr_t adapter = r.pc = fake_blob("I2C/C2I adapters", 100, 0, -1) + FAKE_BLOB_HEADER + 20;
    walk_begin(&w, &r, java_thread);
    tap_ok(next_is(&w, frame_native(JFR_FRAME_STUB, adapter)) && next_is(&w, frame_java(JFR_FRAME_INTERPRETED, ids[3], 33)) &&
               ends_at_root(&w),
           "the adapter of the other direction has popped its return address into rax");
}
#else
static void test_stub_with_stale_words(void)
{
}

static void test_interpreter_routine(void)
{
}

static void test_interpreter_entered(void)
{
}

static void test_exception_stubs(void)
{
}
#endif

static void test_deep(void)
{
    struct walk w;
    uint64_t frame;
    uint32_t n = 0;
    build();
    uint64_t *deep = (uint64_t *)fake_alloc(5 * FRAMES_MAX * 8 * 4);
    for (int i = 0; i < 2 * FRAMES_MAX; i++)
        deep[4 * i + 3] = behind_call(compiled, 300);
    struct registers r = {.pc = compiled + FAKE_BLOB_HEADER + 100, .sp = (uintptr_t)deep};
    walk_begin(&w, &r, java_thread);
    while (walk_next(&w, &frame))
        n++;
    tap_ok(n == FRAMES_MAX - 1 && w.outcome == OUTCOME_TRUNCATED, "a stack without end: %u frames, truncated", n);
}

/* ---- virtual threads ---- */

enum { CHUNK_WORDS = 64, OBJECT_BYTES = 32 };

static uintptr_t barrier, current, colors;
static uint64_t *chunk; /* its words of stack */

static uintptr_t object(uintptr_t class, size_t words_behind)
{
    uintptr_t o = fake_alloc(OBJECT_BYTES + 8 * words_behind);
    ((uint64_t *)o)[1] = class;
    return o;
}

static uintptr_t add_class(const char *name)
{
    uintptr_t class = fake_class(name);
    fake_set(class, vm_layout.objects.klass_layout, OBJECT_BYTES);
    return class;
}

static void put_chunk(uintptr_t o, uintptr_t parent, uint32_t sp, uint32_t bottom)
{
    memcpy((void *)(o + vm_layout.virtuals.chunk_parent), &parent, sizeof parent);
    memcpy((void *)(o + vm_layout.virtuals.chunk_sp), &sp, sizeof sp);
    memcpy((void *)(o + vm_layout.virtuals.chunk_bottom), &bottom, sizeof bottom);
}

static uintptr_t chunk_of(const uint64_t *words)
{
    return (uintptr_t)words - OBJECT_BYTES;
}

/* A thread that has continued after a wait: thread, continuation, chunk. The walker remembers the classes forever, so they are made only
 * once, in separate memory. */
static void build_virtual(void)
{
    static uintptr_t classes[3], outside[512];
    build();
    vm_layout.objects = (struct vm_objects){.header_bytes = 16, .klass_layout = {24, 4}};
    vm_layout.virtuals =
        (struct vm_virtual){.usable = true, .thread_current = {64, 8}, .chunk_parent = 16, .chunk_sp = 24, .chunk_bottom = 28};
    barrier = fake_blob("StubRoutines", 160, 0, -1) + FAKE_BLOB_HEADER;
    vm_layout.virtuals.barrier_low = barrier;
    vm_layout.virtuals.barrier_high = barrier + 160;
    uintptr_t kept = fake.next, kept_high = fake.high;
    if (!classes[0]) {
        fake.next = (uintptr_t)outside;
        fake.high = (uintptr_t)(outside + 512);
        classes[0] = add_class("java/lang/VirtualThread");
        classes[1] = add_class("java/lang/VirtualThread$VThreadContinuation");
        classes[2] = add_class("jdk/internal/vm/StackChunk");
        fake.next = kept;
        fake.high = kept_high;
    }
    uintptr_t thread = object(classes[0], 0), continuation = object(classes[1], 0);
    chunk = (uint64_t *)(object(classes[2], CHUNK_WORDS) + OBJECT_BYTES);
    ((uint64_t *)thread)[2] = continuation;
    ((uint64_t *)continuation)[2] = chunk_of(chunk);
    current = fake_copy(&thread, sizeof thread);
    colors = fake_alloc(16); /* the bad bits of references; the count of collections, and a byte that says that one is running */
    vm_layout.objects.collections = vm_layout.objects.collecting = colors + 8;
    memcpy((void *)(java_thread + 64), &current, sizeof current);
}

/* Three frames of 4 words, the middle one interpreted, in words 8 to 20 of the chunk; the leaf's frame is on the stack. */
static struct registers put_frozen(void)
{
    uint64_t constant;
    memcpy(&constant, (void *)(methods[3] + vm_layout.method_const.offset), 8);
    memset(chunk, 0x55, CHUNK_WORDS * sizeof *chunk);
    int fp = 40 - 4 - 2, begin = fp - 22;
    chunk[begin - 1] = fake_return_word(behind_call(compiled, 300));
    chunk[begin + 3] = fake_return_word(fake.heap + 100);
    chunk[begin + 2] = (uint64_t)(fp - (begin + 2));
    chunk[fp + FAKE_METHOD_SLOT] = methods[3];
    chunk[fp + FAKE_BCP_SLOT] = constant + vm_layout.const_sizeof + 33;
    chunk[fp + FAKE_BCP_SLOT + 1] = 1;
    chunk[fp + vm_layout.interpreter_sender_sp_slot] = 2;
    chunk[fp + 1] = fake_return_word(behind_call(compiled, 300));
    put_chunk(chunk_of(chunk), 0, (uint32_t)begin, (uint32_t)fp + 6);
    stack[102] = at(200);
    stack[103] = fake_return_word(barrier);
    return (struct registers){.pc = compiled + FAKE_BLOB_HEADER + 100, .sp = at(100)};
}

static bool walks_frozen(const struct registers *r, enum truncation reason)
{
    struct walk w;
    uint64_t compiled_frame = frame_java(JFR_FRAME_C2, ids[1], 12);
    walk_begin(&w, r, java_thread);
    if (!next_is(&w, compiled_frame))
        return false;
    if (reason)
        return next_is(&w, frame_truncation(reason)) && ends(&w, OUTCOME_TRUNCATED) && walk_is_virtual(&w);
    return next_is(&w, compiled_frame) && next_is(&w, frame_java(JFR_FRAME_INTERPRETED, ids[3], 33)) && next_is(&w, compiled_frame) &&
           ends(&w, OUTCOME_COMPLETE) && walk_is_virtual(&w);
}

static void test_frozen(void)
{
    struct walk w;
    build_virtual();
    struct registers r = put_frozen(), in_barrier = {.pc = barrier + 40, .sp = at(104), .fp = at(200)};
    tap_ok(walks_frozen(&r, TRUNCATION_NONE), "frames on the stack, then those in the heap");
    walk_begin(&w, &in_barrier, java_thread);
    tap_ok(next_is(&w, frame_native(JFR_FRAME_STUB, barrier + 40)) && next_is(&w, frame_java(JFR_FRAME_C2, ids[1], 12)) &&
               next_is(&w, frame_java(JFR_FRAME_INTERPRETED, ids[3], 33)) && next_is(&w, frame_java(JFR_FRAME_C2, ids[1], 12)) &&
               next_is(&w, frame_truncation(TRUNCATION_THAWING)) && ends(&w, OUTCOME_TRUNCATED),
           "who is fetching frames: they may be on their way");
    uint32_t sp = (uint32_t)(40 - 4 - 2 - 22), bottom = 40;
    uintptr_t empty = fake_copy((void *)chunk_of(chunk), OBJECT_BYTES);
    ((uint64_t *)((uint64_t *)*(uintptr_t *)current)[2])[2] = empty;
    put_chunk(empty, chunk_of(chunk), 0, 0);
    tap_ok(walks_frozen(&r, TRUNCATION_NONE), "an empty chunk has a parent");
    put_chunk(empty, empty, 0, 0);
    tap_ok(walks_frozen(&r, TRUNCATION_FROZEN), "one that is its own parent is none");
    ((uint64_t *)((uint64_t *)*(uintptr_t *)current)[2])[2] = chunk_of(chunk);
    put_chunk(chunk_of(chunk), 0, sp, UINT32_MAX);
    tap_ok(walks_frozen(&r, TRUNCATION_FROZEN), "nor is one of that size");
    put_chunk(chunk_of(chunk), 0, sp, bottom);
    *(uint64_t *)(java_thread + vm_layout.thread_state.offset) = (uint64_t)vm_layout.state_native;
    tap_ok(walks_frozen(&r, TRUNCATION_NONE), "a thread in native code between collections");
    ((uint8_t *)colors)[8] = 1;
    tap_ok(walks_frozen(&r, TRUNCATION_FROZEN), "and during one, which may be moving the frames");
    fake_set(java_thread, vm_layout.thread_state, (uint64_t)vm_layout.state_java);
    tap_ok(walks_frozen(&r, TRUNCATION_NONE), "a thread in Java code holds it up");
    vm_layout.objects.bad_color = colors;
    *(uint64_t *)colors = UINT64_MAX;
    tap_ok(walks_frozen(&r, TRUNCATION_FROZEN), "references of a bad color");
    *(uint64_t *)colors = 7;
    tap_ok(walks_frozen(&r, TRUNCATION_NONE), "and of a good one");
}

/* ---- random ---- */

static uint64_t seed = 7;

static uint64_t draw(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

/* Possible values of a stale word: code, stack, metadata, a small number, anything. */
static uint64_t draw_word(void)
{
    switch (draw() % 16) {
    case 1:
        return fake.heap + draw() % (FAKE_HEAP_BYTES / 2);
    case 2:
        return at((int)(draw() % STACK_WORDS));
    case 3:
        return methods[draw() % 4];
    case 4:
        return call_stub_return;
    case 5:
        return fake.data + draw() % (fake.next - fake.data + 4096) / 8 * 8;
    case 6:
        return draw() % 65536;
    case 7:
        return draw();
    case 9:
        return barrier;
    case 8:
        return (draw() % 2 ? root : between).module.low + 1;
    default: /* as often as on real stacks; otherwise walks would end at once */
        return behind_call(compiled, 300 + 8 * (uint32_t)(draw() % 8));
    }
}

/* Sometimes the JVM's own structures are changed, too; they are built again from time to time. */
static void disturb(int i)
{
    for (int j = 0; j < 48; j++)
        stack[draw() % STACK_WORDS] = draw_word();
    for (int j = 0; j < 4; j++)
        chunk[draw() % CHUNK_WORDS] = draw() % 4 ? draw_word() : draw() % CHUNK_WORDS;
    if (draw() % 8 == 0)
        put_chunk(chunk_of(chunk), draw() % 2 ? chunk_of(chunk) : 0, draw() % (CHUNK_WORDS / 2), draw() % CHUNK_WORDS);
    if (i % 4 == 0) {
        uint64_t word = draw_word();
        uintptr_t place = draw() % 2 ? fake.heap + FAKE_INTERPRETER_BYTES + draw() % 2048 : fake.data + draw() % 16384;
        if (place >= (uintptr_t)stack && place < (uintptr_t)(stack + STACK_WORDS))
            return;
        memcpy((void *)(place & ~(uintptr_t)7), &word, 8);
    }
    fake_set(java_thread, vm_layout.thread_state, draw() % 13);
}

static void test_random(int walks)
{
    uint64_t frame, frames_in_all = 0;
    uint32_t most_frames = 0, most_steps = 0;
    int complete = 0, bad = 0, in_heap = 0;
    for (int i = 0; i < walks; i++) {
        struct walk w;
        uint32_t n = 0;
        if (i % 500 == 0) {
            build_virtual();
            put_frozen();
            for (int j = 0; j < STACK_WORDS; j++)
                stack[j] = draw_word();
            put_first_frame(200);
        }
        disturb(i);
        struct registers r = {.pc = draw_word(),
                              .sp = at((int)(draw() % STACK_WORDS)),
                              .fp = draw_word(),
                              .link = draw_word(),
                              .bcp = draw_word(),
                              .method = draw_word(),
                              .sender_sp = draw_word()};
        if (draw() % 4 == 0)
            r.sp = draw_word();
        walk_begin(&w, &r, draw() % 4 ? java_thread : draw_word());
        while (walk_next(&w, &frame) && n <= FRAMES_MAX)
            n++;
        frames_in_all += n;
        in_heap += w.virtuals.stack == WALK_STACK_FROZEN;
        complete += w.outcome == OUTCOME_COMPLETE;
        bad += n > FRAMES_MAX || w.steps > 4 * FRAMES_MAX + 1 || w.outcome >= OUTCOME_COUNT;
        most_frames = n > most_frames ? n : most_frames;
        most_steps = w.steps > most_steps ? w.steps : most_steps;
    }
    tap_ok(!bad, "%d random walks end within their bounds", walks);
    tap_ok(complete > walks / 1000 && frames_in_all > (uint64_t)walks / 2 && most_frames > 8,
           "and are walks: %llu frames, %d complete, at most %u frames and %u steps", (unsigned long long)frames_in_all, complete,
           most_frames, most_steps);
    tap_ok(in_heap > walks / 1000, "%d of them in the heap", in_heap);
}

int main(void)
{
    fault_install();
    add_native_code();
    test_compiled();
    test_remembered();
    test_at_call();
    test_boundaries();
    test_interpreted();
    test_native();
    test_native_without_anchor();
    test_archived_entry();
    if (FAKE_NATIVE_FRAMES_ARE_BOUNDED)
        test_leftovers();
    else
        tap_skip("leftovers of earlier frames: a native frame does not tell where its caller's begins");
    test_invalidated();
    test_stub();
    test_stub_with_stale_words();
    test_exception_stubs();
    test_interpreter_routine();
    test_interpreter_entered();
    test_deep();
    test_frozen();
    test_random(half_turn() < 0 ? 1000000 : 500000);
    method_table_deinit();
    return tap_done();
}
