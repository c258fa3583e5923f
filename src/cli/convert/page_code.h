/* The machine code in the page of a recording made with --asm: the hottest regions as `candor asm` prints them. */
#ifndef CANDOR_CLI_CONVERT_PAGE_CODE_H
#define CANDOR_CLI_CONVERT_PAGE_CODE_H

#include "format/page/page.h"

#include <stdint.h>

enum { PAGE_CODE_REGIONS = 50, PAGE_CODE_BYTES = 2 << 20 };

struct page_codes {
    struct page_code *list;
    uint32_t count, cap;
};

/* path: the recording that p was read from. Of one without code, or that is read no second time, nothing; a page is whole without it,
 * too. To be deinited. */
void page_codes_make(struct page_codes *c, const char *path, const struct profile *p);
void page_codes_deinit(struct page_codes *c);

#endif
