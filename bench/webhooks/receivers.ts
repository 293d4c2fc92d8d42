/**
 * Receivers of webhooks in a process of their own, each with a port: dead ones never answer, slow ones take five seconds.
 * Sends the ports to its parent, and, when asked, the milliseconds from the submission of each change to its receipt.
 */
import http from 'node:http';
import type { AddressInfo } from 'node:net';

const SLOW_MS = 5000;
type Kind = 'good' | 'slow' | 'dead';

/** The counts of the receivers, in the order in which their ports are sent. */
export type Counts = Readonly<Record<Kind, number>>;
/** The messages of the process. */
export type Told = { ports: Record<Kind, number[]> } | { delays: Record<Kind, number[]> };

interface Change {
  endorsement: { statement: string | null };
}

/** Milliseconds since the change was submitted, by the time in its statement; null for a change of somebody else. */
export function delayOf({ endorsement: { statement } }: Change, now: number): number | null {
  const sentAt = /^[0-9]+@([0-9]+)$/.exec(statement ?? '')?.[1];
  return sentAt === undefined ? null : now - Number(sentAt);
}

async function start(counts: Counts): Promise<void> {
  const delays: Record<Kind, number[]> = { good: [], slow: [], dead: [] };
  const open = (kind: Kind) =>
    new Promise<number>((resolve) => {
      const server = http.createServer(async (request, response) => {
        const chunks: Buffer[] = [];
        for await (const chunk of request) chunks.push(chunk);
        const now = Date.now();
        const { data } = JSON.parse(Buffer.concat(chunks).toString());
        delays[kind].push(...data.events.flatMap((event: Change) => delayOf(event, now) ?? []));
        const answer = () => response.writeHead(204).end();
        if (kind === 'good') answer();
        else if (kind === 'slow') setTimeout(answer, SLOW_MS);
      });
      server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
    });
  const openAll = (kind: Kind) => Promise.all(Array.from({ length: counts[kind] }, () => open(kind)));
  const ports = { good: await openAll('good'), slow: await openAll('slow'), dead: await openAll('dead') };
  process.on('message', () => {
    process.send?.({ delays });
    for (const kind of ['good', 'slow', 'dead'] as const) delays[kind] = [];
  });
  process.send?.({ ports });
}

if (process.send && process.argv[2]) await start(JSON.parse(process.argv[2] ?? '{}') as Counts);
