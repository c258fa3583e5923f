#include "agent/hot/load.h"
#include "agent/hot/unwind/frame.h"

#include <stddef.h>
#include <ucontext.h>

enum {
    SCAN_WORDS_MAX = 512,
    ROUTINE_WORDS_MAX = 256,
    FP_CHAIN_MAX = 64,
    FRAME_BYTES_MAX = 1 << 20,
    LEAF_FP_BYTES_MAX = 1 << 16,
    FUNCTION_BYTES_MAX = 1 << 16,
    PUSHES_MAX = 4,
    STUB_TAIL_BYTES_MAX = 64,
    ARGUMENT_BYTES_MAX = 64, /* for the methods for which the interpreter has routines */
    STACK_ALIGNMENT = 16     /* of a compiled frame that has made a call */
};

enum { PUSH_RDX = 0x52, POP_RDX = 0x5a, DWARF_RAX = 0, DWARF_RDX = 1 };

const struct frame_slots frame_slots = {.method = -3, .bcp = -8, .bcp_jdk8 = -7, .entry_wrapper = -6};

const struct frame_dwarf frame_dwarf = {.sp = 7, .fp = 6, .return_address = 16};

const bool frame_needs_no_restorer = false;

static bool load_place(uintptr_t ucontext, int place, uint64_t *out)
{
    return load_u64(ucontext + offsetof(ucontext_t, uc_mcontext.gregs) + sizeof(greg_t) * (size_t)place, out);
}

bool frame_registers(struct registers *out, uintptr_t ucontext)
{
    uint64_t pc, sp, fp, bcp, method;
    if (!load_place(ucontext, REG_RIP, &pc) || !load_place(ucontext, REG_RSP, &sp) || !load_place(ucontext, REG_RBP, &fp) ||
        !load_place(ucontext, REG_R13, &bcp) || !load_place(ucontext, REG_RBX, &method))
        return false;
    *out = (struct registers){.pc = pc, .sp = sp, .fp = fp, .ucontext = ucontext, .bcp = bcp, .method = method, .sender_sp = bcp};
    return true;
}

bool frame_register(uintptr_t ucontext, unsigned number, uint64_t *out)
{
    static const uint8_t places[] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP,
                                     REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
    return number < sizeof places && load_place(ucontext, places[number], out);
}

uintptr_t frame_signal_context(uintptr_t sp)
{
    return sp;
}

/* mov $15 (rt_sigreturn), %rax; syscall */
bool frame_is_signal_return(uintptr_t pc)
{
    uint64_t code;
    uint8_t last;
    return load_u64(pc, &code) && load_u8(pc + sizeof code, &last) && code == 0x0f0000000fc0c748 && last == 5;
}

uintptr_t *frame_resume_at(void *ucontext)
{
    return (uintptr_t *)&((ucontext_t *)ucontext)->uc_mcontext.gregs[REG_RIP];
}

uintptr_t frame_thread_pointer(void)
{
    uintptr_t pointer;
    __asm__("movq %%fs:0, %0" : "=r"(pointer));
    return pointer;
}

/* The registers that a call preserves are on the stack at *sp. */
__asm__(".pushsection .text\n"
        ".globl frame_call_guarded\n"
        ".hidden frame_call_guarded\n"
        ".type frame_call_guarded, @function\n"
        "frame_call_guarded:\n"
        ".cfi_startproc\n"
        "pushq %rbp\n"
        ".cfi_def_cfa_offset 16\n"
        ".cfi_offset %rbp, -16\n"
        "movq %rsp, %rbp\n"
        ".cfi_def_cfa_register %rbp\n"
        "pushq %rbx\n"
        "pushq %r12\n"
        "pushq %r13\n"
        "pushq %r14\n"
        "pushq %r15\n"
        "subq $8, %rsp\n"
        "movq %rsp, (%rdi)\n"
        "movq %rdx, %rdi\n"
        "callq *%rsi\n"
        "movl $1, %eax\n"
        "jmp 1f\n"
        ".globl frame_left_guarded\n"
        ".hidden frame_left_guarded\n"
        "frame_left_guarded:\n"
        "cld\n"
        "xorl %eax, %eax\n"
        "1: addq $8, %rsp\n"
        "popq %r15\n"
        "popq %r14\n"
        "popq %r13\n"
        "popq %r12\n"
        "popq %rbx\n"
        "popq %rbp\n"
        ".cfi_def_cfa %rsp, 8\n"
        "retq\n"
        ".cfi_endproc\n"
        ".size frame_call_guarded, . - frame_call_guarded\n"
        ".popsection\n");
extern const char frame_left_guarded[] __attribute__((visibility("hidden")));

void frame_leave_guarded(void *ucontext, uintptr_t sp)
{
    greg_t *registers = ((ucontext_t *)ucontext)->uc_mcontext.gregs;
    registers[REG_RSP] = (greg_t)sp;
    registers[REG_RIP] = (greg_t)(uintptr_t)frame_left_guarded;
}

__asm__(".pushsection .text\n"
        ".globl frame_call_on\n"
        ".hidden frame_call_on\n"
        ".type frame_call_on, @function\n"
        "frame_call_on:\n"
        ".cfi_startproc\n"
        "pushq %rbp\n"
        ".cfi_def_cfa_offset 16\n"
        ".cfi_offset %rbp, -16\n"
        "movq %rsp, %rbp\n"
        ".cfi_def_cfa_register %rbp\n"
        "movq %rdi, %rsp\n"
        "movq %rdx, %rdi\n"
        "callq *%rsi\n"
        "movq %rbp, %rsp\n"
        "popq %rbp\n"
        ".cfi_def_cfa %rsp, 8\n"
        "retq\n"
        ".cfi_endproc\n"
        ".size frame_call_on, . - frame_call_on\n"
        ".popsection\n");

uintptr_t frame_third_argument(const void *ucontext)
{
    return (uintptr_t)((const ucontext_t *)ucontext)->uc_mcontext.gregs[REG_RDX];
}

uintptr_t frame_code_address(uintptr_t word)
{
    return word;
}

/* Recognizes call rel32, and call through a register or memory in its encodings of two to seven bytes. */
bool frame_follows_call(uintptr_t pc)
{
    uint64_t before;
    if (!load_u64(pc - 8, &before))
        return false;
    const uint8_t *b = (const uint8_t *)&before + 8; /* b[-1] is the byte before pc */
    if (b[-5] == 0xe8)
        return true;
    for (int length = 2; length <= 7; length++)
        if (b[-length] == 0xff && (b[-length + 1] & 0x38) == 0x10)
            return true;
    return false;
}

/* mov r10, target; jmp r10 */
static bool jump_at(uintptr_t pc, uintptr_t *target)
{
    uint16_t mov;
    uint32_t jmp;
    uint64_t v;
    if (!load_u16(pc, &mov) || mov != 0xba49 || !load_u64(pc + 2, &v) || !load_u32(pc + 10, &jmp) || (jmp & 0xffffff) != 0xe2ff41)
        return false;
    *target = v;
    return code_contains(v);
}

bool frame_is_archived_entry(uintptr_t pc, uintptr_t *target)
{
    return jump_at(pc, target) || jump_at(pc - 10, target);
}

static bool return_address_at(uintptr_t at, uintptr_t *pc)
{
    uint64_t v;
    return !(at & 7) && load_u64(at, &v) && frame_is_return_address(v) && (*pc = v, true);
}

/* Reads the return address at `at`, which has no saved frame pointer below it. */
static bool pop_at(struct frame *f, uintptr_t at)
{
    if (!return_address_at(at, &f->pc))
        return false;
    f->sp = at + 8;
    return true;
}

/* Reads the saved frame pointer at `at`, and the return address above it. */
static bool pop_with_fp(struct frame *f, uintptr_t at)
{
    uint64_t fp;
    if (!load_u64(at, &fp) || !return_address_at(at + 8, &f->pc))
        return false;
    f->sp = at + 16;
    f->fp = fp;
    return true;
}

bool frame_caller(const struct code *c, struct frame *f)
{
    uint64_t pc, fp;
    uintptr_t sp = f->sp + 8 * (uintptr_t)c->frame_words;
    if (!c->frame_words || !load_u64(sp - 8, &pc) || !load_u64(sp - 16, &fp) || !code_contains(pc))
        return false;
    *f = (struct frame){pc, sp, fp};
    return true;
}

/* Whether f is a complete frame of compiled code that has called another function. The next frame must be that of a caller, too. */
static bool stands(const struct frame *f)
{
    const struct code c = code_find(f->pc);
    struct frame g = *f;
    return code_is_compiled(&c) && !(f->sp % STACK_ALIGNMENT) && frame_plausible_caller(&c, &g);
}

/* Sets f's stack pointer to sp, if f is a frame there, and sp is at most bytes_max higher. */
static bool moves_up(struct frame *f, uintptr_t sp, uintptr_t bytes_max)
{
    struct frame g = {f->pc, sp, f->fp};
    if (sp < f->sp || sp - f->sp > bytes_max || !stands(&g))
        return false;
    *f = g;
    return true;
}

/* Finds the caller of C2's indexOf intrinsic, which realigns the stack and keeps the old stack pointer on top of it. */
static bool realigned_caller(const struct code *c, struct frame *f)
{
    uint64_t old_sp;
    struct frame g = *f;
    if (!load_u64(f->sp, &old_sp) || old_sp <= f->sp || old_sp > f->sp + 256 || old_sp & 7)
        return false;
    g.sp = old_sp;
    if (!frame_caller(c, &g) || !frame_is_return_address(g.pc))
        return false;
    *f = g;
    return true;
}

/* Finds the caller below pushed words. Inlined intrinsics keep a few words on top of the frame while they run (String.compareTo: the
 * difference of the lengths). */
bool frame_caller_below_pushes(const struct code *c, struct frame *f)
{
    for (int pushes = 1; pushes <= PUSHES_MAX; pushes++) {
        struct frame g = *f;
        g.sp += 8 * (uintptr_t)pushes;
        if (frame_caller(c, &g) && frame_is_return_address(g.pc)) {
            *f = g;
            return true;
        }
    }
    return false;
}

enum epilogue { NOT_IN_EPILOGUE, BEFORE_POP, AFTER_POP };

/* Whether b is the poll before a ret: cmp rsp, [r15+poll]; ja (JDK 16 on); mov r10, [r15+poll]; test [r10], eax (JDK 10 to 15); test
 * [rip+poll], eax (before). b: 12 bytes of code. */
static bool is_at_poll(const uint8_t *b)
{
    return (b[0] == 0x49 && b[1] == 0x3b && (b[2] == 0x67 || b[2] == 0xa7)) ||
           (b[0] == 0x4d && b[1] == 0x8b && b[2] == 0x97 && b[7] == 0x41 && b[8] == 0x85 && b[10] == 0xc3) ||
           (b[0] == 0x85 && b[1] == 0x05 && b[6] == 0xc3);
}

/* Recognizes the end of a compiled method: add rsp; pop rbp; poll; ret. */
static enum epilogue epilogue_at(uintptr_t pc)
{
    uint64_t words[2];
    if (!load_u64(pc, &words[0]) || !load_u64(pc + 8, &words[1]))
        return NOT_IN_EPILOGUE;
    const uint8_t *b = (const uint8_t *)words;
    if (b[0] == 0xc3 || b[0] == 0xc2 || is_at_poll(b))
        return AFTER_POP;
    if ((b[0] == 0x0f && b[1] == 0x87 && b[6] == 0xc3) || (b[0] == 0x41 && b[1] == 0x85 && b[3] == 0xc3))
        return AFTER_POP; /* the second instruction of a poll */
    if (b[0] == 0x5d && (b[1] == 0xc3 || is_at_poll(b + 1)))
        return BEFORE_POP;
    return NOT_IN_EPILOGUE;
}

/* Whether the prologue has made room for the frame: the sub rsp with the frame's size is before pc, with or without a push rbp before it.
 * Only the garbage collector's barrier is between that and the place where the frame counts as complete. The words at the frame's top are
 * not reliable. */
static bool has_room(const struct code *c, uintptr_t pc)
{
    const uint32_t bytes = 8 * c->frame_words;
    uint64_t v;
    for (uintptr_t at = c->begin; at + 4 <= pc && load_u64(at, &v); at++) {
        bool is_short = (v & 0xffffff) == 0xec8348, is_long = (v & 0xffffff) == 0xec8148;
        uint32_t room = is_short ? (uint8_t)(v >> 24) : (uint32_t)(v >> 24);
        if ((is_short || (is_long && at + 7 <= pc)) && (room == bytes - 16 || room == bytes - 8))
            return true;
    }
    return false;
}

static bool is_before_room(const struct code *c, uintptr_t pc)
{
    return c->frame_complete >= 0 && pc < c->begin + (uintptr_t)c->frame_complete && !has_room(c, pc);
}

/* Whether pc is at the mov [rsp + n], rbp of a prologue that does not push rbp. Before that instruction, the caller's value is still in the
 * register. */
static bool is_before_saved_fp(const struct code *c, uintptr_t pc)
{
    const uint32_t offset = 8 * c->frame_words - 16;
    uint64_t v;
    if (!load_u64(pc, &v))
        return false;
    bool is_short = (v & 0xffffffffff) == (0x246c8948 | (uint64_t)offset << 32) && offset < 128;
    return is_short || ((v & 0xffffffff) == 0x24ac8948 && v >> 32 == offset);
}

bool frame_leaf_caller(const struct code *c, struct frame *f, const struct registers *at)
{
    struct frame g = *f;
    if (is_before_room(c, f->pc) && (pop_at(f, f->sp) || pop_with_fp(f, f->sp)))
        return true;
    switch (epilogue_at(f->pc)) {
    case AFTER_POP:
        if (pop_at(f, f->sp))
            return true;
        break;
    case BEFORE_POP:
        if (pop_with_fp(f, f->sp))
            return true;
        break;
    case NOT_IN_EPILOGUE:
        break;
    }
    if (frame_plausible_caller(c, &g)) {
        if (is_before_saved_fp(c, f->pc))
            g.fp = f->fp;
        *f = g;
        return true;
    }
    return realigned_caller(c, f) || frame_caller_below_pushes(c, f) || pop_at(f, f->sp) || pop_with_fp(f, f->sp);
}

static bool scan(struct frame *f, bool (*accepts)(const struct frame *caller), int words)
{
    uintptr_t at = (f->sp + 7) & ~(uintptr_t)7;
    for (int i = 0; i < words; i++, at += 8) {
        uint64_t v;
        if (!load_u64(at, &v))
            return false;
        struct frame g = {v, at + 8, f->fp};
        if (code_contains(v) && frame_is_return_address(v) && (!accepts || accepts(&g))) {
            *f = g;
            return true;
        }
    }
    return false;
}

static bool is_above(const struct frame *f, uint64_t sp)
{
    return sp > f->sp && sp - f->sp < LEAF_FP_BYTES_MAX && !(sp & 7);
}

/* Finds the compiled caller at a transition between compiled code and the interpreter: on the way there (in the adapter and at the method's
 * entry) or back. The return address is on top of the stack, or in rax or r13 for a few instructions. If arguments are in between, the
 * caller's stack pointer is in r13 on the way there and in rbx on the way back. Otherwise it is the top of the stack. */
bool frame_compiled_caller(struct frame *f, const struct registers *at)
{
    uint64_t top = 0, rax = 0;
    load_u64(f->sp, &top);
    frame_register(at->ucontext, DWARF_RAX, &rax);
    const uintptr_t pcs[] = {top, rax, at->bcp}, sps[] = {at->sender_sp, at->method, f->sp + 8, f->sp};
    for (int i = 0; i < 3; i++) {
        if (!code_contains(pcs[i]) || code_find(pcs[i]).kind != CODE_NMETHOD || !frame_is_return_address(pcs[i]))
            continue;
        for (int j = 0; j < 4; j++) {
            struct frame g = {pcs[i], f->sp, f->fp};
            if (moves_up(&g, sps[j], LEAF_FP_BYTES_MAX - 1)) {
                *f = g;
                return true;
            }
        }
    }
    return false;
}

/* Whether pc is at the end of the interpreter's own code for an intrinsic method: pop the return address; mov rsp, r13; jmp to it. */
static bool is_routine_end(uintptr_t pc)
{
    uint64_t v;
    if (!load_u64(pc, &v))
        return false;
    v &= 0xffffffffffff;
    return v == 0xe7ffe58b495f || v == 0xe0ffe58b4958; /* the address is in rdi or in rax */
}

/* Skips the instructions after a call for which the stack was aligned: add rsp, 8; and the jmp over the other call, for a stack that was
 * aligned already. */
static bool leave_aligned_call(struct frame *f)
{
    static const uint32_t ADD_RSP_8 = 0x08c48348;
    static const uint8_t JMP = 0xe9;
    uint32_t op, distance;
    uint8_t jump;
    if (!load_u32(f->pc, &op))
        return false;
    if (op != ADD_RSP_8)
        return true;
    f->pc += 4;
    f->sp += 8;
    if (load_u8(f->pc, &jump) && jump == JMP && load_u32(f->pc + 1, &distance))
        f->pc += 5 + (uintptr_t)(intptr_t)(int32_t)distance;
    return true;
}

/* Finds the caller of code that has no frame. The caller's stack pointer was in r13 at the entry, but the routine may use r13. Otherwise it
 * is the next value that fits, above the return address and the arguments. */
bool frame_interpreter_routine_caller(struct frame *f, const struct registers *at)
{
    struct frame g = *f;
    if (!leave_aligned_call(&g))
        return false;
    if (!is_routine_end(g.pc) || !pop_at(&g, g.sp))
        return false;
    *f = g;
    if (moves_up(f, at->sender_sp, ARGUMENT_BYTES_MAX))
        return true;
    for (uintptr_t up = -g.sp % STACK_ALIGNMENT; up <= ARGUMENT_BYTES_MAX; up += STACK_ALIGNMENT)
        if (moves_up(f, g.sp + up, ARGUMENT_BYTES_MAX))
            return true;
    return true;
}

/* Finds the caller at the interpreter's entry. The caller's stack pointer is in r13, because compiled callers have more than the arguments
 * above it. Later it is the first word below the frame pointer of the frame that is being built. */
bool frame_interpreter_entry_caller(struct frame *f, const struct registers *at)
{
    const struct frame entry = *f;
    uint64_t sender_sp = at->sender_sp, pushed;
    if (!pop_at(f, entry.sp)) {
        if (entry.fp != entry.sp && !is_above(&entry, entry.fp))
            return false;
        if (!pop_with_fp(f, entry.fp))
            return false;
        if (entry.fp > entry.sp && load_u64(entry.fp - 8, &pushed))
            sender_sp = pushed;
    }
    if (is_above(f, sender_sp))
        f->sp = sender_sp;
    return true;
}

/* Finds the caller of the stub for a method's entry barrier (JDK 15 on). The stub keeps a word for its own use, -1, between its frame
 * pointer and its return address. All registers are saved below, which are too many words to search. */
static bool pop_with_cookie(struct frame *f)
{
    uint64_t fp, cookie;
    if (!load_u64(f->fp + 8, &cookie) || cookie != ~(uint64_t)0 || !load_u64(f->fp, &fp) || !return_address_at(f->fp + 16, &f->pc))
        return false;
    f->sp = f->fp + 24;
    f->fp = fp;
    return true;
}

/* Returns the target of the call before a return address; 0 if the instruction does not show it. */
static uintptr_t call_target(uintptr_t pc)
{
    uint64_t target;
    uint32_t relative;
    uint16_t mov, call;
    uint8_t op;
    /* mov r10, target; call r10 */
    if (load_u16(pc - 13, &mov) && mov == 0xba49 && load_u16(pc - 3, &call) && call == 0xff41 && load_u64(pc - 11, &target))
        return target;
    if (load_u8(pc - 5, &op) && op == 0xe8 && load_u32(pc - 4, &relative))
        return pc + (uintptr_t)(intptr_t)(int32_t)relative;
    return 0;
}

/* Whether the caller is consistent with its call. The stack may still contain the return address of a call that is over. */
static bool is_plausible(const struct frame *caller)
{
    const struct code c = code_find(caller->pc);
    return !code_is_compiled(&c) || stands(caller);
}

/* Whether a frame has called one of the JVM's routines. */
static bool called_routine(const struct frame *caller)
{
    uintptr_t target = call_target(caller->pc);
    return target && code_find(target).is_routine && is_plausible(caller);
}

/* Finds the caller of a routine. A word that the routine keeps on the stack, or has not initialized yet, may look like a return address,
 * because it is one of an earlier call. So a return address after a call of a routine is preferred, in the routine's frame if it has
 * one. */
static bool routine_caller(struct frame *f)
{
    struct frame g = *f;
    if (f->fp >= f->sp && f->fp - f->sp < LEAF_FP_BYTES_MAX && pop_with_fp(&g, f->fp) && called_routine(&g)) {
        *f = g;
        return true;
    }
    return scan(f, called_routine, ROUTINE_WORDS_MAX);
}

/* Finds the caller of C2's stub that rethrows an exception. The stub keeps a copy of its return address on top of its frame, until it pops
 * the address itself into rdx. */
static bool caller_below_copy(const struct code *c, struct frame *f)
{
    struct frame g = *f;
    uint64_t copy;
    uint8_t op;
    if (f->pc == c->begin || !load_u8(f->pc, &op) || op == POP_RDX || !frame_caller(c, &g) || !load_u64(f->sp, &copy) || copy != g.pc ||
        !frame_is_return_address(g.pc))
        return false;
    *f = g;
    return true;
}

/* Finds the caller of both such stubs after that pop: the address is only in rdx, until they jump to the handler. */
static bool caller_popped_into_rdx(const struct code *c, struct frame *f, const struct registers *at)
{
    uint64_t pc;
    uint8_t op = 0;
    for (uintptr_t p = f->pc; op != POP_RDX; p--)
        if (p <= c->begin || f->pc - p == STUB_TAIL_BYTES_MAX || !load_u8(p - 1, &op))
            return false;
    if (!frame_register(at->ucontext, DWARF_RDX, &pc) || code_find(pc).kind != CODE_NMETHOD || !frame_is_return_address(pc))
        return false;
    f->pc = pc;
    return true;
}

/* Finds the caller of the stub that looks for an exception's handler. Compiled code jumps to it: the frame of that code is the topmost. Its
 * pc is in rdx, and the stub pushes it first. */
static bool caller_in_rdx(const struct code *c, struct frame *f, const struct registers *at)
{
    uint64_t pc;
    uint8_t op;
    if (f->pc != c->begin || !load_u8(f->pc, &op) || op != PUSH_RDX || !frame_register(at->ucontext, DWARF_RDX, &pc) ||
        code_find(pc).kind != CODE_NMETHOD)
        return false;
    f->pc = pc;
    return true;
}

static bool caller_on_top(struct frame *f)
{
    struct frame g = *f;
    if (!pop_at(&g, g.sp) || !is_plausible(&g))
        return false;
    *f = g;
    return true;
}

/* Finds the caller of the adapter from the interpreter to compiled code. It pops the return address into rax, to align the stack. */
static bool caller_popped_into_rax(const struct code *c, struct frame *f, const struct registers *at)
{
    uint64_t pc;
    if (c->is_routine || c->frame_words || !frame_register(at->ucontext, DWARF_RAX, &pc) || !code_contains(pc))
        return false;
    enum code_kind kind = code_find(pc).kind;
    if (kind != CODE_INTERPRETER && kind != CODE_CALL_STUB)
        return false;
    f->pc = pc;
    return true;
}

bool frame_stub_caller(const struct code *c, struct frame *f, const struct registers *at)
{
    struct frame g = *f;
    if (at && ((c->is_routine && routine_caller(f)) || caller_in_rdx(c, f, at) || caller_below_copy(c, f) ||
               caller_popped_into_rdx(c, f, at) || frame_compiled_caller(f, at) || caller_on_top(f) || caller_popped_into_rax(c, f, at)))
        return true;
    if (c->frame_words && frame_caller(c, &g) && frame_is_return_address(g.pc)) {
        *f = g;
        return true;
    }
    if (f->fp >= f->sp && f->fp - f->sp < LEAF_FP_BYTES_MAX && (pop_with_fp(f, f->fp) || pop_with_cookie(f)))
        return true;
    return scan(f, is_plausible, SCAN_WORDS_MAX) || scan(f, NULL, SCAN_WORDS_MAX);
}

static bool follow_frame_pointers(struct frame *f)
{
    uintptr_t sp = f->sp, fp = f->fp;
    for (int i = 0; i < FP_CHAIN_MAX; i++) {
        uint64_t next, pc;
        if (fp < sp || fp - sp > FRAME_BYTES_MAX || fp & 7 || !load_u64(fp, &next) || !load_u64(fp + 8, &pc))
            return false;
        if (code_contains(pc) && frame_is_return_address(pc)) {
            *f = (struct frame){pc, fp + 16, next};
            return true;
        }
        sp = fp + 16;
        fp = next;
    }
    return false;
}

static bool any_return_address_at(uintptr_t at, uintptr_t *pc)
{
    uint64_t v;
    return !(at & 7) && load_u64(at, &v) && frame_is_any_return_address(v) && (*pc = v, true);
}

bool frame_undescribed_caller(struct frame *f, const struct registers *at)
{
    uint64_t fp;
    if (at && any_return_address_at(f->sp, &f->pc)) {
        f->sp += 8;
        return true;
    }
    if (f->fp < f->sp || f->fp - f->sp > FRAME_BYTES_MAX || !load_u64(f->fp, &fp) || !any_return_address_at(f->fp + 8, &f->pc))
        return false;
    f->sp = f->fp + 16;
    f->fp = fp;
    return true;
}

/* Follows the frame pointers of code that may not keep any. So each return address must follow a call of the function whose frame was
 * left. */
static bool follow_called_functions(struct frame *f)
{
    struct frame g = *f;
    for (int i = 0; i < FP_CHAIN_MAX; i++) {
        uint64_t next, pc;
        if (g.fp < g.sp || g.fp - g.sp > FRAME_BYTES_MAX || g.fp & 7 || !load_u64(g.fp, &next) || !load_u64(g.fp + 8, &pc))
            return false;
        uintptr_t function = call_target(pc);
        if (!function || function > g.pc || g.pc - function > FUNCTION_BYTES_MAX)
            return false;
        g = (struct frame){pc, g.fp + 16, next};
        if (code_contains(pc) && frame_is_return_address(pc)) {
            *f = g;
            return true;
        }
    }
    return false;
}

/* Whether a Java frame may have called native code. Java does this by a call of native code or of a stub. A word that follows another call
 * was left on the stack by a frame that is gone. */
static bool may_call_native(const struct frame *caller)
{
    uintptr_t target = call_target(caller->pc);
    return !target || !code_contains(target) || code_find(target).kind == CODE_STUB;
}

bool frame_native_caller(struct frame *f, const struct registers *at, bool has_frame_pointers)
{
    return (has_frame_pointers && follow_frame_pointers(f)) || follow_called_functions(f) || scan(f, may_call_native, SCAN_WORDS_MAX);
}
