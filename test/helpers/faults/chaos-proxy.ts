import { once } from 'node:events';
import http, { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { Transform } from 'node:stream';
import type { Random } from '../../../ops/demo/random.ts';

/** The faults of a proxy and of the network, for a request. */
const TROUBLES = {
  /** A limit of the service. */
  limited: (_, response) =>
    refuse(response, 429, '{"error":{"code":"rate_limit_exceeded","message":"Slow."}}'),
  /** A starting gateway. */
  warming: (_: IncomingMessage, response: ServerResponse) =>
    refuse(response, 503, '{"error":{"code":"warming_up","message":"Soon."}}'),
  /** A proxy without a gateway. */
  badGateway: (_: IncomingMessage, response: ServerResponse) =>
    refuse(response, 502, '<html>Bad Gateway</html>'),
  /** A connection that breaks before the answer. */
  broken: (request) => request.socket.resetAndDestroy(),
  /** No answer at all, for as long as the client waits. */
  silent: () => {},
} satisfies Record<string, (request: IncomingMessage, response: ServerResponse) => void>;

/** The faults in the middle of an answer. */
const CUTS = ['cut', 'stall'] as const;
const KINDS = [...(Object.keys(TROUBLES) as (keyof typeof TROUBLES)[]), ...CUTS];
const MAX_BYTES = 5000;

function refuse(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { 'Content-Type': 'application/json', 'Retry-After': '0' }).end(body);
}

/** A proxy in front of gateways, with every fault of a network. */
export class ChaosProxy {
  /** The ports of 127.0.0.1 behind it. */
  targets: number[];
  /** The part of faulty requests, from 0 to 1. */
  trouble = 0;
  /** The kinds of faults so far. */
  readonly met = new Set<string>();
  #troubles = 0;
  readonly #random: Random;
  readonly #sockets = new Set<Socket>();
  readonly #server = createServer((request, response) => this.#take(request, response));

  private constructor(targets: number[], random: Random) {
    this.targets = targets;
    this.#random = random;
    this.#server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket)).on('error', () => {});
    });
  }

  static async open(targets: number[], random: Random): Promise<ChaosProxy> {
    const proxy = new ChaosProxy(targets, random);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get address(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Cuts every connection. */
  cut(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  async close(): Promise<void> {
    this.#server.close();
    this.cut();
    await once(this.#server, 'close');
  }

  #take(request: IncomingMessage, response: ServerResponse): void {
    response.on('error', () => {});
    const kind = this.#random.chance(this.trouble) ? this.#nextTrouble() : null;
    if (kind === null || kind === 'cut' || kind === 'stall') this.#pass(request, response, kind);
    else TROUBLES[kind](request, response);
  }

  /** Each kind in turn, so that a short run meets them all. */
  #nextTrouble(): (typeof KINDS)[number] {
    const kind = KINDS[this.#troubles++ % KINDS.length] ?? 'cut';
    this.met.add(kind);
    return kind;
  }

  /** Passes a request on, and its answer back: whole, cut off after some bytes, or stalled there. */
  #pass(request: IncomingMessage, response: ServerResponse, end: (typeof CUTS)[number] | null): void {
    const { method, url: path, headers } = request;
    const port = this.#random.pick(this.targets);
    const onward = http.request(
      { host: '127.0.0.1', port, method, path, headers, agent: false },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        // Clients see the headers of a silent stream at once.
        response.flushHeaders();
        let left = end === null ? Number.POSITIVE_INFINITY : this.#random.below(MAX_BYTES);
        const cutter = new Transform({
          transform: (bytes: Buffer, _, done) => {
            if (bytes.length <= left) {
              left -= bytes.length;
              return done(null, bytes);
            }
            response.write(bytes.subarray(0, left));
            // A stalled answer never continues: its callback is not called.
            if (end === 'cut') request.socket.destroySoon();
          },
        });
        answer.on('error', () => request.socket.destroy());
        answer.on('close', () => answer.complete || request.socket.destroy());
        answer.pipe(cutter).pipe(response);
      },
    );
    onward.on('error', () => request.socket.destroy());
    response.on('close', () => onward.destroy());
    request.pipe(onward);
  }
}
