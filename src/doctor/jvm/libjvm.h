/* The contents of a libjvm.so beside its code, by its ELF sections. */
#ifndef CANDOR_DOCTOR_JVM_LIBJVM_H
#define CANDOR_DOCTOR_JVM_LIBJVM_H

#include <stdbool.h>

struct libjvm {
    bool symbols;    /* .symtab: names of all its functions */
    bool debug_link; /* .gnu_debuglink: more is in a file of a debug package */
    bool tables;     /* exports gHotSpotVMStructs, by which the agent finds the JVM's structures */
};

/* Reads an open file: 0, or -ENOEXEC when it is no 64-bit ELF file or is damaged. */
int libjvm_read(int fd, struct libjvm *out);

#endif
