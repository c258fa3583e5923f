#include "doctor/findings.h"

#include <stdarg.h>
#include <stdio.h>

const char *const finding_levels[FINDING_LEVELS] = {"ok", "note", "warning", "problem"};

static struct finding *last(struct findings *f)
{
    return &f->rows[f->count - 1];
}

void findings_add(struct findings *f, enum finding_level level, const char *name, const char *found, ...)
{
    va_list args;
    if (f->count < FINDINGS_MAX)
        f->count++;
    *last(f) = (struct finding){.group = f->group, .name = name, .level = level};
    va_start(args, found);
    vsnprintf(last(f)->found, sizeof last(f)->found, found, args);
    va_end(args);
}

void findings_meaning(struct findings *f, const char *meaning, ...)
{
    va_list args;
    va_start(args, meaning);
    vsnprintf(last(f)->meaning, sizeof last(f)->meaning, meaning, args);
    va_end(args);
}

void findings_remedy(struct findings *f, const char *remedy, ...)
{
    va_list args;
    va_start(args, remedy);
    vsnprintf(last(f)->remedy, sizeof last(f)->remedy, remedy, args);
    va_end(args);
}

int findings_of(const struct findings *f, enum finding_level level)
{
    int n = 0;
    for (int i = 0; i < f->count; i++)
        n += f->rows[i].level == level;
    return n;
}
