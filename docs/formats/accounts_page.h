/* docs/formats/accounts.md, made of the tables of accounts and reasons (base/agreed/accounts.h, reasons.h). */
#ifndef CANDOR_DOCS_FORMATS_ACCOUNTS_PAGE_H
#define CANDOR_DOCS_FORMATS_ACCOUNTS_PAGE_H

#include <stdio.h>

void accounts_page_write(FILE *out);

#endif
