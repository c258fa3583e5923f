/* Which of the objects that are alive are searched for, when they are more than may be: those of groups that look like leaks first.
 *
 * A group is a class and a site (record/site.h). What a leak leaves is of every age: its score is the least of the bytes that were
 * allocated in the second, third and last quarter of the recording and are alive. Queues and caches that are full have only what is young,
 * what a program loads at its start is old; they come behind, by bytes. Groups take turns, the best first, each with PATH_CHOICE_TURN
 * objects. It chooses whom to ask about, and says nothing of leaks; that is for a reader of the recording (profile/leaks.h). */
#ifndef CANDOR_AGENT_PATHS_PATH_CHOICE_H
#define CANDOR_AGENT_PATHS_PATH_CHOICE_H

#include <stdint.h>

enum { PATH_CHOICE_TURN = 8, PATH_CHOICE_QUARTERS = 4 };

struct path_candidate {
    uint64_t group;   /* what tells groups apart */
    uint64_t born_ns;
    uint64_t bytes;   /* it stands for */
    uint32_t place;   /* the caller's */
};

/* Brings the list into an order of which the first are to be taken. 0, or -ENOMEM: it is as it was. */
int path_choice_sort(struct path_candidate *list, uint32_t count, uint64_t begin_ns, uint64_t end_ns);

#endif
