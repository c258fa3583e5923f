/* The worst window of each problem: a minute of trouble in an hour is little of the hour. */
#ifndef CANDOR_ANALYSIS_WINDOWS_H
#define CANDOR_ANALYSIS_WINDOWS_H

#include "analysis/evidence.h"
#include "analysis/findings.h"

/* What the rules do with a part of the evidence. */
typedef void windows_judge(struct findings *f, const struct evidence *e);

/* Judges each window of 60 s and of 10 s by itself, if the evidence is twice as long or longer, and adds to f what is worse there than it
 * is in the whole, which was judged before. Where there would be more than 500 of one length, windows are that many times longer: their
 * number, and with it the time that all this takes, has a bound. A window in which nothing was recorded is not judged. Rules whose
 * evidence has no time of its own are left out. */
void windows_add(struct findings *f, const struct evidence *e, windows_judge *judge);

#endif
