/* The table of the kinds of sample: each has its words and is found by them, and docs/formats/samples.md has the same event types.
 * tier: quick
 * timeout: 30 */
#include "../tap.h"

#include "doc_table.h"
#include "profile/load/load_part.h"

static void put_type(char *out, size_t size, const char *type, const char *before)
{
    size_t used = strlen(out);
    if (type)
        snprintf(out + used, size - used, "%s`%s`", before, type);
}

/* The row of a kind in the document. Better sources are later in the table of the code, and earlier in the document. */
static void put_row(char *out, size_t size, enum profile_kind kind)
{
    const char *comma = " ";
    snprintf(out, size, "\n| `%s` |", profile_kinds[kind].word);
    for (int i = LOAD_RANKS - 1; i > LOAD_NOTHING; i--) {
        if (!(profile_sources[i].kinds & 1u << kind))
            continue;
        put_type(out, size, profile_sources[i].first, comma);
        put_type(out, size, profile_sources[i].second, " and ");
        comma = ", ";
    }
    snprintf(out + strlen(out), size - strlen(out), " |\n");
}

static void test_doc(void)
{
    struct doc_table table;
    char row[1024];
    doc_table_open(&table, SAMPLES_DOC, "");
    for (int kind = 0; kind < PROFILE_KINDS; kind++) {
        put_row(row, sizeof row, (enum profile_kind)kind);
        doc_table_has(&table, row, profile_kinds[kind].word);
    }
    doc_table_close(&table);
}

static void test_words(void)
{
    enum profile_kind found;
    char type[64];
    for (int kind = 0; kind < PROFILE_KINDS; kind++) {
        const struct profile_kind_info *info = &profile_kinds[kind];
        tap_ok(profile_kind_named(info->word, &found) && (int)found == kind, "%s is found by its word", info->word);
        tap_ok(info->whole && info->methods && info->lines && info->none && info->lack && info->command && info->event,
               "%s has all of its texts", info->word);
        snprintf(type, sizeof type, "%s:%s", info->value ? info->value : info->word, info->value ? "bytes" : "ns");
        tap_ok(!info->stored || !strcmp(info->stored, type), "%s: a server's type is what weights are of", info->word);
        snprintf(type, sizeof type, ":%s:%s:", info->value ? info->value : info->word, info->value ? "bytes" : "nanoseconds");
        tap_ok(!info->id || (info->stored && strstr(info->id, type)), "%s: so is the ID", info->word);
        tap_ok((info->unit == PROFILE_UNIT_BYTES) == (info->value != NULL), "%s: bytes have a name", info->word);
    }
    tap_ok(!profile_kind_named("", &found) && !profile_kind_named("cp", &found) && !profile_kind_named("cpu|wall", &found), "no other");
    tap_ok(!strncmp(PROFILE_KIND_CHOICES(""), "cpu|wall|", 9) && !strcmp(strrchr(PROFILE_KIND_CHOICES("|halt"), '|'), "|halt"),
           "the choices of an option: %s", PROFILE_KIND_CHOICES("|halt"));
}

static void test_sources(void)
{
    tap_ok(profile_kind_comes_from(PROFILE_WALL, "candor.WallSample") && !profile_kind_comes_from(PROFILE_WALL, "candor.CpuSample") &&
               profile_kind_comes_from(PROFILE_WAITING, "candor.SafepointSample") &&
               profile_kind_comes_from(PROFILE_RUNNING, "candor.SafepointSample"),
           "event types and their kinds");
    for (int kind = 0; kind < PROFILE_KINDS; kind++)
        tap_ok(!profile_kind_comes_from((enum profile_kind)kind, "") && !profile_kind_comes_from((enum profile_kind)kind, "pprof"),
               "%s: of no event there is none", profile_kinds[kind].word);
}

int main(void)
{
    test_words();
    test_sources();
    test_doc();
    return tap_done();
}
