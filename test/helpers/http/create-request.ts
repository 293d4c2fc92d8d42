import type { RawRequest } from '../../../gateway/http/route.ts';
import type { Scope } from '../../../schemas/vocabulary.ts';

/** A request of an account with one stream, as the server gives it to a route. Its connection stays open. */
export function createRequest(scope: Scope, given: Partial<RawRequest> = {}): RawRequest {
  return {
    url: '',
    query: '',
    path: {},
    id: 'req_1',
    caller: {
      ...{ accountId: 1, account: 'a', plan: 'free', scopes: [scope], credential: { key: 1 } },
      ...{ requestsPerMinute: null, requestsPerDay: null, maxStreams: 1 },
    },
    closed: new AbortController().signal,
    isClosed: () => false,
    onClose: () => {},
    readBody: async () => undefined,
    header: () => undefined,
    acceptsGzip: () => false,
    acceptsLines: () => false,
    ...given,
  };
}
