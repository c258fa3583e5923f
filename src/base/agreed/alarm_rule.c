#include "base/agreed/alarm_rule.h"

#include "base/text/number.h"
#include "base/text/units.h"
#include "base/time_units.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { PROCESSORS_MAX = 100000 };
static const uint64_t window_default_ns = 10 * NS_PER_S, window_min_ns = NS_PER_S, window_max_ns = 3600 * NS_PER_S;

static bool is_about(const char *text, const char *what)
{
    size_t n = strlen(what);
    return !strncmp(text, what, n) && (!text[n] || strchr(">(/", text[n]));
}

/* Refuses a rule other than "cpu>...". If it names a quantity that cannot trigger a dump, the error says what to do instead. */
static int refuse(const char *text, struct error *e)
{
    static const struct {
        const char *what, *instead;
    } others[] = {
        {"lock", "record with -e lock and --keep, and run 'candor dump' when you want a copy"},
        {"wait", "record with -e wall and --keep, and run 'candor dump' when you want a copy"},
        {"wall", "record with -e wall and --keep, and run 'candor dump' when you want a copy"},
        {"halt", "record with -e halt and --keep, and run 'candor dump' when you want a copy"},
        {"latency", "let the tool that measures it run 'candor dump'"},
        {"alloc", "record with -e alloc and --keep, and run 'candor dump' when you want a copy"},
        {"live", "record with -e live and --keep, and run 'candor dump' when you want a copy"},
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (is_about(text, others[i].what))
            return error_set(e, -EINVAL, "dump-on '%.60s': a rule can watch only CPU time, as in 'cpu>90%%/10s', not %s; %s", text,
                             others[i].what, others[i].instead);
    if (!strcmp(text, "cpu"))
        return error_set(
            e, -EINVAL, "dump-on 'cpu': the limit is missing; write 'cpu>90%%/10s', in quotes, because > has a meaning for the shell, too");
    return error_set(e, -EINVAL, "dump-on '%.60s': write it like 'cpu>90%%/10s', or 'cpu>1.5/10s' for processors", text);
}

static int set_window(struct alarm_rule *rule, const char *text, struct error *e)
{
    if (units_parse_duration(text, &rule->window_ns) || rule->window_ns < window_min_ns || rule->window_ns > window_max_ns)
        return error_set(e, -EINVAL,
                         "dump-on '%.60s': '%.20s' is not a valid window (the time over which CPU use is averaged); use 1s to 1h",
                         rule->text, text);
    return 0;
}

int alarm_rule_parse(struct alarm_rule *rule, const char *text, struct error *e)
{
    static const char cpu[] = "cpu>";
    double value;
    *rule = (struct alarm_rule){.window_ns = window_default_ns};
    if (strncmp(text, cpu, sizeof cpu - 1) || strlen(text) >= sizeof rule->text)
        return refuse(text, e);
    snprintf(rule->text, sizeof rule->text, "%s", text);
    const char *end = text + sizeof cpu - 1;
    if (*end < '0' || *end > '9' || number_take_real(&end, 0, PROCESSORS_MAX, &value) || value == 0)
        return refuse(text, e);
    bool percent = *end == '%';
    if (percent && value > 100)
        return error_set(e, -EINVAL, "dump-on '%.60s': the processors have only 100%%; use at most 100%%, or a number of processors", text);
    rule->share = percent ? value / 100 : 0;
    rule->processors = percent ? 0 : value;
    end += percent;
    if (*end == '/')
        return set_window(rule, end + 1, e);
    return *end ? refuse(text, e) : 0;
}
