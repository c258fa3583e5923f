/* Finds the worst window of each problem. A minute of trouble in an hour is hardly visible in the figures of the hour. */
#ifndef CANDOR_ANALYSIS_WINDOWS_H
#define CANDOR_ANALYSIS_WINDOWS_H

#include "analysis/evidence.h"
#include "analysis/findings.h"

/* Applies the rules to a part of the evidence. */
typedef void windows_judge(struct findings *f, const struct evidence *e);

/* Judges each window of 60 s and of 10 s separately, if the evidence is at least twice as long, and adds findings to f that are worse
 * there than in the whole. The whole must have been judged before. If there would be more than 500 windows of one length, the windows
 * are made longer, so that their number and the time for judging them are bounded. A window without recorded data is not judged. Rules
 * whose evidence has no times are left out. */
void windows_add(struct findings *f, const struct evidence *e, windows_judge *judge);

#endif
