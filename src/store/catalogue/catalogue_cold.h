/* Recordings whose files are objects in another place (cold.h): `recording.cold` is 1 for these.
 *
 *     cold_going   identity: the recording is forgotten, and its object is still to be removed (triggers add it); or the object is
 *                being made */
#ifndef CANDOR_STORE_CATALOGUE_CATALOGUE_COLD_H
#define CANDOR_STORE_CATALOGUE_CATALOGUE_COLD_H

#include "store/catalogue/catalogue.h"

struct catalogue_warm {
    uint64_t recording;
    uint8_t identity[ENVELOPE_IDENTITY];
};

/* Lists recordings whose files are on the disk, whose parts are all sealed, that were received before this time, and whose ids are above
 * `after`, by id, at most `most` of them. */
int catalogue_warm(struct catalogue *c, int64_t received_before_ns, uint64_t after, struct catalogue_warm *list, uint32_t most, uint32_t *n,
                   struct error *e);
/* Notes an object to remove before it is made: unless its recording then becomes cold, it goes again. So nothing that happens meanwhile
 * leaves an object that nobody knows. */
int catalogue_cold_begin(struct catalogue *c, const uint8_t identity[ENVELOPE_IDENTITY], struct error *e);
/* Records, synced, that the file of the recording is an object now, unless the recording was forgotten. */
int catalogue_set_cold(struct catalogue *c, uint64_t recording, struct error *e);
/* Lists recordings whose files are elsewhere and whose ids are above `after`, by id, at most `most` of them. */
int catalogue_cold_list(struct catalogue *c, uint64_t after, struct catalogue_warm *list, uint32_t most, uint32_t *n, struct error *e);
/* Records, synced, that the file of the recording is on the disk again. */
int catalogue_set_warm(struct catalogue *c, uint64_t recording, struct error *e);
/* *cold: whether a recording of this identity has its file elsewhere. *going: whether an object of this identity is to be removed. */
int catalogue_is_cold(struct catalogue *c, const uint8_t identity[ENVELOPE_IDENTITY], bool *cold, bool *going, struct error *e);
/* Lists objects to remove with an identity above `after`, by identity, at most `most` of them. */
int catalogue_cold_going(struct catalogue *c, const uint8_t after[ENVELOPE_IDENTITY], uint8_t (*list)[ENVELOPE_IDENTITY], uint32_t most,
                         uint32_t *n, struct error *e);
/* Records that the object is removed. */
int catalogue_cold_gone(struct catalogue *c, const uint8_t identity[ENVELOPE_IDENTITY], struct error *e);

#endif
