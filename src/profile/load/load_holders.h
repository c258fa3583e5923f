/* Reads the path that keeps an object alive from a jdk.OldObjectSample of the JDK's recorder or of Candor's. The result is a set of
 * labels on the object's sample. Reports merge samples by these labels.
 *
 *   path     the references that lead to the object; the reference nearest to the object is the first:
 *            "java.util.HashMap$Node.value <- java.util.HashMap$Node[] [] <- java.util.HashMap.table <- com.shop.Orders.cache (static)".
 *            A reference from a class that is not a static field is written as "com.shop.Orders.class.<class loader>". The root is last,
 *            in brackets
 *   holder   the static field in the path that is farthest from the object, "com.shop.Orders.cache (static)". Without a
 *            static field it is the far end of the path with its root. If the path reaches neither, there is no holder
 *   no_path  the recording's reason why there is no holder. The objects of a recording without paths have none of the three
 *
 * Numbers in the names of threads are left out ("worker-*"). A reference that repeats along a list appears once. */
#ifndef CANDOR_PROFILE_LOAD_LOAD_HOLDERS_H
#define CANDOR_PROFILE_LOAD_LOAD_HOLDERS_H

#include "jfr/read/reader.h"
#include "profile/profile.h"

#include <stdatomic.h>

/* Limits for the text of references, in bytes, for one recording and for one path. Shared parts of the pools are written out for each
 * object. Without a limit a crafted file could take a thousand times its size in memory. The no_path of a path beyond the limit is
 * HOLDERS_UNREAD. */
enum { LOAD_HOLDERS_FILE_BYTES = 1 << 28, LOAD_HOLDERS_PATH_BYTES = 1 << 16 };

/* Adds the labels to a set. read: the number of bytes so far, initially 0, which all threads that read the recording share. Returns 0 or
 * -ENOMEM. */
int load_holders(struct profile *p, struct jfr_event *event, _Atomic uint64_t *read, uint32_t *labels);

#endif
