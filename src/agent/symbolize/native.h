/* Names for native addresses: functions of the loaded libraries (.symtab, else .dynsym), the vdso, and the JVM's generated
 * stubs as JVMTI names them. Used by the collector only; one owner, except native_add_stub, which any thread may call.
 *
 * A library's symbols are indexed when the first sample falls into it; the file is mapped, not copied. */
#ifndef CANDOR_AGENT_SYMBOLIZE_NATIVE_H
#define CANDOR_AGENT_SYMBOLIZE_NATIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Writes the function's name, readable if of C++ (demangle.h); "[libx.so+0x1230]" when it has none, the place of its first
 * instruction in the library, or "[libx.so]" where not even that is known; "[unknown]" outside all libraries. Never empty. */
void native_name(uintptr_t pc, char *out, size_t size);
/* The place of the address: "libjvm" in .../libjvm.so, "stub" in generated code of the JVM, nothing outside all of them. */
void native_library(uintptr_t pc, char *out, size_t size);
/* The C++ class whose objects begin with this pointer, to a table of virtual functions in the library with code at pc. False:
 * it is none, or the library has no symbol for it. */
bool native_class(uintptr_t pc, uintptr_t virtual_table, char *out, size_t size);
/* The address of the data with this symbol, in the library with code at pc; 0 = it has no such symbol. */
uintptr_t native_data(uintptr_t pc, const char *symbol);
/* Generated code of the JVM: name, address, length. Later entries hide earlier ones they overlap. */
void native_add_stub(const char *name, uintptr_t begin, size_t length);
/* The generated code of the JVM that contains the address, with a copy of its name; false: the address is in none. */
bool native_stub(uintptr_t pc, uintptr_t *begin, uintptr_t *end, char *name, size_t size);
/* The same for the i-th that was added, oldest first; false after the last. */
bool native_stub_at(uint32_t i, uintptr_t *begin, uintptr_t *end, char *name, size_t size);
/* The text segment of the library that holds the address; 0 or -ENOENT. */
int native_library_bounds(uintptr_t pc, uintptr_t *low, uintptr_t *high);
/* Frees the lock that the calling thread may hold after a fault made it leave one of these functions in the middle. */
void native_abandon(void);
void native_deinit(void);

#endif
