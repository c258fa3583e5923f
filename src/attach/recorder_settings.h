/* The settings of the JDK's Flight Recorder for our recording: the text of a .jfc file, which every JDK with the recorder can
 * read. */
#ifndef CANDOR_ATTACH_RECORDER_SETTINGS_H
#define CANDOR_ATTACH_RECORDER_SETTINGS_H

#include "base/buffer.h"

#include <stdbool.h>

/* What stops threads: collections and their pauses, safepoints, VM operations; waits of single threads from 10 ms on; of exceptions what
 * cannot become a flood. locks: with monitors and parks, which the agent records better where it is asked to. Events that the JDK of this
 * feature version does not have are passed over by it; which settings they take depends on it. */
void recorder_settings(struct buffer *out, unsigned feature, bool locks);

#endif
