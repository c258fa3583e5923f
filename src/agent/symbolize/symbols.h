/* Finds the symbols of a loaded library. The sources, best first, are: its file, the file that was deleted or replaced after loading but is
 * still held by the mapping, a debug file with the same build id, and the memory of the process.
 *
 * Debug files are searched for in the places that gdb uses, and in debuginfod's cache:
 *   /usr/lib/debug/.build-id/XX/REST.debug
 *   the file in .gnu_debuglink: beside the library, in .debug beside it, and in /usr/lib/debug with the library's folder
 *   $DEBUGINFOD_CACHE_PATH, $XDG_CACHE_HOME/debuginfod_client or ~/.cache/debuginfod_client, each with BUILDID/debuginfo
 * They are read here and not by the reader of the recording, because this machine has the library, its build id, and usually its package's
 * debug file. */
#ifndef CANDOR_AGENT_SYMBOLIZE_SYMBOLS_H
#define CANDOR_AGENT_SYMBOLIZE_SYMBOLS_H

#include "agent/symbolize/image.h"

/* Opens the symbols. path: the loader's name of the library. If no symbols are found, *out is empty. */
void symbols_open(struct elf_symbols *out, const struct image *i, const char *path);

#endif
