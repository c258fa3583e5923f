/* Reads the chunks of a file into one profile, or into one profile for each of several kinds of sample. It uses as many threads as there
 * are processors.
 *
 * The stacks of all kinds are read into one profile, so that a stack to which several refer is read once, and from there into the profile
 * of each kind (load_shared.h). A file that is read for one kind needs no such profile.
 *
 * Each thread takes the next free chunk, reads it into its own profiles, and then waits for its turn. Parts enter the file's profiles in
 * the order of the chunks, so that the ids are the same as if one thread had read all chunks. A thread remembers the content of its
 * earlier chunks and adds only new entries. The number of chunks that are open at a time is at most the number of threads. A single
 * thread reads directly into the file's profiles. */
#ifndef CANDOR_PROFILE_LOAD_LOAD_CREW_H
#define CANDOR_PROFILE_LOAD_LOAD_CREW_H

#include "jfr/read/pass.h"
#include "profile/load/load_whole.h"

/* Reads all chunks once, for n profiles of different kinds. There is one whole for each profile, and there are at most PROFILE_KINDS.
 * beside: NULL, or others that look at each chunk, too, one chunk after the other; only with `kept`.
 * kept: NULL, or receives the stacks, to which the samples of all profiles then refer; the calling thread then reads alone. The function
 * returns when all threads have ended. Damage in chunks is added to `problems`. Returns 0 or -ENOMEM. */
struct load_kept;
int load_crew_run(struct load_whole *wholes, uint32_t n, struct load_kept *kept, const struct pass_readers *beside,
                  const struct jfr_file *file, struct jfr_problems *problems);

/* From now on, the calling thread reads files without the help of others. Its CPU clock then shows the whole cost. */
void load_crew_alone(void);

#endif
