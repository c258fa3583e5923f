#include "analysis/findings.h"

#include "base/array.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { SAY_MAX = 2048 };

const struct finding_info finding_infos[FINDING_KINDS] = {
#define FINDING_INFO(symbol, id, title, report, table, all, any, remedy) {id, title, report, table, remedy, all, any},
    FINDING_ROWS(FINDING_INFO)
#undef FINDING_INFO
};

enum finding_kind finding_named(const char *id, size_t n)
{
    int kind = 0;
    while (kind < FINDING_KINDS && (strlen(finding_infos[kind].id) != n || strncmp(finding_infos[kind].id, id, n)))
        kind++;
    return (enum finding_kind)kind;
}

int findings_init(struct findings *f)
{
    *f = (struct findings){0};
    return strtab_init(&f->strings);
}

void findings_deinit(struct findings *f)
{
    strtab_deinit(&f->strings);
    free(f->list);
    for (int i = 0; i < FINDINGS_PROFILES; i++) {
        free(f->stacks[i].marks);
        free(f->stacks[i].of_method);
        free(f->stacks[i].own);
        free(f->stacks[i].lines);
    }
    *f = (struct findings){0};
}

const char *findings_text(const struct findings *f, uint32_t string)
{
    return strtab_text(&f->strings, string);
}

uint32_t findings_string(struct findings *f, const char *text)
{
    uint32_t id = *text ? strtab_add_text(&f->strings, text) : 0;
    f->failed = f->failed || (*text && !id);
    return id;
}

uint32_t findings_say(struct findings *f, const char *format, ...)
{
    char text[SAY_MAX];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return findings_string(f, text);
}

void findings_add(struct findings *f, const struct finding *one)
{
    if (!(one->score >= SCORE_INFO) || f->left_out[one->kind])
        return;
    if (ARRAY_GROW(f->list, f->cap, f->count)) {
        f->failed = true;
        return;
    }
    f->list[f->count++] = *one;
}

static int worst_first(const void *left, const void *right)
{
    const struct finding *a = left, *b = right;
    if (a->score != b->score)
        return a->score > b->score ? -1 : 1;
    if (a->lost_ns.value != b->lost_ns.value)
        return a->lost_ns.value > b->lost_ns.value ? -1 : 1;
    return a->kind != b->kind ? (a->kind > b->kind) - (a->kind < b->kind) : (a->text > b->text) - (a->text < b->text);
}

void findings_sort(struct findings *f)
{
    if (f->count)
        qsort(f->list, f->count, sizeof *f->list, worst_first);
}

const char *finding_report(const struct finding *one)
{
    return one->report ? one->report : finding_infos[one->kind].report;
}

const char *finding_table(const struct finding *one)
{
    return one->table ? one->table : finding_infos[one->kind].table;
}

const char *finding_remedy(const struct finding *one)
{
    return one->remedy ? one->remedy : finding_infos[one->kind].remedy;
}

const char *finding_severity(const struct finding *one)
{
    return one->score >= SCORE_WARNING ? "warning" : "info";
}
