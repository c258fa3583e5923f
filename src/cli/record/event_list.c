#include "cli/record/event_list.h"

#include "base/agreed/counted_event.h"
#include "base/agreed/recording_options.h"
#include "base/text/word_list.h"

#include <stdio.h>
#include <string.h>

enum { EVENT_NAME_MAX = 96 }; /* the agent has the same limit */

/* Whether the first n bytes of `word` are one of the words between the separators. */
static bool is_among(const char *words, char separator, const char *word, size_t n)
{
    const char separators[] = {separator, 0};
    for (const char *w = words; *w; w += strcspn(w, separators), w += *w == separator)
        if (strcspn(w, separators) == n && !strncmp(w, word, n))
            return true;
    return false;
}

static bool is_member(const char *word, size_t n)
{
    return is_among(RECORDING_EVENT_WORDS, '|', word, n);
}

/* Whether the word is an event that perf counts. It is checked here, so that the agent need not refuse a mistyped name. */
static bool is_counted(const char *word, size_t n)
{
    struct counted_event event;
    char name[EVENT_NAME_MAX];
    snprintf(name, sizeof name, "%.*s", (int)n, word);
    return n < sizeof name && counted_event_find(&event, name);
}

static int check_word(const struct cli_command *command, const char *list, const char *word, size_t n)
{
    int shown = n < 60 ? (int)n : 60;
    if (is_member(word, n)) {
        bool is_repeated = word[n] && is_among(word + n + 1, ',', word, n);
        return is_repeated ? cli_usage(command, "--event '%.60s': %.*s is listed twice", list, shown, word) : CLI_OK;
    }
    if (!is_counted(word, n))
        return cli_usage(command,
                         "--event: no event '%.*s'; use one or several of " RECORDING_EVENT_TOGETHER " (such as cpu,wall), or "
                         "safepoint, or one that perf counts, such as cycles, page-faults, r1a2b or sched:sched_switch",
                         shown, word);
    if (strchr(list, ','))
        return cli_usage(command, "--event '%.60s': an event that perf counts can only be recorded alone; leave out the others", list);
    return CLI_OK;
}

int event_list_check(const struct cli_command *command, const char *list)
{
    int status = CLI_OK;
    for (const char *word = list; word && !status;) {
        size_t n = strcspn(word, ",");
        status = check_word(command, list, word, n);
        word = word[n] ? word + n + 1 : NULL;
    }
    if (!status && word_list_has(list, "safepoint") && strcmp(list, "safepoint"))
        status = cli_usage(command, "--event '%.60s': safepoint can only be recorded alone; leave out the others", list);
    return status;
}

bool event_list_has(const char *list, const char *event)
{
    return word_list_has(!list || event_list_counts(list) ? "cpu" : list, event);
}

bool event_list_counts(const char *list)
{
    return list && !is_member(list, strcspn(list, ","));
}

uint64_t event_list_least(const char *list)
{
    struct counted_event event;
    return event_list_counts(list) && counted_event_find(&event, list) ? event.least : 0;
}
