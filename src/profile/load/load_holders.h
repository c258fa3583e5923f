/* Reads what holds an object from a jdk.OldObjectSample, of the JDK's recorder or of ours. The result is labels of the
 * object's sample, and reports merge samples by these labels.
 *
 *   path     the references that lead to it, its own side first: "java.util.HashMap$Node.value <- java.util.HashMap$Node[] [] <-
 *            java.util.HashMap.table <- com.shop.Orders.cache (static)"; what is no static field stands as of an object,
 *            "com.shop.Orders.class.<class loader>", and behind it the root in brackets
 *   holder   of that the static field that is farthest away, "com.shop.Orders.cache (static)"; where there is none, the far end with its
 *            root; there is no holder where the path was not followed to either
 *   no_path  why not, in the words of the recording; that of a recording which was not asked for paths has none of the three
 *
 * Numbers in the names of threads are left out ("worker-*"), and a reference that repeats along a list appears once. */
#ifndef CANDOR_PROFILE_LOAD_LOAD_HOLDERS_H
#define CANDOR_PROFILE_LOAD_LOAD_HOLDERS_H

#include "jfr/read/reader.h"
#include "profile/profile.h"

#include <stdatomic.h>

/* The limits for the text of references, in bytes: for one recording, and for one path. Shared parts of the pools are
 * written out for each object: a crafted file could take a thousand times its size in memory. Paths beyond the limit have
 * HOLDERS_UNREAD as their no_path. */
enum { LOAD_HOLDERS_FILE_BYTES = 1 << 28, LOAD_HOLDERS_PATH_BYTES = 1 << 16 };

/* Adds the labels to a set. read: bytes so far, from 0; of all threads that read the recording. 0 or -ENOMEM. */
int load_holders(struct profile *p, struct jfr_event *event, _Atomic uint64_t *read, uint32_t *labels);

#endif
