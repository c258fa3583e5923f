/* Recordings as they were sent, as objects of a service that speaks S3 (objects/s3.h): so the disk needs room for the newest ones only.
 * A recording becomes an object some time after it was received. Its file is removed when the object was read back and is the same, byte
 * for byte, and the catalog has it as cold. Whatever reads a recording fetches the object again, and keeps it in cold-cache/, which is
 * bounded.
 *
 *     PREFIX/recordings/XX/IDENTITY   the file (envelope.h)
 *     PREFIX/owner                    the number of the store that may remove objects
 *     cold                            in the store's folder: that number, and the URL
 *     cold-cache/IDENTITY             a fetched object
 *     quarantine/cold-adopting        exists while the catalog learns which objects there are */
#ifndef CANDOR_STORE_COLD_COLD_H
#define CANDOR_STORE_COLD_COLD_H

#include "store/objects/s3.h"
#include "store/store_internal.h"

enum { COLD_MOVERS = 4, COLD_KEY_MAX = 96, COLD_QUERY_TRIES = 2, COLD_MOVE_TRIES = 4 };

struct cold {
    struct s3 *s3;
    char id[40];                        /* of the store, as in `cold` */
    atomic_bool owned;                  /* nobody has taken the objects over, as far as the service has said since the start */
    atomic_uint_fast64_t down_until_ns; /* a query does not ask before this time; it orders no other memory access, as those below */
    atomic_uint_fast64_t cached;        /* bytes in cold-cache/, about */
    atomic_uint_fast64_t files;         /* fetched so far: for names of files */
    atomic_uint_fast64_t moved, moved_bytes, fetched, fetched_bytes, hits, removed, failed;
    pthread_mutex_t trimming; /* held while files of cold-cache/ come and go */
    pthread_mutex_t lock;     /* protects ending */
    pthread_cond_t end;
    bool ending;
    struct mover {
        struct store *store;
        pthread_t thread;
        unsigned number;
        bool runs, told; /* told: the last failure was reported */
        unsigned failures;
    } movers[COLD_MOVERS];
};

/* Writes the name of the recording's object to out. */
void cold_key(const uint8_t identity[ENVELOPE_IDENTITY], char out[COLD_KEY_MAX]);
/* Checks that nobody has taken the objects over, unless this was known since the start. Call it before objects are made or removed.
 * Returns 0, -EEXIST if another store has, or what s3_get returns. */
int cold_check_owner(struct store *s, struct error *e);
/* Reads the object in this place. Returns 0 if it is the recording, byte for byte, -EBADMSG if not, or what s3_get returns. */
int cold_compare(struct s3 *place, const char *key, const struct envelope *v, struct error *e);
/* Makes the object in this place, and compares it. Returns what s3_put or cold_compare returns. */
int cold_make_object(struct s3 *place, const char *key, const struct envelope *v, struct error *e);
/* Takes another place for the objects, which are there already, and notes in the folder that they are there. Returns -EEXIST if it is that
 * of another store. */
int cold_take_place(struct store *s, struct s3 *place, struct error *e);
/* Removes the object from cold-cache/, if it was fetched. */
void cold_forget(struct store *s, const uint8_t identity[ENVELOPE_IDENTITY]);

#endif
