#include "agent/trigger/jvm/mount_events.h"

struct mount_events mount_events;
