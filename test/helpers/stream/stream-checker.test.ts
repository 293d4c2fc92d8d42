import { describe, expect, test } from '@jest/globals';
import { formatCursor, formatEventId } from '../../../schemas/cursor.ts';
import type { FilterField } from '../../../schemas/vocabulary.ts';
import type { ChangeLog } from './change-log.ts';
import { createEvent } from './create-event.ts';
import {
  type Connection,
  connectionOfPage,
  type Frame,
  type ReaderRecord,
  StreamChecker,
} from './stream-checker.ts';

/** Six changes, the even ones in Oregon. */
const EVENTS = [1, 2, 3, 4, 5, 6].map((sequence) =>
  createEvent({ sequence, state: sequence % 2 === 0 ? 'OR' : 'CA' }),
);
const LOG: ChangeLog = { epoch: 7, events: EVENTS.map(({ json }) => JSON.parse(json.toString())) };

const at = (sequence: number, epoch = 7, time = 1_793_000_000_000) =>
  formatCursor({ epoch, sequence, time, offsets: [0] });
/** A cursor after the second change that sorts below the change's id. */
const BELOW = formatEventId({ epoch: 7, sequence: 2, time: 0, offsets: [0] });
const tell = (event: string, sequence: number): Frame => ({ event, id: at(sequence), data: '{}' });
const change = (sequence: number): Frame => {
  const { id, json } = EVENTS[sequence - 1] ?? createEvent({ sequence });
  return { event: 'endorsement', id, data: json.toString() };
};
const stream = (after: number | null, ...frames: Frame[]): Connection => ({ via: 'stream', after, frames });

function judge(connections: Connection[], { upTo = null, filter = {} }: Partial<ReaderRecord> = {}) {
  return new StreamChecker(LOG).judge({ name: 'reader', filter, connections, upTo });
}

const faultsOf = (...parameters: Parameters<typeof judge>) => judge(...parameters).faults.join('\n');

const OREGON = { states: ['OR'] };

describe('a reader of a correct stream', () => {
  test('from the beginning, cut and resumed, up to the end', () => {
    const first = stream(0, tell('ready', 0), change(1), change(2));
    const second = stream(2, tell('ready', 2), change(3), tell('reconnect', 3));
    const third = stream(3, tell('ready', 3), change(4), change(5), change(6));
    expect(judge([first, second, third], { upTo: 6 })).toEqual({ faults: [], events: 6, repeats: 0 });
  });

  test('from the cursor of ready, with a filter and a checkpoint', () => {
    const connection = stream(null, tell('ready', 1), change(2), change(4), tell('checkpoint', 5));
    expect(judge([connection], { filter: OREGON, upTo: 5 })).toEqual({ faults: [], events: 2, repeats: 0 });
  });

  test('with repeats on a connection that began earlier, which are counted separately', () => {
    const connections = [
      stream(0, tell('ready', 0), change(1), change(2), change(3)),
      stream(1, tell('ready', 1), change(2), change(3), change(4)),
    ];
    expect(judge(connections)).toEqual({ faults: [], events: 4, repeats: 2 });
  });

  test('as answers of /v1/events', () => {
    const events = LOG.events.slice(0, 2);
    const pages = [
      connectionOfPage(0, { data: events, next_cursor: at(2) }),
      connectionOfPage(2, { data: [], next_cursor: at(2) }),
    ];
    expect(judge(pages, { upTo: 2 })).toEqual({ faults: [], events: 2, repeats: 0 });
  });

  test('nothing at all, because no connection was made', () => {
    expect(judge([stream(3)])).toEqual({ faults: [], events: 0, repeats: 0 });
  });
});

describe('a fault is found:', () => {
  const altered = (sequence: number, from: string, to: string): Frame => {
    const { data, ...frame } = change(sequence);
    return { ...frame, data: data.replace(from, to) };
  };
  const other = createEvent({ sequence: 2, occurredAt: 1_793_000_000_999 });

  const testFault = (
    name: string,
    fault: string,
    connections: Connection[],
    options?: Partial<ReaderRecord>,
  ) =>
    test(name, () => {
      expect(faultsOf(connections, options)).toContain(fault);
    });

  testFault('a change left out', '2 is missing before endorsement 3', [
    stream(0, tell('ready', 0), change(1), change(3)),
  ]);
  testFault(
    'a change left out before a checkpoint',
    '4 is missing before checkpoint 5',
    [stream(3, tell('ready', 3), tell('checkpoint', 5))],
    { filter: OREGON },
  );
  testFault('a change left out before an answer of /v1/events ends', '2 is missing before next_cursor 2', [
    connectionOfPage(0, { data: LOG.events.slice(0, 1), next_cursor: at(2) }),
  ]);
  testFault('a change left out between connections', 'it began after 3, and the reader had come to 2', [
    stream(1, tell('ready', 1), change(2)),
    stream(3, tell('ready', 3), change(4)),
  ]);
  testFault('a connection that begins at another place than asked', 'ready says 3, and it began after 2', [
    stream(2, tell('ready', 3), change(4)),
  ]);
  testFault('a change twice', 'endorsement 1 came when', [stream(0, tell('ready', 0), change(1), change(1))]);
  testFault('another order', 'endorsement 1 came when the reader was at 2', [
    stream(0, tell('ready', 0), change(2), change(1)),
  ]);
  testFault('a position that goes back', 'checkpoint 1 came when the reader was at 2', [
    stream(1, tell('ready', 1), change(2), tell('checkpoint', 1)),
  ]);
  testFault(
    'an id below that of the event that it follows',
    'which it follows',
    [stream(1, tell('ready', 1), { ...tell('checkpoint', 2), id: BELOW }, change(3))],
    { filter: { states: ['CA'] } },
  );
  testFault('an id that goes back, although its position does not', 'which came before', [
    stream(1, tell('ready', 1), { ...tell('checkpoint', 1), id: at(1, 7, 1_792_000_000_000) }),
  ]);
  testFault(
    'a change that the filter excludes',
    '3 does not pass the filter',
    [stream(2, tell('ready', 2), change(3))],
    { filter: OREGON },
  );
  testFault('a body that is not the log’s', '1 is not as in the log', [
    stream(0, tell('ready', 0), altered(1, 'Ann', 'Bob')),
  ]);
  testFault('a body that is not JSON', '1 is not as in the log', [
    stream(0, tell('ready', 0), altered(1, '{', '')),
  ]);
  testFault('the same id with two texts', 'has two texts', [
    stream(0, tell('ready', 0), change(1)),
    stream(0, tell('ready', 0), altered(1, '{', '{ ')),
  ]);
  testFault('an id that is not the log’s', '2 has the id', [
    stream(1, tell('ready', 1), { event: 'endorsement', id: other.id, data: other.json.toString() }),
  ]);
  testFault('a change that the log does not have', 'no change in the log', [
    stream(6, tell('ready', 6), change(7)),
  ]);
  testFault('a position that the log does not have', 'says 9, which', [stream(9, tell('ready', 9))]);
  testFault('an id of another epoch', 'another epoch, 8', [stream(0, { ...tell('ready', 0), id: at(0, 8) })]);
  testFault('an id other than a cursor', 'is not a cursor', [
    stream(0, { ...tell('ready', 0), id: `${at(0)}A` }),
  ]);
  testFault('a beginning without ready', 'began with endorsement', [stream(0, change(1))]);
  testFault('a second ready', 'ready came twice', [stream(0, tell('ready', 0), tell('ready', 0))]);
  testFault('something after the goodbye', 'endorsement came after reconnect', [
    stream(0, tell('ready', 0), tell('reconnect', 0), change(1)),
  ]);
  testFault('an error', 'the stream failed', [stream(0, tell('ready', 0), tell('error', 0))]);
  testFault(
    'an end too early',
    'it came to 1, and should have come to 6',
    [stream(0, tell('ready', 0), change(1))],
    { upTo: 6 },
  );
  testFault('no connection at all', 'should have come to 6', [], { upTo: 6 });

  const values: Record<FilterField, [fit: string, unfit: string]> = {
    categories: ['labor', 'newspaper'],
    endorsers: ['bakers', 'nobody'],
    endorser_states: ['OR', 'national'],
    states: ['CA', 'OR'],
    elections: ['general', 'primary'],
    contest_kinds: ['candidate', 'measure'],
    levels: ['city', 'state'],
    types: ['created', 'deleted'],
  };
  test.each(Object.entries(values))('%s: a change that passes %j', (field, [fit, unfit]) => {
    const connection = [stream(0, tell('ready', 0), change(1))];
    expect(faultsOf(connection, { filter: { [field]: ['other', fit] } })).toBe('');
    expect(faultsOf(connection, { filter: { [field]: [unfit] } })).toContain('does not pass');
  });
});

test('a reader with thousands of faults is described by the first', () => {
  const frames = Array.from({ length: 1000 }, () => change(1));
  expect(judge([stream(0, tell('ready', 0), ...frames)]).faults).toHaveLength(10);
});

test('ids must rise as text, even if those of the log do not', () => {
  const events = LOG.events.map((event, index) =>
    index === 1 ? { ...event, id: `+${event.id.slice(1)}` } : event,
  );
  const frames = events
    .slice(0, 2)
    .map((event) => ({ event: 'endorsement', id: event.id, data: JSON.stringify(event) }));
  const connections = [stream(0, tell('ready', 0), ...frames)];
  const { faults } = new StreamChecker({ ...LOG, events }).judge({
    name: 'reader',
    filter: {},
    connections,
    upTo: 2,
  });
  expect(faults.join()).toContain('which came before');
});
