declare module 'inflation' {
  import type { IncomingMessage } from 'node:http';
  import type { Readable } from 'node:stream';

  /** The unpacked body. @throws Error with `status` 415 if its encoding is unknown */
  export default function inflate(request: IncomingMessage): Readable;
}
