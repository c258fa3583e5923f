/* The names of accounts and reasons, as in recordings (base/agreed/accounts.h, reasons.h). */
#ifndef CANDOR_AGENT_RECORD_NAMES_REASON_H
#define CANDOR_AGENT_RECORD_NAMES_REASON_H

#include "base/agreed/accounts.h"

extern const char *const account_name[ACCOUNTS];
extern const char *const reason_outcome[OUTCOME_COUNT];
extern const char *const reason_truncation[TRUNCATION_COUNT]; /* empty for TRUNCATION_NONE */
extern const char *const reason_loss[LOSS_COUNT];
extern const char *const reason_unseen[UNSEEN_COUNT];
extern const char *const reason_suppression[SUPPRESSION_COUNT];
extern const char *const reason_miss[MISS_COUNT];
extern const char *const reason_allocation_loss[ALLOCATION_LOSS_COUNT];
extern const char *const reason_pause_loss[PAUSE_LOSS_COUNT];
extern const char *const reason_jvm_error[JVM_ERROR_COUNT];
extern const char *const reason_lock_loss[LOCK_LOSS_COUNT];
extern const char *const reason_context_loss[CONTEXT_LOSS_COUNT];
extern const char *const reason_unnamed[UNNAMED_COUNT];
extern const char *const reason_life[LIFE_COUNT];

#endif
