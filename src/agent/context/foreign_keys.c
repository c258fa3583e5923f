#include "agent/context/foreign_keys.h"

#include "agent/context/publish.h"
#include "agent/hot/load.h"
#include "base/text/number.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { PAYLOAD_MAX = 1 << 16, VERSION = 2, LINE_BYTES = 1024 };
enum { AT_VERSION = 8, AT_SIZE = 12, AT_TIME = 16, AT_PAYLOAD = 24 };

static struct {
    char names[FOREIGN_KEYS_MAX][FOREIGN_KEY_BYTES_MAX + 1]; /* "" = none */
    uint32_t count;
    bool is_known_form;
    uintptr_t mapping;     /* where it was found; 0 = not yet */
    uint64_t published_at; /* of the payload that was read; 0 = none */
} keys = {.is_known_form = true};

/* ---- protobuf ---- */

struct bytes {
    const uint8_t *at, *end;
};

struct field {
    uint64_t number;
    struct bytes content; /* of a text or a message; of other fields nothing */
};

enum { AS_VARINT, AS_64_BITS, AS_BYTES, AS_32_BITS = 5 };
enum { CONTEXT_ATTRIBUTES = 2, PAIR_KEY = 1, PAIR_VALUE = 2, ANY_STRING = 1, ANY_ARRAY = 5, ARRAY_VALUES = 1 };

static bool take_varint(struct bytes *b, uint64_t *v)
{
    *v = 0;
    for (unsigned shift = 0; b->at < b->end && shift < 64; shift += 7) {
        *v |= (uint64_t)(*b->at & 0x7f) << shift;
        if (!(*b->at++ & 0x80))
            return true;
    }
    return false;
}

static bool take_bytes(struct bytes *b, uint64_t size, struct bytes *out)
{
    if (size > (uint64_t)(b->end - b->at))
        return false;
    *out = (struct bytes){b->at, b->at + size};
    b->at += size;
    return true;
}

/* Returns false at the end, and at what is not protobuf. */
static bool take_field(struct bytes *b, struct field *f)
{
    uint64_t tag, number;
    struct bytes skipped;
    *f = (struct field){0};
    if (!take_varint(b, &tag))
        return false;
    f->number = tag >> 3;
    switch (tag & 7) {
    case AS_VARINT:
        return take_varint(b, &number);
    case AS_64_BITS:
        return take_bytes(b, 8, &skipped);
    case AS_32_BITS:
        return take_bytes(b, 4, &skipped);
    case AS_BYTES:
        return take_varint(b, &number) && take_bytes(b, number, &f->content);
    default:
        return false;
    }
}

/* Returns the content of the last field with this number; nothing if there is none. */
static struct bytes field_of(struct bytes message, uint64_t number)
{
    struct bytes last = {0};
    for (struct field f; take_field(&message, &f);)
        if (f.number == number)
            last = f.content;
    return last;
}

static bool is_text(struct bytes b, const char *text)
{
    size_t size = (size_t)(b.end - b.at);
    return size == strlen(text) && !memcmp(b.at, text, size);
}

/* ---- the payload ---- */

static bool is_name(struct bytes b)
{
    if (b.end == b.at || b.end - b.at > FOREIGN_KEY_BYTES_MAX)
        return false;
    while (b.at<b.end && * b.at> ' ' && *b.at < 0x7f && *b.at != '=')
        b.at++;
    return b.at == b.end;
}

static void read_names(struct bytes values)
{
    for (struct field f; keys.count < FOREIGN_KEYS_MAX && take_field(&values, &f);) {
        if (f.number != ARRAY_VALUES)
            continue;
        struct bytes name = field_of(f.content, ANY_STRING);
        char *to = keys.names[keys.count++];
        size_t size = is_name(name) ? (size_t)(name.end - name.at) : 0;
        memcpy(to, size ? name.at : (const uint8_t *)"", size);
        to[size] = 0;
    }
}

static void read_attribute(struct bytes pair)
{
    struct bytes key = field_of(pair, PAIR_KEY), value = field_of(pair, PAIR_VALUE);
    if (is_text(key, "threadlocal.schema_version")) {
        struct bytes version = field_of(value, ANY_STRING);
        keys.is_known_form = is_text(version, "tlsdesc_v1_dev") || is_text(version, "tls_v1");
    }
    if (is_text(key, "threadlocal.attribute_key_map"))
        read_names(field_of(value, ANY_ARRAY));
}

bool foreign_keys_read(const uint8_t *payload, size_t size)
{
    struct bytes all = {payload, payload + size};
    keys.count = 0;
    keys.is_known_form = true;
    for (struct field f; take_field(&all, &f);)
        if (f.number == CONTEXT_ATTRIBUTES)
            read_attribute(f.content);
    return keys.is_known_form;
}

const char *foreign_key_name(uint32_t key)
{
    return key < keys.count && keys.names[key][0] ? keys.names[key] : NULL;
}

/* ---- the mapping ---- */

static bool is_process_context(const char *line)
{
    return strstr(line, " /memfd:OTEL_CTX") || strstr(line, " [anon_shmem:OTEL_CTX]") || strstr(line, " [anon:OTEL_CTX]");
}

static bool has_signature(uintptr_t at)
{
    uint64_t signature;
    uint32_t version;
    return load_u64(at, &signature) && !memcmp(&signature, "OTEL_CTX", sizeof signature) && load_u32(at + AT_VERSION, &version) &&
           version == VERSION;
}

/* Returns the address of another library's mapping; 0 = there is none. */
static uintptr_t find_mapping(void)
{
    char line[LINE_BYTES];
    uintptr_t at = 0;
    FILE *f = fopen("/proc/self/maps", "re");
    while (f && !at && fgets(line, sizeof line, f)) {
        uintptr_t start = is_process_context(line) ? (uintptr_t)number_based_or_zero(line, 16) : 0;
        at = start && start != publish_address() && has_signature(start) ? start : 0;
    }
    if (f)
        fclose(f);
    return at;
}

static bool copy(uintptr_t from, uint8_t *to, uint32_t size)
{
    for (uint32_t i = 0; i < size; i++)
        if (!load_u8(from + i, &to[i]))
            return false;
    return true;
}

/* The fences keep these loads between those of the time before and after. They pair with the fences of the writer. */
static bool copy_payload(uintptr_t at, uint8_t *to, uint32_t *size)
{
    uint64_t from;
    atomic_thread_fence(memory_order_acquire);
    bool is_read = load_u64(at + AT_PAYLOAD, &from) && load_u32(at + AT_SIZE, size) && *size <= PAYLOAD_MAX && copy(from, to, *size);
    atomic_thread_fence(memory_order_acquire);
    return is_read;
}

/* The library is gone, and with it its names and the form of its records. */
static bool forget(void)
{
    keys.count = 0;
    keys.published_at = 0;
    return keys.is_known_form = true;
}

/* A payload that its writer changes meanwhile is read at the next update. */
bool foreign_keys_update(void)
{
    static uint8_t payload[PAYLOAD_MAX];
    if (!keys.mapping || !has_signature(keys.mapping))
        keys.mapping = find_mapping();
    uintptr_t at = keys.mapping;
    uint64_t before, after;
    uint32_t size;
    if (!at)
        return forget();
    if (!load_u64(at + AT_TIME, &before) || !before || before == keys.published_at)
        return keys.is_known_form;
    if (!copy_payload(at, payload, &size) || !load_u64(at + AT_TIME, &after) || after != before)
        return keys.is_known_form;
    keys.published_at = before;
    return foreign_keys_read(payload, size);
}
