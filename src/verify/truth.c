#include "verify/truth.h"

#include "base/text/number.h"

#include <errno.h>
#include <string.h>

static int take_number(const char *word, uint64_t *number)
{
    return number_parse(word, 0, UINT64_MAX, number) ? -EPROTO : 0;
}

static int take_word(const char *word, char out[TRUTH_WORD_MAX])
{
    size_t len = word ? strlen(word) : TRUTH_WORD_MAX;
    if (len >= TRUTH_WORD_MAX)
        return -EPROTO;
    memcpy(out, word, len + 1);
    return 0;
}

static int take_part(struct truth *t, char **rest)
{
    if (t->count == TRUTH_PARTS_MAX)
        return -EPROTO;
    struct truth_part *part = &t->parts[t->count];
    int rc = take_word(strtok_r(NULL, " ", rest), part->name);
    if (!rc)
        rc = take_word(strtok_r(NULL, " ", rest), part->threads);
    if (!rc)
        rc = take_word(strtok_r(NULL, " ", rest), part->method);
    if (!rc)
        rc = take_number(strtok_r(NULL, " ", rest), &part->ns);
    if (rc)
        return rc;
    if (!strcmp(part->method, "-"))
        *part->method = 0;
    t->count++;
    return 0;
}

int truth_take(struct truth *t, char *line)
{
    char *rest, *word = strtok_r(line, " ", &rest);
    if (!word)
        return -ENOENT;
    if (!strcmp(word, "part"))
        return take_part(t, &rest);
    if (!strcmp(word, "threads"))
        return t->carrier_count < TRUTH_CARRIERS_MAX ? take_word(strtok_r(NULL, " ", &rest), t->carriers[t->carrier_count++]) : -EPROTO;
    if (!strcmp(word, "cpu"))
        return take_number(strtok_r(NULL, " ", &rest), &t->cpu_ns);
    return strcmp(word, "done") ? -ENOENT : 1;
}

int truth_check(const struct truth *t)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < t->count; i++)
        if (__builtin_add_overflow(sum, t->parts[i].ns, &sum))
            return -EPROTO;
    return t->count && t->cpu_ns && sum <= t->cpu_ns + t->cpu_ns / 100 ? 0 : -EPROTO;
}
