/** The TypeScript client's parser of Server-Sent Events. */
import { describe, expect, test } from '@jest/globals';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import fc from 'fast-check';
import { NetworkError } from '../../../clients/typescript/src/errors.ts';
import { type Frame, SseParser } from '../../../clients/typescript/src/events/sse-parser.ts';

/** Cuts bytes at these places. */
function cut(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const sorted = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b);
  const ends = [...sorted, bytes.length];
  return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
}

function parse(text: string, places: readonly number[] = []): Frame[] {
  const parser = new SseParser();
  return cut(new TextEncoder().encode(text), places).flatMap((piece) => parser.push(piece));
}

const line = fc.oneof(
  fc.constantFrom('', ': ping', 'event: endorsement', 'data', 'data:', 'id: 0a.b', 'retry: 1200', 'other: x'),
  fc.string({ unit: 'grapheme', maxLength: 8 }).map((text) => `data: ${text.replaceAll(/[\r\n]/g, '')}`),
);
const stream = fc
  .array(fc.tuple(line, fc.constantFrom('\n', '\r', '\r\n')))
  .map((lines) => lines.map((parts) => parts.join('')).join(''));

describe('the parser', () => {
  test('returns the same frames for every division of the bytes', () => {
    fc.assert(
      fc.property(stream, fc.array(fc.nat()), (text, places) => {
        // A missing line end can change nothing but the frame that it completes.
        expect(parse(`${text}\n`, places)).toEqual(parse(`${text}\n`));
      }),
    );
  });

  test('finds the same events as another parser', () => {
    fc.assert(
      fc.property(stream, (text) => {
        const expected: unknown[] = [];
        const onEvent = ({ event = 'message', data, id }: EventSourceMessage) => {
          if (data !== '') expected.push({ event, data, id });
        };
        createParser({ onEvent }).feed(`${text}\n`.replaceAll(/\r\n?/g, '\n'));
        const own = parse(`${text}\n`).filter(({ data }) => data !== '');
        expect(own.map(({ event, data, id }) => ({ event, data, id: id ?? undefined }))).toEqual(expected);
      }),
    );
  });

  test('reads the frames of the service', () => {
    expect(parse('retry: 3120\n\nevent: ready\nid: 0a_b.c\ndata: {}\n\n: ping\n\n')).toEqual([
      { event: 'message', data: '', id: null, retryMs: 3120 },
      { event: 'ready', data: '{}', id: '0a_b.c', retryMs: null },
    ]);
  });

  test.each(['1.5', '-1', '1e3', 'soon', ''])(
    'takes "%s" for no wait, and an id with a null for no id',
    (wait) => {
      expect(parse(`retry: ${wait}\nid: 0a\0b\ndata: x\n\n`)).toEqual([
        { event: 'message', data: 'x', id: null, retryMs: null },
      ]);
    },
  );

  test('returns nothing of an incomplete frame', () => {
    expect(parse('event: endorsement\nid: 0a.b\ndata: {}\n')).toEqual([]);
  });
});

test('a frame without an end counts as a broken connection after 16 MB, and many frames do not', () => {
  const parser = new SseParser();
  const frames = new TextEncoder().encode(`data: ${'x'.repeat(1024 * 1024)}\n\ndata: `);
  for (let piece = 0; piece < 20; piece += 1) expect(parser.push(frames)).toHaveLength(1);
  const endless = frames.subarray(0, 1024 * 1024);
  for (let piece = 0; piece < 16; piece += 1) expect(parser.push(endless)).toEqual([]);
  expect(() => parser.push(endless)).toThrow(NetworkError);
});

test('a carriage return and its line feed are one line end, even if an empty piece comes between them', () => {
  const parser = new SseParser();
  const pieces = ['data: 1\r', '', '\ndata: 2\r\n\r\n'].map((text) => new TextEncoder().encode(text));
  expect(pieces.flatMap((piece) => parser.push(piece)).map(({ data }) => data)).toEqual(['1\n2']);
});
