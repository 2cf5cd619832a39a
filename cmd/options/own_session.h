/* A session of prof's own, in the sense of setsid(2): the kernel shares CPUs by session. */
#ifndef CMD_OPTIONS_OWN_SESSION_H
#define CMD_OPTIONS_OWN_SESSION_H

/* If eight threads or more want each CPU and prof may not raise its priority, it goes on in a child in a session of its own, which gets
 * as much of the CPUs as all that runs in the session where prof was started.  The process that was started passes signals on, and
 * ends as the child does. */
void own_session_begin(void);

#endif
