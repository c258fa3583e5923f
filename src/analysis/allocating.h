/* Names the line of the program that allocates most, for findings about garbage collections: that line is where their reader begins. */
#ifndef CANDOR_ANALYSIS_ALLOCATING_H
#define CANDOR_ANALYSIS_ALLOCATING_H

#include "analysis/evidence.h"
#include "analysis/findings.h"

#include <stddef.h>
#include <stdint.h>

/* Returns that line as a string id of the findings, and writes a part of a sentence: "; the largest part of the allocations (60 %) is at
 * shop.Cart.add:12". 0 and "" = allocations were not recorded, or no line is known. */
uint32_t allocating_line(struct findings *f, const struct evidence *e, char *text, size_t size);

#endif
