#include "server/alerts/quiet.h"

#include "base/text/number.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { DAY_MINUTES = 24 * 60, DAY_SECONDS = DAY_MINUTES * 60, ALL_DAYS = 127, EPOCH_WEEKDAY = 4 /* 1970-01-01 was a Thursday */ };

static const char days[7][4] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};

static int take_day(const char **text)
{
    for (int i = 0; i < 7; i++)
        if (!strncmp(*text, days[i], 3)) {
            *text += 3;
            return i;
        }
    return -1;
}

/* Takes "Mon" or "Mon-Fri". */
static bool take_days(struct quiet *q, const char **text)
{
    int first = take_day(text), last = first;
    if (first >= 0 && **text == '-') {
        ++*text;
        last = take_day(text);
    }
    if (first < 0 || last < 0)
        return false;
    q->days = 0;
    for (int i = first;; i = (i + 1) % 7) {
        q->days |= (uint8_t)(1 << i);
        if (i == last)
            return true;
    }
}

static bool take_minute(const char **text, uint16_t *minute)
{
    uint64_t hours, minutes;
    if (number_take(text, 10, 0, 24, &hours) || *(*text)++ != ':' || number_take(text, 10, 0, 59, &minutes))
        return false;
    *minute = (uint16_t)(hours * 60 + minutes);
    return *minute <= DAY_MINUTES;
}

int quiet_parse(struct quiet *q, const char *text, struct error *e)
{
    const char *at = text;
    *q = (struct quiet){.days = ALL_DAYS, .from = 0, .to = DAY_MINUTES};
    bool has_days = *at >= 'A' && *at <= 'Z', good = !has_days || take_days(q, &at);
    if (good && has_days && *at == ' ')
        at += strspn(at, " ");
    if (good && (*at || !has_days))
        good = take_minute(&at, &q->from) && *at++ == '-' && take_minute(&at, &q->to) && !*at && q->from != q->to;
    return good ? 0 : error_set(e, -EINVAL, "quiet '%.40s': use HH:MM-HH:MM in UTC, Sat-Sun, or both as in Mon-Fri 12:00-13:00", text);
}

char *quiet_text(const struct quiet *q, char out[QUIET_TEXT])
{
    int first = 0, last;
    char day[9] = "";
    while (first < 6 && !(q->days >> first & 1 && !(q->days >> (first + 6) % 7 & 1)))
        first++;
    if (q->days == ALL_DAYS)
        first = 0;
    for (last = first; last < first + 6 && q->days >> (last + 1) % 7 & 1;)
        last++;
    bool all = q->days == ALL_DAYS, whole = q->from == 0 && q->to == DAY_MINUTES;
    if (!all || whole)
        snprintf(day, sizeof day, last == first ? "%s" : "%s-%s", days[first], days[last % 7]);
    if (whole)
        snprintf(out, QUIET_TEXT, "%s", day);
    else
        snprintf(out, QUIET_TEXT, "%s%s%02d:%02d-%02d:%02d", day, *day ? " " : "", q->from / 60, q->from % 60, q->to / 60, q->to % 60);
    return out;
}

bool quiet_at(const struct quiet *q, int64_t seconds)
{
    int64_t day = seconds / DAY_SECONDS;
    unsigned weekday = (unsigned)((day + EPOCH_WEEKDAY) % 7), minute = (unsigned)(seconds % DAY_SECONDS / 60);
    bool today = q->days >> weekday & 1, yesterday = q->days >> (weekday + 6) % 7 & 1;
    if (q->from < q->to)
        return today && minute >= q->from && minute < q->to;
    return (today && minute >= q->from) || (yesterday && minute < q->to);
}
