import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type AvroCodec, AvroDecodeError } from '../../schemas/avro-codec.ts';
import { changeCodec } from '../../schemas/change.ts';
import { rejectionCodec, submissionCodec } from '../../schemas/submission.ts';
import { change, rejection, submission } from '../helpers/properties/arbitraries.ts';

const HEADER_LENGTH = 10;

/** Decodes bytes, or returns undefined if they are refused. Any other error fails the test (INV-9). */
function decodeOrRefuse<T>(codec: AvroCodec<T>, bytes: Uint8Array): T | undefined {
  try {
    return codec.decode(bytes);
  } catch (error) {
    if (!(error instanceof AvroDecodeError)) throw error;
    return undefined;
  }
}

function checkRefusals<T>(codec: AvroCodec<T>, values: fc.Arbitrary<T>): void {
  fc.assert(
    fc.property(values, fc.nat(), fc.uint8Array({ minLength: 1 }), (value, at, garbage) => {
      const bytes = codec.encode(value);
      expect(decodeOrRefuse(codec, bytes.subarray(0, at % bytes.length))).toBeUndefined();
      expect(decodeOrRefuse(codec, Buffer.concat([bytes, garbage]))).toBeUndefined();
      expect(decodeOrRefuse(codec, garbage)).toBeUndefined();
      // After a valid header, random bytes may be a value. Only other errors matter here.
      decodeOrRefuse(codec, Buffer.concat([bytes.subarray(0, HEADER_LENGTH), garbage]));
      const altered = Buffer.from(bytes);
      altered[at % bytes.length] = garbage[0] ?? 0;
      decodeOrRefuse(codec, altered);
    }),
    { numRuns: 500 },
  );
}

test('INV-9: truncated, extended, altered and foreign bytes are refused: submissions', () => {
  checkRefusals(submissionCodec, submission);
});
test('INV-9: truncated, extended, altered and foreign bytes are refused: rejections', () => {
  checkRefusals(rejectionCodec, rejection);
});
test('INV-9: truncated, extended, altered and foreign bytes are refused: changes', () => {
  checkRefusals(changeCodec, change);
});

const EMPTY = submissionCodec.encode({ action: 'position', endorser: 'a', contest: 'b', picks: [] });

test.each([
  ['no bytes', Buffer.alloc(0), 'no C3 01 marker'],
  ['text', Buffer.from('{"action":"endorse"}'), 'no C3 01 marker'],
  ['another first byte', Buffer.concat([Buffer.from([0xc2]), EMPTY.subarray(1)]), 'no C3 01 marker'],
  ['another second byte', Buffer.concat([Buffer.from([0xc3, 2]), EMPTY.subarray(2)]), 'no C3 01 marker'],
  ['a truncated header', EMPTY.subarray(0, 9), 'no C3 01 marker'],
  ['an unknown fingerprint', Buffer.from('c3018877665544332211', 'hex'), 'fingerprint 1122334455667788'],
  ['a schema of another topic', rejectionCodec.encode(fc.sample(rejection, 1)[0] as never), 'fingerprint'],
  ['a header without a datum', EMPTY.subarray(0, HEADER_LENGTH), 'hold no valid endorsement-submission'],
])('%s: the error names the problem', (_, bytes, message) => {
  expect(() => submissionCodec.decode(bytes)).toThrow(AvroDecodeError);
  expect(() => submissionCodec.decode(bytes)).toThrow(message);
});

test('a record without a value is refused, and the error says so', () => {
  expect(() => submissionCodec.decode(null)).toThrow(AvroDecodeError);
  expect(() => submissionCodec.decode(null)).toThrow('This record has no value');
});

test.each([
  ['four thousand million', [0x80, 0xf0, 0xda, 0xd2, 0x1d]],
  ['a million million', [0x80, 0x80, 0xa2, 0xa9, 0xca, 0x3a]],
  ['a negative number', [0xff, 0xef, 0xda, 0xd2, 0x1d, 0x02]],
  ['a number without an end', Array(2000).fill(0xff)],
])('INV-9: bytes that announce missing picks are refused at once: %s', (_, count) => {
  const bytes = Buffer.concat([EMPTY.subarray(0, -1), Buffer.from(count)]);
  expect(decodeOrRefuse(submissionCodec, bytes)).toBeUndefined();
});
