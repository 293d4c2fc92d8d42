import { setTimeout as sleep } from 'node:timers/promises';
import type { Caller } from './http/caller.ts';
import { createOwnRequest } from './http/own-request.ts';
import type { Endpoint } from './http/route.ts';

/** Quick requests that use most of the code for reads. */
const REQUESTS: readonly (readonly [path: string, query: string])[] = [
  ['/v1/elections', ''],
  ['/v1/contests', 'limit=20'],
  ['/v1/endorsers', 'limit=20'],
  ['/v1/endorsements', 'limit=20'],
  ['/v1/coverage', ''],
  ['/v1/recommendations', 'state=WY'],
];
/** Nobody's key. Endpoints are asked directly, so nothing is counted. */
const CALLER: Caller = {
  credential: { key: 0 },
  accountId: 0,
  account: '',
  plan: '',
  scopes: ['data:read'],
  requestsPerMinute: null,
  requestsPerDay: null,
  maxStreams: null,
};
const OWN = { path: {}, caller: CALLER, id: 'warm-up', closed: new AbortController().signal };

/**
 * Answers a few requests of its own, so that the first clients do not wait for compilation, connections and query plans.
 * Ends after `limitMs` at the latest, and never rejects.
 */
export async function warmUp(
  endpoints: readonly Pick<Endpoint, 'path' | 'method' | 'answer'>[],
  limitMs: number,
): Promise<void> {
  const ended = new AbortController();
  const answerAll = async () => {
    for (const [path, query] of REQUESTS) {
      const endpoint = endpoints.find((each) => each.method === 'GET' && each.path === path);
      if (!ended.signal.aborted)
        await endpoint?.answer(createOwnRequest({ ...OWN, pathname: path, query })).catch(() => {});
    }
  };
  await Promise.race([answerAll(), sleep(limitMs, undefined, { signal: ended.signal }).catch(() => {})]);
  ended.abort();
}
