import type { ClientBase, Pool } from 'pg';

/** The author of a change. The database adds its own user. */
export interface Actor {
  /** The operating system's user of a command, if known; null in the console. */
  osUser: string | null;
  /** The person signed in to the console; null for a command. */
  person: string | null;
}

/** The sender of submissions: a command, or an action in the console, and its user, such as "ops submit by alice". */
export function nameSender(action: string, { person, osUser }: Actor): string {
  const user = person ?? osUser;
  return user === null ? action : `${action} by ${user}`;
}

/** The changes that the audit log records. */
type AuditAction =
  | 'account.created'
  | 'account.suspended'
  | 'account.resumed'
  | 'account.plan_changed'
  | 'account.endorsers_allowed'
  | 'account.endorsers_disallowed'
  | 'key.created'
  | 'key.revoked'
  | 'plan.changed'
  | 'person.invited'
  | 'person.joined'
  | 'person.role_changed'
  | 'person.removed'
  | 'invitation.withdrawn'
  | 'link.created'
  | 'session.started'
  | 'submission.retried'
  | 'submission.dismissed'
  | 'submission.corrected'
  | 'sessions.ended'
  | 'submission.skipped'
  | 'catalogue.imported'
  | 'webhook.disabled'
  | 'webhook.retried';

export interface AuditEntry {
  action: AuditAction;
  /** The changed object, such as `account acme` or `key 12`. Never contains a key's text. */
  subject: string;
  /** The account that the change belongs to, if any. */
  accountId?: number;
  details?: Readonly<Record<string, unknown>>;
}

/** A listed entry. */
export interface AuditRecord extends Required<Omit<AuditEntry, 'accountId'>>, Actor {
  id: number;
  occurredAt: Date;
  databaseUser: string;
}

/** Records a change in the transaction that makes it, so that neither exists without the other. */
export async function recordAudit(
  client: ClientBase,
  { osUser, person }: Actor,
  { action, subject, accountId, details = {} }: AuditEntry,
): Promise<void> {
  await client.query(
    `INSERT INTO audit_log (os_user, person, action, subject, account_id, details)
     VALUES ($1, $2, $3, $4, $5, $6)`,
    [osUser, person, action, subject, accountId ?? null, details],
  );
}

export interface AuditPage {
  /** The most entries. */
  limit: number;
  /** Only entries before the one of this id. */
  before?: number | null;
  /** Only entries of this account. */
  accountId?: number | null;
}

/** The newest entries, the oldest of them first. */
export async function listAudit(
  client: ClientBase | Pool,
  { limit, before = null, accountId = null }: AuditPage,
): Promise<AuditRecord[]> {
  const { rows } = await client.query<AuditRecord>(
    `SELECT id::float8 AS id, occurred_at AS "occurredAt", database_user AS "databaseUser", os_user AS "osUser", person,
       action, subject, details
     FROM audit_log
     WHERE ($2::bigint IS NULL OR id < $2) AND ($3::int IS NULL OR account_id = $3)
     ORDER BY audit_log.id DESC LIMIT $1`,
    [limit, before, accountId],
  );
  return rows.reverse();
}
