import type { Pool } from 'pg';
import type { Logger } from '../../service/log.ts';
import { type DueNotice, listDueNotices, noteTold } from '../../store/webhooks/notices.ts';

/** The most notices of a round. */
const MAX_NOTICES = 20;
const TIMEOUT_MS = 15_000;

/**
 * Tells an address of the operator, which sends mail, of webhooks that the service has disabled. A notice that is not
 * accepted with 2xx is repeated in a later round; one can come twice. If the signal aborts, the others wait for a later
 * round.
 */
export async function sendNotices(pool: Pool, url: URL, log: Logger, signal: AbortSignal): Promise<void> {
  for (const notice of await listDueNotices(pool, MAX_NOTICES)) {
    const refusal = await tell(url, notice, signal);
    if (refusal === null) await noteTold(pool, notice);
    else if (signal.aborted) return;
    else log.warn({ webhook: notice.id, reason: refusal }, 'a notice was not accepted; trying again later');
  }
}

/** @returns null if the notice was accepted, otherwise the reason */
async function tell(
  url: URL,
  { id, name, url: address, reason, account, people }: DueNotice,
  signal: AbortSignal,
): Promise<string | null> {
  const webhook = { id, name, url: address, reason };
  try {
    const response = await fetch(url, {
      method: 'POST',
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ type: 'webhook.disabled', account, people, webhook }),
    });
    await response.body?.cancel();
    return response.ok ? null : `status ${response.status}`;
  } catch (error) {
    return (error as Error).message;
  }
}
