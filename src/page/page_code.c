#include "page/page_code.h"

#include "asm/report.h"
#include "base/array.h"

#include <stdlib.h>
#include <string.h>

static const double LEAST_SHARE = 0.001;

static int add(struct page_codes *c, const struct asm_report *a, const struct asm_region *region, size_t *bytes)
{
    struct page_code one = {.name = strdup(asm_string(a->recording, region->name))};
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    int rc = f && one.name ? asm_region_text(f, a, region, c->count + 1) : -1;
    if (f && fclose(f))
        rc = -1;
    one.text = text;
    *bytes += size;
    if (rc || *bytes > PAGE_CODE_BYTES || ARRAY_GROW(c->list, c->cap, c->count)) {
        free(one.name);
        free(text);
        return -1;
    }
    c->list[c->count++] = one;
    return 0;
}

static void add_regions(struct page_codes *c, const struct profile *p, struct asm_recording *r, struct asm_decoder *d)
{
    struct asm_regions regions;
    struct asm_report a = {.file = "", .recording = r, .regions = &regions, .profile = p, .decoder = d};
    size_t bytes = 0;
    int rc = asm_regions_build(&regions, r);
    for (uint32_t i = 0; !rc && i < regions.count && c->count < PAGE_CODE_REGIONS; i++)
        if (regions.regions[i].snapshot && regions.regions[i].figure.share >= LEAST_SHARE)
            rc = add(c, &a, &regions.regions[i], &bytes);
    asm_regions_deinit(&regions);
}

void page_codes_make(struct page_codes *c, const struct intake *in, const struct profile *p)
{
    struct asm_recording r;
    struct asm_decoder d;
    struct error e; /* not printed: a page without machine code needs no reason */
    *c = (struct page_codes){0};
    if (!profile_setting(p, "code_processor") || asm_recording_init(&r))
        return;
    if (!asm_recording_load_from(&r, in, "", &e) && !asm_decoder_init(&d, asm_string(&r, r.processor), ASM_INTEL, &e)) {
        add_regions(c, p, &r, &d);
        asm_decoder_deinit(&d);
    }
    asm_recording_deinit(&r);
}

void page_codes_deinit(struct page_codes *c)
{
    for (uint32_t i = 0; i < c->count; i++) {
        free(c->list[i].name);
        free(c->list[i].text);
    }
    free(c->list);
    *c = (struct page_codes){0};
}
