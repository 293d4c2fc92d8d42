import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A connection to a server that can fail and recover, as a network does. */
export interface SeverableServer {
  /** The server's URL through this connection. */
  url: string;
  /** Ends every connection, and refuses new ones. */
  cut(): void;
  /**
   * Passes nothing on and tells neither side, as when a host dies or a firewall drops packets: connections stay open, new
   * ones are accepted, and no byte comes through. A silenced connection stays silent for good.
   */
  silence(): void;
  /** New connections work. */
  mend(): void;
  /** Ends silenced connections at the server's side, as the server does when its keepalive probes go unanswered. */
  forgetSilenced(): void;
  close(): Promise<void>;
}

/** A connection from a client to the server. */
interface Line {
  inward: Socket;
  outward: Socket | null;
  silent: boolean;
}

/** Opens an address in front of a server whose connections can be cut. */
export async function createSeverable(target: string): Promise<SeverableServer> {
  const { hostname, port } = new URL(target);
  const lines = new Set<Line>();
  let state: 'open' | 'cut' | 'silent' = 'open';

  const end = (line: Line) => {
    line.inward.destroy();
    line.outward?.destroy();
    lines.delete(line);
  };
  const join = (line: Line, outward: Socket) => {
    for (const [from, to] of [
      [line.inward, outward],
      [outward, line.inward],
    ] as const) {
      from.on('data', (bytes) => {
        if (!line.silent && !to.write(bytes)) from.pause();
      });
      to.on('drain', () => from.resume());
      from.on('error', () => {});
      from.on('close', () => {
        if (!line.silent) to.destroySoon();
      });
    }
  };
  const server = createServer((inward) => {
    if (state === 'cut') return inward.destroy();
    const silent = state === 'silent';
    const outward = silent ? null : connect(Number(port), hostname);
    const line = { inward, outward, silent };
    lines.add(line);
    inward.on('close', () => {
      if (!line.silent) lines.delete(line);
    });
    if (outward) join(line, outward);
    else inward.resume().on('error', () => {});
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(target);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  const cut = () => {
    state = 'cut';
    for (const line of lines) end(line);
  };
  return {
    url: url.href,
    cut,
    silence: () => {
      state = 'silent';
      for (const line of lines) line.silent = true;
    },
    mend: () => {
      state = 'open';
    },
    forgetSilenced: () => {
      for (const { outward, silent } of lines) if (silent) outward?.destroy();
    },
    async close() {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}
