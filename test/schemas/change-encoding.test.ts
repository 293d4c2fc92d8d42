import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { readSchemaVersions } from '../../schemas/avro-codec.ts';
import { type Change, changeCodec, HEAD_FIELDS } from '../../schemas/change.ts';
import { decodeBody, encodeBody, encodeChange } from '../../schemas/change-encoding.ts';
import { change } from '../helpers/properties/arbitraries.ts';

function complete(each: Change): Buffer {
  const { epoch, sequence, id, type, occurred_at, ...body } = each;
  return encodeChange(encodeBody(body), { epoch, sequence, id, type, occurred_at });
}

test('INV-3: an encoded change has the bytes that the codec writes', () => {
  fc.assert(
    fc.property(change, (each) => {
      // The second time, the parts of the catalogue are known.
      for (const bytes of [complete(each), complete(each)]) {
        expect(bytes.equals(changeCodec.encode(each))).toBe(true);
      }
    }),
  );
});

test('an encoded body is decoded to the same body', () => {
  fc.assert(
    fc.property(change, ({ epoch, sequence, id, type, occurred_at, ...body }) => {
      expect(decodeBody(encodeBody(body))).toEqual(body);
    }),
  );
});

test('changes that share parts of the catalogue keep their own endorsements', () => {
  const [first, second] = fc.sample(change, { numRuns: 2, seed: 1 }) as [Change, Change];
  const mixed = { ...first, endorsement: second.endorsement, choice: second.choice };
  for (const each of [first, second, mixed]) expect(changeCodec.decode(complete(each))).toEqual(each);
});

test('every version of the schema begins with the head, so any version can complete a waiting change', () => {
  for (const version of readSchemaVersions('endorsement-change')) {
    const { fields } = version as unknown as { fields: { name: string }[] };
    expect(fields.slice(0, HEAD_FIELDS.length).map(({ name }) => name)).toEqual([...HEAD_FIELDS]);
  }
});
