/* Makes the text of a halt's place in the program from a stack. Most frames of a stack are outside the program, and methods recur in other
 * stacks, so each method is judged once in a chunk. */
#include "events/halt_parts.h"

#include "base/buffer.h"
#include "base/text/stable_name.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { SITE_FRAMES = 3, SITE_BYTES_MAX = 4096 };

enum verdict { NO_METHOD, OF_PROGRAM, OUTSIDE };

struct frame {
    struct jfr_method_info method;
    struct jfr_text type;
    int32_t line;
};

void halt_sites_init(struct halt_sites *s, struct halts *h)
{
    s->h = h;
    map_init(&s->known);
    map_init(&s->methods);
}

void halt_sites_deinit(struct halt_sites *s)
{
    map_deinit(&s->known);
    map_deinit(&s->methods);
}

void halt_sites_new_chunk(struct halt_sites *s)
{
    map_clear(&s->known);
    map_clear(&s->methods);
}

/* Judges a method by its class. Frames of the JDK and the JVM show how a program waits or is interrupted, not where. */
static enum verdict judge(struct jfr_value method, struct jfr_method_info *m)
{
    static const char *const packages[] = {"java.", "javax.", "jdk.", "sun.", "com.sun."};
    if (!jfr_method_of(method, m))
        return NO_METHOD;
    for (size_t i = 0; i < sizeof packages / sizeof *packages; i++) {
        size_t n = strlen(packages[i]);
        if (m->class_name.len > n && !memcmp(m->class_name.bytes, packages[i], n))
            return OUTSIDE;
    }
    return jfr_text_is(m->class_name, "libjvm") ? OUTSIDE : OF_PROGRAM;
}

/* Judges the next frame of a stack, and reads it into *f if it may be shown. Returns 1, 0 at the end, or -ENOMEM. */
static int next_raw(struct halt_sites *s, struct jfr_stack *stack, bool program, struct frame *f, enum verdict *verdict)
{
    struct jfr_raw_frame raw;
    bool added;
    if (!jfr_stack_next_raw(stack, &raw))
        return 0;
    uint32_t *known = map_add(&s->methods, raw.method, &added);
    if (!known)
        return -ENOMEM;
    if (added || *known == OF_PROGRAM || !program) {
        *known = judge(jfr_stack_method(stack, raw.method), &f->method);
        f->type = jfr_stack_type(stack, raw.type);
        f->line = raw.line;
    }
    *verdict = *known;
    return 1;
}

static int next(struct halt_sites *s, struct jfr_stack *stack, bool program, struct frame *f, enum verdict *verdict)
{
    struct jfr_frame_info info;
    if (stack->raw)
        return next_raw(s, stack, program, f, verdict);
    if (!jfr_stack_next(stack, &info))
        return 0;
    *verdict = judge(info.method, &f->method);
    f->line = info.line;
    f->type = info.type;
    return 1;
}

/* Whether the frame of a method of the program is outside the program. Frames of the kernel are, and native frames below Java frames, which
 * called Java. */
static bool is_around(const struct frame *f, bool below_java)
{
    return jfr_text_is(f->type, "Kernel") || (below_java && jfr_text_is(f->type, "Native"));
}

static void put_frame(struct buffer *b, const struct frame *f)
{
    char text[16];
    const struct jfr_method_info *m = &f->method;
    if (b->len)
        buffer_put(b, " < ", 3);
    stable_name_put(b, m->class_name.bytes, m->class_name.len);
    if (m->class_name.len)
        buffer_put(b, ".", 1);
    buffer_put(b, m->name.bytes, m->name.len);
    if (f->line > 0)
        buffer_put(b, text, (size_t)snprintf(text, sizeof text, ":%d", f->line));
}

/* Writes the innermost frames. program: only the program's own frames. Returns 0 or -ENOMEM. */
static int put_frames(struct halt_sites *s, struct buffer *b, struct jfr_value trace, bool program)
{
    struct jfr_stack stack;
    struct frame f;
    enum verdict verdict;
    bool below_java = false;
    int more = jfr_stack_of(trace, &stack);
    for (int n = 0; more > 0 && n < SITE_FRAMES && !b->failed;) {
        more = next(s, &stack, program, &f, &verdict);
        if (more <= 0 || verdict == NO_METHOD || (program && (verdict == OUTSIDE || is_around(&f, below_java))))
            continue;
        put_frame(b, &f);
        below_java = below_java || !jfr_text_is(f.type, "Native");
        n++;
    }
    return more < 0 ? more : 0;
}

static int make_site(void *sites, struct jfr_value trace, uint32_t *id)
{
    struct halt_sites *s = sites;
    struct buffer b;
    buffer_init(&b, SITE_BYTES_MAX);
    int rc = put_frames(s, &b, trace, true);
    if (!rc && !b.len && !b.failed)
        rc = put_frames(s, &b, trace, false);
    if (!rc && b.len) /* beyond SITE_BYTES_MAX the frames so far are kept */
        *id = halt_string(s->h, (const char *)b.data, b.len, &rc);
    buffer_deinit(&b);
    return rc;
}

uint32_t halt_site(struct halt_sites *s, struct jfr_event *event, int *rc)
{
    uint32_t id = 0;
    int code = jfr_event_once(event, jfr_type_field(event->type, "stackTrace"), &s->known, make_site, s, &id);
    *rc = code ? code : *rc;
    return id;
}
