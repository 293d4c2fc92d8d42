import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A request that the fake service has received. */
export interface ReceivedRequest {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingMessage['headers'];
  body: string;
}

/** Answers a request. */
export type FakeAnswer = (response: ServerResponse, request: ReceivedRequest) => void | Promise<void>;

/** A server that gives the answers of a list in turn; the last one is repeated. */
export class FakeService {
  readonly requests: ReceivedRequest[] = [];
  answers: FakeAnswer[];
  readonly #server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://fake');
    const { method = '', headers } = request;
    const received = { method, path: pathname, query: searchParams, headers, body: await text(request) };
    const answer = this.answers[Math.min(this.requests.length, this.answers.length - 1)];
    this.requests.push(received);
    await answer?.(response, received);
  });

  private constructor(answers: FakeAnswer[]) {
    this.answers = answers;
  }

  static async start(...answers: FakeAnswer[]): Promise<FakeService> {
    const service = new FakeService(answers);
    service.#server.listen(0, '127.0.0.1');
    await once(service.#server, 'listening');
    return service;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }
}

/** Answers with JSON. */
export function answerJson(body: unknown, status = 200, headers: Record<string, string> = {}): FakeAnswer {
  return (response) => {
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body));
  };
}

/** Answers with an error of the service. */
export function answerError(status: number, code: string, headers: Record<string, string> = {}): FakeAnswer {
  const error = { code, message: `It is ${code}.`, request_id: 'request-1' };
  return answerJson({ error }, status, { 'X-Request-Id': 'request-1', ...headers });
}

/** Breaks off the connection without an answer. */
export const breakOff: FakeAnswer = (response) => {
  response.destroy();
};

/** Answers with lines of JSON. @param isCut whether the connection breaks off after them */
export function answerLines(lines: readonly unknown[], isCut = false): FakeAnswer {
  return (response) => {
    response.writeHead(200, { 'Content-Type': 'application/x-ndjson' });
    response.write(lines.map((line) => `${JSON.stringify(line)}\n`).join(''), () => {
      if (isCut) response.destroy();
      else response.end();
    });
  };
}

/** A frame of a stream. */
export function frame(event: string, id: string, data: unknown = {}): string {
  return `event: ${event}\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** Answers with a stream. @param end what follows its text: silence, the end, or a cut */
export function answerStream(content: string, end: 'silence' | 'end' | 'cut' = 'silence'): FakeAnswer {
  return (response) => {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    response.write(content, () => {
      if (end === 'cut') response.destroy();
      if (end === 'end') response.end();
    });
  };
}
