import { globSync } from 'node:fs';

/** Debian's `faketime` library, which changes the clock of the process that loads it; undefined if it is missing. */
export const FAKETIME_LIBRARY: string | undefined = globSync('/usr/lib/*/faketime/libfaketime.so.1')[0];

/** The environment of a process whose clock is off by an offset such as `+10m`; empty if `faketime` is missing. */
export function clockOff(offset: string): Record<string, string> {
  return FAKETIME_LIBRARY === undefined ? {} : { LD_PRELOAD: FAKETIME_LIBRARY, FAKETIME: offset };
}
