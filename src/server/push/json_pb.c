#include "server/push/json_pb.h"

#include "base/text/number.h"
#include "base/pb.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH = 16 };

static int bad(const struct json_pb_field *f, const char *wanted, struct error *e)
{
    return error_set(e, -EINVAL, "%s: not %s", f->name, wanted);
}

/* ---- bytes ---- */

static int digit64(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    return c == '+' || c == '-' ? 62 : c == '/' || c == '_' ? 63 : -1;
}

/* Decodes both alphabets, with or without padding. */
static bool from_base64(struct buffer *out, const char *text, size_t n)
{
    uint32_t bits = 0;
    size_t digits = n;
    while (digits && text[digits - 1] == '=')
        digits--;
    if (n - digits > 2 || digits % 4 == 1)
        return false;
    for (size_t i = 0; i < digits; i++) {
        int digit = digit64(text[i]);
        if (digit < 0)
            return false;
        bits = bits << 6 | (uint32_t)digit;
        if (i % 4)
            buffer_u8(out, (uint8_t)(bits >> (6 - 2 * (i % 4))));
    }
    return true;
}

static bool from_hex(struct buffer *out, const char *text, size_t n)
{
    if (n % 2)
        return false;
    for (size_t i = 0; i < n; i += 2) {
        int high = number_hex_digit(text[i]), low = number_hex_digit(text[i + 1]);
        if (high < 0 || low < 0)
            return false;
        buffer_u8(out, (uint8_t)(high << 4 | low));
    }
    return true;
}

static int put_bytes(struct buffer *out, const struct json_pb_field *f, const json_t *value, struct error *e)
{
    if (!json_is_string(value))
        return bad(f, "a text", e);
    const char *text = json_string_value(value);
    size_t n = json_string_length(value);
    struct buffer bytes;
    if (f->kind == JSON_PB_TEXT) {
        pb_put_bytes(out, f->number, text, n);
        return 0;
    }
    buffer_init(&bytes, n + 1);
    bool good = f->kind == JSON_PB_HEX ? from_hex(&bytes, text, n) : from_base64(&bytes, text, n);
    if (good)
        pb_put_message(out, f->number, &bytes);
    buffer_deinit(&bytes);
    return good ? 0 : bad(f, f->kind == JSON_PB_HEX ? "hexadecimal" : "base64", e);
}

/* ---- numbers ---- */

static bool to_int(const json_t *value, uint64_t *out)
{
    const char *text = json_string_value(value);
    double number = json_number_value(value);
    if (json_is_integer(value) || json_is_boolean(value)) {
        *out = json_is_boolean(value) ? json_is_true(value) : (uint64_t)json_integer_value(value);
        return true;
    }
    if (!text) {
        *out = number >= 0 && number < 0x1p64 ? (uint64_t)number : (uint64_t)(int64_t)(fabs(number) < 0x1p63 ? number : 0);
        return json_is_real(value) && number == trunc(number) && number > -0x1p63 && number < 0x1p64;
    }
    int64_t below_zero;
    if (*text != '-')
        return !number_parse(text, 0, UINT64_MAX, out);
    if (number_parse_signed(text, INT64_MIN, -1, &below_zero))
        return false;
    *out = (uint64_t)below_zero;
    return true;
}

static int put_number(struct buffer *out, const struct json_pb_field *f, const json_t *value, bool packed, struct error *e)
{
    uint64_t number;
    if (f->kind == JSON_PB_DOUBLE) {
        double v = json_number_value(value);
        memcpy(&number, &v, sizeof number);
        pb_put_fixed64(out, f->number, number);
        return json_is_number(value) ? 0 : bad(f, "a number", e);
    }
    if (!to_int(value, &number))
        return bad(f, "a whole number", e);
    if (f->kind == JSON_PB_FIXED64 && packed)
        for (int i = 0; i < 64; i += 8)
            buffer_u8(out, (uint8_t)(number >> i));
    else if (f->kind == JSON_PB_FIXED64)
        pb_put_fixed64(out, f->number, number);
    else if (packed)
        pb_put_varint(out, number);
    else
        pb_put_present(out, f->number, number);
    return 0;
}

/* ---- messages ---- */

static int put_object(struct buffer *out, const struct json_pb_field *fields, const json_t *object, int depth, struct error *e);

static int put_message(struct buffer *out, const struct json_pb_field *f, const json_t *value, int depth, struct error *e)
{
    struct buffer inner;
    if (!json_is_object(value))
        return bad(f, "an object", e);
    if (depth == DEPTH)
        return error_set(e, -EINVAL, "%s: objects are nested more than %d deep", f->name, DEPTH);
    buffer_init(&inner, out->max);
    int rc = put_object(&inner, f->of, value, depth + 1, e);
    if (!rc)
        pb_put_message(out, f->number, &inner);
    buffer_deinit(&inner);
    return rc;
}

static int put_one(struct buffer *out, const struct json_pb_field *f, const json_t *value, int depth, struct error *e)
{
    if (f->kind == JSON_PB_MESSAGE)
        return put_message(out, f, value, depth, e);
    return f->kind <= JSON_PB_HEX ? put_bytes(out, f, value, e) : put_number(out, f, value, false, e);
}

/* Writes a list. A list of numbers becomes one packed field. */
static int put_list(struct buffer *out, const struct json_pb_field *f, const json_t *list, int depth, struct error *e)
{
    bool packed = f->kind == JSON_PB_INT || f->kind == JSON_PB_FIXED64;
    struct buffer numbers;
    int rc = 0;
    buffer_init(&numbers, out->max);
    for (size_t i = 0; !rc && i < json_array_size(list); i++) {
        const json_t *one = json_array_get(list, i);
        rc = packed ? put_number(&numbers, f, one, true, e) : put_one(out, f, one, depth, e);
    }
    if (numbers.len || numbers.failed)
        pb_put_message(out, f->number, &numbers);
    buffer_deinit(&numbers);
    return rc;
}

/* Finds a member by its name, for example "labelSet", or else by its other spelling, "label_set". */
static json_t *find(const json_t *object, const char *name)
{
    char plain[64];
    size_t n = 0;
    json_t *value = json_object_get(object, name);
    for (; !value && *name && n + 2 < sizeof plain; name++) {
        if (*name >= 'A' && *name <= 'Z')
            plain[n++] = '_';
        plain[n++] = *name >= 'A' && *name <= 'Z' ? (char)(*name - 'A' + 'a') : *name;
    }
    plain[n] = 0;
    value = value ? value : json_object_get(object, plain);
    return json_is_null(value) ? NULL : value;
}

static int put_object(struct buffer *out, const struct json_pb_field *fields, const json_t *object, int depth, struct error *e)
{
    int rc = 0;
    for (const struct json_pb_field *f = fields; !rc && f->name; f++) {
        const json_t *value = find(object, f->name);
        if (value)
            rc = json_is_array(value) ? put_list(out, f, value, depth, e) : put_one(out, f, value, depth, e);
    }
    return rc;
}

int json_pb_write(struct buffer *out, const struct json_pb_field *fields, const char *text, size_t n, struct error *e)
{
    json_error_t problem;
    if (n > JSON_PB_MAX)
        return error_set(e, -EFBIG, "more than %d bytes of JSON; send protocol buffers", JSON_PB_MAX);
    json_t *json = json_loadb(text, n, 0, &problem);
    int rc = json_is_object(json) ? put_object(out, fields, json, 0, e) : error_set(e, -EINVAL, "the message is not a JSON object");
    json_decref(json);
    return !rc && out->failed ? error_set(e, -ENOMEM, "out of memory") : rc;
}
