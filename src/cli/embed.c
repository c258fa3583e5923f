/* The agent library, inside the program: AGENT_LIBRARY is its path at build time. */
__asm__(".section .rodata\n"
        ".balign 16\n"
        ".global agent_library\n"
        ".hidden agent_library\n"
        "agent_library:\n"
        ".incbin \"" AGENT_LIBRARY "\"\n"
        ".global agent_library_end\n"
        ".hidden agent_library_end\n"
        "agent_library_end:\n"
        ".previous\n");
