/* A call leaves its return address in x30. A function that calls others saves it in a frame record: a pair of the caller's x29 and the
 * return address, which branch protection signs. HotSpot's compiled code has the record at the top of its frame, native code has it near
 * the bottom. So a native frame does not show where its caller's frame begins; this must come from other facts about the caller. */
#include "agent/hot/load.h"
#include "agent/hot/unwind/frame.h"

#include <signal.h>
#include <stddef.h>
#include <ucontext.h>

enum {
    SCAN_WORDS_MAX = 512,
    FP_CHAIN_MAX = 64,
    FRAME_BYTES_MAX = 1 << 20,
    PROLOGUE_BYTES_MAX = 1 << 10,
    EPILOGUE_BYTES_MAX = 64,
    PUSHES_MAX = 8
};

/* Registers of the interpreter. The caller's stack pointer moved from x13 to x19 in JDK 20. */
enum { REGISTER_METHOD = 12, REGISTER_SENDER_SP_JDK19 = 13, REGISTER_SENDER_SP = 19, REGISTER_BCP = 22 };
enum { REGISTER_FP = 29, REGISTER_LINK = 30 };

const struct frame_slots frame_slots = {.method = -3, .bcp = -9, .bcp_jdk8 = -7, .entry_wrapper = -8};

const struct frame_dwarf frame_dwarf = {.sp = 31, .fp = REGISTER_FP, .return_address = REGISTER_LINK};

const bool frame_needs_no_restorer = true;

bool frame_register(uintptr_t ucontext, unsigned number, uint64_t *out)
{
    return number <= REGISTER_LINK && load_u64(ucontext + offsetof(ucontext_t, uc_mcontext.regs) + 8 * number, out);
}

bool frame_registers(struct registers *out, uintptr_t ucontext)
{
    uint64_t pc, sp, fp, link, bcp, method, sender_sp;
    unsigned sender = vm_layout.java_version >= 20 ? REGISTER_SENDER_SP : REGISTER_SENDER_SP_JDK19;
    if (!load_u64(ucontext + offsetof(ucontext_t, uc_mcontext.pc), &pc) ||
        !load_u64(ucontext + offsetof(ucontext_t, uc_mcontext.sp), &sp) || !frame_register(ucontext, REGISTER_FP, &fp) ||
        !frame_register(ucontext, REGISTER_LINK, &link) || !frame_register(ucontext, REGISTER_BCP, &bcp) ||
        !frame_register(ucontext, REGISTER_METHOD, &method) || !frame_register(ucontext, sender, &sender_sp))
        return false;
    *out = (struct registers){.pc = pc,
                              .sp = sp,
                              .fp = fp,
                              .ucontext = ucontext,
                              .link = frame_code_address(link),
                              .bcp = bcp,
                              .method = method,
                              .sender_sp = sender_sp};
    return true;
}

/* Skips the siginfo_t below the ucontext. */
uintptr_t frame_signal_context(uintptr_t sp)
{
    return sp + sizeof(siginfo_t);
}

/* mov x8, #139 (rt_sigreturn); svc #0 */
bool frame_is_signal_return(uintptr_t pc)
{
    uint64_t code;
    return load_u64(pc, &code) && code == 0xd4000001d2801168;
}

uintptr_t *frame_resume_at(void *ucontext)
{
    return (uintptr_t *)&((ucontext_t *)ucontext)->uc_mcontext.pc;
}

uintptr_t frame_thread_pointer(void)
{
    uintptr_t pointer;
    __asm__("mrs %0, tpidr_el0" : "=r"(pointer));
    return pointer;
}

/* The registers that a call preserves are on the stack at *sp. */
__asm__(".pushsection .text\n"
        ".globl frame_call_guarded\n"
        ".hidden frame_call_guarded\n"
        ".type frame_call_guarded, %function\n"
        "frame_call_guarded:\n"
        ".cfi_startproc\n"
        "stp x29, x30, [sp, #-160]!\n"
        ".cfi_def_cfa_offset 160\n"
        ".cfi_offset x29, -160\n"
        ".cfi_offset x30, -152\n"
        "mov x29, sp\n"
        "stp x19, x20, [sp, #16]\n"
        "stp x21, x22, [sp, #32]\n"
        "stp x23, x24, [sp, #48]\n"
        "stp x25, x26, [sp, #64]\n"
        "stp x27, x28, [sp, #80]\n"
        "stp d8, d9, [sp, #96]\n"
        "stp d10, d11, [sp, #112]\n"
        "stp d12, d13, [sp, #128]\n"
        "stp d14, d15, [sp, #144]\n"
        "mov x9, sp\n"
        "str x9, [x0]\n"
        "mov x0, x2\n"
        "blr x1\n"
        "mov w0, #1\n"
        "b 1f\n"
        ".globl frame_left_guarded\n"
        ".hidden frame_left_guarded\n"
        "frame_left_guarded:\n"
        "mov w0, #0\n"
        "1: ldp d14, d15, [sp, #144]\n"
        "ldp d12, d13, [sp, #128]\n"
        "ldp d10, d11, [sp, #112]\n"
        "ldp d8, d9, [sp, #96]\n"
        "ldp x27, x28, [sp, #80]\n"
        "ldp x25, x26, [sp, #64]\n"
        "ldp x23, x24, [sp, #48]\n"
        "ldp x21, x22, [sp, #32]\n"
        "ldp x19, x20, [sp, #16]\n"
        "ldp x29, x30, [sp], #160\n"
        ".cfi_restore x29\n"
        ".cfi_restore x30\n"
        ".cfi_def_cfa_offset 0\n"
        "ret\n"
        ".cfi_endproc\n"
        ".size frame_call_guarded, . - frame_call_guarded\n"
        ".popsection\n");
extern const char frame_left_guarded[] __attribute__((visibility("hidden")));

void frame_leave_guarded(void *ucontext, uintptr_t sp)
{
    ((ucontext_t *)ucontext)->uc_mcontext.sp = sp;
    ((ucontext_t *)ucontext)->uc_mcontext.pc = (uintptr_t)frame_left_guarded;
}

__asm__(".pushsection .text\n"
        ".globl frame_call_on\n"
        ".hidden frame_call_on\n"
        ".type frame_call_on, %function\n"
        "frame_call_on:\n"
        ".cfi_startproc\n"
        "stp x29, x30, [sp, #-16]!\n"
        ".cfi_def_cfa_offset 16\n"
        ".cfi_offset x29, -16\n"
        ".cfi_offset x30, -8\n"
        "mov x29, sp\n"
        ".cfi_def_cfa_register x29\n"
        "mov sp, x0\n"
        "mov x0, x2\n"
        "blr x1\n"
        "mov sp, x29\n"
        ".cfi_def_cfa_register sp\n"
        "ldp x29, x30, [sp], #16\n"
        ".cfi_restore x29\n"
        ".cfi_restore x30\n"
        ".cfi_def_cfa_offset 0\n"
        "ret\n"
        ".cfi_endproc\n"
        ".size frame_call_on, . - frame_call_on\n"
        ".popsection\n");

uintptr_t frame_third_argument(const void *ucontext)
{
    return (uintptr_t)((const ucontext_t *)ucontext)->uc_mcontext.regs[2];
}

/* Strips the signature. XPACLRI works on x30 only. Processors without signatures treat it as a NOP. */
uintptr_t frame_code_address(uintptr_t word)
{
    register uintptr_t link __asm__("x30") = word;
    __asm__("hint #7" : "+r"(link));
    return link;
}

/* ---- instructions ---- */

/* Matches the instructions that equal `bits` where `mask` has ones. */
struct pattern {
    uint32_t mask, bits;
};

static const struct pattern bl = {0xfc000000, 0x94000000}, blr = {0xfffffc1f, 0xd63f0000}, ret = {0xffffffff, 0xd65f03c0},
                            stp_record_push = {0xffffffff, 0xa9bf7bfd}, /* stp x29, x30, [sp, #-16]! */
    stp_record = {0xffc07fff, 0xa9007bfd},                              /* stp x29, x30, [sp, #n] */
    ldp_record_pop = {0xffffffff, 0xa8c17bfd},                          /* ldp x29, x30, [sp], #16 */
    sub_sp = {0xff8003ff, 0xd10003ff},                                  /* sub sp, sp, #n */
    sub_sp_register = {0xffe0ffff, 0xcb2063ff},                         /* sub sp, sp, xn */
    add_sp = {0xff8003ff, 0x910003ff};                                  /* add sp, sp, #n */

/* Instructions that may be between the removal of a frame and the ret: the safepoint poll of several JDKs, and hints, such as the check of
 * a signature. */
static const struct pattern behind_frame[] = {
    {0xffc003ff, 0xf9400388}, /* ldr x8, [x28, #n]: x28 is the thread */
    {0xffffffff, 0xeb2863ff}, /* cmp sp, x8 */
    {0xff000010, 0x54000000}, /* b.cond */
    {0x7e00001f, 0x36000008}, /* tbz, tbnz w8 */
    {0x9f00001f, 0x90000008}, /* adrp x8 */
    {0xdf80001f, 0xd2800008}, /* movz, movk x8 */
    {0xfffffc1f, 0xb940001f}, /* ldr wzr, [xn] */
    {0xfffff01f, 0xd503201f}, /* hints */
};

static bool is(uint32_t instruction, struct pattern p)
{
    return (instruction & p.mask) == p.bits;
}

static bool is_behind_frame(uint32_t instruction)
{
    for (unsigned i = 0; i < sizeof behind_frame / sizeof *behind_frame; i++)
        if (is(instruction, behind_frame[i]))
            return true;
    return false;
}

/* Returns n of add sp, sp, #n. */
static uintptr_t immediate_of(uint32_t instruction)
{
    uintptr_t n = instruction >> 10 & 0xfff;
    return instruction & 1 << 22 ? n << 12 : n;
}

bool frame_follows_call(uintptr_t pc)
{
    uint32_t before;
    return !(pc & 3) && load_u32(pc - 4, &before) && (is(before, bl) || is(before, blr));
}

/* ---- records ---- */

/* Reads the frame record at `at`. sp: the caller's stack pointer. */
static bool pop_record(struct frame *f, uintptr_t at, uintptr_t sp)
{
    uint64_t fp, pc;
    if (at & 7 || !load_u64(at, &fp) || !load_u64(at + 8, &pc))
        return false;
    *f = (struct frame){frame_code_address(pc), sp, fp};
    return true;
}

bool frame_caller(const struct code *c, struct frame *f)
{
    uintptr_t sp = f->sp + 8 * (uintptr_t)c->frame_words;
    struct frame g;
    if (!c->frame_words || !pop_record(&g, sp - 16, sp) || !code_contains(g.pc))
        return false;
    *f = g;
    return true;
}

/* Finds where the frame of f->pc begins: at f->sp or higher. A compiled frame has a return address at its top, which shows where the frame
 * begins. Other frames are found by their frame pointer. */
static bool settle(struct frame *f)
{
    struct code c = code_find(f->pc);
    if (!code_is_compiled(&c))
        return true;
    struct frame at = *f;
    at.sp = (f->sp + 15) & ~(uintptr_t)15;
    for (int i = 0; i < SCAN_WORDS_MAX; i += 2, at.sp += 16) {
        struct frame g = at;
        if (frame_plausible_caller(&c, &g)) {
            f->sp = at.sp;
            return true;
        }
    }
    return false;
}

/* Returns to x30, if the interrupted function has not saved it yet, or has restored it. */
static bool through_link(struct frame *f, const struct registers *at, uintptr_t sp)
{
    if (!frame_is_return_address(at->link))
        return false;
    f->pc = at->link;
    f->sp = sp;
    return true;
}

/* ---- compiled code ---- */

/* Finds the caller from a prologue. The instructions from the entry to pc show how far sp has moved, and whether the frame record is
 * written. */
static bool prologue_caller(const struct code *c, struct frame *f, const struct registers *at)
{
    uintptr_t depth = 0;
    uint32_t instruction;
    bool saved = false;
    for (uintptr_t pc = c->begin; pc < f->pc; pc += 4) {
        if (!load_u32(pc, &instruction))
            return false;
        saved = saved || is(instruction, stp_record_push) || is(instruction, stp_record);
        if (is(instruction, stp_record_push))
            depth = 16;
        else if (is(instruction, sub_sp) || is(instruction, sub_sp_register))
            depth = 8 * (uintptr_t)c->frame_words;
    }
    struct frame g = *f;
    if (!saved)
        return through_link(f, at, f->sp + depth);
    if (!pop_record(&g, f->sp + depth - 16, f->sp + depth) || !frame_is_return_address(g.pc))
        return false;
    *f = g;
    return true;
}

/* Finds the caller from an epilogue. The instructions from pc to the ret show how much of the frame is not removed yet. Before the first of
 * them that removes a part, the frame is complete. */
static bool epilogue_caller(struct frame *f, const struct registers *at)
{
    uintptr_t depth = 0;
    uint32_t instruction;
    for (uintptr_t pc = f->pc; pc < f->pc + EPILOGUE_BYTES_MAX && load_u32(pc, &instruction); pc += 4) {
        struct frame g = *f;
        if (is(instruction, ret))
            return through_link(f, at, f->sp + depth);
        if (is(instruction, ldp_record_pop) && !depth && pop_record(&g, f->sp, f->sp + 16) && frame_is_return_address(g.pc)) {
            *f = g;
            return true;
        }
        if (is(instruction, add_sp))
            depth += immediate_of(instruction);
        else if (!is_behind_frame(instruction))
            return false;
    }
    return false;
}

/* Finds the caller below pushed words. A call of native code pushes a pair of words, one of which is its return address, so that stack
 * walkers find it. Intrinsics may push more. */
bool frame_caller_below_pushes(const struct code *c, struct frame *f)
{
    for (int pushes = 2; pushes <= PUSHES_MAX; pushes += 2) {
        struct frame g = *f;
        g.sp += 8 * (uintptr_t)pushes;
        if (frame_plausible_caller(c, &g)) {
            *f = g;
            return true;
        }
    }
    return false;
}

bool frame_leaf_caller(const struct code *c, struct frame *f, const struct registers *at)
{
    int32_t complete = c->frame_complete < PROLOGUE_BYTES_MAX ? c->frame_complete : PROLOGUE_BYTES_MAX;
    if (complete > 0 && f->pc < c->begin + (uintptr_t)complete && prologue_caller(c, f, at))
        return true;
    return epilogue_caller(f, at) || frame_plausible_caller(c, f) || frame_caller_below_pushes(c, f) || through_link(f, at, f->sp);
}

/* ---- everything else ---- */

/* Searches for the nearest word that is a return address. Together with the word below it, it may be a frame record. */
static bool scan(struct frame *f)
{
    uintptr_t at = (f->sp + 7) & ~(uintptr_t)7;
    for (int i = 0; i < SCAN_WORDS_MAX; i++, at += 8) {
        uint64_t word, fp;
        if (!load_u64(at, &word))
            return false;
        struct frame g = {frame_code_address(word), at + 8, f->fp};
        if (!code_contains(g.pc) || !frame_is_return_address(g.pc) || !settle(&g))
            continue;
        if (load_u64(at - 8, &fp) && fp > at)
            g.fp = fp;
        *f = g;
        return true;
    }
    return false;
}

/* Finds the caller by x30. Its value is also in the record at x29, if there is one. */
static bool leaf_through_link(struct frame *f, const struct registers *at)
{
    struct frame g = *f, record;
    if (!through_link(&g, at, f->sp))
        return false;
    if (f->fp >= f->sp && f->fp - f->sp < FRAME_BYTES_MAX && pop_record(&record, f->fp, f->fp + 16) && record.pc == at->link)
        g = record;
    if (!settle(&g))
        return false;
    *f = g;
    return true;
}

bool frame_interpreter_entry_caller(struct frame *f, const struct registers *at)
{
    bool known = at->sender_sp >= f->sp && at->sender_sp - f->sp < FRAME_BYTES_MAX;
    return through_link(f, at, known ? at->sender_sp : f->sp) && settle(f);
}

/* x30 keeps the return address until the interpreter makes a call. When its frame is complete, the address is in the frame's record. */
bool frame_compiled_caller(struct frame *f, const struct registers *at)
{
    struct frame record;
    if (!code_contains(at->link) || code_find(at->link).kind != CODE_NMETHOD)
        return false;
    if (f->fp >= f->sp && pop_record(&record, f->fp, f->fp + 16) && record.pc == at->link)
        return false;
    return frame_interpreter_entry_caller(f, at);
}

/* Finds nothing. The interpreter's code for CRC32 jumps to its routine. Its code for Math keeps its return address in x23, which the called
 * routine may use. */
bool frame_interpreter_routine_caller(struct frame *f, const struct registers *at)
{
    (void)f;
    (void)at;
    return false;
}

static bool follow_frame_pointers(struct frame *f)
{
    uintptr_t sp = f->sp, fp = f->fp;
    for (int i = 0; i < FP_CHAIN_MAX; i++) {
        struct frame g;
        if (fp < sp || fp - sp > FRAME_BYTES_MAX || !pop_record(&g, fp, fp + 16))
            return false;
        if (code_contains(g.pc) && frame_is_return_address(g.pc) && settle(&g)) {
            *f = g;
            return true;
        }
        sp = fp + 16;
        fp = g.fp;
    }
    return false;
}

bool frame_stub_caller(const struct code *c, struct frame *f, const struct registers *at)
{
    return (at && leaf_through_link(f, at)) || frame_plausible_caller(c, f) || follow_frame_pointers(f) || scan(f);
}

/* Finds nothing: no class archive for this processor with such jumps is known. */
bool frame_is_archived_entry(uintptr_t pc, uintptr_t *target)
{
    return false;
}

/* Finds the caller by the register. Only an interrupted function still has the return address there. A frame record does not show where the
 * caller's frame begins. */
bool frame_undescribed_caller(struct frame *f, const struct registers *at)
{
    if (!at || !frame_is_any_return_address(at->link))
        return false;
    f->pc = at->link;
    return true;
}

/* Finds the Java caller. AArch64's ABI keeps frame pointers, so those of other libraries are followed like those of libjvm. */
bool frame_native_caller(struct frame *f, const struct registers *at, bool has_frame_pointers)
{
    return leaf_through_link(f, at) || follow_frame_pointers(f) || scan(f);
}
