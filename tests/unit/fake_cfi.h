/* An .eh_frame section written by hand, which describes one function. */
#ifndef TESTS_FAKE_CFI_H
#define TESTS_FAKE_CFI_H

#include "agent/hot/unwind/module.h"

#include <stddef.h>

enum { FAKE_FUNCTION = 0x100000, FAKE_FUNCTION_BYTES = 0x100 }; /* the address in the section; nothing is read there */

#if defined(__x86_64__)
enum { FAKE_RETURN = 16, FAKE_FP = 6, FAKE_SP = 7, FAKE_OTHER = 3 };
#else
enum { FAKE_RETURN = 30, FAKE_FP = 29, FAKE_SP = 31, FAKE_OTHER = 19 };
#endif

/* A search table, a CIE (CFA = sp + 8, the return address at CFA - 8), and an FDE. It must not move. */
struct fake_cfi {
    unsigned char bytes[1 << 17];
    unsigned length;
    struct module module;
};

/* augmentation: "zR" and similar ones, or "". */
void fake_cfi(struct fake_cfi *s, const char *augmentation, const void *instructions, size_t n);

#define FAKE_INSTRUCTIONS(...) (const unsigned char[]){__VA_ARGS__}, sizeof((const unsigned char[]){__VA_ARGS__})

#endif
