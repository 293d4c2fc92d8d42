/*
 * Many readers of streams in one process, as cheap as possible: raw sockets on which bytes are counted and a text is
 * looked for. The benchmarks beside this file fork it, send it orders, and receive its reports.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export type Order =
  | { open: { port: number; paths: string[]; key: string } }
  /** Report when every reader has received this text once more. */
  | { expect: string }
  | { count: true };
export type Report = { opened: number } | { received: string } | { events: number };

const NEEDLE = Buffer.from('event: endorsement\n');
const CONCURRENT_OPENINGS = 50;

let readers = 0;
let events = 0;
let expected: Buffer | undefined;
let missing = 0;

/** Counts events and looks for the expected text in the pieces that one reader receives. */
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

async function openOne(port: number, path: string, key: string): Promise<void> {
  const socket: Socket = connect(port, '127.0.0.1');
  socket.write(
    `GET ${path} HTTP/1.1\r\nHost: bench\r\nAccept: text/event-stream\r\nAuthorization: Bearer ${key}\r\n\r\n`,
  );
  const [head]: Buffer[] = await once(socket, 'data');
  if (!head?.toString().startsWith('HTTP/1.1 200')) throw new Error(head?.toString());
  socket.on('data', createReceiver());
}

async function open({ port, paths, key }: { port: number; paths: string[]; key: string }): Promise<void> {
  const rest = [...paths];
  const worker = async () => {
    for (let path = rest.pop(); path !== undefined; path = rest.pop()) await openOne(port, path, key);
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
    // An empty report means that it is listening now.
    process.send?.({ received: '' } satisfies Report);
  } else {
    process.send?.({ events } satisfies Report);
  }
});
