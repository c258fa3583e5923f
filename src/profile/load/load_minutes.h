/* Splits the books of a recording into minutes. The recording has cumulative lines, about one each second. The difference between two
 * successive lines of an account counts in the minute of the point halfway between their times. So the minutes of a line add up to it
 * exactly, and the error of a minute is at most half of the time between two lines.
 *
 *   {0} -> load_minutes_note for each line, in the order of time -> load_minutes_settle -> load_minutes_deinit
 *
 * The result is in the profile's book_minutes. There is one owner and no locking. load_minutes_note returns 0 or -ENOMEM. */
#ifndef CANDOR_PROFILE_LOAD_LOAD_MINUTES_H
#define CANDOR_PROFILE_LOAD_LOAD_MINUTES_H

#include "base/map.h"
#include "profile/profile.h"

struct load_minutes {
    int64_t tick_ns, before_ns; /* the time of the last lines, and of the lines before them; 0 = none */
    struct map places;          /* (account, reason) -> place in lines */
    struct load_minutes_line {
        struct profile_book last;
        uint32_t first, now; /* places in book_minutes, plus 1; 0 = none yet */
    } * lines;
    uint32_t line_count, line_cap;
};

int load_minutes_note(struct load_minutes *m, struct profile *p, const struct profile_book *line, int64_t time_ns);
/* Corrects the first minute. The profile's books may be less than their last lines, because the file lost its beginning. The difference
 * is subtracted from the first minute. */
void load_minutes_settle(struct load_minutes *m, struct profile *p);
void load_minutes_deinit(struct load_minutes *m);

#endif
