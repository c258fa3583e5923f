#include "format/read/foreign.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

enum { LINES_LOOKED_AT = 40 };

static const struct foreign callgrind = {"a callgrind log (Valgrind, Xdebug)",
                                         "'npx speedscope FILE' opens it, and exports what candor reads (.speedscope.json)"};
static const struct foreign go_text = {"a Go profile in the old text format", "'go tool pprof -proto -output=OUT.pb.gz FILE' converts it"};
static const struct foreign go_cpu = {"a CPU profile in pprof's old binary format",
                                      "'go tool pprof -proto -output=OUT.pb.gz PROGRAM FILE' converts it, with the program for the names"};
static const struct foreign utf16 = {"text in UTF-16", "'iconv -f UTF-16 -t UTF-8 FILE > OUT' converts it"};

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

/* "threadcreate profile: total 7", "heap profile: 1: 2 [3: 4] @ heap/1048576", "--- mutex:" */
static bool is_go_text(const char *line, size_t n)
{
    static const char *const kinds[] = {"heap", "growth", "threadcreate", "goroutine", "fragmentation"};
    static const char *const blocks[] = {"--- contention", "--- mutex", "--- heapz", "--- threadz"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t len = strlen(kinds[i]);
        if (n > len + 9 && !memcmp(line, kinds[i], len) && !memcmp(line + len, " profile:", 9))
            return true;
    }
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        if (n >= strlen(blocks[i]) && !memcmp(line, blocks[i], strlen(blocks[i])))
            return true;
    return false;
}

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
        if (!lines && is_go_text(line, n))
            return &go_text;
        if (is_callgrind_head(line, n))
            return &callgrind;
        at = next;
    }
    return NULL;
}

/* Words of 8 or of 4 bytes: 0, 3 (words that follow), 0 (version), the period, 0. */
static bool is_go_cpu(const uint8_t *bytes, size_t size, size_t word)
{
    static const uint8_t zeroes[8];
    return size >= 5 * word && !memcmp(bytes, zeroes, word) && bytes[word] == 3 && !memcmp(bytes + word + 1, zeroes, word - 1) &&
           !memcmp(bytes + 2 * word, zeroes, word) && memcmp(bytes + 3 * word, zeroes, word) && !memcmp(bytes + 4 * word, zeroes, word);
}

const struct foreign *foreign_recognise(const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        if (size >= strlen(beginnings[i].begin) && !memcmp(bytes, beginnings[i].begin, strlen(beginnings[i].begin)))
            return &beginnings[i].is;
    if (size >= 2 && (!memcmp(bytes, "\xff\xfe", 2) || !memcmp(bytes, "\xfe\xff", 2)))
        return &utf16;
    if (is_go_cpu(bytes, size, 8) || is_go_cpu(bytes, size, 4))
        return &go_cpu;
    return by_lines((const char *)bytes, size);
}
