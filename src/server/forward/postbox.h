/* Keeps recordings that wait to be sent to one other server, in a folder of that server's. Each is a file of files/envelope.h, named by its
 * identity, so a recording that is put twice waits once. A recording that was put survives any end of the server and of the machine.
 *
 *     FOLDER/IDENTITY            waits
 *     FOLDER/refused/IDENTITY    the other server will never take it; it stays until somebody removes it
 *
 *   postbox_open -> postbox_put, from any thread ... postbox_take -> postbox_put_back | postbox_done | postbox_refuse | postbox_lose */
#ifndef CANDOR_SERVER_FORWARD_POSTBOX_H
#define CANDOR_SERVER_FORWARD_POSTBOX_H

#include "store/files/envelope.h"

#include <pthread.h>

struct postbox_letter {
    struct postbox_letter *next;
    uint64_t bytes;
    char name[2 * ENVELOPE_IDENTITY + 1];
};

struct postbox_counts {
    uint64_t waiting, waiting_bytes; /* those that are being sent, too */
    uint64_t sent;                   /* since the start */
    uint64_t refused;                /* files in the folder `refused` */
    uint64_t lost;                   /* since the start: files that somebody removed */
};

struct postbox {
    char path[DISK_PATH_MAX];
    pthread_mutex_t lock; /* protects the following members */
    struct postbox_letter *first, **end;
    struct postbox_counts counts;
};

/* Opens the folder, and makes it if it is missing. What waits there is taken first, in no particular order. Returns 0, or a code with a
 * message in e; then there is nothing to close. */
int postbox_open(struct postbox *p, const char *path, struct error *e);
void postbox_close(struct postbox *p);
/* Puts a recording, whose file is complete and synced, as another name of that file on the same file system. *known: it waits already.
 * Returns 0 when the name is on the disk, or a code with a message in e. */
int postbox_put(struct postbox *p, const char *file, const uint8_t identity[ENVELOPE_IDENTITY], bool *known, struct error *e);
/* Takes the recording that has waited longest, or NULL. The caller ends it with one of the four functions below. */
struct postbox_letter *postbox_take(struct postbox *p);
/* It waits again, behind the others. */
void postbox_put_back(struct postbox *p, struct postbox_letter *l);
/* The other server has it. */
void postbox_done(struct postbox *p, struct postbox_letter *l);
/* The other server will never take it. */
void postbox_refuse(struct postbox *p, struct postbox_letter *l);
/* Its file is gone. */
void postbox_lose(struct postbox *p, struct postbox_letter *l);
char *postbox_file(const struct postbox *p, const struct postbox_letter *l, char out[DISK_PATH_MAX]);
struct postbox_counts postbox_counts(struct postbox *p);

#endif
