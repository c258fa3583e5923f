/* Names the line of the program that starts threads, for findings about too many threads. */
#ifndef CANDOR_ANALYSIS_RULES_STARTING_H
#define CANDOR_ANALYSIS_RULES_STARTING_H

#include "analysis/evidence.h"
#include "analysis/findings.h"

#include <stddef.h>
#include <stdint.h>

/* Returns the line that most samples of Thread.start show, as a string id of the findings, and writes a part of a sentence: "; the largest
 * part of the samples in Thread.start (60 %) is at shop.Cart.add:12". 0 and "" = there is no such sample. */
uint32_t starting_line(struct findings *f, const struct evidence *e, char *text, size_t size);

#endif
