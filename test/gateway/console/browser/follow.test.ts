import { afterEach, expect, test } from '@jest/globals';
import { Follower, type FollowState } from '../../../../gateway/console/browser/follow.ts';
import { followWhileShown } from '../../../../gateway/console/browser/follow-while-shown.ts';
import { until } from '../../../helpers/until.ts';

/** A connection to which the test writes. */
interface Connection {
  lastEventId: string | null;
  isOpen: boolean;
  write(text: string): void;
  end(): void;
}

const followers: Follower[] = [];
afterEach(() => {
  for (const follower of followers.splice(0)) follower.pause();
});

/** A service with the test's answers, and its follower. */
function startFollower({ silenceMs = 60_000, answers = [] as Response[], isStarted = true } = {}) {
  const connections: Connection[] = [];
  const states: FollowState[] = [];
  const changes: string[] = [];
  const waits: { ms: number; end: () => void }[] = [];
  const follower = new Follower({
    url: '/stream',
    silenceMs,
    async fetch(_url, { headers, signal }) {
      const answer = answers.shift();
      const lastEventId = new Headers(headers).get('Last-Event-ID');
      const encoder = new TextEncoder();
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          const connection: Connection = {
            lastEventId,
            isOpen: true,
            write: (text) => controller.enqueue(encoder.encode(text)),
            end: () => controller.close(),
          };
          connections.push(connection);
          signal?.addEventListener('abort', () => {
            connection.isOpen = false;
            if (!answer) controller.error(signal.reason);
          });
        },
      });
      return answer ?? new Response(body);
    },
    wait: (ms, signal) =>
      new Promise<void>((resolve) => {
        waits.push({ ms, end: resolve });
        signal.addEventListener('abort', () => resolve());
      }),
    onState: (state) => states.push(state),
    onBlock: () => {},
    onChange: (json) => changes.push(json),
  });
  followers.push(follower);
  if (isStarted) follower.start();
  const connected = async (index: number): Promise<Connection> => {
    await until('a connection', () => connections.length > index);
    return connections[index] as Connection;
  };
  const reach = (kind: FollowState['kind']) => until(kind, () => states.at(-1)?.kind === kind);
  return { follower, connections, states, changes, waits, connected, reach };
}

const ready = (id: string): string => `event: ready\nid: ${id}\ndata: {}\n\n`;
const change = (id: string): string => `event: endorsement\nid: ${id}\ndata: ${id}\n\n`;

test('it waits as asked, continues after the last id, and takes nothing twice', async () => {
  const { connected, waits, changes, reach } = startFollower();
  const first = await connected(0);
  expect(first.lastEventId).toBeNull();
  first.write(`retry: 1500\n\n${ready('a1')}${change('a2')}${change('a1')}`);
  await reach('connected');
  first.end();
  await reach('wait');
  expect(waits[0]?.ms).toBe(1500);
  waits[0]?.end();
  const second = await connected(1);
  expect(second.lastEventId).toBe('a2');
  second.write(ready('a2') + change('a2') + change('a3'));
  await until('the next change', () => changes.length > 1);
  expect(changes).toEqual(['a2', 'a3']);
});

test('a checkpoint moves the id without a change', async () => {
  const { connected, follower } = startFollower();
  (await connected(0)).write(`${ready('a1')}event: checkpoint\nid: a7\ndata: {}\n\n`);
  await until('the checkpoint', () => follower.lastId === 'a7');
});

test('pausing closes the connection, and resuming continues after the last event', async () => {
  const { follower, connected, changes, states, reach } = startFollower();
  const first = await connected(0);
  first.write(ready('a1') + change('a2'));
  await until('a change', () => changes.length === 1);
  follower.pause();
  expect(first.isOpen).toBe(false);
  expect(states.at(-1)).toEqual({ kind: 'paused' });
  follower.start();
  const second = await connected(1);
  expect(second.lastEventId).toBe('a2');
  second.write(ready('a2') + change('a3'));
  await until('the next change', () => changes.length === 2);
  await reach('connected');
});

test('pausing while it waits ends the wait, and resuming connects once', async () => {
  const { follower, connected, connections, reach } = startFollower();
  (await connected(0)).end();
  await reach('wait');
  follower.pause();
  follower.start();
  follower.start();
  (await connected(1)).write(ready('a1'));
  await reach('connected');
  expect(connections).toHaveLength(2);
});

/** The page of a follower, in a tab that the test hides and shows. */
function createPage(visibilityState: 'hidden' | 'visible' = 'visible') {
  let adapt = () => {};
  const page = {
    visibilityState,
    addEventListener(_type: string, listener: () => void) {
      adapt = listener;
    },
  };
  const turn = (state: 'hidden' | 'visible') => {
    page.visibilityState = state;
    adapt();
  };
  return { page, turn };
}

test('a hidden page closes its connection, and continues after the last event when it is shown', async () => {
  const { follower, connected, connections, changes } = startFollower();
  const { page, turn } = createPage();
  followWhileShown(follower, page);
  const first = await connected(0);
  first.write(ready('a1') + change('a2'));
  await until('a change', () => changes.length === 1);
  turn('hidden');
  expect([first.isOpen, follower.isFollowing]).toEqual([false, false]);
  turn('visible');
  const second = await connected(1);
  expect([second.lastEventId, connections.length]).toEqual(['a2', 2]);
  second.write(ready('a2') + change('a3'));
  await until('the next change', () => changes.length === 2);
});

test('a page that was paused stays so when it is hidden and shown', async () => {
  const { follower, connected, connections } = startFollower();
  const { page, turn } = createPage();
  followWhileShown(follower, page);
  await connected(0);
  follower.pause();
  turn('hidden');
  turn('visible');
  expect([follower.isFollowing, connections.length]).toEqual([false, 1]);
  follower.start();
  const second = await connected(1);
  turn('hidden');
  expect(second.isOpen).toBe(false);
});

test('a page that opens in a hidden tab connects when it is shown', async () => {
  const { follower, connected, connections } = startFollower({ isStarted: false });
  const { page, turn } = createPage('hidden');
  followWhileShown(follower, page);
  expect([follower.isFollowing, connections.length]).toEqual([false, 0]);
  turn('visible');
  await connected(0);
});

test('a silent connection counts as lost', async () => {
  const { connected, reach, states } = startFollower({ silenceMs: 50 });
  const first = await connected(0);
  await reach('wait');
  expect(first.isOpen).toBe(false);
  expect(states.at(-1)).toMatchObject({ reason: 'The connection was lost.' });
});

test('a reconnect event ends the connection and names the wait', async () => {
  const { connected, waits, reach } = startFollower();
  const first = await connected(0);
  first.write(`${ready('a1')}event: reconnect\nid: a1\ndata: {"reason":"shutdown","retry_ms":777}\n\n`);
  await reach('wait');
  expect([waits[0]?.ms, first.isOpen]).toEqual([777, false]);
});

test('failures in a row wait longer, until a connection works', async () => {
  const { connected, waits, reach } = startFollower();
  for (const index of [0, 1, 2]) {
    (await connected(index)).end();
    await reach('wait');
    waits[index]?.end();
  }
  const works = await connected(3);
  works.write(`retry: 1000\n\n${ready('a1')}`);
  await reach('connected');
  works.end();
  await reach('wait');
  expect(waits.map(({ ms }) => ms)).toEqual([2000, 4000, 8000, 1000]);
});

test('it stops at a permanent error', async () => {
  const body = JSON.stringify({ error: { code: 'cursor_expired', message: 'Too old.' } });
  const { reach, states, waits } = startFollower({ answers: [new Response(body, { status: 410 })] });
  await reach('stop');
  expect(states.at(-1)).toEqual({ kind: 'stop', why: 'expired', reason: 'Too old.' });
  expect(waits).toEqual([]);
});
