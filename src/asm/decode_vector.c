#include "asm/decode_vector.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum prefix { NO_PREFIX, P66, PF3, PF2 };
enum width { W0, W1, WIG };

static const char *const general_names[] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
                                            "r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15"};

/* Operands: of the field reg, of vvvv, of rm; v a vector, k a mask, g a general register, - none. */
static const struct known {
    uint8_t map, prefix, opcode, w;
    const char *name, *operands;
    bool immediate;
} known[] = {
    {1, PF2, 0x92, W1, "kmovq", "k-g", false},     {1, PF2, 0x93, W1, "kmovq", "g-k", false},
    {3, P66, 0x44, WIG, "vpclmulqdq", "vvv", true}, {3, P66, 0xce, W1, "vgf2p8affineqb", "vvv", true},
    {3, P66, 0xcf, W1, "vgf2p8affineinvqb", "vvv", true},
    {3, P66, 0x70, W1, "vpshldw", "vvv", true},    {3, P66, 0x71, W0, "vpshldd", "vvv", true},
    {3, P66, 0x71, W1, "vpshldq", "vvv", true},    {3, P66, 0x72, W1, "vpshrdw", "vvv", true},
    {3, P66, 0x73, W0, "vpshrdd", "vvv", true},    {3, P66, 0x73, W1, "vpshrdq", "vvv", true},
    {2, P66, 0xdc, WIG, "vaesenc", "vvv", false},  {2, P66, 0xdd, WIG, "vaesenclast", "vvv", false},
    {2, P66, 0xde, WIG, "vaesdec", "vvv", false},  {2, P66, 0xdf, WIG, "vaesdeclast", "vvv", false},
    {2, P66, 0x8d, W0, "vpermb", "vvv", false},    {2, P66, 0x75, W0, "vpermi2b", "vvv", false},
    {2, P66, 0x7d, W0, "vpermt2b", "vvv", false},  {2, P66, 0x83, W1, "vpmultishiftqb", "vvv", false},
    {2, P66, 0x62, W0, "vpexpandb", "v-v", false}, {2, P66, 0x62, W1, "vpexpandw", "v-v", false},
    {2, P66, 0x63, W0, "vpcompressb", "v-v", false}, {2, P66, 0x63, W1, "vpcompressw", "v-v", false},
    {2, P66, 0x54, W0, "vpopcntb", "v-v", false},  {2, P66, 0x54, W1, "vpopcntw", "v-v", false},
    {2, P66, 0x55, W0, "vpopcntd", "v-v", false},  {2, P66, 0x55, W1, "vpopcntq", "v-v", false},
    {2, P66, 0x50, W0, "vpdpbusd", "vvv", false},  {2, P66, 0x51, W0, "vpdpbusds", "vvv", false},
    {2, P66, 0x52, W0, "vpdpwssd", "vvv", false},  {2, P66, 0x53, W0, "vpdpwssds", "vvv", false},
    {2, P66, 0xb4, W1, "vpmadd52luq", "vvv", false}, {2, P66, 0xb5, W1, "vpmadd52huq", "vvv", false},
    {2, P66, 0x70, W1, "vpshldvw", "vvv", false},  {2, P66, 0x71, W0, "vpshldvd", "vvv", false},
    {2, P66, 0x71, W1, "vpshldvq", "vvv", false},  {2, P66, 0x72, W1, "vpshrdvw", "vvv", false},
    {2, P66, 0x73, W0, "vpshrdvd", "vvv", false},  {2, P66, 0x73, W1, "vpshrdvq", "vvv", false},
    {2, P66, 0xcf, W0, "vgf2p8mulb", "vvv", false}, {2, P66, 0x8f, W0, "vpshufbitqmb", "kvv", false},
};

/* What stands in front of the opcode; bits of register numbers as they are meant, not inverted as they are stored. */
struct vector {
    bool evex, w, zeroes, broadcast;
    unsigned map, prefix, length; /* 0 = 128 bits, 1 = 256, 2 = 512 */
    unsigned r, x, b, r_high, v;  /* r, x, b, r_high: 0 or 1; v: the whole register */
    unsigned mask;
    unsigned at; /* where the opcode is */
};

static bool read_vex(const uint8_t *bytes, size_t count, struct vector *i)
{
    if (count < 2)
        return false;
    bool three = bytes[0] == 0xc4;
    if (three && count < 3)
        return false;
    uint8_t last = bytes[three ? 2 : 1];
    *i = (struct vector){.map = three ? bytes[1] & 31 : 1,
                         .r = !(bytes[1] & 0x80),
                         .x = three && !(bytes[1] & 0x40),
                         .b = three && !(bytes[1] & 0x20),
                         .w = three && last & 0x80,
                         .v = ~last >> 3 & 15,
                         .length = last >> 2 & 1,
                         .prefix = last & 3,
                         .at = three ? 3 : 2};
    return true;
}

static bool read_evex(const uint8_t *bytes, size_t count, struct vector *i)
{
    if (count < 4 || bytes[1] & 8 || !(bytes[2] & 4))
        return false;
    *i = (struct vector){.evex = true,
                         .map = bytes[1] & 7,
                         .r = !(bytes[1] & 0x80),
                         .x = !(bytes[1] & 0x40),
                         .b = !(bytes[1] & 0x20),
                         .r_high = !(bytes[1] & 0x10),
                         .w = bytes[2] & 0x80,
                         .v = (~bytes[2] >> 3 & 15) | (bytes[3] & 8 ? 0 : 16),
                         .prefix = bytes[2] & 3,
                         .zeroes = bytes[3] & 0x80,
                         .length = bytes[3] >> 5 & 3,
                         .broadcast = bytes[3] & 0x10,
                         .mask = bytes[3] & 7,
                         .at = 4};
    return i->length < 3;
}

static const struct known *find(const struct vector *i, uint8_t opcode)
{
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (known[k].map == i->map && known[k].prefix == i->prefix && known[k].opcode == opcode &&
            (known[k].w == WIG || known[k].w == i->w))
            return &known[k];
    return NULL;
}

enum { ADDRESS_MAX = 64 };

/* An operand in memory, or a register. */
struct operand {
    char kind;
    unsigned number;
    bool memory;
    char text[ADDRESS_MAX]; /* of memory */
};

struct address {
    int base, index; /* -1 = none */
    unsigned scale;
    int32_t displacement;
    bool relative; /* to the next instruction */
};

static void print_address(const struct address *a, uint64_t next, enum asm_syntax syntax, char *out)
{
    const char *base = a->base < 0 ? "" : general_names[a->base], *index = a->index < 0 ? "" : general_names[a->index];
    if (a->relative)
        snprintf(out, ADDRESS_MAX, syntax == ASM_ATT ? "0x%" PRIx64 : "[0x%" PRIx64 "]", next + (uint64_t)(int64_t)a->displacement);
    else if (syntax == ASM_ATT && *index)
        snprintf(out, ADDRESS_MAX, "%" PRId32 "(%s%s,%%%s,%u)", a->displacement, *base ? "%" : "", base, index, a->scale);
    else if (syntax == ASM_ATT)
        snprintf(out, ADDRESS_MAX, "%" PRId32 "(%s%s)", a->displacement, *base ? "%" : "", base);
    else if (*index)
        snprintf(out, ADDRESS_MAX, "[%s%s%s*%u %c %#" PRIx32 "]", base, *base ? " + " : "", index, a->scale,
                 a->displacement < 0 ? '-' : '+', (uint32_t)(a->displacement < 0 ? -a->displacement : a->displacement));
    else
        snprintf(out, ADDRESS_MAX, "[%s %c %#" PRIx32 "]", base, a->displacement < 0 ? '-' : '+',
                 (uint32_t)(a->displacement < 0 ? -a->displacement : a->displacement));
}

/* What EVEX multiplies a short displacement with: as many bytes as are loaded. */
static int32_t unit_of(const struct vector *i)
{
    return !i->evex ? 1 : i->broadcast ? (i->w ? 8 : 4) : 16 << i->length;
}

/* The operand rm, which may be in memory, at bytes[*at], behind which *at moves. */
static bool read_rm(const struct vector *i, const uint8_t *bytes, size_t count, unsigned *at, struct address *a, unsigned *number)
{
    uint8_t modrm = bytes[(*at)++];
    unsigned mod = modrm >> 6, rm = modrm & 7;
    *a = (struct address){-1, -1, 1, 0, false};
    *number = rm | i->b << 3 | (i->evex ? i->x << 4 : 0);
    if (mod == 3)
        return true;
    if (rm == 4) {
        if (*at >= count)
            return false;
        uint8_t sib = bytes[(*at)++];
        unsigned index = (sib >> 3 & 7) | i->x << 3;
        a->scale = 1u << (sib >> 6);
        a->index = index == 4 ? -1 : (int)index;
        a->base = (sib & 7) == 5 && !mod ? -1 : (int)((sib & 7) | i->b << 3);
    } else
        a->base = rm == 5 && !mod ? -1 : (int)(rm | i->b << 3);
    a->relative = rm == 5 && !mod;
    unsigned bytes_of = mod == 1 ? 1 : mod == 2 || a->base < 0 ? 4 : 0;
    if (*at + bytes_of > count)
        return false;
    if (bytes_of == 1)
        a->displacement = (int8_t)bytes[*at] * unit_of(i);
    else if (bytes_of == 4)
        memcpy(&a->displacement, bytes + *at, 4);
    *at += bytes_of;
    return true;
}

static uint64_t bit_of(const struct operand *o)
{
    return UINT64_C(1) << (o->kind == 'v' ? 16 + (o->number & 31) : o->kind == 'k' ? 48 + (o->number & 7) : (o->number & 15));
}

static int print_operand(const struct vector *i, const struct operand *o, enum asm_syntax syntax, char *out, size_t size)
{
    static const char *const vectors[] = {"xmm", "ymm", "zmm"};
    const char *sign = syntax == ASM_ATT && !o->memory ? "%" : "";
    if (o->memory)
        return snprintf(out, size, "%s", o->text);
    if (o->kind == 'g')
        return snprintf(out, size, "%s%s", sign, general_names[o->number & 15]);
    if (o->kind == 'k')
        return snprintf(out, size, "%sk%u", sign, o->number & 7);
    return snprintf(out, size, "%s%s%u", sign, vectors[i->length], o->number);
}

static void print_mask(const struct vector *i, enum asm_syntax syntax, char *out, size_t size)
{
    out[0] = 0;
    if (i->mask)
        snprintf(out, size, "{%sk%u}%s", syntax == ASM_ATT ? "%" : "", i->mask, i->zeroes ? "{z}" : "");
}

static void print(const struct vector *i, const struct known *what, const struct operand *operands, int immediate,
                  enum asm_syntax syntax, char *out, size_t size)
{
    char mask[16], one[ADDRESS_MAX];
    size_t used = (size_t)snprintf(out, size, "%s ", what->name);
    const char *between = "";
    print_mask(i, syntax, mask, sizeof mask);
    if (what->immediate && syntax == ASM_ATT) {
        used += (size_t)snprintf(out + used, used < size ? size - used : 0, "$%#x", (unsigned)immediate);
        between = ", ";
    }
    for (int k = 0; k < 3; k++) {
        const struct operand *o = &operands[syntax == ASM_ATT ? 2 - k : k];
        if (o->kind == '-' || used >= size)
            continue;
        print_operand(i, o, syntax, one, sizeof one);
        used += (size_t)snprintf(out + used, size - used, "%s%s%s", between, one, o == operands ? mask : "");
        between = ", ";
    }
    if (what->immediate && syntax != ASM_ATT && used < size)
        snprintf(out + used, size - used, ", %#x", (unsigned)immediate);
}

static void take_registers(const struct vector *i, const struct operand *operands, const struct address *a, struct asm_instruction *out)
{
    out->writes = operands[0].kind == '-' ? 0 : bit_of(&operands[0]);
    for (int k = 1; k < 3; k++)
        if (operands[k].kind != '-' && !operands[k].memory)
            out->reads |= bit_of(&operands[k]);
    if (a->base >= 0)
        out->reads |= UINT64_C(1) << a->base;
    if (a->index >= 0)
        out->reads |= UINT64_C(1) << a->index;
    if (i->mask)
        out->reads |= UINT64_C(1) << (48 + i->mask);
    out->loads = operands[2].memory;
}

bool asm_vector_decode(const uint8_t *bytes, size_t count, uint64_t address, enum asm_syntax syntax, struct asm_instruction *out,
                       char *text, size_t size)
{
    struct vector i;
    struct address a;
    if (!count || !(bytes[0] == 0x62 ? read_evex(bytes, count, &i) : (bytes[0] | 1) == 0xc5 && read_vex(bytes, count, &i)) ||
        i.at + 2 > count)
        return false;
    const struct known *what = find(&i, bytes[i.at]);
    if (!what)
        return false;
    unsigned at = i.at + 1, number;
    unsigned reg = (bytes[at] >> 3 & 7) | i.r << 3 | i.r_high << 4;
    bool memory = bytes[at] >> 6 != 3;
    if (!read_rm(&i, bytes, count, &at, &a, &number) || at + what->immediate > count)
        return false;
    int immediate = what->immediate ? bytes[at] : 0;
    at += what->immediate;
    struct operand operands[3] = {{.kind = what->operands[0], .number = reg},
                                  {.kind = what->operands[1], .number = i.v},
                                  {.kind = what->operands[2], .number = number, .memory = memory}};
    *out = (struct asm_instruction){.size = (uint8_t)at};
    take_registers(&i, operands, &a, out);
    if (!text)
        return true;
    if (memory)
        print_address(&a, address + at, syntax, operands[2].text);
    print(&i, what, operands, immediate, syntax, text, size);
    return true;
}
