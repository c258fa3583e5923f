/* The JVM's performance data file. */
#include "attach/hsperf.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/*  head   magic ca fe c0 c0 | order (0 big, 1 little) | major | minor | accessible
 *         used:4 overflow:4 modified:8 first_entry:4 entries:4
 *  entry  length:4 name_offset:4 vector_length:4 type:1 flags:1 unit:1 variability:1 data_offset:4 ... */
enum { HEAD = 32, ENTRY = 20, FIRST_ENTRY = 24, ENTRIES = 28, TYPE_BYTE = 'B' };

struct view {
    const uint8_t *data;
    size_t len;
    bool little;
};

static uint32_t u32(const struct view *v, size_t at)
{
    const uint8_t *p = v->data + at;
    if (v->little)
        return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
    return p[3] | (uint32_t)p[2] << 8 | (uint32_t)p[1] << 16 | (uint32_t)p[0] << 24;
}

static void take_string(const struct view *v, size_t entry, size_t length, struct hsperf *h)
{
    size_t name = u32(v, entry + 4), count = u32(v, entry + 8), data = u32(v, entry + 16);
    if (v->data[entry + 12] != TYPE_BYTE || name >= length || data >= length || count > length - data)
        return;
    const char *text = (const char *)v->data + entry + name;
    size_t room = length - name;
    const struct {
        const char *name;
        char *out;
        size_t size;
    } wanted[] = {
        {"java.property.java.version", h->version, sizeof h->version},  {"sun.rt.javaCommand", h->command, sizeof h->command},
        {"java.rt.vmArgs", h->arguments, sizeof h->arguments},          {"java.property.java.vm.vendor", h->vendor, sizeof h->vendor},
        {"sun.gc.collector.0.name", h->collector, sizeof h->collector},
    };
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        size_t n = strlen(wanted[i].name) + 1;
        if (n <= room && !memcmp(text, wanted[i].name, n))
            snprintf(wanted[i].out, wanted[i].size, "%.*s", (int)count, (const char *)v->data + entry + data);
    }
}

int hsperf_parse(const uint8_t *data, size_t len, struct hsperf *h)
{
    static const uint8_t magic[] = {0xca, 0xfe, 0xc0, 0xc0};
    *h = (struct hsperf){0};
    if (len < HEAD || memcmp(data, magic, sizeof magic) || data[4] > 1 || data[5] != 2)
        return -EINVAL;
    struct view v = {data, len, data[4] == 1};
    size_t at = u32(&v, FIRST_ENTRY);
    for (uint32_t n = u32(&v, ENTRIES); n && at < len && len - at >= ENTRY; n--) {
        size_t length = u32(&v, at);
        if (length < ENTRY || length > len - at)
            break;
        take_string(&v, at, length, h);
        at += length;
    }
    return 0;
}
