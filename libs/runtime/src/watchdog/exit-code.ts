/** The exit code of a process that has ended itself because it was hung: EX_SOFTWARE of sysexits.h. */
export const watchdogExit = 70;
