/* The books of a recording by minute. Its lines are cumulative, and come about once a second; what a line gained since it came last
 * counts in the minute in the middle of these two times. So the minutes of a line add up to it exactly, and none is off by more than half
 * of the time between two lines.
 *
 *   {0} -> load_minutes_note for each line, in the order of time -> load_minutes_settle -> load_minutes_deinit
 *
 * The result is in the profile's book_minutes. One owner, no locking. load_minutes_note returns 0 or -ENOMEM. */
#ifndef CANDOR_PROFILE_LOAD_LOAD_MINUTES_H
#define CANDOR_PROFILE_LOAD_LOAD_MINUTES_H

#include "base/map.h"
#include "profile/profile.h"

struct load_minutes {
    int64_t tick_ns, before_ns; /* when the last lines came, and those before them; 0 = none */
    struct map places;          /* (account, reason) -> place in lines */
    struct load_minutes_line {
        struct profile_book last;
        uint32_t first, now; /* places in book_minutes, plus 1; 0 = none yet */
    } * lines;
    uint32_t line_count, line_cap;
};

int load_minutes_note(struct load_minutes *m, struct profile *p, const struct profile_book *line, int64_t time_ns);
/* The profile's books may have become less than their last lines, because the file lost its beginning: the first minute loses that. */
void load_minutes_settle(struct load_minutes *m, struct profile *p);
void load_minutes_deinit(struct load_minutes *m);

#endif
