/* Reads the contents of a libjvm.so besides its code, by its ELF sections. */
#ifndef CANDOR_DOCTOR_JVM_LIBJVM_H
#define CANDOR_DOCTOR_JVM_LIBJVM_H

#include <stdbool.h>

struct libjvm {
    bool symbols;    /* .symtab: names of all its functions */
    bool debug_link; /* .gnu_debuglink: a file of a debug package has more symbols */
    bool tables;     /* exports gHotSpotVMStructs, which the agent uses to find the JVM's structures */
};

/* Reads an open file. Returns 0, or -ENOEXEC if it is not a 64-bit ELF file or is damaged. */
int libjvm_read(int fd, struct libjvm *out);

#endif
