#include "events/selection.h"

#include "base/array.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

static int add_list(struct selection *f, const char *list, bool category)
{
    while (list && *list) {
        list += strspn(list, ", ");
        size_t len = strcspn(list, ",");
        if (ARRAY_GROW(f->patterns, f->cap, f->count))
            return -ENOMEM;
        if (len) {
            char *text = strndup(list, len);
            if (!text)
                return -ENOMEM;
            f->patterns[f->count++] = (struct selection_pattern){.text = text, .category = category};
        }
        list += len;
    }
    return 0;
}

int selection_init(struct selection *f, const char *names, const char *categories)
{
    *f = (struct selection){0};
    int rc = add_list(f, names, false);
    return rc ? rc : add_list(f, categories, true);
}

void selection_deinit(struct selection *f)
{
    for (uint32_t i = 0; i < f->count; i++)
        free(f->patterns[i].text);
    free(f->patterns);
    *f = (struct selection){0};
}

static bool fits(const char *pattern, const char *text)
{
    return !fnmatch(pattern, text, FNM_CASEFOLD | FNM_NOESCAPE);
}

static bool fits_name(const char *pattern, const char *name)
{
    const char *dot = strrchr(name, '.');
    return fits(pattern, name) || (dot && !strchr(pattern, '.') && fits(pattern, dot + 1));
}

/* Whether a pattern matches the initials of words: "Java Virtual Machine" is also "JVM". */
static bool fits_initials(const char *pattern, const char *words)
{
    char initials[16];
    size_t n = 0;
    for (const char *at = words; *at && n < sizeof initials - 1; at++)
        if (isalpha((unsigned char)*at) && (at == words || at[-1] == ' '))
            initials[n++] = *at;
    initials[n] = 0;
    return n > 1 && fits(pattern, initials);
}

static bool fits_category(const char *pattern, const char *category)
{
    char step[256];
    while (*category) {
        size_t len = strcspn(category, "/"), kept = len < sizeof step ? len : sizeof step - 1;
        memcpy(step, category, kept);
        step[kept] = 0;
        if (fits(pattern, step) || fits_initials(pattern, step))
            return true;
        category += len + (category[len] == '/');
    }
    return false;
}

bool selection_wants(struct selection *f, const struct jfr_type *type)
{
    bool wanted = !f->count;
    for (uint32_t i = 0; i < f->count; i++) {
        struct selection_pattern *p = &f->patterns[i];
        if (!(p->category ? fits_category(p->text, type->category) : fits_name(p->text, type->name)))
            continue;
        p->met = true;
        wanted = true;
    }
    return wanted;
}

const struct selection_pattern *selection_unmet(const struct selection *f)
{
    for (uint32_t i = 0; i < f->count; i++)
        if (!f->patterns[i].met)
            return &f->patterns[i];
    return NULL;
}
