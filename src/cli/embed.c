/* A file inside the program: EMBED_FILE is its path at build time, EMBED_NAME names its first byte, EMBED_NAME_end what is behind
 * its last. */
__asm__(".section .rodata\n"
        ".balign 16\n"
        ".global " EMBED_NAME "\n"
        ".hidden " EMBED_NAME "\n" EMBED_NAME ":\n"
        ".incbin \"" EMBED_FILE "\"\n"
        ".global " EMBED_NAME "_end\n"
        ".hidden " EMBED_NAME "_end\n" EMBED_NAME "_end:\n"
        ".previous\n");
