/* The chunks of a file, read by as many threads as there are processors to run on, into one profile.
 *
 * Each thread takes the next chunk that nobody has, reads it into a profile of its own, and then waits for its turn: parts enter
 * the file's profile in the order of the chunks, so that ids come out as if one thread had read them all. As a thread knows
 * what its earlier chunks had, all it brings is what is new to it. At most as many chunks as threads are open at a time. One
 * thread alone reads into the file's profile itself. */
#ifndef CANDOR_PROFILE_LOAD_CREW_H
#define CANDOR_PROFILE_LOAD_CREW_H

#include "profile/load_whole.h"

/* All chunks; returns when all threads have ended. What is wrong with chunks is added to `problems`. 0 or -ENOMEM. */
int load_crew_run(struct load_whole *whole, const struct jfr_file *file, struct jfr_problems *problems);

#endif
