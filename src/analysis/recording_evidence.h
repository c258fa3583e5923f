/* Reads the evidence from a JFR file.
 *
 *   recording_evidence_load -> recording_evidence_get -> recording_evidence_free
 *
 * The file is opened once. It is read once for all kinds of samples, once for the halts, and once for the enabled events. */
#ifndef CANDOR_ANALYSIS_RECORDING_EVIDENCE_H
#define CANDOR_ANALYSIS_RECORDING_EVIDENCE_H

#include "analysis/evidence.h"
#include "base/error.h"

struct intake;
struct recording_evidence;

/* Loads the evidence. path is a file, not "-". range: a range of time as in base/text/time_range.h. Only events that began in that range
 * are used, and only their part within the range. NULL = everything, and for waits the part within the recording. Damage is added to
 * problems. Returns 0 with *out, or a negative code with a message in e: -EDOM if the range is invalid. */
int recording_evidence_load(struct recording_evidence **out, const char *path, const char *range, struct jfr_problems *problems,
                            struct error *e);
/* Does the same for an input that is already open, and all of it. It borrows the input for the call. name is for messages. */
int recording_evidence_load_from(struct recording_evidence **out, const struct intake *in, const char *name, struct jfr_problems *problems,
                                 struct error *e);
void recording_evidence_free(struct recording_evidence *r); /* NULL is fine */
const struct evidence *recording_evidence_get(const struct recording_evidence *r);

#endif
