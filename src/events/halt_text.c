/* Makes texts about halts from their events. */
#include "events/halt_parts.h"

#include "base/buffer.h"
#include "base/text/stable_name.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { SITE_FRAMES = 3, SITE_BYTES_MAX = 4096 };

uint32_t halt_string(struct halts *h, const char *text, size_t len, int *rc)
{
    if (len > HALT_TEXT_MAX)
        len = HALT_TEXT_MAX;
    uint32_t id = len ? strtab_add(&h->strings, text, len) : 0;
    if (len && !id)
        *rc = -ENOMEM;
    return id;
}

int halt_thread(void *context, struct jfr_value thread, uint32_t *id)
{
    struct jfr_thread_info t;
    char number[JFR_THREAD_NUMBER];
    int rc = 0;
    if (!jfr_thread_of(thread, &t))
        return 0;
    struct jfr_text name = jfr_thread_name(&t, number);
    *id = halt_string(context, name.bytes, name.len, &rc);
    return rc;
}

int halt_context(void *context, struct jfr_value labels, uint32_t *id)
{
    int rc = 0;
    struct jfr_text text = jfr_value_text(labels);
    *id = halt_string(context, text.bytes, text.len, &rc);
    return rc;
}

/* Whether a frame is outside the program. Frames of the JDK, the JVM and the kernel show how a program waits or is interrupted, not
 * where. Native frames below Java frames, which called Java, are outside, too. */
static bool is_outside(struct jfr_text class_name, struct jfr_text frame_type, bool below_java)
{
    static const char *const packages[] = {"java.", "javax.", "jdk.", "sun.", "com.sun."};
    for (size_t i = 0; i < sizeof packages / sizeof *packages; i++) {
        size_t n = strlen(packages[i]);
        if (class_name.len > n && !memcmp(class_name.bytes, packages[i], n))
            return true;
    }
    return jfr_text_is(class_name, "libjvm") || jfr_text_is(frame_type, "Kernel") || (below_java && jfr_text_is(frame_type, "Native"));
}

static void put_frame(struct buffer *b, const struct jfr_method_info *m, int32_t line)
{
    char text[16];
    if (b->len)
        buffer_put(b, " < ", 3);
    stable_name_put(b, m->class_name.bytes, m->class_name.len);
    if (m->class_name.len)
        buffer_put(b, ".", 1);
    buffer_put(b, m->name.bytes, m->name.len);
    if (line > 0)
        buffer_put(b, text, (size_t)snprintf(text, sizeof text, ":%d", line));
}

/* Writes the innermost frames. program: only the program's own frames. */
static void put_frames(struct buffer *b, struct jfr_value stack, bool program)
{
    struct jfr_stack s;
    struct jfr_frame_info frame;
    struct jfr_method_info m;
    bool below_java = false;
    if (!jfr_stack_of(stack, &s))
        return;
    for (int n = 0; n < SITE_FRAMES && !b->failed && jfr_stack_next(&s, &frame);)
        if (jfr_method_of(frame.method, &m) && !(program && is_outside(m.class_name, frame.type, below_java))) {
            put_frame(b, &m, frame.line);
            below_java = below_java || !jfr_text_is(frame.type, "Native");
            n++;
        }
}

int halt_site(void *context, struct jfr_value stack, uint32_t *id)
{
    struct buffer b;
    int rc = 0;
    buffer_init(&b, SITE_BYTES_MAX);
    put_frames(&b, stack, true);
    if (!b.len && !b.failed)
        put_frames(&b, stack, false);
    if (b.len) /* beyond SITE_BYTES_MAX the frames so far are kept */
        *id = halt_string(context, (const char *)b.data, b.len, &rc);
    buffer_deinit(&b);
    return rc;
}

uint32_t halt_cached(struct halts *h, struct map *known, struct jfr_event *event, const char *field, jfr_make *make, int *rc)
{
    uint32_t id = 0;
    int code = jfr_event_once(event, jfr_type_field(event->type, field), known, make, h, &id);
    *rc = code ? code : *rc;
    return id;
}
