/* Decodes instructions of x86-64's newer vector extensions (VAES, VPCLMULQDQ, VBMI, VNNI, IFMA, GFNI, BITALG, moves of masks). Capstone
 * 4 does not know them, but HotSpot's stubs use them. They follow the rules of the encodings VEX and EVEX: Intel's manual, volume 2,
 * chapter 2. */
#ifndef CANDOR_ASM_DECODE_VECTOR_H
#define CANDOR_ASM_DECODE_VECTOR_H

#include "asm/decode.h"

/* Decodes such an instruction. Returns false if the bytes are none of these. text may be NULL. The bits of registers are as in
 * decode_capstone.c. */
bool asm_vector_decode(const uint8_t *bytes, size_t count, uint64_t address, enum asm_syntax syntax, struct asm_instruction *out,
                       char *text, size_t size);

#endif
