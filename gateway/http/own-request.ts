import type { RawRequest } from './route.ts';

/** The parts of a request that the process makes itself. */
type OwnRequest = Pick<RawRequest, 'path' | 'caller' | 'id' | 'closed'> & {
  /** The path without parameters in braces. */
  pathname: string;
  query: string;
};

/** A request that the process makes itself, for JSON: without a body, headers and a connection. */
export const createOwnRequest = ({ pathname, closed, ...request }: OwnRequest): RawRequest => ({
  ...request,
  url: `${pathname}?${request.query}`,
  readBody: async () => undefined,
  header: () => undefined,
  acceptsGzip: () => false,
  acceptsLines: () => false,
  onClose: (listener) =>
    closed.aborted ? listener() : closed.addEventListener('abort', listener, { once: true }),
  closed,
  isClosed: () => closed.aborted,
});
