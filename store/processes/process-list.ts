import type { ClientBase, Pool } from 'pg';

interface GatewayDetails {
  /** The port that it answers HTTP on. */
  port: number;
  /** The number of its open Server-Sent Events connections. */
  openStreams: number;
  /** Of these, those of accounts whose plan has no limit, by account. Earlier versions do not say it. */
  unlimitedStreams?: Readonly<Record<number, number>>;
  /** The time since it last had every change in Kafka, in milliseconds. */
  behindMs: number;
  /** Whether people can sign in to its console with a provider. Earlier versions do not say it. */
  hasProvider?: boolean;
  /** Whether accounts can have webhooks. Earlier versions do not say it. */
  hasWebhooks?: boolean;
}

interface ConsumersDetails {
  /** The roles that it was started with. */
  roles: readonly string[];
  /** The roles that it leads. It stands by for the others. */
  leads: readonly string[];
}

/** A program of the service, with the state of its kind. */
export type ProgramState =
  | { program: 'gateway'; details: GatewayDetails }
  | { program: 'consumers'; details: ConsumersDetails };

/** A process's description of itself. */
export type ProcessDescription = ProgramState & {
  /** A UUID that it chose when it started. */
  id: string;
  /** The name of its machine. */
  host: string;
  pid: number;
  version: string;
  /** The time since its start, in milliseconds. */
  ageMs: number;
  /** The reason why it is not ready; null if it is. */
  obstacle: string | null;
  /** How long it has not been ready, in milliseconds; null if it is. */
  notReadyMs: number | null;
};

/** A listed process. */
export type ListedProcess = ProgramState & {
  id: string;
  host: string;
  pid: number;
  version: string;
  startedAt: Date;
  /** The time of its last beat. */
  seenAt: Date;
  /** `gone` after a minute without a beat; the other fields are then its last known state. */
  state: 'ready' | 'not_ready' | 'gone';
  /** The reason why it was not ready at its last beat; null if it was ready. */
  obstacle: string | null;
  /** Since when, if it was not ready at its last beat. Earlier versions do not say it. */
  notReadySince: Date | null;
};

/**
 * Writes the row of a process, and deletes the rows of processes without a beat for an hour. If a process runs again in
 * its container, it has its former number there: the row of the former process is deleted after a minute.
 */
export async function writeProcess(
  client: ClientBase | Pool,
  { id, program, host, pid, version, ageMs, obstacle, notReadyMs, details }: ProcessDescription,
): Promise<void> {
  await client.query(
    `WITH forgotten AS (
       DELETE FROM processes WHERE id IN (
         SELECT id FROM processes
         WHERE id <> $1 AND seen_at < clock_timestamp() -
           CASE WHEN (program, host, pid) = ($2, $3, $4) THEN interval '1 minute' ELSE interval '1 hour' END
         FOR UPDATE SKIP LOCKED
       )
     )
     INSERT INTO processes (id, program, host, pid, version, started_at, seen_at, obstacle, details)
     VALUES ($1, $2, $3, $4, $5, clock_timestamp() - $6::float8 * interval '1 millisecond', clock_timestamp(), $7, $8)
     ON CONFLICT (id) DO UPDATE
       SET seen_at = excluded.seen_at, obstacle = excluded.obstacle, details = excluded.details`,
    [id, program, host, pid, version, ageMs, obstacle, { ...details, notReadyMs }],
  );
}

/** Deletes the row of a stopping process. */
export async function removeProcess(client: ClientBase | Pool, id: string): Promise<void> {
  await client.query('DELETE FROM processes WHERE id = $1', [id]);
}

/** Lists running processes, and those that vanished within the last hour, by program and age. */
export async function listProcesses(client: ClientBase | Pool): Promise<ListedProcess[]> {
  const { rows } = await client.query<ListedProcess>(
    `SELECT id, program, host, pid, version, started_at AS "startedAt", seen_at AS "seenAt", obstacle,
       details - 'notReadyMs' AS details,
       seen_at - (details->>'notReadyMs')::float8 * interval '1 millisecond' AS "notReadySince",
       CASE WHEN seen_at < clock_timestamp() - interval '1 minute' THEN 'gone'
         WHEN obstacle IS NULL THEN 'ready' ELSE 'not_ready' END AS state
     FROM processes WHERE seen_at >= clock_timestamp() - interval '1 hour'
     ORDER BY program DESC, started_at, id`,
  );
  return rows;
}
