/* The settings of the JDK's Flight Recorder for our recording: the text of a .jfc file, which every JDK with the recorder can
 * read. */
#ifndef CANDOR_ATTACH_RECORDER_SETTINGS_H
#define CANDOR_ATTACH_RECORDER_SETTINGS_H

#include "base/buffer.h"

#include <stdbool.h>

/* Writes the settings for events that stop threads: collections and their pauses, safepoints, VM operations, waits of single threads from
 * 10 ms on, and figures of the JVM each second. Exceptions are limited, because a program may throw very many. locks: includes monitors and
 * parks, which the agent records better if it records locks. feature: the JDK's feature version, on which the settings depend; a JDK
 * ignores events that it does not have. */
void recorder_settings(struct buffer *out, unsigned feature, bool locks);

#endif
