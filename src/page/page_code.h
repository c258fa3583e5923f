/* Collects the machine code for the page of a recording made with --asm: the hottest regions, as `candor asm` prints them. */
#ifndef CANDOR_PAGE_PAGE_CODE_H
#define CANDOR_PAGE_PAGE_CODE_H

#include "format/page/page.h"

#include <stdint.h>

enum { PAGE_CODE_REGIONS = 50, PAGE_CODE_BYTES = 2 << 20 };

struct page_codes {
    struct page_code *list;
    uint32_t count, cap;
};

struct intake;
/* Collects the machine code for a page. in: the recording from which p was read. The result is empty if it has no code, or if there is
 * no memory, because the page is useful without it. The caller must call page_codes_deinit. */
void page_codes_make(struct page_codes *c, const struct intake *in, const struct profile *p);
void page_codes_deinit(struct page_codes *c);

#endif
