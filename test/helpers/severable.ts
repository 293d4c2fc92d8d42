import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A way to a server that can be cut and mended, as a network would. */
export interface SeverableServer {
  /** The server's URL by this way. */
  url: string;
  /** Ends every connection, and refuses new ones. */
  cut(): void;
  mend(): void;
  close(): Promise<void>;
}

/** Puts a way that can be cut before a server. */
export async function createSeverable(target: string): Promise<SeverableServer> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let open = true;
  const server = createServer((inward) => {
    if (!open) return inward.destroy();
    const outward = connect(Number(port), hostname);
    for (const [from, to] of [
      [inward, outward],
      [outward, inward],
    ] as const) {
      sockets.add(from);
      from.pipe(to);
      from.on('error', () => {});
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(target);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  const cut = () => {
    open = false;
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: url.href,
    cut,
    mend: () => {
      open = true;
    },
    async close() {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}
