import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A connection through the proxy: both of its ends. */
type Line = readonly [client: Socket, server: Socket];

/** Something that happens when a client has sent a number of packets. */
interface Trap {
  left: number;
  spring: () => void;
}

/**
 * A TCP proxy whose connections fail on command: cut, delayed, or silent without a word to either end. It counts the
 * packets of its clients, so that something can happen at every step of their work.
 */
export class FaultProxy {
  /** The number of packets that clients have sent. */
  packets = 0;
  /** The number of connections that were cut. */
  cuts = 0;
  readonly #target: number;
  readonly #server: Server;
  readonly #lines = new Set<Line>();
  #delayMs = 0;
  #isSilent = false;
  #trap: Trap | undefined;

  private constructor(target: number) {
    this.#target = target;
    this.#server = createServer((client) => this.#join(client));
  }

  /** Opens a port of 127.0.0.1 in front of another. */
  static async open(target: number): Promise<FaultProxy> {
    const proxy = new FaultProxy(target);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Calls `spring` right before the packet of this number, counted from now on, is passed to the server. */
  trap(packet: number, spring: () => void): void {
    this.#trap = { left: packet, spring };
  }

  /** Drops every connection. New ones work. */
  cut(): void {
    for (const line of this.#lines) {
      this.cuts += 1;
      for (const socket of line) socket.resetAndDestroy();
    }
  }

  /** Delays every packet in both directions. */
  delay(ms: number): void {
    this.#delayMs = ms;
  }

  /** Passes nothing on, on open connections and on new ones, and tells neither end. */
  silence(): void {
    this.#isSilent = true;
  }

  /** Works again. Connections that were silent have lost packets, so they are dropped. */
  mend(): void {
    this.#delayMs = 0;
    this.#trap = undefined;
    if (this.#isSilent) this.cut();
    this.#isSilent = false;
  }

  async close(): Promise<void> {
    this.#server.close();
    this.cut();
    await once(this.#server, 'close');
  }

  #join(client: Socket): void {
    const server = connect(this.#target, '127.0.0.1');
    const line: Line = [client, server];
    this.#lines.add(line);
    client.on('data', (bytes: Buffer) => {
      this.packets += 1;
      this.#springTrap();
      this.#pass(bytes, server);
    });
    server.on('data', (bytes: Buffer) => this.#pass(bytes, client));
    for (const [one, other] of [line, [server, client]] as const) {
      one.on('error', () => {});
      one.on('close', () => {
        this.#lines.delete(line);
        if (!this.#isSilent) other.destroySoon();
      });
    }
  }

  #springTrap(): void {
    if (!this.#trap) return;
    this.#trap.left -= 1;
    if (this.#trap.left > 0) return;
    const { spring } = this.#trap;
    this.#trap = undefined;
    spring();
  }

  #pass(bytes: Buffer, to: Socket): void {
    if (this.#isSilent) return;
    if (this.#delayMs === 0) to.write(bytes);
    // Timers of one length fire in order, so packets keep theirs.
    else setTimeout(() => to.write(bytes), this.#delayMs);
  }
}
