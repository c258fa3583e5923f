/* Reads and writes the wire format of Protocol buffers, as far as profiles need it: fields in the order of the file, without a schema.
 *
 *   struct pb m = pb_init(bytes, size);
 *   for (struct pb_field f; pb_next(&m, &f);) switch (f.number) { ... }
 *   if (m.bad) the message is damaged
 *
 * Reading is safe for any bytes: it ends, and reads nothing outside them. Writing appends to a buffer. */
#ifndef CANDOR_BASE_PB_H
#define CANDOR_BASE_PB_H

#include "base/buffer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pb {
    const uint8_t *at, *end;
    bool bad;
};

enum pb_wire { PB_VARINT = 0, PB_FIXED64 = 1, PB_BYTES = 2, PB_FIXED32 = 5 };

struct pb_field {
    uint32_t number;
    enum pb_wire wire;
    uint64_t value;       /* the number; 0 for bytes */
    const uint8_t *bytes; /* the bytes of a PB_BYTES field, else an empty string */
    size_t size;
};

struct pb pb_init(const void *bytes, size_t size);
/* Reads the next field. Returns false at the end, and at the first damage, which sets `bad`. */
bool pb_next(struct pb *m, struct pb_field *f);
/* Returns the message that a field of bytes contains. */
struct pb pb_message(const struct pb_field *f);

/* Reads the numbers of a repeated field. They may be packed in one field, or each be in its own field. `rest` starts as pb_numbers(f). */
struct pb_numbers {
    struct pb packed;
    const struct pb_field *single; /* NULL = the numbers are packed, or this one was read */
    bool fixed;                    /* packed fixed64 */
};
struct pb_numbers pb_numbers(const struct pb_field *f);
struct pb_numbers pb_fixed64s(const struct pb_field *f);
bool pb_number(struct pb_numbers *rest, uint64_t *value);

void pb_put_varint(struct buffer *b, uint64_t v);
/* Writes a number, unless it is 0, because readers take a missing number as 0. */
void pb_put_uint(struct buffer *b, uint32_t number, uint64_t v);
/* Writes a number even if it is 0, for a field in which a missing number does not mean 0. */
void pb_put_present(struct buffer *b, uint32_t number, uint64_t v);
void pb_put_int(struct buffer *b, uint32_t number, int64_t v);
void pb_put_fixed64(struct buffer *b, uint32_t number, uint64_t v);
void pb_put_bytes(struct buffer *b, uint32_t number, const void *bytes, size_t size);
void pb_put_text(struct buffer *b, uint32_t number, const char *text);
/* Writes a message as a field of bytes. If the message's buffer has failed, b fails, too. */
void pb_put_message(struct buffer *b, uint32_t number, const struct buffer *message);

#endif
