#include "agent/context/foreign_keys.h"

#include "agent/context/publish.h"
#include "agent/hot/load.h"
#include "base/pb.h"
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

/* ---- the payload ---- */

enum { CONTEXT_ATTRIBUTES = 2, PAIR_KEY = 1, PAIR_VALUE = 2, ANY_STRING = 1, ANY_ARRAY = 5, ARRAY_VALUES = 1 };

/* Returns the last field of the message that has this number; an empty one if there is none. */
static struct pb_field field_of(struct pb message, uint32_t number)
{
    struct pb_field last = {.bytes = (const uint8_t *)""};
    for (struct pb_field f; pb_next(&message, &f);)
        if (f.number == number)
            last = f;
    return last;
}

static bool is_text(const struct pb_field *f, const char *text)
{
    return f->size == strlen(text) && !memcmp(f->bytes, text, f->size);
}

static bool is_name(const struct pb_field *f)
{
    bool is_good = f->size && f->size <= FOREIGN_KEY_BYTES_MAX;
    for (size_t i = 0; is_good && i < f->size; i++)
        is_good = f->bytes[i] > ' ' && f->bytes[i] < 0x7f && f->bytes[i] != '=';
    return is_good;
}

static void read_names(struct pb values)
{
    for (struct pb_field f; keys.count < FOREIGN_KEYS_MAX && pb_next(&values, &f);) {
        if (f.number != ARRAY_VALUES)
            continue;
        struct pb_field name = field_of(pb_message(&f), ANY_STRING);
        char *to = keys.names[keys.count++];
        size_t size = is_name(&name) ? name.size : 0;
        memcpy(to, name.bytes, size);
        to[size] = 0;
    }
}

static void read_attribute(struct pb pair)
{
    struct pb_field key = field_of(pair, PAIR_KEY), value = field_of(pair, PAIR_VALUE);
    if (is_text(&key, "threadlocal.schema_version")) {
        struct pb_field version = field_of(pb_message(&value), ANY_STRING);
        keys.is_known_form = is_text(&version, "tlsdesc_v1_dev") || is_text(&version, "tls_v1");
    }
    if (is_text(&key, "threadlocal.attribute_key_map")) {
        struct pb_field names = field_of(pb_message(&value), ANY_ARRAY);
        read_names(pb_message(&names));
    }
}

bool foreign_keys_read(const uint8_t *payload, size_t size)
{
    struct pb all = pb_init(payload, size);
    keys.count = 0;
    keys.is_known_form = true;
    for (struct pb_field f; pb_next(&all, &f);)
        if (f.number == CONTEXT_ATTRIBUTES)
            read_attribute(pb_message(&f));
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
