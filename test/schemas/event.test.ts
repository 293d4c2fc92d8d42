import { describe, expect, test } from '@jest/globals';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import fc from 'fast-check';
import { type Change, changeCodec } from '../../schemas/change.ts';
import { formatEventId } from '../../schemas/cursor.ts';
import { parseFrameId, renderFrame, renderFrameHead } from '../../schemas/event.ts';
import { FrameWriter } from '../../schemas/event-frames.ts';
import { stringifyJson } from '../../schemas/json-text.ts';
import { change, cursor } from '../helpers/properties/arbitraries.ts';

const EXAMPLE: Change = {
  epoch: 1,
  sequence: 37,
  id: '00000000015.AQGAnJ-KmjQAASRH8NNC',
  type: 'updated',
  occurred_at: Date.UTC(2026, 8, 1, 12, 30, 5, 7),
  endorsement: { id: 1, rank: null, statement: 'a\nb', source_url: null, published_on: '2026-09-01' },
  endorser: {
    id: 2,
    slug: 'bakers',
    name: 'Bakers',
    category: { slug: 'labor', name: 'Labor' },
    state: 'national',
  },
  contest: {
    id: 3,
    title: 'Measure 7',
    short_title: 'M7',
    kind: 'measure',
    vote_method: 'yes_no',
    votes_allowed: 1,
    ranks_allowed: null,
    measure_code: '7',
    district: { id: 4, name: 'Oregon', level: 'state', ocd_id: null, state: 'OR' },
  },
  election: {
    id: 5,
    slug: 'or-2026-11-03-general',
    name: 'General',
    date: '2026-11-03',
    state: 'OR',
    type: 'general',
  },
  choice: { id: 6, label: 'Yes', measure_answer: 'yes', candidate: null, party: null, withdrawn: false },
};

const writer = new FrameWriter([]);

/** The frame of a change that passed through Kafka. */
function frameOf(made: Change): string {
  writer.clear();
  writer.write(changeCodec.encode(made));
  return writer.copyFrames().toString();
}

/** The JSON in the frame of a change. */
function renderEvent(made: Change): string {
  const frame = frameOf(made);
  return frame.slice(frame.indexOf('\ndata: ') + '\ndata: '.length, -2);
}

/** The names of an object's keys in order, with those of nested objects in brackets. */
function keysOf(value: object): string {
  return Object.entries(value)
    .map(([key, part]) => (typeof part === 'object' && part !== null ? `${key} {${keysOf(part)}}` : key))
    .join(' ');
}

describe('the body of an event', () => {
  const body = {
    ...EXAMPLE,
    choice: { ...EXAMPLE.choice, candidate: { id: 7, full_name: 'Ann' } },
  } satisfies Change;

  test('INV-3: has its keys in the order of the specification after passing through Kafka', () => {
    expect(keysOf(JSON.parse(renderEvent(body)))).toBe(
      'id type occurred_at ' +
        'endorsement {id rank statement source_url published_on} ' +
        'endorser {id slug name category {slug name} state} ' +
        'contest {id title short_title kind vote_method votes_allowed ranks_allowed measure_code ' +
        'district {id name level ocd_id state}} ' +
        'election {id slug name date state type} ' +
        'choice {id label measure_answer candidate {id full_name} party withdrawn}',
    );
  });

  test('has its type and time in the form of the specification', () => {
    expect(JSON.parse(renderEvent(EXAMPLE))).toMatchObject({
      type: 'endorsement.updated',
      occurred_at: '2026-09-01T12:30:05.007Z',
    });
  });

  test('formats times of the same second and of adjacent seconds correctly', () => {
    const second = Date.UTC(2026, 10, 3, 23, 59, 59);
    const times = [0, 7, 70, 999, 1000, 1, -1, 0].map((ms) => second + ms);
    const shown = times.map(
      (occurred_at) => JSON.parse(renderEvent({ ...EXAMPLE, occurred_at })).occurred_at,
    );
    expect(shown).toEqual(times.map((time) => new Date(time).toISOString()));
  });

  test('INV-3: holds the values of the change without its epoch and sequence', () => {
    fc.assert(
      fc.property(change, (made) => {
        const { epoch, sequence, type, occurred_at, ...shown } = made;
        const event = JSON.parse(renderEvent(made));
        const time = new Date(occurred_at).toISOString();
        expect(event).toEqual({ ...shown, type: `endorsement.${type}`, occurred_at: time });
      }),
    );
  });
});

describe('a frame', () => {
  test('has the event, the id and the data on a line each, and ends with an empty line', () => {
    expect(renderFrame({ event: 'ready', id: 'x', data: '{}' })).toBe('event: ready\nid: x\ndata: {}\n\n');
  });

  test('has its id in its head', () => {
    expect(parseFrameId(renderFrameHead({ event: 'endorsement', id: EXAMPLE.id }))).toBe(EXAMPLE.id);
  });

  test('has no line break in its data, for any texts of the change', () => {
    fc.assert(
      fc.property(change, cursor, (made, position) => {
        const id = formatEventId(position);
        const data = renderEvent({ ...made, id });
        const frame = frameOf({ ...made, id });
        expect(data).not.toMatch(/[\r\n]/);
        expect(frame.split(/\r\n|\r|\n/)).toEqual([
          'event: endorsement',
          `id: ${id}`,
          `data: ${data}`,
          '',
          '',
        ]);
      }),
      { numRuns: 500 },
    );
  });

  test('is parsed as one event with the same JSON, for any texts of the change', () => {
    const HOSTILE = ['\r', '\n', '\r\n', '\n\n', '\0', '\u0085', '\u2028', '\u2029', '\ufeff'].map(
      (breaking) =>
        `x${breaking}event: reconnect${breaking}id: forged${breaking}data: {}${breaking}${breaking}y`,
    );
    const hostile = fc.constantFrom(...HOSTILE);
    fc.assert(
      fc.property(change, cursor, hostile, (made, position, text) => {
        const id = formatEventId(position);
        const poisoned = { ...poison(made, text), id };
        const data = renderEvent(poisoned);
        const received: EventSourceMessage[] = [];
        createParser({ onEvent: (event) => received.push(event) }).feed(frameOf(poisoned));
        expect(received).toEqual([{ event: 'endorsement', id, data }]);
        expect(JSON.parse(received[0]?.data ?? '').endorsement.statement).toBe(text);
        expect(data.split(stringifyJson(text).slice(1, -1)).length - 1).toBe(countTexts(poisoned, text));
      }),
    );
  });
});

/** A change with the text in every field of free text. */
function poison(made: Change, text: string): Change {
  return {
    ...made,
    endorsement: { ...made.endorsement, statement: text, source_url: text, published_on: text },
    endorser: { ...made.endorser, slug: text, name: text, category: { slug: text, name: text } },
    contest: {
      ...made.contest,
      title: text,
      short_title: text,
      measure_code: text,
      district: { ...made.contest.district, name: text, ocd_id: text },
    },
    election: { ...made.election, slug: text, name: text, date: text },
    choice: { ...made.choice, label: text, party: text, candidate: { id: 1, full_name: text } },
  };
}

/** How often a text occurs in a value. */
function countTexts(value: unknown, text: string): number {
  if (typeof value !== 'object' || value === null) return value === text ? 1 : 0;
  return Object.values(value).reduce((sum: number, part) => sum + countTexts(part, text), 0);
}
