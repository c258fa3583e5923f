/* Reads the chunks of a file into one profile, or one for each of several kinds of sample, with as many threads as there are processors.
 *
 * Each thread takes the next free chunk, reads it into its own profiles, and then waits for its turn: parts enter the file's
 * profiles in the order of the chunks, so that ids come out as if one thread had read them all. As a thread remembers the
 * content of its earlier chunks, it adds only new entries. At most as many chunks as threads are open at a time. A single
 * thread reads directly into the file's profiles. */
#ifndef CANDOR_PROFILE_LOAD_LOAD_CREW_H
#define CANDOR_PROFILE_LOAD_LOAD_CREW_H

#include "profile/load/load_whole.h"

/* Reads all chunks once, for n profiles of different kinds: one whole for each, at most PROFILE_KINDS. Returns when all threads have ended.
 * Damage in chunks is added to `problems`. 0 or -ENOMEM. */
int load_crew_run(struct load_whole *wholes, uint32_t n, const struct jfr_file *file, struct jfr_problems *problems);

#endif
