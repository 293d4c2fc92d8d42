import { reportFailure } from '../../service/report-failure.ts';
import { loadHeld } from '../../store/webhooks/leases.ts';
import type { CourierServices } from './courier.ts';

/**
 * Sends a test message beside the batches of a webhook, and records the attempt. Never rejects: a test that fails here is
 * sent again later.
 */
export async function sendTest(
  { id, messageId }: { id: number; messageId: string },
  { pool, delivererId, turns, attempts, records, clock, log }: CourierServices,
  lost: AbortSignal,
): Promise<void> {
  try {
    const [found] = await loadHeld(pool, delivererId, [id]);
    if (!found) return;
    const { accountId, url } = found;
    const endTurn = await turns.take({ host: new URL(url).host, accountId, isSlow: true }, lost);
    if (!endTurn) return;
    try {
      // Its account may have changed or deleted it during the wait. A new address gets the test at the next look.
      const [webhook] = await loadHeld(pool, delivererId, [id]);
      if (webhook?.url !== url) return;
      const { revision } = webhook;
      const timestamp = new Date(clock.now()).toISOString();
      const body = Buffer.from(JSON.stringify({ type: 'webhook.test', timestamp, data: { webhook_id: id } }));
      const { retryAfterMs: _, ...made } = await attempts.make(webhook, { messageId, body, events: 0 }, lost);
      await records.add({ id, revision, ...made, after: null });
    } finally {
      endTurn();
    }
  } catch (error) {
    if (lost.aborted) return;
    reportFailure(log, error, { where: 'webhooks', message: 'a test of a webhook failed; trying again' });
  }
}
