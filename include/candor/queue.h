/*
 * Includes all of Candor's queues. Each header is the manual of its queue: layout, progress, use in signal handlers, source.
 *
 *     records of words, one producer and one consumer   candor_queue          queue/record.h    from the agent's handlers to its collector
 *     elements (pointers); the methods are in           candor_*              queue/common.h
 *         one producer, one consumer                    candor_spsc_array     queue/spsc_array.h      bounded, a ring
 *                                                       candor_spsc_chunked   queue/spsc_chunked.h    bounded, unbounded, growable
 *                                                       candor_spsc_linked    queue/spsc_linked.h     nodes, pooled or supplied
 *         many producers, one consumer                  candor_mpsc_array     queue/mpsc_array.h
 *                                                       candor_mpsc_chunked   queue/mpsc_chunked.h    bounded, unbounded
 *                                                       candor_mpsc_linked    queue/mpsc_linked.h
 *         one producer, many consumers                  candor_spmc_array     queue/spmc_array.h
 *         many producers, many consumers                candor_mpmc_array     queue/mpmc_array.h
 *     memory in chunks for queues that grow             candor_pool           queue/pool.h
 *
 *     queue              producer: control, in a handler          consumer: control, in a handler
 *     record             wait-free, yes                           wait-free, yes
 *     spsc_*             wait-free, yes                           wait-free, yes
 *     mpsc_array         lock-free (relaxed wait-free), yes       waits in a bubble (relaxed wait-free, yes)
 *     mpsc_chunked       waits for a new ring (relaxed            waits in a bubble (relaxed wait-free, yes)
 *                        wait-free, yes)
 *     mpsc_linked        wait-free, yes                           waits in a bubble (relaxed wait-free, yes)
 *     spmc_array         waits in a bubble (relaxed wait-free,    lock-free, yes
 *                        yes)
 *     mpmc_array         waits in a bubble (relaxed lock-free,    waits in a bubble (relaxed lock-free, yes)
 *                        yes)
 *
 * A side with a single thread may be a signal handler, if no other call of that side interrupts it or is interrupted by it.
 */
#ifndef CANDOR_QUEUE_H
#define CANDOR_QUEUE_H

#include "candor/queue/common.h"
#include "candor/queue/mpmc_array.h"
#include "candor/queue/mpsc_array.h"
#include "candor/queue/mpsc_chunked.h"
#include "candor/queue/mpsc_linked.h"
#include "candor/queue/pool.h"
#include "candor/queue/record.h"
#include "candor/queue/spmc_array.h"
#include "candor/queue/spsc_array.h"
#include "candor/queue/spsc_chunked.h"
#include "candor/queue/spsc_linked.h"

#endif
