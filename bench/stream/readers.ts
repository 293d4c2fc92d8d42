/**
 * Many cheap readers of streams in one process: raw sockets that count bytes and look for a text. The benchmarks beside
 * this file fork it, send it orders, and receive its reports.
 */
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { createGunzip } from 'node:zlib';

/** Streams to open. Compressed streams need far more of the reader's processor time. */
export interface Opening {
  port: number;
  paths: string[];
  key: string;
  gzip?: boolean;
}

export type Order =
  | { open: Opening }
  /** Reports when every reader has received this text once more. */
  | { expect: string }
  | { count: true };
export type Report = { opened: number } | { received: string } | { events: number; bytes: number };

const NEEDLE = Buffer.from('event: endorsement\n');
const CONCURRENT_OPENINGS = 50;

let readers = 0;
let events = 0;
let bytesReceived = 0;
let expected: Buffer | undefined;
let missing = 0;

/** Counts events and looks for the expected text in one reader's pieces. */
function createReceiver(): (chunk: Buffer) => void {
  let tail = Buffer.alloc(0);
  return (chunk) => {
    for (let at = chunk.indexOf(NEEDLE); at !== -1; at = chunk.indexOf(NEEDLE, at + NEEDLE.length))
      events += 1;
    const found =
      expected &&
      (chunk.includes(expected) || Buffer.concat([tail, chunk.subarray(0, 300)]).includes(expected));
    tail = Buffer.from(chunk.subarray(-300));
    if (!found) return;
    missing -= 1;
    if (missing > 0) return;
    const received = expected?.toString() ?? '';
    expected = undefined;
    process.send?.({ received } satisfies Report);
  };
}

async function openCompressed({ port, key }: Opening, path: string): Promise<void> {
  const headers = { Accept: 'text/event-stream', 'Accept-Encoding': 'gzip', Authorization: `Bearer ${key}` };
  const [response]: IncomingMessage[] = await once(
    get({ host: '127.0.0.1', port, path, headers, agent: false }),
    'response',
  );
  if (response?.headers['content-encoding'] !== 'gzip') throw new Error('The stream is not compressed.');
  response.on('data', (chunk: Buffer) => {
    bytesReceived += chunk.length;
  });
  response.pipe(createGunzip()).on('data', createReceiver());
}

async function openPlain({ port, key }: Opening, path: string): Promise<void> {
  const socket: Socket = connect(port, '127.0.0.1');
  socket.write(
    `GET ${path} HTTP/1.1\r\nHost: bench\r\nAccept: text/event-stream\r\nAuthorization: Bearer ${key}\r\n\r\n`,
  );
  const [head]: Buffer[] = await once(socket, 'data');
  if (!head?.toString().startsWith('HTTP/1.1 200')) throw new Error(head?.toString());
  socket.on('data', (chunk: Buffer) => {
    bytesReceived += chunk.length;
  });
  socket.on('data', createReceiver());
}

async function open(opening: Opening): Promise<void> {
  const { paths } = opening;
  const openOne = opening.gzip ? openCompressed : openPlain;
  const rest = [...paths];
  const worker = async () => {
    for (let path = rest.pop(); path !== undefined; path = rest.pop()) await openOne(opening, path);
  };
  await Promise.all(Array.from({ length: CONCURRENT_OPENINGS }, worker));
  readers += paths.length;
  process.send?.({ opened: paths.length } satisfies Report);
}

process.on('message', (order: Order) => {
  if ('open' in order) {
    void open(order.open);
  } else if ('expect' in order) {
    expected = Buffer.from(order.expect);
    missing = readers;
    // An empty report says that it is listening.
    process.send?.({ received: '' } satisfies Report);
  } else {
    process.send?.({ events, bytes: bytesReceived } satisfies Report);
  }
});
