/* Chooses the live objects whose holders are searched for, if there are too many objects: first those in groups that look like leaks.
 *
 * A group is a class and a site (record/names/site.h). A leak leaves objects of every age: the score of a group is the smallest of the live
 * bytes from the second, third and last quarter of the recording. Full queues and caches have only young objects, and objects loaded at the
 * program's start are old; these groups come later, ordered by bytes. Groups take turns, the best first, each with PATH_CHOICE_TURN
 * objects. This only chooses objects for the search, and does not diagnose leaks; a reader of the recording does that
 * (profile/figures/leaks.h). */
#ifndef CANDOR_AGENT_PATHS_PATH_CHOICE_H
#define CANDOR_AGENT_PATHS_PATH_CHOICE_H

#include <stdint.h>

enum { PATH_CHOICE_TURN = 8, PATH_CHOICE_QUARTERS = 4 };

struct path_candidate {
    uint64_t group; /* identifies the group */
    uint64_t born_ns;
    uint64_t bytes; /* bytes that the object stands for */
    uint32_t place; /* the caller's index */
};

/* Sorts the list by importance: a search takes as many objects from its beginning as it can. Returns 0, or -ENOMEM with an unchanged
 * list. */
int path_choice_sort(struct path_candidate *list, uint32_t count, uint64_t begin_ns, uint64_t end_ns);

#endif
