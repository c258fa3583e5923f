/* Embeds a file in the program. EMBED_FILE is its path at build time, EMBED_NAME is the symbol of its first byte, and EMBED_NAME_end is
 * the symbol of the byte after its last. */
__asm__(".section .rodata\n"
        ".balign 16\n"
        ".global " EMBED_NAME "\n"
        ".hidden " EMBED_NAME "\n" EMBED_NAME ":\n"
        ".incbin \"" EMBED_FILE "\"\n"
        ".global " EMBED_NAME "_end\n"
        ".hidden " EMBED_NAME "_end\n" EMBED_NAME "_end:\n"
        ".previous\n");
