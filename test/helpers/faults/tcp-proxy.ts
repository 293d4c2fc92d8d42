import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A connection through the proxy. */
interface Line {
  client: Socket;
  /** Null if the proxy was silent when the client connected. */
  server: Socket | null;
  isSilent: boolean;
}

/** An action after a number of packets from clients. */
interface Trap {
  left: number;
  spring: () => void;
}

/**
 * A TCP proxy whose connections fail on command like those of a network: cut, refused, delayed, or silent without a
 * word to either end. It counts its clients' packets, so that a fault can happen at every step of their work.
 */
export class TcpProxy {
  /** The port for new connections. */
  target: number;
  /** The number of packets from clients. */
  packets = 0;
  /** The number of cut connections. */
  cuts = 0;
  readonly #url: URL;
  readonly #server: Server;
  readonly #lines = new Set<Line>();
  #state: 'open' | 'severed' | 'silent' = 'open';
  #delayMs = 0;
  #trap: Trap | undefined;

  private constructor(url: URL) {
    this.#url = url;
    this.target = Number(url.port);
    // A silenced connection does not even answer the end of its client.
    this.#server = createServer({ allowHalfOpen: true }, (client) => this.#join(client));
  }

  /** Opens a port of 127.0.0.1 in front of a server. @param target its URL, or its port on 127.0.0.1 */
  static async open(target: string | number): Promise<TcpProxy> {
    const url = typeof target === 'number' ? `http://127.0.0.1:${target}` : target;
    const proxy = new TcpProxy(new URL(url));
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get address(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** The URL of the server through the proxy. */
  get url(): string {
    return Object.assign(new URL(this.#url), { hostname: '127.0.0.1', port: String(this.port) }).href;
  }

  /** Calls `spring` right before the packet of this number, counted from now, reaches the server. */
  trap(packet: number, spring: () => void): void {
    this.#trap = { left: packet, spring };
  }

  /** Drops every connection; new ones work. @returns the number of dropped ones */
  cut(): number {
    const count = this.#lines.size;
    this.cuts += count;
    for (const { client, server } of this.#lines) {
      client.resetAndDestroy();
      server?.resetAndDestroy();
    }
    this.#lines.clear();
    return count;
  }

  /** Ends every connection, and refuses new ones. */
  sever(): void {
    this.#state = 'severed';
    for (const { client, server } of this.#lines) {
      client.destroy();
      server?.destroy();
    }
    this.#lines.clear();
  }

  /** Delays every packet in both directions. */
  delay(ms: number): void {
    this.#delayMs = ms;
  }

  /**
   * Passes nothing on and tells neither side, as when a host dies or a firewall drops packets. Connections stay open
   * and new ones are accepted, but no byte comes through. A silenced connection stays silent for good.
   */
  silence(): void {
    this.#state = 'silent';
    for (const line of this.#lines) line.isSilent = true;
  }

  /** Lets new connections work, without delay. */
  mend(): void {
    this.#state = 'open';
    this.#delayMs = 0;
    this.#trap = undefined;
  }

  /** Ends silenced connections at the server's side, as the server does when its keepalive probes fail. */
  forgetSilenced(): void {
    for (const { server, isSilent } of this.#lines) if (isSilent) server?.destroy();
  }

  async close(): Promise<void> {
    this.#server.close();
    this.cut();
    await once(this.#server, 'close');
  }

  #join(client: Socket): void {
    if (this.#state === 'severed') return void client.destroy();
    const isSilent = this.#state === 'silent';
    const server = isSilent ? null : connect(this.target, this.#url.hostname);
    const line: Line = { client, server, isSilent };
    this.#lines.add(line);
    client.on('end', () => {
      if (!line.isSilent) client.end();
    });
    client.on('data', (bytes: Buffer) => {
      this.packets += 1;
      this.#springTrap();
      this.#pass(line, bytes, client, server);
    });
    server?.on('data', (bytes: Buffer) => this.#pass(line, bytes, server, client));
    this.#tie(line, client, server);
    if (server) this.#tie(line, server, client);
  }

  /** Ends one side of a connection with the other. */
  #tie(line: Line, one: Socket, other: Socket | null): void {
    one.on('error', () => {});
    one.on('drain', () => other?.resume());
    one.on('close', () => {
      if (line.isSilent) return;
      this.#lines.delete(line);
      other?.destroySoon();
    });
  }

  #springTrap(): void {
    if (!this.#trap) return;
    this.#trap.left -= 1;
    if (this.#trap.left > 0) return;
    const { spring } = this.#trap;
    this.#trap = undefined;
    spring();
  }

  #pass(line: Line, bytes: Buffer, from: Socket, to: Socket | null): void {
    if (line.isSilent || !to) return;
    // Timers of one duration fire in order, so packets keep their order.
    if (this.#delayMs > 0) setTimeout(() => to.write(bytes), this.#delayMs);
    else if (!to.write(bytes)) from.pause();
  }
}
