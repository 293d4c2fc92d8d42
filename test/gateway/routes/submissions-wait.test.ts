import { expect, test } from '@jest/globals';
import type { GatewayContext } from '../../../gateway/context.ts';
import type { WatchedReader } from '../../../gateway/delivery/access-watch.ts';
import { ApiError } from '../../../gateway/http/api-error.ts';
import { submissionRoutes } from '../../../gateway/routes/submissions.ts';
import { createRequest } from '../../helpers/http/create-request.ts';
import { ManualClock, settle } from '../../helpers/service/manual-clock.ts';
import { HOUR } from '../../helpers/stream/fed-stream.ts';

/** Waits for the outcome of a submission that is on its way, at a gateway that consists of this route. */
function wait() {
  const watched = new Set<WatchedReader>();
  const applied = Promise.withResolvers<void>();
  let status = 'submitted';
  let refusal: ApiError | undefined;
  const context = {
    ...{ clock: new ManualClock(), config: { retentionMs: HOUR }, draining: new AbortController().signal },
    pool: { maybeOne: async () => ({ id: 1, endorsers: ['coast-gazette'], contests: ['mayor'] }) },
    publishing: {
      outcomesOf: async () => [{ status }],
      async untilApplied() {
        await applied.promise;
        status = 'applied';
      },
    },
    accessWatch: {
      add: (reader: WatchedReader) => watched.add(reader),
      remove: (reader: WatchedReader) => watched.delete(reader),
      async check(reader: WatchedReader) {
        if (refusal) reader.refuse(refusal);
      },
    },
  } as unknown as GatewayContext;
  const request = createRequest('endorsements:write', { query: 'wait=25', path: { id: '1' } });
  const answer = submissionRoutes.find(({ method }) => method === 'GET')?.answer(request, context);
  const refuse = (error: ApiError) => {
    refusal = error;
  };
  return { answer, watched, apply: applied.resolve, refuse };
}

test('a request that waits for outcomes gets them when they are known, and leaves nothing behind', async () => {
  const { answer, watched, apply } = wait();
  await settle();
  expect(watched.size).toBe(1);
  apply();
  expect(await answer).toMatchObject({ json: expect.stringContaining('"status":"applied"') });
  expect(watched.size).toBe(0);
});

test('a request whose key is revoked while it waits for outcomes gets none', async () => {
  const { answer, watched, apply, refuse } = wait();
  await settle();
  refuse(new ApiError('revoked_api_key', 'This API key was revoked.'));
  apply();
  await expect(answer).rejects.toMatchObject({ code: 'revoked_api_key' });
  expect(watched.size).toBe(0);
});
