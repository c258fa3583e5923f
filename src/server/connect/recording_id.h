/* Writes the number of a recording as the id of a profile that Pyroscope's clients expect, a UUID, and reads it again. */
#ifndef CANDOR_SERVER_CONNECT_RECORDING_ID_H
#define CANDOR_SERVER_CONNECT_RECORDING_ID_H

#include <stdint.h>

enum { RECORDING_ID_CHARS = 36 };

void recording_id_write(uint64_t recording, char out[RECORDING_ID_CHARS + 1]);
/* Returns the number, or 0 if the text is not the id of a recording of such a server. No recording has the number 0. */
uint64_t recording_id_read(const char *text);

#endif
