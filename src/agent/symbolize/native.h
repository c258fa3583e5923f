/* Finds names for native addresses: functions of the loaded libraries (.symtab, else .dynsym), the vdso, and the JVM's generated stubs as
 * JVMTI names them. Only the collector uses it, except native_add_stub, which any thread may call.
 *
 * A library's symbols are indexed when the first sample falls into it; the file is mapped, not copied. */
#ifndef CANDOR_AGENT_SYMBOLIZE_NATIVE_H
#define CANDOR_AGENT_SYMBOLIZE_NATIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Writes the function's name, demangled if it is a C++ name (demangle.h). A function without a name becomes "[libx.so+0x1230]", with the
 * place of its first instruction in the library, or "[libx.so]" if even that is unknown. An address outside all libraries becomes
 * "[unknown]". The result is never empty. */
void native_name(uintptr_t pc, char *out, size_t size);
/* Writes the name of the library: "libjvm" for .../libjvm.so, "stub" for generated code of the JVM, and nothing for other addresses. */
void native_library(uintptr_t pc, char *out, size_t size);
/* Writes the C++ class whose objects begin with this pointer to a table of virtual functions. The table is in the library with code at pc.
 * Returns false if it is not such a table, or if the library has no symbol for it. */
bool native_class(uintptr_t pc, uintptr_t virtual_table, char *out, size_t size);
/* Returns the address of the data with this symbol, in the library with code at pc; 0 = there is no such symbol. */
uintptr_t native_data(uintptr_t pc, const char *symbol);
/* Adds generated code of the JVM: its name, address and length. Later entries hide earlier ones that they overlap. */
void native_add_stub(const char *name, uintptr_t begin, size_t length);
/* Finds the generated code of the JVM that contains the address, and copies its name. Returns false if there is none. */
bool native_stub(uintptr_t pc, uintptr_t *begin, uintptr_t *end, char *name, size_t size);
/* Does the same for the i-th entry, oldest first. Returns false after the last. */
bool native_stub_at(uint32_t i, uintptr_t *begin, uintptr_t *end, char *name, size_t size);
/* Finds the text segment of the library that contains the address. Returns 0 or -ENOENT. */
int native_library_bounds(uintptr_t pc, uintptr_t *low, uintptr_t *high);
/* Takes the symbols' files out of the process's memory, if names were asked for since the last call. Later calls read them again. */
void native_rest(void);
/* Frees the lock that the calling thread may hold after a fault made it leave one of these functions in the middle. */
void native_abandon(void);
void native_deinit(void);

#endif
