/* Names the line of the program that starts threads, for findings about too many threads. */
#ifndef CANDOR_ANALYSIS_RULES_STARTING_H
#define CANDOR_ANALYSIS_RULES_STARTING_H

#include "analysis/evidence.h"
#include "analysis/findings.h"

#include <stddef.h>
#include <stdint.h>

/* Returns the line of the program from which most samples of starting and creating threads come, as a string id of the findings, and writes
 * a part of a sentence: "; 60 % of the samples that start threads are at shop.Cart.add:12". CPU samples are asked first, then the wall
 * clock, then allocations. If only code of the JDK and of libraries is on these stacks, the part of the sentence names the thread that
 * starts most of them, and the result is 0. 0 and "" = there is no such sample. */
uint32_t starting_line(struct findings *f, const struct evidence *e, char *text, size_t size);

#endif
