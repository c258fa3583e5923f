/* The rules. Each looks at what it needs of the evidence, finds nothing where that is missing, and adds what has a score. */
#ifndef CANDOR_ANALYSIS_RULES_H
#define CANDOR_ANALYSIS_RULES_H

#include "analysis/evidence.h"
#include "analysis/findings.h"

void rule_deadlock(struct findings *f, const struct evidence *e);
void rule_locks(struct findings *f, const struct evidence *e);      /* of each class of locks one finding, the most specific */
void rule_pool(struct findings *f, const struct evidence *e);
void rule_safepoints(struct findings *f, const struct evidence *e); /* storms */
void rule_late(struct findings *f, const struct evidence *e);
void rule_system_gc(struct findings *f, const struct evidence *e);
void rule_sockets(struct findings *f, const struct evidence *e);
void rule_forces(struct findings *f, const struct evidence *e);
void rule_pinned(struct findings *f, const struct evidence *e);
void rule_exceptions(struct findings *f, const struct evidence *e);

#endif
