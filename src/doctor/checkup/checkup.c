#include "doctor/checkup/checkup.h"

#include <stdarg.h>
#include <stdio.h>

const char *const check_levels[CHECK_LEVELS] = {"ok", "note", "warning", "problem"};

static struct check *last(struct checkup *f)
{
    return &f->rows[f->count - 1];
}

void checkup_add(struct checkup *f, enum check_level level, const char *name, const char *found, ...)
{
    va_list args;
    if (f->count < CHECKS_MAX)
        f->count++;
    *last(f) = (struct check){.group = f->group, .name = name, .level = level};
    va_start(args, found);
    vsnprintf(last(f)->found, sizeof last(f)->found, found, args);
    va_end(args);
}

void checkup_meaning(struct checkup *f, const char *meaning, ...)
{
    va_list args;
    va_start(args, meaning);
    vsnprintf(last(f)->meaning, sizeof last(f)->meaning, meaning, args);
    va_end(args);
}

void checkup_remedy(struct checkup *f, const char *remedy, ...)
{
    va_list args;
    va_start(args, remedy);
    vsnprintf(last(f)->remedy, sizeof last(f)->remedy, remedy, args);
    va_end(args);
}

int checkup_of(const struct checkup *f, enum check_level level)
{
    int n = 0;
    for (int i = 0; i < f->count; i++)
        n += f->rows[i].level == level;
    return n;
}
