/* Fills a profile from a JFR file. The samples are, in order of preference and never mixed: candor.CpuSample (ours, exact
 * weights), jdk.CPUTimeSample (weight = samplingPeriod), candor.SafepointSample of running threads (ours, wall-clock time),
 * datadog.ExecutionSample and jdk.ExecutionSample (weight = the period of jdk.ActiveSetting, times the number of periods that
 * Datadog's say; without one the profile's unit is samples). Fields of samples that are no sampler's, texts and numbers, are
 * their labels: what tracers know of the thread. jdk.NativeMethodSample is only counted: such threads may be waiting. A profile of
 * the kind PROFILE_WAITING takes candor.SafepointSample of waiting threads, and nothing else; one of PROFILE_WALL takes
 * candor.WallSample, of running threads and of others; one of PROFILE_ALLOC takes jdk.ObjectAllocationSample (weight in bytes), whose
 * class is a label (allocated.h); one of PROFILE_LIVE takes the last set of jdk.OldObjectSample, with the time of the objects'
 * allocation, and beside the samples fills `objects` and `live_sets`; one of PROFILE_LOCK takes jdk.JavaMonitorEnter and jdk.ThreadPark
 * (weight, or what they took; locks.h); one of PROFILE_HOLDER takes candor.LockHolder. Of a recording of the event wall without cpu a
 * profile becomes PROFILE_WALL by itself, of lock without cpu, wall and alloc PROFILE_LOCK. With or_others, a file without samples of
 * running threads becomes a profile of wall-clock time, allocations or native memory, if it has these.
 *
 * Other profilers' events are samples, too; docs/formats/samples.md has all of them, with what they weigh, and kinds.h the table. Of
 * events that show a stack, profile.event_types counts all, used or not.
 *
 * If a file has chunks of ours and of the JDK's recorder, events that both have are taken from ours; a problem says how many
 * were left out. If the setting `jfr` says that the JDK's chunks are a part of our recording, its time is that of our chunks,
 * and the JDK's samples are not part of the CPU time.
 *
 * Damage is not a failure: the readable part is read, and the profile's problems describe the rest. Time and memory are bounded
 * by a small multiple of the file's size. */
#ifndef CANDOR_PROFILE_LOAD_LOAD_JFR_H
#define CANDOR_PROFILE_LOAD_LOAD_JFR_H

#include "base/error.h"
#include "profile/profile.h"

/* path "-" is standard input. p was initialized and is empty; it stays the caller's to deinit also on failure. */
int profile_load_jfr(struct profile *p, const char *path, struct error *e);
struct intake;
/* The same from an input that is open already, which it takes over, also when it fails. */
int profile_load_jfr_from(struct profile *p, struct intake *in, const char *name, struct error *e);
/* The same into n profiles, from 1 to PROFILE_KINDS, each of another kind, in one pass. Each becomes what profile_load_jfr_from would have
 * made of it, but none becomes one of another kind. */
int profile_load_jfr_kinds(struct profile *const *profiles, uint32_t n, struct intake *in, const char *name, struct error *e);
/* The kind of sample that is read from such a file by default. p: its profile of the kind PROFILE_RUNNING; for a profile of another
 * kind, it is that kind. A recording of the event wall or lock without CPU time is read as that kind, because its jdk.ExecutionSample
 * events are only for other tools. */
enum profile_kind profile_jfr_kind(const struct profile *p);

#endif
