/* Fills a profile from a JFR file. The samples are, in order of preference and never mixed: candor.CpuSample (ours, exact
 * weights), jdk.CPUTimeSample (weight = samplingPeriod), candor.SafepointSample of running threads (ours, wall-clock time),
 * jdk.ExecutionSample (weight = the period of jdk.ActiveSetting, else 1 and the profile's unit is samples).
 * jdk.NativeMethodSample is only counted: such threads may be waiting. A profile of the kind PROFILE_WAITING takes
 * candor.SafepointSample of waiting threads, and nothing else.
 *
 * Damage is no failure: what can be read is read, the rest is said in the profile's problems. Time and memory are
 * bounded by a small multiple of the file's size. */
#ifndef CANDOR_PROFILE_LOAD_JFR_H
#define CANDOR_PROFILE_LOAD_JFR_H

#include "base/error.h"
#include "profile/profile.h"

/* path "-" is standard input. p was initialised and is empty; it stays the caller's to deinit also on failure. */
int profile_load_jfr(struct profile *p, const char *path, struct error *e);

#endif
