/* Fills a profile from a JFR file. For CPU time, the samples come from the first of these events that the file has; different events are
 * never mixed: candor.CpuSample (exact weights), jdk.CPUTimeSample (weight = samplingPeriod), candor.SafepointSample of running threads
 * (wall-clock time), datadog.ExecutionSample, jdk.ExecutionSample. The weight of the last two is the period in jdk.ActiveSetting, times
 * the number of periods in Datadog's events. Without a period the profile's unit is samples. Fields that are texts or numbers and do not
 * belong to the sampler become the sample's labels: a tracer's information on the thread. jdk.NativeMethodSample is only counted,
 * because such threads may be waiting.
 *
 * Profiles of other kinds use other events. PROFILE_WAITING uses candor.SafepointSample of waiting threads, and nothing else.
 * PROFILE_WALL uses candor.WallSample, of running and of other threads. PROFILE_ALLOC uses jdk.ObjectAllocationSample (weight in bytes),
 * whose class is a label (allocated.h). PROFILE_LIVE uses the last set of jdk.OldObjectSample, with the time of the objects' allocation,
 * and also fills `objects` and `live_sets`. PROFILE_LOCK uses jdk.JavaMonitorEnter and jdk.ThreadPark (weight, or duration; locks.h).
 * PROFILE_HOLDER uses candor.LockHolder.
 *
 * If a recording has the event wall but not cpu, the profile changes to PROFILE_WALL by itself. If it has lock but neither cpu, wall nor
 * alloc, the profile changes to PROFILE_LOCK. With or_others, a file without samples of running threads becomes a profile of wall-clock
 * time, allocations or native memory, if it has these.
 *
 * Other profilers' events are samples, too. docs/formats/samples.md lists all of them, with the meaning of their weights, and kinds.h
 * has the table. profile.event_types counts all events that have a stack, used or not.
 *
 * A file may have chunks of Candor and of the JDK's recorder. Events that both have are then taken from Candor's chunks, and a problem
 * says how many were left out. If the setting `jfr` says that the JDK's chunks are a part of Candor's recording, the recording's time is
 * that of Candor's chunks, and the JDK's samples are not part of the CPU time.
 *
 * Damage is not a failure: the readable part is read, and the profile's problems describe the rest. Time and memory are bounded
 * by a small multiple of the file's size. */
#ifndef CANDOR_PROFILE_LOAD_LOAD_JFR_H
#define CANDOR_PROFILE_LOAD_LOAD_JFR_H

#include "base/error.h"
#include "jfr/read/pass.h"
#include "profile/profile.h"

/* Loads a file. The path "-" is standard input. p must be initialized and empty. The caller deinitializes p, also after a failure. */
int profile_load_jfr(struct profile *p, const char *path, struct error *e);
struct intake;
/* Loads an input that is already open. Takes it over, also if it fails. */
int profile_load_jfr_from(struct profile *p, struct intake *in, const char *name, struct error *e);
/* Loads an open input into n profiles in one pass. n is from 1 to PROFILE_KINDS, and the profiles are of different kinds, with
 * the same full_names. Each becomes the same as by profile_load_jfr_from, except that no profile changes its kind. */
int profile_load_jfr_kinds(struct profile *const *profiles, uint32_t n, struct intake *in, const char *name, struct error *e);
/* Does the same, but the profiles have no stacks: their samples refer to those in `kept`, which may have stacks of earlier recordings. A
 * caller that needs the stacks of several kinds once saves the copies (load_shared.h). beside: others that look at each chunk while it is
 * open; opening it costs more than their look. The calling thread does all of it. */
struct load_kept;
int profile_load_jfr_shared(struct load_kept *kept, struct profile *const *profiles, uint32_t n, const struct pass_readers *beside,
                            struct intake *in, const char *name, struct error *e);
/* Returns the kind of sample that is read from such a file by default. p: the file's profile of the kind PROFILE_RUNNING. If p is of
 * another kind, the result is that kind. A recording of the event wall or lock without CPU time is read as that kind, because its
 * jdk.ExecutionSample events are only for other tools. */
enum profile_kind profile_jfr_kind(const struct profile *p);

#endif
