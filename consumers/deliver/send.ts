import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import type net from 'node:net';
import type { Duplex } from 'node:stream';
import tls from 'node:tls';
import { hostOf } from '../../domain/webhooks/addresses.ts';
import { readRetryAfter } from '../../domain/webhooks/retries.ts';
import type { AttemptOutcome } from '../../schemas/vocabulary.ts';
import { AddressRefusedError, createOpenSocket, type OpenSocket, type SocketOptions } from './open-socket.ts';

/** How long a whole attempt may take, from the look-up of the name to the last byte of the answer, in milliseconds. */
export const ATTEMPT_TIMEOUT_MS = 15_000;
/** The most bytes of an answer. */
const MAX_ANSWER_BYTES = 64 * 1024;
/** The most bytes of an answer that are kept for people. */
const KEPT_ANSWER_BYTES = 1024;
const MAX_HEADER_BYTES = 16 * 1024;
/** The most interim answers (1xx) before an answer. Each takes time to read, and a receiver could send them without end. */
const MAX_INTERIM_ANSWERS = 10;
const USER_AGENT = 'Ballot-Endorsements-Webhooks/1';
/** Connections that are kept for the next message: of one host, and how long. Many servers end idle ones after 5 s. */
const KEPT_SOCKETS = { maxFreeSockets: 4, timeout: 4000 };

/** A receiver sends interim answers without an answer, or asks for another protocol. */
class EndlessAnswerError extends Error {
  /** The status of the answer; null without an answer. */
  readonly status: number | null;

  constructor(status: number | null = null) {
    super();
    this.status = status;
  }
}

/** The outcome of an attempt. */
export interface Attempt {
  outcome: AttemptOutcome;
  /** The status of the answer; null without an answer. */
  status: number | null;
  /** The wait that the receiver asks for, in milliseconds; null if it does not. */
  retryAfterMs: number | null;
  /** The beginning of the answer. */
  answer: string;
}

interface Outgoing {
  url: string;
  /** The headers that identify and sign the message. */
  headers: Readonly<Record<string, string>>;
  body: Buffer;
  /** Ends the attempt early. */
  signal: AbortSignal;
}

/** Sends messages to receivers. Never follows a redirect, and keeps no cookies. */
export interface Sender {
  /** Makes an attempt. Rejects only if the signal aborts, or for a defect. */
  send(outgoing: Outgoing): Promise<Attempt>;
  close(): void;
}

export interface SenderOptions extends SocketOptions {
  timeoutMs?: number;
  /** The authorities that are trusted, in PEM form; by default those of Node. */
  ca?: string;
}

/** Gives an agent the checked connections. */
const checkedConnection =
  (open: OpenSocket, secured: false | { ca?: string | undefined }) =>
  (
    options: http.ClientRequestArgs & tls.ConnectionOptions,
    callback?: (error: Error | null, socket: Duplex) => void,
  ): undefined => {
    const host = String(options.host);
    const done = callback as (error: Error | null, socket?: Duplex) => void;
    // Without a keep-alive agent's own limits, a connection that is never used ends with its attempt.
    const signal = AbortSignal.timeout(ATTEMPT_TIMEOUT_MS);
    open(host, Number(options.port), signal)
      .then((socket): net.Socket | Promise<net.Socket> =>
        secured ? startTls(socket, host, { ...secured, signal }) : socket,
      )
      .then(
        (socket) => done(null, socket),
        (error: Error) => done(error),
      );
  };

function startTls(
  socket: net.Socket,
  host: string,
  { ca, signal }: { ca?: string | undefined; signal: AbortSignal },
): Promise<tls.TLSSocket> {
  return new Promise((resolve, reject) => {
    // An IP address has no server name.
    const servername = /^[\d.]+$|:/.test(host) ? '' : host;
    const secured = tls.connect({ socket, host, servername, ca, ALPNProtocols: ['http/1.1'] });
    const giveUp = () => secured.destroy(new Error('the TLS handshake took too long'));
    signal.addEventListener('abort', giveUp, { once: true });
    secured.once('error', reject);
    secured.once('secureConnect', () => {
      signal.removeEventListener('abort', giveUp);
      secured.off('error', reject);
      resolve(secured);
    });
  });
}

/** Creates a sender with connections of its own. @param options.timeoutMs for tests */
export function createSender({ timeoutMs = ATTEMPT_TIMEOUT_MS, ca, ...options }: SenderOptions): Sender {
  const open = createOpenSocket(options);
  const agents = {
    'http:': new http.Agent({ keepAlive: true, ...KEPT_SOCKETS }),
    'https:': new https.Agent({ keepAlive: true, ...KEPT_SOCKETS }),
  };
  agents['http:'].createConnection = checkedConnection(open, false);
  agents['https:'].createConnection = checkedConnection(open, { ca });
  const exchange = async (outgoing: Outgoing, timeout: AbortSignal, isAgain: boolean): Promise<Attempt> => {
    const url = new URL(outgoing.url);
    const isSecure = url.protocol === 'https:';
    const signal = AbortSignal.any([outgoing.signal, timeout]);
    const request = (isSecure ? https : http).request({
      method: 'POST',
      host: hostOf(url),
      port: url.port || (isSecure ? 443 : 80),
      path: `${url.pathname}${url.search}`,
      agent: agents[isSecure ? 'https:' : 'http:'],
      maxHeaderSize: MAX_HEADER_BYTES,
      signal,
      headers: {
        Host: url.host,
        'Content-Type': 'application/json',
        'Content-Length': outgoing.body.length,
        'User-Agent': USER_AGENT,
        Accept: '*/*',
        ...outgoing.headers,
      },
    });
    let response: IncomingMessage | undefined;
    try {
      response = await sendBody(request, outgoing.body);
      const attempt = await readAnswer(response);
      // An answer without a length ends with its connection, also if the signal has ended that.
      signal.throwIfAborted();
      return attempt;
    } catch (error) {
      outgoing.signal.throwIfAborted();
      const head: AnswerHead = response ? readHead(response) : {};
      if (isGone(head.status)) return failed('gone', head);
      if (timeout.aborted) return failed('timed_out', head);
      if (response) return failed('answer_broken', head);
      if (error instanceof EndlessAnswerError) return failed('answer_broken', { status: error.status });
      const { code } = error as NodeJS.ErrnoException;
      // The receiver ended a kept connection just when it was used again, and has not read the message.
      if (request.reusedSocket && code === 'ECONNRESET' && !isAgain) return exchange(outgoing, timeout, true);
      return failed(outcomeOf(error as NodeJS.ErrnoException));
    } finally {
      // An answer that was read to its end gives its connection back, unless the receiver has not taken the whole message.
      if (!response?.complete || !request.writableFinished) request.destroy();
    }
  };
  const send = async (outgoing: Outgoing): Promise<Attempt> => {
    const timeout = new AbortController();
    const timer = setTimeout(() => timeout.abort(), timeoutMs);
    try {
      return await exchange(outgoing, timeout.signal, false);
    } finally {
      clearTimeout(timer);
    }
  };
  return {
    send,
    close: () => {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

type AnswerHead = Partial<Pick<Attempt, 'status' | 'retryAfterMs'>>;

const failed = (outcome: AttemptOutcome, head: AnswerHead = {}): Attempt => ({
  outcome,
  status: null,
  retryAfterMs: null,
  answer: '',
  ...head,
});

/** Reads from the head of an answer. An answer that is cut has it too. */
const readHead = ({ statusCode = 0, headers }: IncomingMessage) => ({
  status: statusCode,
  retryAfterMs: readRetryAfter(headers, Date.now()),
});

/** Sends the body, and resolves with the head of the answer. */
function sendBody(request: http.ClientRequest, body: Buffer): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    let interim = 0;
    request.on('information', () => {
      interim += 1;
      if (interim > MAX_INTERIM_ANSWERS) reject(new EndlessAnswerError());
    });
    request.on('error', reject);
    request.once('response', resolve);
    // An answer 101 (Switching Protocols) leaves the connection to this listener, and the signal has no effect after it.
    request.once('upgrade', ({ statusCode = null }, socket) => {
      socket.destroy();
      reject(new EndlessAnswerError(statusCode));
    });
    request.end(body);
  });
}

function outcomeOf(error: NodeJS.ErrnoException): AttemptOutcome {
  if (error instanceof AddressRefusedError) return 'address_refused';
  // The names of llhttp's errors.
  if (error.code?.startsWith('HPE_')) return 'answer_broken';
  return 'unreachable';
}

/** Reads an answer to its end, up to a bound. @throws the stream's error if the answer is cut */
async function readAnswer(response: IncomingMessage): Promise<Attempt> {
  const head = readHead(response);
  const kept: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    if (bytes < KEPT_ANSWER_BYTES) kept.push(chunk.subarray(0, KEPT_ANSWER_BYTES));
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) break;
  }
  const answer = Buffer.concat(kept)
    .subarray(0, KEPT_ANSWER_BYTES)
    .toString('utf8')
    .replaceAll('\0', '\ufffd');
  const isBroken = bytes > MAX_ANSWER_BYTES && !isGone(head.status);
  const outcome = isBroken ? 'answer_broken' : outcomeOfStatus(head.status);
  return { outcome, ...head, answer };
}

/** Whether a receiver wants no more messages. Its status says so, whatever follows. */
const isGone = (status: number | null | undefined): boolean => status === 410;

function outcomeOfStatus(status: number): AttemptOutcome {
  if (isGone(status)) return 'gone';
  if (status >= 200 && status <= 299) return 'delivered';
  return status >= 300 && status <= 399 ? 'redirected' : 'refused';
}
