#include "daemon/rules/facts.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_MAX = 128 << 10 };

static size_t read_text(pid_t pid, const char *name, char *out)
{
    ssize_t n = process_read_file(pid, name, out, TEXT_MAX);
    return n < 0 ? 0 : (size_t)n;
}

int facts_read(struct facts *f, const struct jvm *jvm)
{
    *f = (struct facts){.jvm = *jvm, .command = malloc(TEXT_MAX), .environment = malloc(TEXT_MAX)};
    if (!f->command || !f->environment) {
        facts_deinit(f);
        return -ENOMEM;
    }
    f->command_len = read_text(jvm->process.pid, "cmdline", f->command);
    f->environment_len = read_text(jvm->process.pid, "environ", f->environment);
    jvm_parse_command(f->command, f->command_len, &f->options_end);
    return 0;
}

void facts_deinit(struct facts *f)
{
    free(f->command);
    free(f->environment);
    f->command = f->environment = NULL;
}

static const char *find_variable(const struct facts *f, const char *name)
{
    size_t n = strlen(name);
    for (size_t at = 0; at < f->environment_len; at += strlen(f->environment + at) + 1)
        if (!strncmp(f->environment + at, name, n) && f->environment[at + n] == '=')
            return f->environment + at + n + 1;
    return NULL;
}

const char *facts_variable(struct facts *f, const char *name)
{
    const char *found = find_variable(f, name);
    if (!found)
        return NULL;
    snprintf(f->value, sizeof f->value, "%s", found);
    return f->value;
}

/* Finds the last -Dname=value and copies its value to out. NUL bytes separate the words; if blanks is set, so does white space. */
static bool find_property(const char *words, size_t len, bool blanks, const char *name, char *out, size_t size)
{
    size_t n = strlen(name);
    bool found = false;
    for (size_t at = 0; at < len;) {
        size_t word = at;
        while (at < len && words[at] && !(blanks && isspace((unsigned char)words[at])))
            at++;
        if (at - word > n + 2 && !memcmp(words + word, "-D", 2) && !memcmp(words + word + 2, name, n) && words[word + 2 + n] == '=') {
            snprintf(out, size, "%.*s", (int)(at - word - n - 3), words + word + n + 3);
            found = true;
        }
        at++;
    }
    return found;
}

static bool property_in(struct facts *f, const char *variable, const char *name)
{
    const char *words = find_variable(f, variable);
    return words && find_property(words, strlen(words), true, name, f->value, sizeof f->value);
}

/* Searches the sources in the order in which the JVM reads them, so that a later value replaces an earlier one. */
const char *facts_property(struct facts *f, const char *name)
{
    bool found = property_in(f, "JAVA_TOOL_OPTIONS", name);
    found = property_in(f, "JDK_JAVA_OPTIONS", name) || found;
    found = find_property(f->command, f->options_end, false, name, f->value, sizeof f->value) || found;
    found = property_in(f, "_JAVA_OPTIONS", name) || found;
    return found ? f->value : NULL;
}
