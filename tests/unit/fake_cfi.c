#include "fake_cfi.h"

#include <string.h>

static void put(struct fake_cfi *s, const void *bytes, size_t n)
{
    memcpy(s->bytes + s->length, bytes, n);
    s->length += (unsigned)n;
}

static void put_u32(struct fake_cfi *s, uint32_t v)
{
    put(s, &v, sizeof v);
}

static void close_entry(struct fake_cfi *s, unsigned from)
{
    while ((s->length - from) % 8)
        s->bytes[s->length++] = 0;
    uint32_t length = s->length - from - 4;
    memcpy(s->bytes + from, &length, sizeof length);
}

void fake_cfi(struct fake_cfi *s, const char *augmentation, const void *instructions, size_t n)
{
    const unsigned char header[] = {1, 0x1b, 0x03, 0x3b};
    /* DW_CFA_def_cfa sp, 8; DW_CFA_offset return, 1 * -8 */
    const unsigned char initial[] = {0x0c, FAKE_SP, 8, 0x80 | FAKE_RETURN, 1};
    memset(s, 0, sizeof *s);
    put(s, header, sizeof header);
    put_u32(s, 20);
    put_u32(s, 1);
    put_u32(s, FAKE_FUNCTION);
    put_u32(s, 0); /* the FDE's place, below */
    put_u32(s, 0);
    unsigned cie = s->length = 24;
    put_u32(s, 0);
    put_u32(s, 0);
    put(s, "\1", 1);
    put(s, augmentation, strlen(augmentation) + 1);
    put(s, (unsigned char[]){1, 0x78, FAKE_RETURN}, 3); /* units 1 and -8 */
    if (*augmentation)
        put(s, (unsigned char[]){1, 0x1b}, 2);
    put(s, initial, sizeof initial);
    close_entry(s, cie);
    unsigned fde = s->length;
    put_u32(s, 0);
    put_u32(s, s->length - cie);
    put_u32(s, FAKE_FUNCTION - s->length);
    put_u32(s, FAKE_FUNCTION_BYTES);
    if (*augmentation)
        put(s, "\0", 1);
    put(s, instructions, n);
    close_entry(s, fde);
    memcpy(s->bytes + 16, &fde, 4);
    uintptr_t at = (uintptr_t)s->bytes;
    s->module = (struct module){at + FAKE_FUNCTION, at + FAKE_FUNCTION + FAKE_FUNCTION_BYTES, at, at + 12, 1};
}
