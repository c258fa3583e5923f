#include "format/read/foreign.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

enum { LINES_LOOKED_AT = 40 };

static const struct foreign callgrind = {"a callgrind log (Valgrind, Xdebug)",
                                         "'npx speedscope FILE' opens it, and exports what candor reads (.speedscope.json)"};
static const struct {
    const char *begin;
    struct foreign is;
} beginnings[] = {
    {"PERFILE2", {"a recording of perf's", "'perf script -i FILE > OUT.txt' makes a text that candor reads"}},
    {"JAVA PROFILE ", {"a heap dump", "candor shows what allocates and what stays alive by 'candor record -e live'"}},
    {"#[Histogram log", {"a histogram log", "'candor hist FILE' shows it"}},
    {"#[StartTime", {"a histogram log", "'candor hist FILE' shows it"}},
    {"#[Logged with", {"a histogram log", "'candor hist FILE' shows it"}},
    {"\"StartTimestamp\"", {"a histogram log", "'candor hist FILE' shows it"}},
    {"PK\003\004", {"a zip archive", "'unzip FILE' unpacks it"}},
    {"<!DOCTYPE", {"a page for a browser", "give the recording that it was made of"}},
    {"<html", {"a page for a browser", "give the recording that it was made of"}},
};

/* Of its header "events:", and behind that costs of a function. A line with a ; is a collapsed stack, whatever it begins with. */
static bool is_callgrind_head(const char *line, size_t n)
{
    static const char *const words[] = {"events:", "event:", "fn=", "fl="};
    if (memchr(line, ';', n))
        return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (n >= strlen(words[i]) && !memcmp(line, words[i], strlen(words[i])))
            return true;
    return false;
}

static size_t line_length(const char *text, size_t size)
{
    const char *end = memchr(text, '\n', size);
    return end ? (size_t)(end - text) : size;
}

static const struct foreign *by_lines(const char *text, size_t size)
{
    for (size_t at = 0, lines = 0; at < size && lines < LINES_LOOKED_AT; lines++) {
        size_t n = line_length(text + at, size - at), next = at + n + 1;
        const char *line = text + at;
        if (is_callgrind_head(line, n))
            return &callgrind;
        at = next;
    }
    return NULL;
}

const struct foreign *foreign_recognise(const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        if (size >= strlen(beginnings[i].begin) && !memcmp(bytes, beginnings[i].begin, strlen(beginnings[i].begin)))
            return &beginnings[i].is;
    return by_lines((const char *)bytes, size);
}
