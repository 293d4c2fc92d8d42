import type { ClientBase, ClientConfig } from 'pg';

/** For sessions whose statements may take as long as they like: imports, migrations and other commands. */
export const PATIENT_SESSION = {
  connectionTimeoutMillis: 5000,
  keepAlive: true,
  keepAliveInitialDelayMillis: 5000,
} satisfies ClientConfig;

/**
 * For sessions that must go on by themselves: one whose server is gone without a word is given up. No statement of theirs
 * takes so long: what waits for a lock is ended by the server before, with `watchSession`.
 */
export const WATCHFUL_SESSION = { ...PATIENT_SESSION, query_timeout: 20_000 } satisfies ClientConfig;

/**
 * Has the server notice within seconds that this session's program is gone without a word, so that the locks it holds are
 * free for the next: after 5 s of silence it asks, every 2 s, and after 11 s it gives up, as it does where an answer is
 * not taken for so long. A session that waits for a lock does not listen by itself, so it is made to look every 2 s, and
 * waits for 4 s at most: its statement then fails with LOCK_NOT_AVAILABLE, to be tried again before Kafka puts a member
 * that is not heard of for 6 s out of its group. A transaction that its program left standing ends after a minute, which
 * is longer than Kafka takes to refuse or take what is sent in it.
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

/** Whether pg gave up waiting for an answer. The connection is of no use then: whatever comes next waits behind it. */
export function isSilence(error: unknown): error is Error {
  return error instanceof Error && error.message === 'Query read timeout';
}
