#include "server/alerts/calls/sections.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct line {
    const char *text;    /* without blanks around it */
    size_t n;            /* its length */
    const char *at, *to; /* the whole line, with its end */
};

/* Returns false at the end of the text. */
static bool next_line(const char **rest, struct line *out)
{
    const char *end = *rest + strcspn(*rest, "\n");
    if (!**rest)
        return false;
    *out = (struct line){.text = *rest, .n = (size_t)(end - *rest), .at = *rest, .to = *end ? end + 1 : end};
    while (out->n && isspace((unsigned char)*out->text))
        out->text++, out->n--;
    while (out->n && isspace((unsigned char)out->text[out->n - 1]))
        out->n--;
    *rest = out->to;
    return true;
}

static bool is_comment(const struct line *l)
{
    return l->n && (*l->text == '#' || *l->text == ';');
}

static bool is_head(const struct line *l)
{
    return l->n && *l->text == '[';
}

/* Whether the line is the head [alert NAME]; blanks may be before and after the words. */
static bool is_head_of(const struct line *l, const char *name)
{
    char word[16], found[128], rest[2];
    char text[200];
    if (!name || !is_head(l) || l->n >= sizeof text || l->text[l->n - 1] != ']')
        return false;
    snprintf(text, sizeof text, "%.*s", (int)l->n - 2, l->text + 1);
    return sscanf(text, " %15s %127s %1s", word, found, rest) == 2 && !strcmp(word, "alert") && !strcmp(found, name);
}

/* Finds the section. Returns false if there is none. */
static bool find(const char *text, const char *name, const char **begin, const char **end)
{
    const char *rest = text;
    struct line l;
    *begin = *end = NULL;
    while (next_line(&rest, &l)) {
        if (*begin && is_head(&l))
            return true;
        if (!*begin && is_head_of(&l, name))
            *begin = l.at;
        if (*begin && !is_comment(&l) && l.n)
            *end = l.to; /* comments and empty lines after this one may be of the next section */
    }
    return *begin != NULL;
}

static void put_comments(FILE *out, const char *begin, const char *end)
{
    struct line l;
    while (begin < end && next_line(&begin, &l))
        if (is_comment(&l))
            fwrite(l.at, 1, (size_t)(l.to - l.at), out);
}

static void put_section(FILE *out, const char *by)
{
    size_t n = strlen(by);
    fputs(by, out);
    if (n && by[n - 1] != '\n')
        fputc('\n', out);
}

char *sections_replace(const char *text, const char *name, const char *by)
{
    const char *begin, *end;
    char *made = NULL;
    size_t n = 0, before = strlen(text);
    FILE *out = open_memstream(&made, &n);
    if (!out)
        return NULL;
    bool found = find(text, name, &begin, &end);
    if (found)
        before = (size_t)(begin - text);
    fwrite(text, 1, before, out);
    if (found)
        put_comments(out, begin, end);
    else if (by && before)
        fputs(text[before - 1] == '\n' ? "\n" : "\n\n", out);
    if (by)
        put_section(out, by);
    if (found)
        fputs(end, out);
    bool failed = ferror(out);
    if (!fclose(out) && !failed)
        return made;
    free(made);
    return NULL;
}
