#include "format/read/foreign.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

enum { LINES_LOOKED_AT = 40 };

#define BY_SPEEDSCOPE "'npx speedscope FILE' opens it, and can export it in a format that candor reads (.speedscope.json)"

static const struct foreign callgrind = {"a callgrind log (Valgrind, Xdebug)", BY_SPEEDSCOPE};
static const struct foreign chrome_trace = {"a trace of Chrome (trace events)", BY_SPEEDSCOPE};
static const struct foreign cpuprofile = {"a CPU profile of Chrome or Node.js (.cpuprofile)", BY_SPEEDSCOPE};
static const struct foreign firefox = {"a profile of the Firefox Profiler", BY_SPEEDSCOPE};

static const struct {
    const char *begin;
    struct foreign is;
} beginnings[] = {
    {"PERFILE2", {"a recording of perf", "'perf script -i FILE > x.txt' writes a text that candor can read"}},
    {"2ELIFREP", {"a recording of perf", "'perf script -i FILE > x.txt' writes a text that candor can read"}},
    {"JAVA PROFILE 1.0.1, created", {"the text output of the JDK's old hprof agent", "record with 'candor record'"}},
    {"JAVA PROFILE ", {"a heap dump", "'candor record -e live' shows what allocates, and which objects stay alive"}},
    {"Nettrace", {"a trace of .NET", "'dotnet-trace convert --format speedscope FILE' writes a file that candor can read"}},
    {"# callgrind format", {"a callgrind log (Valgrind, Xdebug)", BY_SPEEDSCOPE}},
    {"Weight\tSelf Weight\t", {"a call tree copied from Instruments", BY_SPEEDSCOPE}},
    {"Running Time\tSelf", {"a call tree copied from Instruments", BY_SPEEDSCOPE}},
    {"#[Histogram log", {"a histogram log", "'candor hist FILE' shows it"}},
    {"#[StartTime", {"a histogram log", "'candor hist FILE' shows it"}},
    {"#[Logged with", {"a histogram log", "'candor hist FILE' shows it"}},
    {"\"StartTimestamp\"", {"a histogram log", "'candor hist FILE' shows it"}},
    {"PK\003\004", {"a zip archive", "'unzip FILE' unpacks it"}},
    {"<!DOCTYPE", {"a page for a browser", "give the recording that it was made from"}},
    {"<html", {"a page for a browser", "give the recording that it was made from"}},
};

/* Whether the line is "events:" of a callgrind header, or begins the costs of a function. A line with a ';' is a collapsed stack,
 * whatever it begins with. */
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

/* Whether the text has the key of a JSON object. A text that is only a value does not count. */
static bool has_key(const char *text, size_t size, const char *key)
{
    size_t n = strlen(key);
    for (const char *at = text, *end = text + size; (at = memmem(at, (size_t)(end - at), key, n)); at++) {
        const char *next = at + n;
        while (next < end && isspace((unsigned char)*next))
            next++;
        if (next < end && *next == ':')
            return true;
    }
    return false;
}

static const struct foreign *by_keys(const char *text, size_t size)
{
    size_t i = 0;
    while (i < size && isspace((unsigned char)text[i]))
        i++;
    if (i == size || (text[i] != '{' && text[i] != '[') || has_key(text, size, "\"shared\""))
        return NULL;
    if (has_key(text, size, "\"traceEvents\"") || (text[i] == '[' && has_key(text, size, "\"ph\"")))
        return &chrome_trace;
    if (has_key(text, size, "\"callFrame\"") || has_key(text, size, "\"functionName\""))
        return &cpuprofile;
    bool has_threads = has_key(text, size, "\"libs\"") || has_key(text, size, "\"threads\"");
    return has_key(text, size, "\"preprocessedProfileVersion\"") || (has_key(text, size, "\"meta\"") && has_threads) ? &firefox : NULL;
}

const struct foreign *foreign_recognise(const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        if (size >= strlen(beginnings[i].begin) && !memcmp(bytes, beginnings[i].begin, strlen(beginnings[i].begin)))
            return &beginnings[i].is;
    const struct foreign *by_json = by_keys((const char *)bytes, size);
    return by_json ? by_json : by_lines((const char *)bytes, size);
}

const char *foreign_folder(const char *path)
{
    size_t n = strlen(path);
    while (n > 1 && path[n - 1] == '/')
        n--;
    if (n < 6 || memcmp(path + n - 6, ".trace", 6))
        return NULL;
    return "this is a trace of Instruments, which only Instruments can read; copy its call tree there with Edit > Deep Copy, open the copy "
           "with 'npx speedscope FILE', and export it in a format that candor reads";
}
