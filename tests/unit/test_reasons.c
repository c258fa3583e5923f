/* docs/formats/reasons.md says of each reason what hot/reasons.h does, and of no other.
 * tier: quick
 * timeout: 30 */
#include "../tap.h"

#include "agent/hot/reasons.h"
#include "doc_table.h"

struct reason {
    const char *account, *name, *meaning, *remedy;
};

static const struct reason reasons[] = {
#define OUTCOME(symbol, name, meaning, remedy) \
    {OUTCOME_##symbol <= OUTCOME_TRUNCATED ? "has a stack" : "failed", name, meaning, remedy},
#define TRUNCATED(symbol, name, meaning, remedy) {"truncated", name, meaning, remedy},
#define LOST(symbol, name, meaning, remedy) {"lost", name, meaning, remedy},
#define UNSEEN(symbol, name, meaning, remedy) {"unseen", name, meaning, remedy},
#define SUPPRESSED(symbol, name, meaning, remedy) {"suppressed", name, meaning, remedy},
#define UNTAKEN(symbol, name, meaning, remedy) {"alloc_lost_bytes", name, meaning, remedy},
#define UNTOLD(symbol, name, meaning, remedy) {"halt_lost", name, meaning, remedy},
#define UNWAITED(symbol, name, meaning, remedy) {"lock_lost", name, meaning, remedy},
#define CONTEXT_LOST(symbol, name, meaning, remedy) {"context_lost", name, meaning, remedy},
#define UNNAMED(symbol, name, meaning, remedy) {"a frame", name, meaning, remedy},
    OUTCOMES(OUTCOME) TRUNCATIONS(TRUNCATED) LOSSES(LOST) UNSEEN_ACCOUNTS(UNSEEN)
    SUPPRESSIONS(SUPPRESSED) MISSES(LOST) ALLOCATION_LOSSES(UNTAKEN) PAUSE_LOSSES(UNTOLD) LOCK_LOSSES(UNWAITED) CONTEXT_LOSSES(CONTEXT_LOST)
    UNNAMED_FRAMES(UNNAMED)};

enum { REASONS = sizeof reasons / sizeof *reasons };

int main(void)
{
    struct doc_table table;
    char row[512];
    doc_table_open(&table, REASONS_DOC, "");
    for (int i = 0; i < REASONS; i++) {
        const struct reason *r = &reasons[i];
        snprintf(row, sizeof row, "\n| `%s` | %s | %s | %s |\n", r->name, r->account, r->meaning, *r->remedy ? r->remedy : "-");
        doc_table_has(&table, row, r->name);
    }
    doc_table_has_only(&table, REASONS);
    doc_table_close(&table);
    return tap_done();
}
