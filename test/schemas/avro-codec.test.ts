import { describe, expect, test } from '@jest/globals';
import avro from 'avsc';
import fc from 'fast-check';
import {
  type AvroCodec,
  createAvroCodec,
  fingerprint,
  readSchemaVersions,
} from '../../schemas/avro-codec.ts';
import { changeCodec } from '../../schemas/change.ts';
import {
  rejectionCodec,
  type Submission,
  type SubmittedPick,
  submissionCodec,
} from '../../schemas/submission.ts';
import { pick, position } from '../helpers/ballots/submissions.ts';
import { change, rejection, submission } from '../helpers/properties/arbitraries.ts';

describe('CRC-64-AVRO', () => {
  test.each([
    ['null', '63dd24e7cc258f8a'],
    ['int', '7275d51a3f395c8f'],
    ['long', 'd054e14493f41db7'],
    ['string', '8f014872634503c7'],
    ['bytes', '4fc016dac3201965'],
    ['boolean', '9f42fc78a4d4f764'],
  ])('the fingerprint of "%s" is that of the Avro specification', (schema, expected) => {
    const bytes = fingerprint(avro.Type.forSchema(schema));
    expect(bytes.readBigUInt64LE().toString(16)).toBe(expected);
  });

  test('depends on names and types, not on documentation and defaults', () => {
    const fingerprintWith = (field: object) => {
      const fields = [{ name: 'a', type: 'int', ...field }];
      return fingerprint(avro.Type.forSchema({ type: 'record', name: 'R', fields }));
    };
    const plain = fingerprintWith({});
    expect(fingerprintWith({ doc: 'what it is', default: 1 })).toEqual(plain);
    expect(fingerprintWith({ name: 'b' })).not.toEqual(plain);
    expect(fingerprintWith({ type: 'long' })).not.toEqual(plain);
  });
});

function checkCodec<T>(name: string, codec: AvroCodec<T>, values: fc.Arbitrary<T>): void {
  const schema = readSchemaVersions(name).at(-1) ?? 'null';
  const header = Buffer.concat([Buffer.from('c301', 'hex'), fingerprint(avro.Type.forSchema(schema))]);
  fc.assert(
    fc.property(values, (value) => {
      const bytes = codec.encode(value);
      expect(bytes.subarray(0, 10)).toEqual(header);
      expect(codec.decode(bytes)).toEqual(value);
    }),
  );
}

describe('values have the marker C3 01 and the fingerprint, and decode to what was encoded:', () => {
  test('submissions', () => checkCodec('endorsement-submission', submissionCodec, submission));
  test('rejections', () => checkCodec('submission-rejection', rejectionCodec, rejection));
  test('changes', () => checkCodec('endorsement-change', changeCodec, change));
});

test('a value in the middle of a larger buffer is decoded', () => {
  const value = { action: 'position' as const, endorser: 'a', contest: 'b/c', picks: [] };
  const bytes = Buffer.concat([Buffer.from([1, 2, 3]), submissionCodec.encode(value), Buffer.from([4])]);
  expect(submissionCodec.decode(bytes.subarray(3, -1))).toEqual(value);
});

test('picks in blocks that begin with their size, as other encoders write them, are decoded', () => {
  const value = { action: 'position' as const, endorser: 'a', contest: 'b/c', picks: [] };
  const named = (choices: string[]) => ({ ...value, picks: choices.map((choice) => pick(choice)) });
  const [empty, ann, both] = [[], ['ann'], ['ann', 'bob']].map((choices) =>
    submissionCodec.encode(named(choices)),
  ) as [Buffer, Buffer, Buffer];
  // An encoding ends with the block of picks, which begins with their number, and with 0 for the last block.
  const before = empty.subarray(0, -1);
  const picks = both.subarray(before.length + 1, -1);
  const sizes = [ann.length - before.length - 2, both.length - ann.length].map((size) => 2 * size);
  const blocks = [[1, sizes[0] as number], [...picks.subarray(0, (sizes[0] as number) / 2)]];
  const rest = [[1, sizes[1] as number], [...picks.subarray((sizes[0] as number) / 2)], [0]];
  const bytes = Buffer.concat([before, Buffer.from([...blocks, ...rest].flat())]);
  expect(submissionCodec.decode(bytes)).toEqual(named(['ann', 'bob']));
});

describe('INV-15: a codec with a bound of items', () => {
  const codec = createAvroCodec<Submission>('endorsement-submission', 3);
  const encode = (count: number) =>
    submissionCodec.encode(position('acme', 'mayor', Array<SubmittedPick>(count).fill(pick('ann'))));

  test('decodes a list of that many', () => {
    expect(codec.decode(encode(3)).picks).toHaveLength(3);
  });

  test('refuses a longer one without decoding the rest', () => {
    expect(() => codec.decode(encode(4))).toThrow(
      'A list of this endorsement-submission has more than 3 items.',
    );
    // Only the items after the bound are cut off, so a codec that decodes them would find the end of the bytes.
    const cut = encode(500).subarray(0, encode(3).length);
    expect(() => codec.decode(cut)).toThrow('more than 3 items');
  });

  test('counts the items of all blocks together', () => {
    const two = encode(2);
    const begin = encode(0).length - 1;
    const block = two.subarray(begin, -1);
    const blocks = Buffer.concat([two.subarray(0, begin), block, block, Buffer.from([0])]);
    expect(submissionCodec.decode(blocks).picks).toHaveLength(4);
    expect(() => codec.decode(blocks)).toThrow('more than 3 items');
  });
});

test('the error for a missing schema names it', () => {
  expect(() => createAvroCodec('endorsement')).toThrow('schemas/avro/endorsement.v1.avsc');
});
