#include "asm/decode_vector.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum prefix { NO_PREFIX, P66, PF3, PF2 };
enum width { W0, W1, WIG };

static const char *const general_names[] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
                                            "r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15"};

/* The operands of the fields reg, vvvv and rm, in this order: v a vector, k a mask, g a general register, e half of one, - none. part:
 * if the field reg is a part of the opcode, its value plus 1; otherwise 0. */
static const struct known {
    uint8_t map, prefix, opcode, w, part;
    const char *name, *operands;
} known[] = {
    {1, NO_PREFIX, 0x41, W1, 0, "kandq", "kkk"},    {1, NO_PREFIX, 0x42, W1, 0, "kandnq", "kkk"},
    {1, NO_PREFIX, 0x45, W1, 0, "korq", "kkk"},     {1, NO_PREFIX, 0x46, W1, 0, "kxnorq", "kkk"},
    {1, NO_PREFIX, 0x47, W1, 0, "kxorq", "kkk"},    {1, NO_PREFIX, 0x4a, W1, 0, "kaddq", "kkk"},
    {1, NO_PREFIX, 0x44, W1, 0, "knotq", "k-k"},    {1, NO_PREFIX, 0x90, W1, 0, "kmovq", "k-k"},
    {1, NO_PREFIX, 0x98, W1, 0, "kortestq", "k-k"}, {1, NO_PREFIX, 0x99, W1, 0, "ktestq", "k-k"},
    {1, P66, 0x41, W1, 0, "kandd", "kkk"},          {1, P66, 0x42, W1, 0, "kandnd", "kkk"},
    {1, P66, 0x45, W1, 0, "kord", "kkk"},           {1, P66, 0x46, W1, 0, "kxnord", "kkk"},
    {1, P66, 0x47, W1, 0, "kxord", "kkk"},          {1, P66, 0x4a, W1, 0, "kaddd", "kkk"},
    {1, P66, 0x44, W1, 0, "knotd", "k-k"},          {1, P66, 0x90, W1, 0, "kmovd", "k-k"},
    {1, P66, 0x98, W1, 0, "kortestd", "k-k"},       {1, P66, 0x99, W1, 0, "ktestd", "k-k"},
    {1, NO_PREFIX, 0x4b, W1, 0, "kunpckdq", "kkk"}, {3, P66, 0x31, W0, 0, "kshiftrd", "k-k"},
    {3, P66, 0x31, W1, 0, "kshiftrq", "k-k"},       {3, P66, 0x33, W0, 0, "kshiftld", "k-k"},
    {3, P66, 0x33, W1, 0, "kshiftlq", "k-k"},       {1, PF2, 0x92, W0, 0, "kmovd", "k-e"},
    {1, PF2, 0x93, W0, 0, "kmovd", "e-k"},          {1, PF2, 0x92, W1, 0, "kmovq", "k-g"},
    {1, PF2, 0x93, W1, 0, "kmovq", "g-k"},          {3, P66, 0x44, WIG, 0, "vpclmulqdq", "vvv"},
    {3, P66, 0xce, W1, 0, "vgf2p8affineqb", "vvv"}, {3, P66, 0xcf, W1, 0, "vgf2p8affineinvqb", "vvv"},
    {3, P66, 0x70, W1, 0, "vpshldw", "vvv"},        {3, P66, 0x71, W0, 0, "vpshldd", "vvv"},
    {3, P66, 0x71, W1, 0, "vpshldq", "vvv"},        {3, P66, 0x72, W1, 0, "vpshrdw", "vvv"},
    {3, P66, 0x73, W0, 0, "vpshrdd", "vvv"},        {3, P66, 0x73, W1, 0, "vpshrdq", "vvv"},
    {3, P66, 0x25, W0, 0, "vpternlogd", "vvv"},     {3, P66, 0x25, W1, 0, "vpternlogq", "vvv"},
    {3, P66, 0x43, W0, 0, "vshufi32x4", "vvv"},     {3, P66, 0x43, W1, 0, "vshufi64x2", "vvv"},
    {3, P66, 0x0f, WIG, 0, "vpalignr", "vvv"},      {3, P66, 0x50, W1, 0, "vrangepd", "vvv"},
    {3, P66, 0x50, W0, 0, "vrangeps", "vvv"},       {3, P66, 0x51, W1, 0, "vrangesd", "vvv"},
    {3, P66, 0x57, W1, 0, "vreducesd", "vvv"},      {3, P66, 0x57, W0, 0, "vreducess", "vvv"},
    {3, P66, 0x55, W1, 0, "vfixupimmsd", "vvv"},    {3, P66, 0x55, W0, 0, "vfixupimmss", "vvv"},
    {3, P66, 0x3e, W0, 0, "vpcmpub", "kvv"},        {3, P66, 0x3e, W1, 0, "vpcmpuw", "kvv"},
    {3, P66, 0x3f, W0, 0, "vpcmpb", "kvv"},         {3, P66, 0x3f, W1, 0, "vpcmpw", "kvv"},
    {3, P66, 0x66, W1, 0, "vfpclasspd", "k-v"},     {3, P66, 0x66, W0, 0, "vfpclassps", "k-v"},
    {3, P66, 0x67, W1, 0, "vfpclasssd", "k-v"},     {3, P66, 0x67, W0, 0, "vfpclassss", "k-v"},
    {3, P66, 0x26, W1, 0, "vgetmantpd", "v-v"},     {2, P66, 0xdc, WIG, 0, "vaesenc", "vvv"},
    {2, P66, 0xdd, WIG, 0, "vaesenclast", "vvv"},   {2, P66, 0xde, WIG, 0, "vaesdec", "vvv"},
    {2, P66, 0xdf, WIG, 0, "vaesdeclast", "vvv"},   {2, P66, 0x8d, W0, 0, "vpermb", "vvv"},
    {2, P66, 0x8d, W1, 0, "vpermw", "vvv"},         {2, P66, 0x75, W0, 0, "vpermi2b", "vvv"},
    {2, P66, 0x75, W1, 0, "vpermi2w", "vvv"},       {2, P66, 0x7d, W0, 0, "vpermt2b", "vvv"},
    {2, P66, 0x7d, W1, 0, "vpermt2w", "vvv"},       {2, P66, 0x83, W1, 0, "vpmultishiftqb", "vvv"},
    {2, P66, 0x50, W0, 0, "vpdpbusd", "vvv"},       {2, P66, 0x51, W0, 0, "vpdpbusds", "vvv"},
    {2, P66, 0x52, W0, 0, "vpdpwssd", "vvv"},       {2, P66, 0x53, W0, 0, "vpdpwssds", "vvv"},
    {2, P66, 0xb4, W1, 0, "vpmadd52luq", "vvv"},    {2, P66, 0xb5, W1, 0, "vpmadd52huq", "vvv"},
    {2, P66, 0x70, W1, 0, "vpshldvw", "vvv"},       {2, P66, 0x71, W0, 0, "vpshldvd", "vvv"},
    {2, P66, 0x71, W1, 0, "vpshldvq", "vvv"},       {2, P66, 0x72, W1, 0, "vpshrdvw", "vvv"},
    {2, P66, 0x73, W0, 0, "vpshrdvd", "vvv"},       {2, P66, 0x73, W1, 0, "vpshrdvq", "vvv"},
    {2, P66, 0xcf, W0, 0, "vgf2p8mulb", "vvv"},     {2, P66, 0x12, W1, 0, "vpsllvw", "vvv"},
    {2, P66, 0x10, W1, 0, "vpsrlvw", "vvv"},        {2, P66, 0x11, W1, 0, "vpsravw", "vvv"},
    {2, P66, 0x15, W0, 0, "vprolvd", "vvv"},        {2, P66, 0x15, W1, 0, "vprolvq", "vvv"},
    {2, P66, 0x14, W0, 0, "vprorvd", "vvv"},        {2, P66, 0x14, W1, 0, "vprorvq", "vvv"},
    {2, P66, 0x04, WIG, 0, "vpmaddubsw", "vvv"},    {2, P66, 0x00, WIG, 0, "vpshufb", "vvv"},
    {2, P66, 0x62, W0, 0, "vpexpandb", "v-v"},      {2, P66, 0x62, W1, 0, "vpexpandw", "v-v"},
    {2, P66, 0x63, W0, 0, "vpcompressb", "v-v"},    {2, P66, 0x63, W1, 0, "vpcompressw", "v-v"},
    {2, P66, 0x54, W0, 0, "vpopcntb", "v-v"},       {2, P66, 0x54, W1, 0, "vpopcntw", "v-v"},
    {2, P66, 0x55, W0, 0, "vpopcntd", "v-v"},       {2, P66, 0x55, W1, 0, "vpopcntq", "v-v"},
    {2, P66, 0x1c, WIG, 0, "vpabsb", "v-v"},        {2, P66, 0x1d, WIG, 0, "vpabsw", "v-v"},
    {2, P66, 0x42, W1, 0, "vgetexppd", "v-v"},      {2, P66, 0x42, W0, 0, "vgetexpps", "v-v"},
    {2, P66, 0x26, W0, 0, "vptestmb", "kvv"},       {2, P66, 0x26, W1, 0, "vptestmw", "kvv"},
    {2, PF3, 0x26, W0, 0, "vptestnmb", "kvv"},      {2, PF3, 0x26, W1, 0, "vptestnmw", "kvv"},
    {2, P66, 0x8f, W0, 0, "vpshufbitqmb", "kvv"},   {2, PF3, 0x29, W0, 0, "vpmovb2m", "k-v"},
    {2, PF3, 0x29, W1, 0, "vpmovw2m", "k-v"},       {2, PF3, 0x39, W0, 0, "vpmovd2m", "k-v"},
    {2, PF3, 0x39, W1, 0, "vpmovq2m", "k-v"},       {2, PF3, 0x28, W0, 0, "vpmovm2b", "v-k"},
    {2, PF3, 0x28, W1, 0, "vpmovm2w", "v-k"},       {2, PF3, 0x38, W0, 0, "vpmovm2d", "v-k"},
    {2, PF3, 0x38, W1, 0, "vpmovm2q", "v-k"},       {1, P66, 0x74, WIG, 0, "vpcmpeqb", "kvv"},
    {1, P66, 0x75, WIG, 0, "vpcmpeqw", "kvv"},      {1, P66, 0x64, WIG, 0, "vpcmpgtb", "kvv"},
    {1, P66, 0x65, WIG, 0, "vpcmpgtw", "kvv"},      {1, P66, 0xf6, WIG, 0, "vpsadbw", "vvv"},
    {1, P66, 0xd8, WIG, 0, "vpsubusb", "vvv"},      {1, P66, 0xd9, WIG, 0, "vpsubusw", "vvv"},
    {1, P66, 0xdc, WIG, 0, "vpaddusb", "vvv"},      {1, P66, 0xdd, WIG, 0, "vpaddusw", "vvv"},
    {1, P66, 0xf5, WIG, 0, "vpmaddwd", "vvv"},      {1, NO_PREFIX, 0x54, W0, 0, "vandps", "vvv"},
    {1, P66, 0x54, W1, 0, "vandpd", "vvv"},         {1, NO_PREFIX, 0x55, W0, 0, "vandnps", "vvv"},
    {1, P66, 0x55, W1, 0, "vandnpd", "vvv"},        {1, NO_PREFIX, 0x56, W0, 0, "vorps", "vvv"},
    {1, P66, 0x56, W1, 0, "vorpd", "vvv"},          {1, NO_PREFIX, 0x57, W0, 0, "vxorps", "vvv"},
    {1, P66, 0x57, W1, 0, "vxorpd", "vvv"},         {1, PF3, 0xe6, W1, 0, "vcvtqq2pd", "v-v"},
    {1, P66, 0x7a, W1, 0, "vcvttpd2qq", "v-v"},     {1, P66, 0x71, WIG, 3, "vpsrlw", "-vv"},
    {1, P66, 0x71, WIG, 5, "vpsraw", "-vv"},        {1, P66, 0x71, WIG, 7, "vpsllw", "-vv"},
    {1, P66, 0x72, W0, 1, "vprord", "-vv"},         {1, P66, 0x72, W0, 2, "vprold", "-vv"},
    {1, P66, 0x72, W1, 1, "vprorq", "-vv"},         {1, P66, 0x72, W1, 2, "vprolq", "-vv"},
    {1, P66, 0x73, WIG, 4, "vpsrldq", "-vv"},       {1, P66, 0x73, WIG, 8, "vpslldq", "-vv"},
};

/* The prefix before the opcode. Bits of register numbers have their meaning here; in the code they are stored inverted. */
struct vector {
    bool evex, w, zeroes, broadcast;
    unsigned map, prefix, length; /* 0 = 128 bits, 1 = 256, 2 = 512 */
    unsigned r, x, b, r_high, v;  /* r, x, b, r_high: 0 or 1; v: the whole register */
    unsigned mask;
    unsigned at; /* index of the opcode */
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
    return i->map >= 1 && i->map <= 3;
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
    return i->length < 3 && i->map && i->map != 4 && i->map != 7;
}

static const struct known *find(const struct vector *i, uint8_t opcode, uint8_t modrm)
{
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (known[k].map == i->map && known[k].prefix == i->prefix && known[k].opcode == opcode &&
            (known[k].w == WIG || known[k].w == i->w) && (!known[k].part || known[k].part == (modrm >> 3 & 7) + 1))
            return &known[k];
    return NULL;
}

/* Whether the instruction has an immediate, which follows from the map of opcodes and the opcode. */
static bool has_immediate(const struct vector *i, uint8_t opcode)
{
    return i->map == 3 || (i->map == 1 && ((opcode >= 0x70 && opcode <= 0x73) || opcode == 0xc2 || (opcode >= 0xc4 && opcode <= 0xc6)));
}

/* Writes the instruction's name. Without a known name it is the encoding, "evex.66.0f38.w1:30", which determines the length and the
 * registers. */
static void name_of(const struct vector *i, const struct known *what, uint8_t opcode, char *out, size_t size)
{
    static const char *const prefixes[] = {"np", "66", "f3", "f2"}, *const maps[] = {"", "0f", "0f38", "0f3a", "", "map5", "map6", ""};
    if (what)
        snprintf(out, size, "%s", what->name);
    else
        snprintf(out, size, "%s.%s.%s.w%d:%02x", i->evex ? "evex" : "vex", prefixes[i->prefix], maps[i->map], i->w, opcode);
}

enum { ADDRESS_MAX = 64 };

/* An operand in memory, or a register. */
struct operand {
    char kind;
    unsigned number;
    bool memory;
    char text[ADDRESS_MAX]; /* the address of an operand in memory */
};

struct address {
    int base, index; /* -1 = none */
    unsigned scale;
    int32_t displacement;
    bool relative; /* the address is relative to the next instruction */
};

/* Writes "+ 0x10", "- 0x8", or nothing. */
static void print_displacement(int32_t v, char *out, size_t size)
{
    out[0] = 0;
    if (v)
        snprintf(out, size, " %c %#" PRIx64, v < 0 ? '-' : '+', v < 0 ? -(int64_t)v : (int64_t)v);
}

static void print_address(const struct address *a, uint64_t next, enum asm_syntax syntax, char *out)
{
    const char *base = a->base < 0 ? "" : general_names[a->base], *index = a->index < 0 ? "" : general_names[a->index];
    char displacement[24];
    print_displacement(a->displacement, displacement, sizeof displacement);
    if (a->relative)
        snprintf(out, ADDRESS_MAX, syntax == ASM_ATT ? "0x%" PRIx64 : "[0x%" PRIx64 "]", next + (uint64_t)(int64_t)a->displacement);
    else if (syntax == ASM_ATT && *index)
        snprintf(out, ADDRESS_MAX, "%" PRId32 "(%s%s,%%%s,%u)", a->displacement, *base ? "%" : "", base, index, a->scale);
    else if (syntax == ASM_ATT)
        snprintf(out, ADDRESS_MAX, "%" PRId32 "(%s%s)", a->displacement, *base ? "%" : "", base);
    else if (*index)
        snprintf(out, ADDRESS_MAX, "[%s%s%s*%u%s]", base, *base ? " + " : "", index, a->scale, displacement);
    else
        snprintf(out, ADDRESS_MAX, "[%s%s]", base, displacement);
}

/* Returns the factor by which EVEX multiplies a short displacement: the number of loaded bytes. */
static int32_t unit_of(const struct vector *i)
{
    return !i->evex ? 1 : i->broadcast ? (i->w ? 8 : 4) : 16 << i->length;
}

/* Reads the operand rm, which may be in memory, at bytes[*at], and advances *at. */
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
    if (o->kind == 'e' && (o->number & 15) < 8)
        return snprintf(out, size, "%se%s", sign, general_names[o->number & 15] + 1);
    if (o->kind == 'e')
        return snprintf(out, size, "%s%sd", sign, general_names[o->number & 15]);
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

/* Writes an instruction. immediate: -1 = none. */
static void print(const struct vector *i, const char *name, const struct operand *operands, int immediate, enum asm_syntax syntax,
                  char *out, size_t size)
{
    char mask[16], one[ADDRESS_MAX];
    size_t used = (size_t)snprintf(out, size, "%s ", name);
    const char *between = "";
    print_mask(i, syntax, mask, sizeof mask);
    if (immediate >= 0 && syntax == ASM_ATT) {
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
    if (immediate >= 0 && syntax != ASM_ATT && used < size)
        snprintf(out + used, size - used, ", %#x", (unsigned)immediate);
}

static void take_registers(const struct vector *i, const struct operand *operands, const struct address *a, struct asm_instruction *out)
{
    int written = operands[0].kind == '-';
    out->writes = bit_of(&operands[written]);
    for (int k = written + 1; k < 3; k++)
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
    char name[32];
    if (!count || !(bytes[0] == 0x62 ? read_evex(bytes, count, &i) : (bytes[0] | 1) == 0xc5 && read_vex(bytes, count, &i)) ||
        i.at + 2 > count)
        return false;
    uint8_t opcode = bytes[i.at], modrm = bytes[i.at + 1];
    const struct known *what = find(&i, opcode, modrm);
    const char *kinds = what ? what->operands : i.v ? "vvv" : "v-v"; /* if an instruction does not use the field vvvv, the field is 0 */
    unsigned at = i.at + 1, number, reg = (modrm >> 3 & 7) | i.r << 3 | i.r_high << 4;
    bool memory = modrm >> 6 != 3, immediate = has_immediate(&i, opcode);
    if ((!i.evex && !what) || !read_rm(&i, bytes, count, &at, &a, &number) || at + immediate > count)
        return false;
    struct operand operands[3] = {
        {.kind = kinds[0], .number = reg}, {.kind = kinds[1], .number = i.v}, {.kind = kinds[2], .number = number, .memory = memory}};
    *out = (struct asm_instruction){.size = (uint8_t)(at + immediate)};
    take_registers(&i, operands, &a, out);
    if (!text)
        return true;
    if (memory)
        print_address(&a, address + at + immediate, syntax, operands[2].text);
    name_of(&i, what, opcode, name, sizeof name);
    print(&i, name, operands, immediate ? bytes[at] : -1, syntax, text, size);
    return true;
}
