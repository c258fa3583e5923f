/* Reads the evidence from a JFR file.
 *
 *   recording_evidence_load -> recording_evidence_get -> recording_evidence_free
 *
 * The file is opened once. It is read once for all kinds of samples, and once for everything else. */
#ifndef CANDOR_ANALYSIS_RECORDING_EVIDENCE_H
#define CANDOR_ANALYSIS_RECORDING_EVIDENCE_H

#include "analysis/evidence.h"
#include "base/error.h"
#include "jfr/read/pass.h"

struct intake;
struct recording_evidence;

/* The kinds of sample that are evidence (bits). */
#define RECORDING_EVIDENCE_KINDS                                                                                                           \
    (PROFILE_KIND_BIT(RUNNING) | PROFILE_KIND_BIT(WALL) | PROFILE_KIND_BIT(LOCK) | PROFILE_KIND_BIT(HOLDER) | PROFILE_KIND_BIT(ALLOC) |    \
     PROFILE_KIND_BIT(LIVE))

/* What a caller shares with the evidence, so that the file is not read twice. */
struct recording_shared {
    /* One profile for each of the kinds above, with all samples of the file. The evidence borrows them. While it exists, the samples of
     * waits are cut to the recording's time, and locks.h adds strings to the profile of waits. */
    struct profile *const *profiles;
    struct pass_reader reader;                        /* looks at the chunks in the pass in which halts are read */
    int (*see)(void *context, const struct halts *h); /* sees the halts, also those outside the recording; returns 0 or -ENOMEM */
    void *context;
};

/* Loads the evidence. path is a file, not "-". range: a range of time as in base/text/time_range.h. Only events that began in that range
 * are used, and only their part within the range. NULL = everything, and for waits the part within the recording. Damage is added to
 * problems. Returns 0 with *out, or a negative code with a message in e: -EDOM if the range is invalid. */
int recording_evidence_load(struct recording_evidence **out, const char *path, const char *range, struct jfr_problems *problems,
                            struct error *e);
/* Does the same for an input that is already open, and all of it. It borrows the input for the call. name is for messages. */
int recording_evidence_load_from(struct recording_evidence **out, const struct intake *in, const char *name, struct jfr_problems *problems,
                                 struct error *e);
/* Does the same, but shares the samples and the pass over the file. The profiles must outlive the evidence. */
int recording_evidence_load_shared(struct recording_evidence **out, const struct intake *in, const char *name,
                                   const struct recording_shared *shared, struct jfr_problems *problems, struct error *e);
void recording_evidence_free(struct recording_evidence *r); /* NULL is fine */
const struct evidence *recording_evidence_get(const struct recording_evidence *r);

#endif
