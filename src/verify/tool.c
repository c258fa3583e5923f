#include "verify/tool.h"

#include "attach/attach.h"
#include "base/text/percent.h"
#include "base/time_units.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { OPTIONS_MAX = 2 * PATH_MAX };

static const uint64_t ATTACH_TIMEOUT_NS = 30 * NS_PER_S;
static const char ASYNC_PROFILER[] = "async-profiler=";

static int unknown(const char *word, struct error *e)
{
    return error_set(e, -EINVAL, "no tool '%.80s'; the tools are candor, late, recompile, safepoint, jfr, jfr-cpu, async-profiler=LIBRARY",
                     word);
}

static bool is_late(const struct tool *t)
{
    return t->kind == TOOL_CANDOR_LATE || t->kind == TOOL_CANDOR_RECOMPILES;
}

static int parse_async_profiler(struct tool *t, const char *word, struct error *e)
{
    const char *path = word + strlen(ASYNC_PROFILER), *colon = strrchr(path, ':');
    size_t len = colon ? (size_t)(colon - path) : strlen(path);
    if (!len || len >= sizeof t->library || (colon && strlen(colon + 1) >= sizeof t->event))
        return unknown(word, e);
    memcpy(t->library, path, len);
    t->library[len] = 0;
    snprintf(t->event, sizeof t->event, "%s", colon ? colon + 1 : "cpu");
    snprintf(t->name, sizeof t->name, "async-profiler, %s", t->event);
    t->kind = TOOL_ASYNC_PROFILER;
    return 0;
}

int tool_parse(struct tool *t, const char *word, const char *agent, struct error *e)
{
    static const struct {
        const char *word, *name;
        enum tool_kind kind;
    } kinds[] = {
        {"candor", "candor", TOOL_CANDOR},
        {"late", "candor, attached late", TOOL_CANDOR_LATE},
        {"recompile", "candor, late and recompiled", TOOL_CANDOR_RECOMPILES},
        {"safepoint", "candor, at safepoints", TOOL_CANDOR_SAFEPOINT},
        {"jfr", "JDK Flight Recorder", TOOL_JFR},
        {"jfr-cpu", "JDK Flight Recorder, CPU time", TOOL_JFR_CPU},
    };
    *t = (struct tool){0};
    if (!strncmp(word, ASYNC_PROFILER, strlen(ASYNC_PROFILER)))
        return parse_async_profiler(t, word, e);
    size_t len = strcspn(word, ":"), i = 0, n = sizeof kinds / sizeof *kinds;
    while (i < n && (strlen(kinds[i].word) != len || memcmp(kinds[i].word, word, len)))
        i++;
    const char *clock = word[len] ? word + len + 1 : "";
    if (i == n || strlen(clock) >= sizeof t->event)
        return unknown(word, e);
    t->kind = kinds[i].kind;
    if (*clock && !tool_counts_cpu(t))
        return unknown(word, e);
    snprintf(t->event, sizeof t->event, "%s", clock);
    snprintf(t->library, sizeof t->library, "%s", agent);
    snprintf(t->name, sizeof t->name, "%s%s%s", kinds[i].name, *clock ? ", " : "", clock);
    return 0;
}

bool tool_counts_cpu(const struct tool *t)
{
    return t->kind == TOOL_CANDOR || is_late(t);
}

static void put_our_options(const struct tool *t, const char *file, uint64_t interval_ns, struct buffer *out)
{
    bool safepoint = t->kind == TOOL_CANDOR_SAFEPOINT;
    buffer_text(out, "file=");
    percent_encode(out, file);
    buffer_printf(out, ",interval=%lluns", (unsigned long long)(safepoint && interval_ns < NS_PER_MS ? NS_PER_MS : interval_ns));
    if (safepoint)
        buffer_text(out, ",event=safepoint");
    if (!strcmp(t->event, "lot"))
        buffer_text(out, ",clocks=lot");
    else if (*t->event)
        buffer_printf(out, ",clock=%s", t->event);
    if (is_late(t))
        buffer_text(out, t->kind == TOOL_CANDOR_RECOMPILES ? ",heal=now" : ",heal=off");
}

/* Writes the settings of the JDK's recorder. Before JDK 17, periods and throttles can be given only in a file. */
static int write_settings(const struct tool *t, const char *path, uint64_t interval_ns, struct error *e)
{
    FILE *f = fopen(path, "we");
    if (!f)
        return error_set(e, -errno, "cannot write %s: %s", path, strerror(errno));
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<configuration version=\"2.0\">\n", f);
    /* The period of the recorder's sampler is at least 1 ms (JDK 11: 10 ms). */
    if (t->kind == TOOL_JFR)
        fprintf(f,
                "<event name=\"jdk.ExecutionSample\"><setting name=\"enabled\">true</setting>"
                "<setting name=\"period\">%llu ms</setting></event>\n",
                (unsigned long long)(interval_ns < NS_PER_MS ? 1 : interval_ns / NS_PER_MS));
    else
        fprintf(f,
                "<event name=\"jdk.CPUTimeSample\"><setting name=\"enabled\">true</setting>"
                "<setting name=\"throttle\">%llu us</setting></event>\n"
                "<event name=\"jdk.CPUTimeSamplesLost\"><setting name=\"enabled\">true</setting></event>\n",
                (unsigned long long)(interval_ns / 1000));
    fputs("<event name=\"jdk.ActiveSetting\"><setting name=\"enabled\">true</setting></event>\n</configuration>\n", f);
    bool failed = ferror(f);
    return fclose(f) || failed ? error_set(e, -EIO, "cannot write %s", path) : 0;
}

int tool_argument(const struct tool *t, const char *folder, const char *file, uint64_t interval_ns, struct buffer *out, struct error *e)
{
    char settings[PATH_MAX];
    switch (t->kind) {
    case TOOL_CANDOR:
    case TOOL_CANDOR_SAFEPOINT:
        buffer_printf(out, "-agentpath:%s=", t->library);
        put_our_options(t, file, interval_ns, out);
        break;
    case TOOL_ASYNC_PROFILER:
        buffer_printf(out, "-agentpath:%s=start,event=%s,interval=%lluns,jfr,file=%s", t->library, t->event,
                      (unsigned long long)interval_ns, file);
        break;
    case TOOL_JFR:
    case TOOL_JFR_CPU:
        if ((size_t)snprintf(settings, sizeof settings, "%s/sampler.jfc", folder) >= sizeof settings)
            return error_set(e, -ENAMETOOLONG, "%s: the path is too long", folder);
        buffer_printf(out, "-XX:StartFlightRecording=filename=%s,settings=%s,dumponexit=true", file, settings);
        return write_settings(t, settings, interval_ns, e);
    case TOOL_CANDOR_LATE:
    case TOOL_CANDOR_RECOMPILES:
        break;
    }
    return 0;
}

int tool_attach(const struct tool *t, pid_t pid, const char *file, uint64_t interval_ns, struct error *e)
{
    struct buffer options;
    if (!is_late(t))
        return 0;
    buffer_init(&options, OPTIONS_MAX);
    put_our_options(t, file, interval_ns, &options);
    buffer_u8(&options, 0);
    int rc = options.failed ? error_set(e, -ENAMETOOLONG, "%s: the path is too long", file)
                            : attach_load(pid, t->library, (const char *)options.data, ATTACH_TIMEOUT_NS, e);
    buffer_deinit(&options);
    return rc;
}
