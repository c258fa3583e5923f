#include "attach/recorder.h"
#include "attach/attach.h"
#include "base/text/number.h"
#include "base/time_units.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { ANSWER_MAX = 64 << 10, COMMAND_MAX = 1024 };

/* ---- answers ---- */

/* Copies the first line that is not blank. */
static void first_line(const char *text, char *out, size_t size)
{
    text += strspn(text, " \t\r\n");
    snprintf(out, size, "%.*s", (int)strcspn(text, "\r\n"), text);
}

static bool begins(const char *line, const char *with)
{
    return !strncmp(line, with, strlen(with));
}

/* Parses the number in "Recording 1: name=App maxsize=250.0MB (running)", or, from the first JDKs, "Recording: recording=1 name="App"
 * (running)". */
static bool parse_number(const char *line, unsigned long *id)
{
    static const char old[] = "Recording: recording=";
    uint64_t number;
    const char *digits = line + (begins(line, old) ? sizeof old - 1 : sizeof "Recording " - 1);
    if (!begins(line, "Recording") || strlen(line) < (size_t)(digits - line) || number_take(&digits, 10, 0, ULONG_MAX, &number))
        return false;
    *id = (unsigned long)number;
    return *digits == ':' || *digits == ' ';
}

/* Returns the length of the name, which ends before the first property that may follow it. */
static size_t name_length(const char *name)
{
    static const char *const behind[] = {" duration=", " maxsize=", " maxage=", " ("};
    size_t len = strlen(name);
    for (size_t i = 0; i < sizeof behind / sizeof *behind; i++) {
        const char *at = strstr(name, behind[i]);
        if (at && (size_t)(at - name) < len)
            len = (size_t)(at - name);
    }
    return len;
}

static bool parse_recording(const char *line, struct recorder_recording *r)
{
    static const char running[] = " (running)";
    size_t len = strlen(line);
    const char *name = strstr(line, " name=");
    if (!parse_number(line, &r->id) || !name)
        return false;
    name += sizeof " name=" - 1;
    size_t name_len = name_length(name);
    if (name_len > 1 && *name == '"' && name[name_len - 1] == '"') {
        name++;
        name_len -= 2;
    }
    snprintf(r->name, sizeof r->name, "%.*s", (int)(name_len < sizeof r->name ? name_len : sizeof r->name - 1), name);
    r->running = len >= sizeof running - 1 && !strcmp(line + len - (sizeof running - 1), running);
    return true;
}

int recorder_parse_check(const char *text, struct recorder_list *out, struct error *e)
{
    char line[512], said[200];
    bool none = false;
    *out = (struct recorder_list){.count = 0};
    for (const char *at = text; *at;) {
        size_t len = strcspn(at, "\n");
        snprintf(line, sizeof line, "%.*s", (int)(len < sizeof line ? len : sizeof line - 1), at);
        line[strcspn(line, "\r")] = 0;
        none |= begins(line, "No available recordings");
        if (out->count < RECORDER_LIST_MAX && parse_recording(line, &out->list[out->count]))
            out->count++;
        at += len + (at[len] == '\n');
    }
    if (out->count || none)
        return 0;
    first_line(text, said, sizeof said);
    return error_set(e, -ENOSYS, "the JVM says: %s", *said ? said : "nothing");
}

int recorder_judge(const char *text, const char *done, struct error *e)
{
    char said[200];
    if (strstr(text, done))
        return 0;
    first_line(text, said, sizeof said);
    if (begins(said, "Could not find") || begins(said, "No available recordings"))
        return error_set(e, -ENOENT, "the JVM says: %s", said);
    return error_set(e, -EREMOTEIO, "the JVM says: %s", *said ? said : "nothing");
}

/* ---- commands ---- */

static int command(pid_t pid, uint64_t timeout_ns, const char *text, const char *done, struct error *e)
{
    struct buffer answer;
    buffer_init(&answer, ANSWER_MAX);
    int code = attach_command(pid, text, timeout_ns, &answer, e);
    if (!code)
        code = recorder_judge(attach_answer_text((const char *)answer.data), done, e);
    buffer_deinit(&answer);
    return code;
}

/* Lists the recordings. A JVM without the recorder has no such command, or reports that its module is missing or disabled. */
int recorder_check(pid_t pid, uint64_t timeout_ns, struct recorder_list *out, struct error *e)
{
    struct buffer answer;
    *out = (struct recorder_list){.count = 0};
    buffer_init(&answer, ANSWER_MAX);
    int code = attach_command(pid, "JFR.check", timeout_ns, &answer, e);
    if (!code)
        code = recorder_parse_check(attach_answer_text((const char *)answer.data), out, e);
    else if (code == -EREMOTEIO && strstr(e->text, "Unknown diagnostic command"))
        code = error_set(e, -ENOSYS, "the JVM has no commands for Flight Recorder");
    buffer_deinit(&answer);
    return code;
}

static void put_seconds(struct buffer *b, const char *key, uint64_t ns)
{
    if (ns)
        buffer_printf(b, " %s=%" PRIu64 "s", key, (ns + NS_PER_S - 1) / NS_PER_S);
}

int recorder_start(pid_t pid, uint64_t timeout_ns, const char *name, const char *settings, const char *file,
                   const struct recorder_bounds *bounds, struct error *e)
{
    struct buffer b;
    buffer_init(&b, COMMAND_MAX);
    buffer_printf(&b, "JFR.start name=%s settings=%s filename=%s disk=true dumponexit=true", name, settings, file);
    put_seconds(&b, "duration", bounds->duration_ns);
    put_seconds(&b, "maxage", bounds->age_ns);
    if (bounds->bytes)
        buffer_printf(&b, " maxsize=%" PRIu64 "k", bounds->bytes >> 10);
    buffer_u8(&b, 0);
    int code = b.failed ? error_set(e, -ENAMETOOLONG, "the path is too long")
                        : command(pid, timeout_ns, (const char *)b.data, "Started recording", e);
    buffer_deinit(&b);
    return code;
}

/* Writes for instance " begin=2026-11-23T08:00:00.123Z". */
static void put_begin(struct buffer *b, int64_t ns)
{
    char stamp[40];
    time_t seconds = (time_t)(ns / NS_PER_S);
    struct tm tm;
    if (ns > 0 && gmtime_r(&seconds, &tm) && strftime(stamp, sizeof stamp, "%Y-%m-%dT%H:%M:%S", &tm))
        buffer_printf(b, " begin=%s.%03dZ", stamp, (int)(ns / NS_PER_MS % 1000));
}

int recorder_dump(pid_t pid, uint64_t timeout_ns, const char *name, const char *file, int64_t begin_ns, struct error *e)
{
    struct buffer b;
    buffer_init(&b, COMMAND_MAX);
    buffer_printf(&b, "JFR.dump name=%s filename=%s", name, file);
    put_begin(&b, begin_ns);
    buffer_u8(&b, 0);
    int code = b.failed ? error_set(e, -ENAMETOOLONG, "the path is too long")
                        : command(pid, timeout_ns, (const char *)b.data, "Dumped recording", e);
    buffer_deinit(&b);
    return code;
}

int recorder_stop(pid_t pid, uint64_t timeout_ns, const char *name, struct error *e)
{
    char text[RECORDER_NAME_BYTES + 32];
    snprintf(text, sizeof text, "JFR.stop name=%s", name);
    int code = command(pid, timeout_ns, text, "Stopped recording", e);
    /* The recording has ended by its duration, and its data is being written. The JVM answers with the exception of its own command. */
    return code == -EREMOTEIO && strstr(e->text, "already stopped recording") ? -EALREADY : code;
}
