#include "page/recording_page.h"

#include "base/buffer.h"
#include "compress/intake.h"
#include "format/read/formats.h"
#include "page/page_code.h"
#include "page/page_parts.h"
#include "profile/allocated.h"
#include "profile/names.h"

#include <errno.h>

const char *recording_page_title(const struct profile *p, const char *name, char out[PAGE_TITLE])
{
    const char *command = profile_text(p, p->command);
    struct buffer b;
    buffer_init(&b, PAGE_TITLE);
    if (*command)
        names_process(&b, command);
    if (*command && p->pid)
        buffer_printf(&b, " (pid %llu)", (unsigned long long)p->pid);
    buffer_u8(&b, 0);
    snprintf(out, PAGE_TITLE, "%s", b.failed ? command : b.len > 1 ? (const char *)b.data : name);
    buffer_deinit(&b);
    return out;
}

unsigned recording_page_kinds(const struct profile *p)
{
    return p->kinds & ~(1u << p->kind | PROFILE_KIND_BIT(RUNNING));
}

/* Adds the samples of a profile with their classes. */
static int add(struct flamegraph *f, struct profile *p, const char *name, const struct page_codes *codes)
{
    char title[PAGE_TITLE];
    const struct page_extras extras = {.code = codes->list, .code_count = codes->count};
    int rc = allocated_show(p);
    return rc ? rc : flamegraph_add(f, p, recording_page_title(p, name, title), false, &extras);
}

static int add_samples(struct flamegraph *f, struct page_parts *parts, struct profile *p, unsigned kinds)
{
    struct page_codes codes = {0};
    page_codes_make(&codes, parts->in, p);
    int rc = p->sampled ? add(f, p, parts->name, &codes) : 0;
    for (enum profile_kind kind = 0; !rc && kind < PROFILE_KINDS; kind++) {
        struct profile *one = kinds & 1u << kind ? page_parts_profile(parts, kind) : NULL;
        rc = one && one->sampled ? add(f, one, parts->name, &(struct page_codes){0}) : 0;
    }
    if (!rc && !f->parts) /* a page without samples says why it has none */
        rc = add(f, p, parts->name, &codes);
    page_codes_deinit(&codes);
    return rc;
}

static int write_page(FILE *out, struct page_parts *parts, struct profile *p)
{
    struct flamegraph f;
    unsigned kinds = recording_page_kinds(p);
    int rc = page_parts_make(parts, p, kinds);
    flamegraph_begin(&f, out);
    rc = rc ? rc : add_samples(&f, parts, p, kinds);
    if (!rc)
        page_parts_add(parts, &f);
    flamegraph_end(&f);
    return rc;
}

int recording_page_write(FILE *out, const struct intake *in, const char *name, const char *trace_link, struct error *e)
{
    struct page_parts parts = {.in = in, .name = name, .trace_link = trace_link};
    struct intake view;
    struct profile p;
    if (profile_init(&p))
        return error_set(e, -ENOMEM, "out of memory");
    p.or_others = true;
    intake_view(&view, in);
    int rc = formats_load_from(&p, &view, name, NULL, NULL, NULL, e);
    if (!rc) {
        rc = write_page(out, &parts, &p);
        rc = rc ? error_set(e, rc, rc == -ENOMEM ? "out of memory" : "%s: its stacks cannot be shown", name) : 0;
    }
    page_parts_deinit(&parts);
    profile_deinit(&p);
    return rc;
}
