import type { ClientBase, ClientConfig } from 'pg';

/** For sessions whose statements may take any time: imports, migrations and other commands. */
export const PATIENT_SESSION = {
  connectionTimeoutMillis: 5000,
  keepAlive: true,
  keepAliveInitialDelayMillis: 5000,
} satisfies ClientConfig;

/**
 * For sessions of unattended processes, which must give up on a server that vanished silently. Their
 * statements never take this long: `watchSession` makes the server end a wait for a lock earlier.
 */
export const WATCHFUL_SESSION = { ...PATIENT_SESSION, query_timeout: 20_000 } satisfies ClientConfig;

/**
 * Makes the server notice within seconds that this session's process vanished silently, so that its locks
 * become free:
 *
 * - After 5 s of silence the server probes every 2 s, and gives up after 11 s. It also gives up if the
 *   process accepts no data for 11 s.
 * - A session that waits for a lock does not read, so it checks every 2 s whether its process is still
 *   connected.
 * - A session waits for a lock for at most 4 s. The statement then fails with LOCK_NOT_AVAILABLE and can be
 *   retried before Kafka removes a consumer from its group after 6 s of silence.
 * - An idle transaction ends after a minute. Kafka takes less time to accept or refuse a send within it.
 */
export async function watchSession(client: ClientBase): Promise<void> {
  await client.query(`
    SET tcp_keepalives_idle = 5;
    SET tcp_keepalives_interval = 2;
    SET tcp_keepalives_count = 3;
    SET tcp_user_timeout = 11000;
    SET client_connection_check_interval = 2000;
    SET lock_timeout = 4000;
    SET idle_in_transaction_session_timeout = 60000`);
}

/** Whether pg gave up waiting for an answer. The connection is then useless: later queries wait behind that answer. */
export function isSilence(error: unknown): error is Error {
  return error instanceof Error && error.message === 'Query read timeout';
}
