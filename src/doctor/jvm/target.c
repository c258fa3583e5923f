#include "doctor/jvm/target.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ARGUMENTS_MAX = 128 << 10 };

static bool maps_musl(pid_t pid)
{
    char path[64], *line = NULL;
    size_t size = 0;
    bool found = false;
    snprintf(path, sizeof path, "/proc/%d/maps", pid);
    FILE *maps = fopen(path, "re");
    while (maps && !found && getline(&line, &size, maps) > 0)
        found = strstr(line, "/ld-musl-") != NULL;
    if (maps)
        fclose(maps);
    free(line);
    return found;
}

/* Joins the process's command line and the options in the performance data. The latter also contain options from argument files and from
 * the environment. */
static int read_arguments(struct target *t)
{
    size_t end = 0;
    t->arguments = malloc(ARGUMENTS_MAX);
    if (!t->arguments)
        return -ENOMEM;
    ssize_t n = process_read_file(t->pid, "cmdline", t->arguments, ARGUMENTS_MAX - sizeof t->perf.arguments);
    if (n > 0)
        jvm_parse_command(t->arguments, (size_t)n, &end);
    size_t len = strlen(t->perf.arguments);
    memcpy(t->arguments + end, t->perf.arguments, len);
    t->arguments_len = end + len;
    return 0;
}

int target_read(struct target *t, pid_t pid, struct error *e)
{
    *t = (struct target){.pid = pid};
    int code = jvm_read(pid, &t->jvm, e);
    if (code)
        return code;
    if (identity_read(pid, &t->who))
        return error_set(e, -ESRCH, "process %d has exited", pid);
    if (t->jvm.closed)
        return 0;
    if (process_read_maps(pid, &t->maps))
        return error_set(e, -ESRCH, "process %d has exited", pid);
    jvm_read_hsperf(&t->jvm.process, t->maps.hsperf, &t->perf);
    t->feature = jvm_feature(t->jvm.version);
    t->musl = maps_musl(pid);
    return read_arguments(t) ? error_set(e, -ENOMEM, "out of memory") : 0;
}

void target_deinit(struct target *t)
{
    free(t->arguments);
    t->arguments = NULL;
}

bool target_has_flag(const struct target *t, const char *name)
{
    bool on = false;
    jvm_parse_flag(t->arguments, t->arguments_len, name, &on);
    return on;
}

bool target_has_option(const struct target *t, const char *word)
{
    size_t n = strlen(word);
    for (size_t at = 0; at + n <= t->arguments_len; at++)
        if ((at == 0 || !t->arguments[at - 1] || t->arguments[at - 1] == ' ') && !memcmp(t->arguments + at, word, n))
            return true;
    return false;
}
