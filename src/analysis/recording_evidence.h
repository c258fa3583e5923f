/* The evidence in a JFR file.
 *
 *   recording_evidence_load -> &r->evidence -> recording_evidence_free
 *
 * The file is read once for each kind of samples, once for the halts, and once for the enabled events. */
#ifndef CANDOR_ANALYSIS_RECORDING_EVIDENCE_H
#define CANDOR_ANALYSIS_RECORDING_EVIDENCE_H

#include "analysis/evidence.h"
#include "base/error.h"

struct recording_evidence;

/* path is a file, not "-". range: only what began in that time, and only the part within it, as in base/text/time_range.h; NULL =
 * everything, and for waits the part within the recording. Damage goes into problems. 0 and *out, or a negative code with a line
 * in e: -EDOM if the range is invalid. */
int recording_evidence_load(struct recording_evidence **out, const char *path, const char *range, struct jfr_problems *problems,
                            struct error *e);
void recording_evidence_free(struct recording_evidence *r); /* NULL is fine */
const struct evidence *recording_evidence_get(const struct recording_evidence *r);

#endif
