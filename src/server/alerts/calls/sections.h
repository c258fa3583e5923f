/* Changes one section [alert NAME] of the text of a file of rules (base/ini.h), and nothing else in it. */
#ifndef CANDOR_SERVER_ALERTS_CALLS_SECTIONS_H
#define CANDOR_SERVER_ALERTS_CALLS_SECTIONS_H

/* Returns a copy of a text in which `by` takes the place of the section [alert NAME]; NULL = the section goes. Comments within the section
 * stay, before it; those directly before the next section belong to that one. If there is no such section, or name is NULL, `by` becomes
 * the last section. The result is from malloc; NULL = no memory. */
char *sections_replace(const char *text, const char *name, const char *by);

#endif
