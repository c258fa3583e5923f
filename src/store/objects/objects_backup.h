/* Backups of a folder as objects (s3.h), and the way back. Files are cut into pieces, so that no object is too large and a piece that fails
 * is sent again by itself.
 *
 *     PREFIX/files/PATH.NUMBER   a piece of a file
 *     PREFIX/manifest            a line "SHA-256 BYTES NUMBER PATH" for each piece, in order; it is written last */
#ifndef CANDOR_STORE_OBJECTS_OBJECTS_BACKUP_H
#define CANDOR_STORE_OBJECTS_OBJECTS_BACKUP_H

#include "store/objects/s3.h"

/* Sends all files of the folder and of the folders in it. Returns 0, or a code with a message in e; -EEXIST if there is a backup. */
int objects_backup(struct s3 *s, const char *folder, struct error *e);
/* Makes the folder, which must not exist, of the backup. Each piece is checked by its digest. Returns 0, or a code with a message in e;
 * -ENOENT if there is no backup. After a failure the folder is not complete. */
int objects_restore(struct s3 *s, const char *folder, struct error *e);
/* Removes a folder with all that it has. Returns 0, or a negative errno; it need not exist. */
int objects_remove_folder(const char *folder);

#endif
