#include "agent/record/names/reason.h"

#define ACCOUNT_NAME(symbol, name, ...) name,
const char *const account_name[ACCOUNTS] = {ACCOUNT_ROWS(ACCOUNT_NAME)};

#define NAME(symbol, name, meaning, remedy) name,
const char *const reason_outcome[OUTCOME_COUNT] = {OUTCOMES(NAME)};
const char *const reason_truncation[TRUNCATION_COUNT] = {"", TRUNCATIONS(NAME)};
const char *const reason_loss[LOSS_COUNT] = {LOSSES(NAME)};
const char *const reason_unseen[UNSEEN_COUNT] = {UNSEEN_ACCOUNTS(NAME)};
const char *const reason_suppression[SUPPRESSION_COUNT] = {SUPPRESSIONS(NAME)};
const char *const reason_miss[MISS_COUNT] = {MISSES(NAME)};
const char *const reason_allocation_loss[ALLOCATION_LOSS_COUNT] = {ALLOCATION_LOSSES(NAME)};
const char *const reason_pause_loss[PAUSE_LOSS_COUNT] = {PAUSE_LOSSES(NAME)};
const char *const reason_jvm_error[JVM_ERROR_COUNT] = {JVM_ERRORS(NAME)};
const char *const reason_lock_loss[LOCK_LOSS_COUNT] = {LOCK_LOSSES(NAME)};
const char *const reason_context_loss[CONTEXT_LOSS_COUNT] = {CONTEXT_LOSSES(NAME)};
const char *const reason_unnamed[UNNAMED_COUNT] = {UNNAMED_FRAMES(NAME)};
const char *const reason_life[LIFE_COUNT] = {LIVES(NAME)};
