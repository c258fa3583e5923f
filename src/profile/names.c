#include "profile/names.h"

#include "base/agreed/reasons.h"
#include "base/text/utf8.h"

#include <ctype.h>
#include <string.h>

void names_frame(struct buffer *out, const char *class_name, const char *method, bool failed)
{
    if (failed) {
        buffer_text(out, "[");
        buffer_text(out, *class_name ? class_name : "no stack");
        buffer_text(out, *method ? "] " : "]");
    } else if (*class_name) {
        buffer_text(out, class_name);
        buffer_text(out, ".");
    }
    buffer_text(out, *method || failed ? method : "[unknown]");
}

const char *names_reason(const char *label)
{
    const char *end = *label == '[' ? strchr(label, ']') : NULL;
    return end ? reason_of_frame(label + 1, (size_t)(end - label - 1)) : NULL;
}

/* Returns the end of the next part of the package, or NULL. The parts of a package are the leading lower-case words that end in a dot,
 * if a class and a method follow. Symbols of C++ and pseudo frames have no package. */
static const char *package_part(const char *at)
{
    if (!islower((unsigned char)*at))
        return NULL;
    const char *end = at;
    while (isalnum((unsigned char)*end) || *end == '_')
        end++;
    if (*end != '.' || !strchr(end + 1, '.'))
        return NULL;
    return end;
}

/* Returns the address after the '>' that ends the template arguments at `at`. NULL if they do not end, or are not template arguments. */
static const char *arguments_end(const char *at)
{
    int depth = 0;
    for (; *at; at++) {
        depth += *at == '<';
        depth -= *at == '>' && at[-1] != '-';
        if (!depth)
            return at + 1;
    }
    return NULL;
}

/* Appends a label without template arguments: "a::b<c, d<e>>::f" -> "a::b<...>::f". The signs of operators and the names of Java's
 * constructors stay. */
static void put_without_arguments(struct buffer *out, const char *label)
{
    static const char operator[] = "operator";
    bool balanced = true; /* so far; after a '<' without an end everything stays as it is */
    for (const char *at = label; *at;) {
        bool named = balanced && at > label && (isalnum((unsigned char)at[-1]) || at[-1] == '_') &&
                     !((size_t)(at - label) >= sizeof operator- 1 && !strncmp(at - (sizeof operator- 1), operator, sizeof operator- 1));
        const char *end = *at == '<' && named ? arguments_end(at) : NULL;
        if (end)
            buffer_text(out, "<...>");
        else {
            balanced = balanced && !(*at == '<' && named);
            buffer_put(out, at, 1);
        }
        at = end ? end : at + 1;
    }
}

void names_short(struct buffer *out, const char *label, size_t width)
{
    if (strstr(label, "::") && strchr(label, '<') && utf8_columns(label) > width) {
        put_without_arguments(out, label);
        return;
    }
    size_t left = utf8_columns(label);
    const char *at = label;
    for (const char *end; left > width && (end = package_part(at)); at = end + 1) {
        buffer_put(out, at, 1);
        buffer_text(out, ".");
        left -= (size_t)(end - at) - 1;
    }
    buffer_text(out, at);
}

void names_process(struct buffer *out, const char *command)
{
    static const char jar[] = ".jar";
    const char *end = command + strcspn(command, " ");
    if (*command == '/') /* the path of a jar, which may contain blanks */
        for (const char *at = command; (at = strstr(at, jar)); at += sizeof jar - 1)
            if (at[sizeof jar - 1] == ' ' || !at[sizeof jar - 1]) {
                end = at + sizeof jar - 1;
                break;
            }
    const char *name = memrchr(command, '/', (size_t)(end - command));
    name = name && name + 1 < end ? name + 1 : command;
    buffer_put(out, name, (size_t)(end - name));
}
