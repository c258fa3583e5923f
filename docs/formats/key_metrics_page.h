/* docs/formats/key-metrics.md, made of the table of key metrics (base/agreed/key_metrics.h). */
#ifndef CANDOR_DOCS_FORMATS_KEY_METRICS_PAGE_H
#define CANDOR_DOCS_FORMATS_KEY_METRICS_PAGE_H

#include <stdio.h>

void key_metrics_page_write(FILE *out);

#endif
