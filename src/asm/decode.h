/* Decodes machine instructions of x86-64 and AArch64. A few bytes of code become facts and text. Whatever the bytes are, nothing beyond
 * them is read. A decoder has one owner at a time. */
#ifndef CANDOR_ASM_DECODE_H
#define CANDOR_ASM_DECODE_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum asm_flow { ASM_NEXT, ASM_JUMP, ASM_BRANCH, ASM_CALL, ASM_RETURN };

/* The purpose of an instruction for the JVM, as far as the instruction alone shows it. */
enum asm_mark {
    ASM_MARK_NONE,
    ASM_MARK_POLL,        /* a load from an address that has no page while threads must stop */
    ASM_MARK_RETURN_POLL, /* a comparison of the stack pointer with the thread's poll word */
    ASM_MARK_CARD_INDEX,  /* an address shifted to the number of its card */
    ASM_MARK_BYTE_STORE   /* a store of a byte; after a card's index it marks the card */
};

enum { ASM_INSTRUCTION_BYTES_MAX = 15, ASM_INSTRUCTION_TEXT_MAX = 192 };

struct asm_instruction {
    uint8_t size;
    enum asm_flow flow;
    enum asm_mark mark;
    bool loads;             /* it loads from memory */
    bool slow;              /* a division, a square root or a similar instruction, which takes tens of cycles */
    uint64_t target;        /* target of a jump, branch or call to a fixed address; otherwise 0 */
    uint64_t reads, writes; /* registers, one bit each; the numbers depend on the processor; bit 63: the flags */
};

enum asm_processor { ASM_X86_64, ASM_AARCH64, ASM_PROCESSORS };
enum asm_syntax { ASM_INTEL, ASM_ATT }; /* AArch64 has only one syntax */

/* The functions of a decoder's implementation. */
struct asm_backend {
    int (*begin)(void **state, enum asm_processor processor, enum asm_syntax syntax); /* returns 0 or a negative errno */
    bool (*decode)(void *state, const uint8_t *bytes, size_t count, uint64_t address, struct asm_instruction *out);
    /* Writes the instruction as text that ends with a zero byte. */
    bool (*print)(void *state, const uint8_t *bytes, size_t count, uint64_t address, char *text, size_t size);
    void (*end)(void *state);
};
extern const struct asm_backend asm_capstone;

struct asm_decoder {
    const struct asm_backend *backend;
    void *state;
    enum asm_processor processor;
};

/* Makes a decoder. processor: x86_64 or aarch64. Returns 0, or a negative code with e. */
int asm_decoder_init(struct asm_decoder *d, const char *processor, enum asm_syntax syntax, struct error *e);
void asm_decoder_deinit(struct asm_decoder *d);
/* Decodes the instruction at the beginning of the bytes. Returns false if they are not an instruction. */
bool asm_decode(struct asm_decoder *d, const uint8_t *bytes, size_t count, uint64_t address, struct asm_instruction *out);
/* Writes the instruction as text, or ".byte 0x.." if the bytes are not an instruction. */
void asm_print(struct asm_decoder *d, const uint8_t *bytes, size_t count, uint64_t address, char *text, size_t size);

#endif
