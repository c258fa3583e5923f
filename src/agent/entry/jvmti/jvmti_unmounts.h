/* Reports virtual threads that leave their carriers, and that return, to the event wall (trigger/jvm/mount_events.h). */
#ifndef CANDOR_AGENT_ENTRY_JVMTI_JVMTI_UNMOUNTS_H
#define CANDOR_AGENT_ENTRY_JVMTI_JVMTI_UNMOUNTS_H

void jvmti_unmounts_init(void);

#endif
