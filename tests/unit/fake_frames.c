#include "fake_frames.h"

#include <string.h>

#define CODE(name, list, frame_complete)                                                                                                   \
    {                                                                                                                                      \
        name, list, sizeof list / sizeof *list, frame_complete                                                                             \
    }

#if defined(__x86_64__)

static const struct fake_instruction compiled[] = {
    {{0x55}, 1, 1, false},                            /* push rbp */
    {{0x48, 0x83, 0xec, 0x10}, 4, 2, true},           /* sub rsp, 16 */
    {{0x90}, 1, 4, true},                             /* nop */
    {{0x48, 0x83, 0xc4, 0x10}, 4, 4, true},           /* add rsp, 16 */
    {{0x5d}, 1, 2, true},                             /* pop rbp */
    {{0x49, 0x3b, 0xa7, 0x50, 3, 0, 0}, 7, 1, false}, /* cmp rsp, [r15 + poll] */
    {{0x0f, 0x87, 0, 1, 0, 0}, 6, 1, false},          /* ja */
    {{0xc3}, 1, 1, false},                            /* ret */
};

static const struct fake_instruction compiled_jdk11[] = {
    {{0x55}, 1, 1, false},                            /* push rbp */
    {{0x48, 0x83, 0xec, 0x10}, 4, 2, true},           /* sub rsp, 16 */
    {{0x90}, 1, 4, true},                             /* nop */
    {{0x48, 0x83, 0xc4, 0x10}, 4, 4, true},           /* add rsp, 16 */
    {{0x5d}, 1, 2, true},                             /* pop rbp */
    {{0x4d, 0x8b, 0x97, 0x08, 1, 0, 0}, 7, 1, false}, /* mov r10, [r15 + poll] */
    {{0x41, 0x85, 0x02}, 3, 1, false},                /* test [r10], eax */
    {{0xc3}, 1, 1, false},                            /* ret */
};

static const struct fake_instruction compiled_jdk8[] = {
    {{0x55}, 1, 1, false},                            /* push rbp */
    {{0x48, 0x83, 0xec, 0x10}, 4, 2, true},           /* sub rsp, 16 */
    {{0x90}, 1, 4, true},                             /* nop */
    {{0x48, 0x83, 0xc4, 0x10}, 4, 4, true},           /* add rsp, 16 */
    {{0x5d}, 1, 2, true},                             /* pop rbp */
    {{0x85, 0x05, 0x12, 0x34, 0x56, 0}, 6, 1, false}, /* test [rip + poll], eax */
    {{0xc3}, 1, 1, false},                            /* ret */
};

/* The collector's barrier at the entry comes before the point from which the frame counts as complete. */
static const struct fake_instruction compiled_barrier[] = {
    {{0x55}, 1, 1, false},                              /* push rbp */
    {{0x48, 0x81, 0xec, 0x10, 0, 0, 0}, 7, 2, true},    /* sub rsp, 16 */
    {{0x41, 0x81, 0x7f, 0x20, 1, 0, 0, 0}, 8, 4, true}, /* cmp dword [r15 + guard], 1 */
    {{0x0f, 0x85, 0, 1, 0, 0}, 6, 4, true},             /* jne */
    {{0x90}, 1, 4, true},                               /* nop */
};

/* A method that makes no calls. */
static const struct fake_instruction compiled_leaf[] = {
    {{0x48, 0x83, 0xec, 0x18}, 4, 1, false},       /* sub rsp, 24 */
    {{0x48, 0x89, 0x6c, 0x24, 0x10}, 5, 4, false}, /* mov [rsp + 16], rbp */
    {{0x90}, 1, 4, true},                          /* nop */
    {{0x48, 0x83, 0xc4, 0x10}, 4, 4, true},        /* add rsp, 16 */
    {{0x5d}, 1, 2, true},                          /* pop rbp */
    {{0xc3}, 1, 1, false},                         /* ret */
};

const struct fake_code fake_codes[] = {
    CODE("compiled", compiled, 5),   CODE("compiled leaf", compiled_leaf, 9),     CODE("JDK 11", compiled_jdk11, 5),
    CODE("JDK 8", compiled_jdk8, 5), CODE("entry barrier", compiled_barrier, 22), {0}};

size_t fake_archived_entry(uintptr_t at, uintptr_t target)
{
    static const uint8_t mov_r10[] = {0x49, 0xba}, jmp_r10[] = {0x41, 0xff, 0xe2};
    memcpy((void *)at, mov_r10, 2);
    memcpy((void *)(at + 2), &target, 8);
    memcpy((void *)(at + 10), jmp_r10, 3);
    return 10;
}

void fake_call_before(uintptr_t pc)
{
    static const uint8_t call[] = {0xe8, 0, 0, 0, 0};
    memcpy((void *)(pc - sizeof call), call, sizeof call);
}

void fake_native_call_before(uintptr_t pc)
{
    static const uint8_t call[] = {0xe8, 0, 0, 0xf0, 0x7f};
    memcpy((void *)(pc - sizeof call), call, sizeof call);
}

uint64_t fake_return_word(uintptr_t pc)
{
    return pc;
}

void fake_call(struct registers *at, uint64_t **sp, uintptr_t return_address)
{
    *--*sp = return_address;
    at->sp = (uintptr_t)*sp;
}

void fake_native_frame(struct registers *at, uint64_t **sp, size_t words, uintptr_t return_address)
{
    *--*sp = return_address;
    *sp -= words;
    at->sp = (uintptr_t)*sp;
    at->fp = 0x77;
}

#elif defined(__aarch64__)

#define WORD(w) {(w)&0xff, (w) >> 8 & 0xff, (w) >> 16 & 0xff, (w) >> 24}, 4

static const struct fake_instruction small_frame[] = {
    {WORD(0xd503201f), 0, false}, /* nop */
    {WORD(0xd10083ff), 0, false}, /* sub sp, sp, #32 */
    {WORD(0xa9017bfd), 4, false}, /* stp x29, x30, [sp, #16] */
    {WORD(0xd503201f), 4, true},  /* nop */
    {WORD(0xa9417bfd), 4, true},  /* ldp x29, x30, [sp, #16] */
    {WORD(0x910083ff), 4, false}, /* add sp, sp, #32 */
    {WORD(0xf941a788), 0, false}, /* ldr x8, [x28, #poll] */
    {WORD(0xeb2863ff), 0, false}, /* cmp sp, x8 */
    {WORD(0x54000068), 0, false}, /* b.hi */
    {WORD(0xd65f03c0), 0, false}, /* ret */
};

/* The same with branch protection. */
static const struct fake_instruction large_frame[] = {
    {WORD(0xd503231f), 0, false}, /* paciaz */
    {WORD(0xa9bf7bfd), 0, false}, /* stp x29, x30, [sp, #-16]! */
    {WORD(0xcb2863ff), 2, true},  /* sub sp, sp, x8 */
    {WORD(0xd503201f), 4, true},  /* nop */
    {WORD(0x910043ff), 4, true},  /* add sp, sp, #16 */
    {WORD(0xa8c17bfd), 2, true},  /* ldp x29, x30, [sp], #16 */
    {WORD(0xd503239f), 0, false}, /* autiaz */
    {WORD(0xf9402388), 0, false}, /* ldr x8, [x28, #poll] */
    {WORD(0xb940011f), 0, false}, /* ldr wzr, [x8] */
    {WORD(0xd65f03c0), 0, false}, /* ret */
};

size_t fake_archived_entry(uintptr_t at, uintptr_t target)
{
    return 0;
}

const struct fake_code fake_codes[] = {CODE("small frame", small_frame, 12), CODE("large frame", large_frame, 12), {0}};

void fake_call_before(uintptr_t pc)
{
    static const uint32_t bl = 0x94000010;
    memcpy((void *)(pc - sizeof bl), &bl, sizeof bl);
}

void fake_native_call_before(uintptr_t pc)
{
    fake_call_before(pc);
}

uint64_t fake_return_word(uintptr_t pc)
{
    register uint64_t link __asm__("x30") = pc;
    __asm__("hint #24" : "+r"(link)); /* paciaz */
    return link;
}

void fake_call(struct registers *at, uint64_t **sp, uintptr_t return_address)
{
    at->link = return_address;
    at->sp = (uintptr_t)*sp;
}

/* The frame record is at the low end, where the frame pointer points. */
void fake_native_frame(struct registers *at, uint64_t **sp, size_t words, uintptr_t return_address)
{
    *sp -= (words + 1) / 2 * 2 + 2;
    (*sp)[0] = at->fp;
    (*sp)[1] = fake_return_word(return_address);
    at->sp = at->fp = (uintptr_t)*sp;
    at->link = 0x1234;
}

#endif
