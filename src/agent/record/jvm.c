#include "agent/record/jvm.h"

#include "agent/trigger/tasks/tasks.h"
#include "base/buffer.h"
#include "base/text/redact.h"
#include "base/text/units.h"
#include "base/time_units.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { COMMAND_LINE_MAX = 64 * 1024 };

struct jvm_facts jvm_facts;

void jvm_add_property(const char *key, const char *value)
{
    struct jvm_facts *f = &jvm_facts;
    if (f->property_count == JVM_PROPERTIES_MAX)
        return;
    struct jvm_property p = {strdup(key), redact_value(key, value)};
    if (p.key && p.value)
        f->properties[f->property_count++] = p;
    else {
        free(p.key);
        free(p.value);
    }
}

const char *jvm_property(const char *key)
{
    for (int i = 0; i < jvm_facts.property_count; i++)
        if (!strcmp(jvm_facts.properties[i].key, key))
            return jvm_facts.properties[i].value;
    return "";
}

static bool takes_value(const char *argument)
{
    static const char *const options[] = {"-cp", "-classpath", "--class-path", "-p", "--module-path", "--add-modules"};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (!strcmp(argument, options[i]))
            return true;
    return false;
}

static void add_argument(struct buffer *b, const char *argument, const char *before)
{
    /* "--password hunter2": the secret is the argument after its name. */
    bool secret = before && before[0] == '-' && !strchr(before, '=') && redact_is_secret(before);
    char *shown = secret ? strdup("***") : redact_argument(argument);
    if (b->len)
        buffer_u8(b, ' ');
    buffer_text(b, shown ? shown : "***");
    free(shown);
}

static char *take_text(struct buffer *b)
{
    buffer_u8(b, 0);
    if (!b->failed)
        return (char *)b->data;
    buffer_deinit(b);
    return strdup("");
}

/* Adds the name that `candor list` shows for a program other than `java`: the main class that its launcher gave the JVM, or the program's
 * own name. */
static void add_own_name(struct buffer *java, const char *program)
{
    char main_class[256];
    const char *command = jvm_property("sun.java.command");
    snprintf(main_class, sizeof main_class, "%.*s", (int)strcspn(command, " "), command);
    add_argument(java, *main_class ? main_class : program, NULL);
}

/* Splits the command line. The arguments before the main class, module or jar belong to the JVM, the others to the program. If a program
 * embeds the JVM, all of them belong to the program. */
static void split_arguments(const char *line, int size)
{
    struct buffer jvm, java;
    const char *slash = strrchr(line, '/'), *program = slash ? slash + 1 : line;
    bool for_java = *program && strcmp(program, "java") != 0;
    buffer_init(&jvm, COMMAND_LINE_MAX);
    buffer_init(&java, COMMAND_LINE_MAX);
    if (for_java)
        add_own_name(&java, program);
    const char *before = NULL, *end = line + size;
    for (const char *a = line + strlen(line) + 1; a < end && a > line; before = a, a += strlen(a) + 1) {
        bool value = before && takes_value(before);
        if (!for_java && a[0] != '-' && !value)
            for_java = true;
        if (!for_java && (!strcmp(a, "-jar") || !strcmp(a, "-m")))
            for_java = true;
        add_argument(for_java ? &java : &jvm, a, before);
    }
    jvm_facts.jvm_arguments = take_text(&jvm);
    jvm_facts.java_arguments = take_text(&java);
}

static uint64_t start_epoch_ms(void)
{
    char stat[1024];
    if (tasks_read_proc("/proc/self/stat", stat, sizeof stat) <= 0)
        return 0;
    const char *p = strrchr(stat, ')');
    unsigned long long ticks = 0;
    if (!p || sscanf(p + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu", &ticks) != 1)
        return 0;
    struct timespec boot;
    clock_gettime(CLOCK_BOOTTIME, &boot);
    uint64_t now = clock_realtime_ns() / NS_PER_MS, up = (uint64_t)boot.tv_sec * 1000 + (uint64_t)boot.tv_nsec / NS_PER_MS;
    return now - up + ticks * 1000 / (uint64_t)sysconf(_SC_CLK_TCK);
}

void jvm_fill(void)
{
    struct jvm_facts *f = &jvm_facts;
    snprintf(f->name, sizeof f->name, "%s", jvm_property("java.vm.name"));
    snprintf(f->version, sizeof f->version, "%s (%s)", jvm_property("java.vm.version"), jvm_property("java.vm.vendor"));
    char *line = malloc(COMMAND_LINE_MAX);
    int n = line ? tasks_read_proc("/proc/self/cmdline", line, COMMAND_LINE_MAX) : 0;
    free(f->jvm_arguments);
    free(f->java_arguments);
    split_arguments(n > 0 ? line : "", n > 0 ? n : 0);
    free(line);
    f->start_epoch_ms = start_epoch_ms();
}
