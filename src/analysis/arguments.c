#include "analysis/arguments.h"

#include "base/text/number.h"

#include <stdio.h>
#include <string.h>

enum { BYTES_MOST_BITS = 50 };

static void set_name(struct argument *a, const char *name, size_t n, const char *value, bool is_flag)
{
    snprintf(a->name, sizeof a->name, "%.*s", (int)n, name);
    a->value = value;
    a->is_flag = is_flag;
}

static void split(struct argument *a)
{
    static const struct {
        const char *begins, *name;
    } sizes[] = {{"-Xmx", "MaxHeapSize"}, {"-Xms", "InitialHeapSize"}, {"-Xmn", "NewSize"}, {"-Xss", "ThreadStackSize"}};
    const char *word = a->word, *flag = word + 4, *equals = strchr(word, '='), *end = word + strlen(word);
    bool is_flag = !strncmp(word, "-XX:", 4);
    if (is_flag && (*flag == '+' || *flag == '-')) {
        set_name(a, flag + 1, (size_t)(end - flag - 1), *flag == '+' ? "+" : "-", true);
        return;
    }
    const char *name = is_flag ? flag : word;
    set_name(a, name, (size_t)((equals ? equals : end) - name), equals ? equals + 1 : "", is_flag);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (!strncmp(word, sizes[i].begins, 4))
            set_name(a, sizes[i].name, strlen(sizes[i].name), word + 4, true);
}

bool argument_next(struct argument *a, const char **rest)
{
    *rest += strspn(*rest, " ");
    size_t n = strcspn(*rest, " ");
    if (!n)
        return false;
    snprintf(a->word, sizeof a->word, "%.*s", (int)(n < sizeof a->word ? n : sizeof a->word - 1), *rest);
    *rest += n;
    split(a);
    return true;
}

bool argument_last(struct argument *a, const char *arguments, const char *name)
{
    struct argument one;
    const char *rest = arguments, *at = NULL;
    for (const char *before = rest; argument_next(&one, &rest); before = rest)
        if (!strcmp(one.name, name))
            at = before;
    return at && argument_next(a, &at);
}

uint64_t argument_bytes(const char *value)
{
    static const char units[] = "kmgt";
    uint64_t n;
    if (number_take(&value, 10, 0, UINT64_C(1) << BYTES_MOST_BITS, &n))
        return 0;
    const char *unit = *value ? strchr(units, *value | 0x20) : NULL;
    unsigned bits = unit ? 10 * (unsigned)(unit - units + 1) : 0;
    if (*value && (!unit || value[1] || n > UINT64_MAX >> bits))
        return 0;
    return n << bits;
}
