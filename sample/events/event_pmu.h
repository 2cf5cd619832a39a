/* Where sysfs describes PMUs. */
#ifndef SAMPLE_EVENTS_EVENT_PMU_H
#define SAMPLE_EVENTS_EVENT_PMU_H

#ifndef EVENT_DEVICES   /* tests bring their own */
#define EVENT_DEVICES "/sys/bus/event_source/devices"
#endif

#endif
