import type { ConsoleSession } from '../../store/access/console-sessions.ts';
import type { Actor } from '../../store/accounts/audit-log.ts';

/** The session's person, as the author of a change in the audit log. */
export const actorOf = ({ person }: ConsoleSession): Actor => ({ osUser: null, person });
