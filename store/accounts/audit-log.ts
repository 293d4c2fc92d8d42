import type { ClientBase } from 'pg';

/** The author of a change: the operating system's user, if known. The database adds its own user. */
export interface Actor {
  osUser: string | null;
}

/** The changes that the audit log records. */
type AuditAction =
  | 'account.created'
  | 'account.suspended'
  | 'account.resumed'
  | 'account.plan_changed'
  | 'key.created'
  | 'key.revoked'
  | 'plan.changed'
  | 'submission.retried'
  | 'submission.skipped';

export interface AuditEntry {
  action: AuditAction;
  /** The thing that changed, such as `account acme` or `key 12`. Never a key's text. */
  subject: string;
  details?: Readonly<Record<string, unknown>>;
}

/** A listed entry. */
export interface AuditRecord extends Required<AuditEntry> {
  occurredAt: Date;
  databaseUser: string;
  osUser: string | null;
}

/** Records a change in the transaction that makes it, so that neither exists without the other. */
export async function recordAudit(
  client: ClientBase,
  { osUser }: Actor,
  { action, subject, details = {} }: AuditEntry,
): Promise<void> {
  await client.query('INSERT INTO audit_log (os_user, action, subject, details) VALUES ($1, $2, $3, $4)', [
    osUser,
    action,
    subject,
    details,
  ]);
}

/** The newest `limit` entries, the oldest of them first. */
export async function listAudit(client: ClientBase, limit: number): Promise<AuditRecord[]> {
  const { rows } = await client.query<AuditRecord>(
    `SELECT occurred_at AS "occurredAt", database_user AS "databaseUser", os_user AS "osUser", action, subject,
       details
     FROM audit_log ORDER BY id DESC LIMIT $1`,
    [limit],
  );
  return rows.reverse();
}
