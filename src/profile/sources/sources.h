/* The lines of source code that cost most, of the methods that cost most: by themselves, or, for the program's own methods, with the code
 * of others that they call.
 *
 * A recording knows the number of a line, not its text. If the source is of another version, the wrong text is shown; only a line behind
 * the end of its file shows that. */
#ifndef CANDOR_PROFILE_SOURCES_SOURCES_H
#define CANDOR_PROFILE_SOURCES_SOURCES_H

#include "profile/figures/stats.h"

struct source_line {
    uint32_t number;
    uint64_t self, total; /* as in stats.h, of the line; 0 = the line is here for its neighbors */
    char *text;
};

struct source_method {
    uint32_t label; /* string id of the profile */
    char *file;     /* below the root of its source tree */
    struct source_line *lines;
    uint32_t count, cap;
    uint32_t beyond; /* lines with samples behind the end of the file */
};

struct sources {
    struct source_method *list; /* the one that costs most first */
    uint32_t count, cap;
    uint32_t missing; /* methods of the program that cost as much as those in the list, and have no file */
};

/* Finds at most `most` methods. stats: of the profile, with stats_compute_own. folders: as source_file.h has them. Returns 0 or -ENOMEM.
 * Call sources_deinit in each case. */
int sources_find(struct sources *s, const struct profile *p, const struct stats *stats, const char *folders, uint32_t most);
void sources_deinit(struct sources *s);

#endif
