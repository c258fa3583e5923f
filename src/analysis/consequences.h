/* Tells causes from their consequences. One problem often makes several findings: a line that boxes numbers also allocates much, and so
 * the collector works much. The reader must see the cause first. */
#ifndef CANDOR_ANALYSIS_CONSEQUENCES_H
#define CANDOR_ANALYSIS_CONSEQUENCES_H

#include "analysis/findings.h"

/* Sets `cause` in each finding that is probably a consequence of another one, and moves it behind that one. The findings are sorted, the
 * worst first; the order of all others stays. */
void consequences_order(struct findings *f);

#endif
