import { expect, test } from '@jest/globals';
import { createParser } from 'eventsource-parser';
import fc from 'fast-check';
import { type Block, SseParser } from '../../../../gateway/console/browser/sse-parser.ts';

/** Bytes in pieces, cut at the given places. */
function cut(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const ends = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b);
  return [...ends, bytes.length].map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
}

function parse(pieces: readonly Uint8Array[]): Block[] {
  const parser = new SseParser();
  return pieces.flatMap((piece) => parser.push(piece));
}

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

const line = fc.oneof(
  fc.constantFrom(
    '',
    '',
    'data',
    'data:',
    ': ping',
    'event: endorsement',
    'retry: 1200',
    'retry: soon',
    'id:',
  ),
  fc
    .tuple(fc.constantFrom('data: ', 'data:', 'id: ', 'event: ', 'other: '), fc.string({ unit: 'grapheme' }))
    .map(([name, value]) => name + value.replaceAll(/[\r\n\0]/g, '_')),
);
const text = fc
  .array(fc.tuple(line, fc.constantFrom('\n', '\r\n', '\r')))
  .map((lines) => lines.map((parts) => parts.join('')).join(''));

test('every division of the bytes gives the same blocks', () => {
  fc.assert(
    fc.property(text, fc.array(fc.nat(5000), { maxLength: 40 }), (stream, places) => {
      const bytes = encode(stream);
      expect(parse(cut(bytes, places))).toEqual(parse([bytes]));
      expect(parse([...bytes].map((byte) => Uint8Array.of(byte)))).toEqual(parse([bytes]));
    }),
  );
});

test('it finds the same events as another parser', () => {
  fc.assert(
    fc.property(text, (stream) => {
      const events: { event: string; data: string }[] = [];
      const other = createParser({
        onEvent: ({ event, data }) => events.push({ event: event ?? 'message', data }),
      });
      // It waits for the byte after a last carriage return.
      other.feed(`${stream}\n\n`.replaceAll(/\r\n?/g, '\n'));
      const found = parse([encode(`${stream}\n\n`)]).flatMap(({ event, data }) =>
        data === null ? [] : [{ event, data }],
      );
      expect(found).toEqual(events);
    }),
  );
});

test('it reads a stream of the service', () => {
  const stream =
    'retry: 3120\n\nevent: ready\nid: a\ndata: {}\n\n: ping\n\nevent: endorsement\nid: b\ndata: {"x":"é"}\n\nevent: half';
  expect(parse([encode(stream)])).toEqual([
    { raw: 'retry: 3120', event: 'message', data: null, id: null, retryMs: 3120 },
    { raw: 'event: ready\nid: a\ndata: {}', event: 'ready', data: '{}', id: 'a', retryMs: null },
    { raw: ': ping', event: 'message', data: null, id: null, retryMs: null },
    {
      raw: 'event: endorsement\nid: b\ndata: {"x":"é"}',
      event: 'endorsement',
      data: '{"x":"é"}',
      id: 'b',
      retryMs: null,
    },
  ]);
});
