#include "format/read/formats.h"

#include "base/buffer.h"
#include "compress/intake.h"
#include "format/collapsed.h"
#include "format/otlp_fields.h"
#include "base/pb.h"
#include "format/pprof.h"
#include "format/pprof_fields.h"
#include "format/read/foreign.h"
#include "format/read/utf16.h"
#include "format/speedscope.h"
#include "profile/load/load_jfr.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { LOOKED_AT = 65536 };
#define FORMATS_MAX ((uint64_t)1 << 31)

#define ROW(name, words, extensions, media) {#name, name##_read, extensions},
static const struct format {
    const char *name;
    import_reader *read;
    const char *extensions;
} formats[] = {{"jfr", NULL, ".jfr"}, /* its own loader reads it, in parts */
               FORMAT_NAMES_BOTH(ROW) FORMAT_NAMES_READ(ROW)};

static const struct format *find(const char *name)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (!strcmp(formats[i].name, name))
            return &formats[i];
    return NULL;
}

const char *formats_named(const char *word)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        const char *found = *word ? strstr(formats[i].extensions, word) : NULL;
        size_t n = strlen(word);
        bool extension = found && found > formats[i].extensions && found[-1] == '.' && (!found[n] || found[n] == ' ');
        if (extension || !strcmp(formats[i].name, word))
            return formats[i].name;
    }
    return NULL;
}

/* Returns the format of a protocol buffers message. pprof has, near its beginning, the types of its values, in messages of two small
 * numbers. In OTLP there are only the first two fields, and they are messages that contain messages. */
static const char *kind_of_message(const uint8_t *bytes, size_t size)
{
    struct pb m = pb_init(bytes, size);
    struct pb_field f, inner;
    while (pb_next(&m, &f) && f.number <= PPROF_DEFAULT_SAMPLE_TYPE) {
        struct pb part = pb_message(&f);
        bool numbers = f.wire == PB_BYTES && pb_next(&part, &inner) && inner.wire == PB_VARINT && inner.number <= PPROF_VALUE_UNIT;
        if (numbers && (f.number == PPROF_SAMPLE_TYPE || f.number == PPROF_PERIOD_TYPE))
            return "pprof";
        if (f.number <= OTLP_DICTIONARY)
            return f.wire == PB_BYTES ? "otlp" : NULL;
    }
    /* The first message is longer than the bytes seen. It can be no value type, which is short, and no text begins with these bytes. */
    bool begins = size > 1 && (bytes[0] == (OTLP_RESOURCE_PROFILES << 3 | PB_BYTES) || bytes[0] == (OTLP_DICTIONARY << 3 | PB_BYTES));
    return begins && m.bad ? "otlp" : NULL;
}

static bool is_json(const uint8_t *bytes, size_t size)
{
    size_t i = 0;
    while (i < size && (bytes[i] == ' ' || bytes[i] == '\n' || bytes[i] == '\r' || bytes[i] == '\t'))
        i++;
    return i < size && bytes[i] == '{';
}

#define RECOGNISES(name, words, extensions, media) {#name, name##_is},
static const struct {
    const char *name;
    bool (*is)(const uint8_t *bytes, size_t size);
} read_only[] = {FORMAT_NAMES_READ(RECOGNISES)};

/* Returns the format of the bytes; NULL if it is unknown. Records of an .hpl file cannot be taken for protocol buffers: they begin with
 * a number that is no field of bytes, or with field 1 as a fixed-size number, as no such message does. */
static const char *recognise(const uint8_t *bytes, size_t size, bool whole)
{
    if (size >= 4 && !memcmp(bytes, "FLR", 4))
        return "jfr";
    if (is_json(bytes, size))
        return "speedscope";
    for (size_t i = 0; i < sizeof read_only / sizeof *read_only; i++)
        if (read_only[i].is(bytes, size))
            return read_only[i].name;
    if (collapsed_is(bytes, size, whole))
        return "collapsed";
    return kind_of_message(bytes, size);
}

/* ---- text in other encodings ---- */

/* Converts the whole text to UTF-8 and appends a zero. Other bytes are copied. */
static void take_whole(struct buffer *out, const uint8_t *bytes, size_t size)
{
    enum utf16_order order = utf16_order_of(bytes, size);
    size_t skip = utf16_mark_of_utf8(bytes, size);
    if (order)
        utf16_decode(out, bytes, size, order);
    else
        buffer_put(out, bytes + skip, size - skip);
    buffer_u8(out, 0);
}

/* The format of a file, or the foreign format. Both NULL = unknown. */
struct content {
    const char *format;
    const struct foreign *foreign;
};

static int look(const uint8_t *bytes, uint64_t size, struct content *c)
{
    size_t looked_at = size < LOOKED_AT ? (size_t)size : LOOKED_AT;
    struct buffer text;
    buffer_init(&text, 4 * LOOKED_AT);
    take_whole(&text, bytes, looked_at);
    *c = (struct content){0};
    bool failed = text.failed;
    if (!failed)
        c->foreign = foreign_recognise(text.data, text.len - 1);
    if (!failed && !c->foreign)
        c->format = recognise(text.data, text.len - 1, size <= LOOKED_AT);
    buffer_deinit(&text);
    return failed ? -ENOMEM : 0;
}

const char *formats_recognise(const uint8_t *bytes, uint64_t size)
{
    struct content c;
    return look(bytes, size, &c) ? NULL : c.format;
}

/* ---- loading ---- */

static int read_whole(const struct import *as, const struct format *format, struct profile *p, struct intake *in)
{
    struct import one = *as;
    struct buffer text;
    if (in->size > FORMATS_MAX)
        return error_set(as->error, -EFBIG, "%s: has more than 2 GiB, which candor cannot read at once", as->name);
    buffer_init(&text, 2 * FORMATS_MAX);
    take_whole(&text, in->bytes, in->size);
    intake_close(in);
    one.bytes = text.data;
    one.size = text.len - 1;
    as->error->text[0] = 0;
    int rc = text.failed ? -ENOMEM : format->read(p, &one);
    rc = rc ? rc : profile_string(p, format->name, strlen(format->name), &p->source);
    buffer_deinit(&text);
    if (rc && !as->error->text[0])
        error_set(as->error, rc, "%s: %s", as->name, strerror(-rc));
    return rc;
}

int formats_load_from(struct profile *p, struct intake *in, const char *name, const char *format, const char *value,
                      struct import_limits *limits, struct error *e)
{
    struct content content = {.format = format};
    int rc = format ? 0 : look(in->bytes, in->size, &content);
    if (rc || content.foreign) {
        intake_close(in);
        return rc ? error_set(e, rc, "%s: out of memory", name)
                  : error_set(e, -EINVAL, "%s: this is %s, which candor does not read; %s", name, content.foreign->name,
                              content.foreign->remedy);
    }
    format = content.format;
    const struct format *f = format ? find(format) : NULL;
    bool is_jfr = !f || !f->read; /* if the format is unknown, the loader's error describes the beginning of the file */
    if (is_jfr && !value)
        return profile_load_jfr_from(p, in, name, e);
    const struct import as = {.name = name, .value = value, .limits = limits, .error = e};
    if (is_jfr)
        rc = error_set(e, -EINVAL, "%s: a JFR file has no values to choose from; --kind chooses samples", name);
    else if (*in->damage)
        rc = error_set(e, -EINVAL, "%s: damaged: %s", name, in->damage);
    else
        rc = read_whole(&as, f, p, in);
    intake_close(in);
    return rc;
}

int formats_load(struct profile *p, const char *path, const char *format, const char *value, struct error *e)
{
    struct intake in;
    struct stat st;
    const char *folder = foreign_folder(path);
    if (folder && !stat(path, &st) && S_ISDIR(st.st_mode))
        return error_set(e, -EISDIR, "%s: %s", path, folder);
    int rc = intake_open(&in, path, e);
    return rc ? rc : formats_load_from(p, &in, intake_name(path), format, value, NULL, e);
}
