import type { ConsoleSession } from '../../store/access/console-sessions.ts';
import type { Actor } from '../../store/accounts/audit-log.ts';

/** The author of a change that a session makes, for the audit log. */
export const actorOf = ({ person }: ConsoleSession): Actor => ({ osUser: null, person });
