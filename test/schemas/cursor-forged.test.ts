import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { formatCursor, formatEventId, InvalidCursorError, parseCursor } from '../../schemas/cursor.ts';
import { sealCursor } from '../helpers/stream/sealed-cursors.ts';

const SEQUENCE = '00000000015';
/** Version 1, epoch 1, time 2, scale 0, one partition at offset 3. */
const PAYLOAD = [1, 1, 2, 0, 1, 3];
/** The sequence with time 2, and version 2, epoch 1, scale 0, one partition at offset 3. */
const LATER = `${SEQUENCE}_00000000002`;
const LATER_PAYLOAD = [2, 1, 0, 1, 3];
const LARGEST = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f];

test('these tests compute the same checksum as the service', () => {
  const cursor = { epoch: 1, sequence: 37, time: 2, offsets: [3] };
  expect(sealCursor(SEQUENCE, PAYLOAD)).toBe(formatEventId(cursor));
  expect(sealCursor(LATER, LATER_PAYLOAD)).toBe(formatCursor(cursor));
});

test.each([
  ['a future version', SEQUENCE, [2, ...PAYLOAD.slice(1)], 'it is of version 2, known is 1'],
  ['a payload that ends after the epoch', SEQUENCE, [1, 1], 'it ends too early'],
  ['fewer offsets than announced', SEQUENCE, [1, 1, 2, 0, 2, 3], 'it ends too early'],
  ['a number that does not end', SEQUENCE, [1, 0x81], 'it ends too early'],
  ['bytes after the last offset', SEQUENCE, [...PAYLOAD, 0], 'it continues after its end'],
  ['101 partitions', SEQUENCE, [1, 1, 2, 0, 101, ...Array(101).fill(3)], 'too many partitions'],
  ['a number of nine bytes', SEQUENCE, [1, ...Array(8).fill(0x80), 1, 2, 0, 0], 'a number that is too large'],
  ['a varint that is longer than necessary', SEQUENCE, [1, 0x81, 0, 2, 0, 1, 3], 'not made by this service'],
  ['an unnecessary scale', SEQUENCE, [1, 1, 2, 1, 1, 3], 'not made by this service'],
  ['a scale beyond every number', SEQUENCE, [1, 1, 2, 255, 1, 3], 'not made by this service'],
  ['an epoch beyond 2^53', SEQUENCE, [1, ...Array(7).fill(0xff), 0x10, 2, 0, 0], 'not made by this service'],
  ['an offset beyond 2^53', SEQUENCE, [1, 1, 2, 1, 1, ...LARGEST], 'not made by this service'],
  ['a sequence beyond 2^53', 'vvvvvvvvvvv', PAYLOAD, 'not made by this service'],
  ['the payload of an id with a time put before it', LATER, PAYLOAD, 'it is of version 1, known is 2'],
  [
    'the payload of a later cursor without its time',
    SEQUENCE,
    LATER_PAYLOAD,
    'it is of version 2, known is 1',
  ],
  ['a time beyond 2^53', `${SEQUENCE}_vvvvvvvvvvv`, LATER_PAYLOAD, 'not made by this service'],
  [
    'bytes after the last offset of a later cursor',
    LATER,
    [...LATER_PAYLOAD, 0],
    'it continues after its end',
  ],
])('with a right checksum: %s is refused', (_, sequence, payload, message) => {
  const text = sealCursor(sequence, payload);
  expect(() => parseCursor(text)).toThrow(InvalidCursorError);
  expect(() => parseCursor(text)).toThrow(message);
});

test('a payload with a right checksum is refused unless it is exactly the text of a cursor', () => {
  const head = fc.stringMatching(/^[0-9a-v]{11}(_[0-9a-v]{11})?$/);
  const payload = fc.oneof(
    fc.array(fc.nat(255), { minLength: 2, maxLength: 137 }),
    fc
      .tuple(fc.constantFrom(1, 2), fc.array(fc.nat(5), { minLength: 2, maxLength: 12 }))
      .map(([version, bytes]) => [version, ...bytes]),
  );
  fc.assert(
    fc.property(head, payload, (digits, bytes) => {
      const text = sealCursor(digits, bytes);
      try {
        const format = digits.includes('_') ? formatCursor : formatEventId;
        expect(format(parseCursor(text))).toBe(text);
      } catch (error) {
        if (!(error instanceof InvalidCursorError)) throw error;
      }
    }),
    { numRuns: 1000 },
  );
});
