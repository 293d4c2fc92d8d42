import { expect, test } from '@jest/globals';
import type { GatewayContext } from '../../../gateway/context.ts';
import { webhookRoutes } from '../../../gateway/routes/webhooks/routes.ts';
import { createRequest } from '../../helpers/http/create-request.ts';
import { ManualClock, settle } from '../../helpers/service/manual-clock.ts';

test('a request that waits for the test of a webhook ends when the gateway drains', async () => {
  const draining = new AbortController();
  let queries = 0;
  const pool = {
    async maybeOneFirst() {
      queries += 1;
      if (queries > 50) throw new Error('It asks without end.');
      return queries === 1 ? 'msg_1' : null;
    },
  };
  const context = { pool, clock: new ManualClock(), config: { webhooks: {} }, draining: draining.signal };
  const request = createRequest('webhooks:write', { path: { id: '1' } });
  const route = webhookRoutes.find(({ operationId }) => operationId === 'testWebhook');
  const answer = route?.answer(request, context as unknown as GatewayContext);
  await settle();
  expect(queries).toBe(2);
  draining.abort();
  await expect(answer).rejects.toMatchObject({ code: 'not_available' });
  expect(queries).toBe(2);
});
