#include "cli/event_list.h"

#include "base/word_list.h"

#include <string.h>

/* Whether the word's first n bytes are one of the words between the separators. */
static bool is_among(const char *words, char separator, const char *word, size_t n)
{
    const char separators[] = {separator, 0};
    for (const char *w = words; *w; w += strcspn(w, separators), w += *w == separator)
        if (strcspn(w, separators) == n && !strncmp(w, word, n))
            return true;
    return false;
}

/* Whether a word of the list stands there a second time. */
static bool is_repeated(const char *word, size_t n)
{
    return word[n] && is_among(word + n + 1, ',', word, n);
}

int event_list_check(const struct cli_command *command, const char *list)
{
    for (const char *word = list; word;) {
        size_t n = strcspn(word, ",");
        int shown = n < 60 ? (int)n : 60;
        if (!is_among(EVENT_LIST_MEMBERS, '|', word, n))
            return cli_usage(command, "--event: no event '%.*s'; use one or several of cpu, wall, alloc, live, lock and halt (cpu,wall), or "
                             "safepoint",
                             shown, word);
        if (is_repeated(word, n))
            return cli_usage(command, "--event '%.60s': %.*s stands there twice", list, shown, word);
        word = word[n] ? word + n + 1 : NULL;
    }
    if (word_list_has(list, "safepoint") && strcmp(list, "safepoint"))
        return cli_usage(command, "--event '%.60s': safepoint goes alone; leave out the others", list);
    return CLI_OK;
}

bool event_list_has(const char *list, const char *event)
{
    return word_list_has(list ? list : "cpu", event);
}
