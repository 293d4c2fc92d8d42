import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** An address that forwards to another one, which can change at any time, and whose connections can be cut. */
export class Switchboard {
  /** The port of 127.0.0.1 that new connections go to. */
  target: number;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(target: number) {
    this.target = target;
    this.#server = createServer((socket) => {
      const onward = connect(this.target, '127.0.0.1');
      for (const [one, other] of [
        [socket, onward],
        [onward, socket],
      ] as const) {
        this.#sockets.add(one);
        one.on('error', () => {});
        one.on('close', () => {
          this.#sockets.delete(one);
          other.destroy();
        });
        one.pipe(other);
      }
    });
  }

  static async open(target: number): Promise<Switchboard> {
    const switchboard = new Switchboard(target);
    switchboard.#server.listen(0, '127.0.0.1');
    await once(switchboard.#server, 'listening');
    return switchboard;
  }

  get address(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Drops every connection silently. @returns their number */
  cut(): number {
    const count = this.#sockets.size / 2;
    for (const socket of this.#sockets) socket.resetAndDestroy();
    return count;
  }

  async close(): Promise<void> {
    this.#server.close();
    this.cut();
    await once(this.#server, 'close');
  }
}
