/* Writes and reads logs of histograms: lines "[Tag=NAME,]START,LENGTH,MAX,PAYLOAD" after a head of comments and a legend. */
#include "base/text/number.h"
#include "base/time_units.h"
#include "candor/histogram.h"

#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LINE_MAX_BYTES = 32 << 20, YEAR = 365 * 24 * 3600 };

void candor_histogram_log_start(FILE *out, uint64_t start_ns, enum candor_log_dialect dialect, const char *comment)
{
    char when[64];
    struct tm local;
    time_t seconds = (time_t)(start_ns / NS_PER_S);
    strftime(when, sizeof when, "%a %b %d %H:%M:%S %Z %Y", localtime_r(&seconds, &local));
    if (comment)
        fprintf(out, "#[%s]\n", comment);
    fprintf(out, "#[Histogram log format version %s]\n", dialect == CANDOR_LOG_C ? "1.2" : "1.3");
    fprintf(out, "#[StartTime: %.3f (seconds since epoch), %s]\n", (double)start_ns / NS_PER_S, when);
    fprintf(out, "\"StartTimestamp\",\"%s\",\"Interval_Max\",\"Interval_Compressed_Histogram\"\n",
            dialect == CANDOR_LOG_C ? "EndTimestamp" : "Interval_Length");
}

int candor_histogram_log_write(FILE *out, const char *tag, uint64_t start, uint64_t length, const struct candor_histogram *h,
                               double max_ratio)
{
    char *payload;
    if (tag && (strpbrk(tag, ", \t\r\n") || strlen(tag) > CANDOR_HISTOGRAM_TAG_MAX))
        return -EINVAL;
    int rc = candor_histogram_encode(h, &payload);
    if (rc)
        return rc;
    if (tag && *tag)
        fprintf(out, "Tag=%s,", tag);
    fprintf(out, "%.3f,%.3f,%.3f,%s\n", (double)start / NS_PER_S, (double)length / NS_PER_S, (double)candor_histogram_max(h) / max_ratio,
            payload);
    free(payload);
    return 0;
}

void candor_histogram_log_open(struct candor_histogram_log_reader *r, FILE *in)
{
    *r = (struct candor_histogram_log_reader){.in = in};
}

void candor_histogram_log_close(struct candor_histogram_log_reader *r)
{
    free(r->text);
    *r = (struct candor_histogram_log_reader){0};
}

static int problem(struct candor_histogram_log_reader *r, int code, const char *what)
{
    snprintf(r->problem, sizeof r->problem, "line %" PRIu64 ": %s", r->line, what);
    return code;
}

static const char *decode_problem(int code)
{
    if (code == -ENOTSUP)
        return "a histogram of floating-point values, which candor does not read";
    if (code == -EPROTONOSUPPORT)
        return "a histogram whose counts are shifted (it has a normalizing index offset), which candor does not read";
    return code == -ENOMEM ? "no memory for the histogram" : "the histogram is damaged or cut off";
}

/* Reads a line without its end. Returns 1, 0 at the end of the file, or an error. A line that is too long is skipped completely. */
static int next_line(struct candor_histogram_log_reader *r, size_t *len)
{
    bool too_long = false;
    int c;
    for (*len = 0, r->line++; (c = getc_unlocked(r->in)) != EOF && c != '\n';) {
        if (*len + 2 > r->cap && r->cap < LINE_MAX_BYTES) {
            size_t wanted = r->cap ? r->cap * 2 : 4096;
            char *grown = realloc(r->text, wanted);
            if (!grown)
                return problem(r, -ENOMEM, "no memory for the line");
            r->text = grown;
            r->cap = wanted;
        }
        if (*len + 2 > r->cap)
            too_long = true;
        else
            r->text[(*len)++] = (char)c;
    }
    if (ferror(r->in))
        return problem(r, -EIO, "cannot be read");
    if (too_long)
        return problem(r, -EBADMSG, "longer than 32 MB, so this is not a histogram log");
    if (c == EOF && !*len)
        return 0;
    if (r->text) {
        *len -= *len && r->text[*len - 1] == '\r';
        r->text[*len] = 0;
    }
    return 1;
}

static bool take_time(const char *text, double *seconds)
{
    *seconds = 0;
    return !number_take_real(&text, -DBL_MAX, DBL_MAX, seconds);
}

static void take_comment(struct candor_histogram_log_reader *r, const char *text)
{
    if (!strncmp(text, "#[StartTime: ", 13)) {
        r->has_start = take_time(text + 13, &r->start_time);
    } else if (!strncmp(text, "#[BaseTime: ", 12)) {
        r->has_base = take_time(text + 12, &r->base_time);
    }
    if (!strncmp(text, "#[", 2))
        r->saw_head = true;
}

/* Reads a number that ends with a comma. Blanks around it are ignored. */
static bool take_number(const char **text, double *out)
{
    const char *end = *text;
    if (number_take_real(&end, -DBL_MAX, DBL_MAX, out) || *end != ',')
        return false;
    *text = end + 1;
    return true;
}

/* Returns an interval's start in s since 1970. The log's format has this rule: if an interval starts more than a year before the log
 * does, its start is relative to the log's start. */
static double absolute(struct candor_histogram_log_reader *r, double start)
{
    if (!r->has_base) {
        r->has_base = true;
        r->base_time = r->has_start && start < r->start_time - YEAR ? r->start_time : 0;
    }
    return start + r->base_time;
}

static int take_entry(struct candor_histogram_log_reader *r, const char *text, struct candor_histogram_log_entry *entry)
{
    double start;
    entry->tag[0] = 0;
    if (!strncmp(text, "Tag=", 4)) {
        size_t n = strcspn(text += 4, ",");
        if (!text[n] || n > CANDOR_HISTOGRAM_TAG_MAX)
            return problem(r, -EBADMSG, text[n] ? "the tag is longer than 255 bytes" : "a tag without a value after it");
        memcpy(entry->tag, text, n);
        entry->tag[n] = 0;
        text += n + 1;
    }
    if (!take_number(&text, &start) || !take_number(&text, &entry->length) || !take_number(&text, &entry->max) || entry->length < 0)
        return problem(r, -EBADMSG,
                       r->saw_head || r->saw_entry ? "not 'START,LENGTH,MAX,HISTOGRAM'; the log may be incomplete"
                                                   : "this is not a histogram log");
    r->saw_entry = true;
    entry->payload = text;
    entry->payload_len = strcspn(text, " \t,");
    int rc = candor_histogram_decode(&entry->histogram, entry->payload, entry->payload_len);
    if (rc)
        return problem(r, rc, decode_problem(rc));
    entry->start = absolute(r, start);
    return 1;
}

int candor_histogram_log_next(struct candor_histogram_log_reader *r, struct candor_histogram_log_entry *entry)
{
    size_t len;
    int rc;
    while ((rc = next_line(r, &len)) > 0) {
        const char *text = r->text ? r->text : "";
        if (memchr(text, 0, len))
            return problem(r, -EBADMSG, "this is not a histogram log: it contains zero bytes");
        if (*text == '#')
            take_comment(r, text);
        else if (*text && *text != '"')
            return take_entry(r, text, entry);
        else
            r->saw_head |= *text == '"';
    }
    bool nothing = !rc && !r->saw_head && !r->saw_entry;
    r->saw_head |= nothing; /* reported only once */
    if (nothing)
        return problem(r, -EBADMSG, "this is not a histogram log: it is empty");
    return rc;
}
