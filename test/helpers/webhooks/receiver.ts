import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';

/** A message that a receiver got. */
export interface ReceivedMessage {
  id: string;
  body: string;
  headers: http.IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: tests check the shapes of the messages that they use.
  json: any;
}

/** Answers a message that was read. `next` is the number of the attempts before. */
export type Answering = (
  response: http.ServerResponse,
  message: ReceivedMessage,
  before: number,
) => void | Promise<void>;

const accept: Answering = (response) => {
  response.writeHead(204).end();
};

/** A receiver of webhooks on this machine. It verifies messages with the standard's library once it has the secret. */
export class Receiver {
  readonly server: http.Server;
  /** All messages in the order in which they came, also those that it refused. */
  readonly messages: ReceivedMessage[] = [];
  /** The messages that it has answered with 2xx. */
  readonly accepted: ReceivedMessage[] = [];
  answering: Answering;
  secret: string | null = null;
  /** The number of messages that the secret has not signed, which it refuses. */
  unverified = 0;
  /** The most messages that it held at a time. */
  mostAtOnce = 0;
  #held = 0;

  private constructor(answering: Answering) {
    this.answering = answering;
    this.server = http.createServer((request, response) => {
      const chunks: Buffer[] = [];
      this.#held += 1;
      this.mostAtOnce = Math.max(this.mostAtOnce, this.#held);
      response.once('close', () => {
        this.#held -= 1;
      });
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('error', () => {});
      request.on('end', () => {
        const body = Buffer.concat(chunks).toString();
        const { headers } = request;
        if (!this.#verifies(body, headers)) {
          this.unverified += 1;
          return void response.writeHead(401).end();
        }
        const json = JSON.parse(body);
        const message = { id: String(headers['webhook-id']), body, headers, json };
        const before = this.messages.length;
        this.messages.push(message);
        response.once('finish', () => {
          if (response.statusCode >= 200 && response.statusCode <= 299) this.accepted.push(message);
        });
        void this.answering(response, message, before);
      });
    });
  }

  #verifies(body: string, headers: http.IncomingHttpHeaders): boolean {
    if (this.secret === null) return true;
    try {
      new Webhook(this.secret).verify(body, headers as Record<string, string>);
      return true;
    } catch {
      return false;
    }
  }

  static async start(answering: Answering = accept): Promise<Receiver> {
    const receiver = new Receiver(answering);
    await new Promise<void>((resolve) => receiver.server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/hook`;
  }

  /** The ids of the events that it has accepted, with repeats, in the order in which they came. */
  get eventIds(): string[] {
    return this.accepted.flatMap(({ json }) => (json.data.events ?? []).map(({ id }: { id: string }) => id));
  }

  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    this.server.closeAllConnections();
    await closed;
  }
}
