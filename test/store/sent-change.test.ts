import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { FINGERPRINT_BYTES, HEADER_LENGTH, MARKER } from '../../schemas/avro-codec.ts';
import { changeCodec } from '../../schemas/change.ts';
import { encodeBody } from '../../schemas/change-encoding.ts';
import type { DatabasePool } from '../../store/connection/read-pool.ts';
import { loadRelayedChanges } from '../../store/reads/relayed-changes.ts';
import { sentChange } from '../../store/stream/sent-change.ts';
import { change } from '../helpers/properties/arbitraries.ts';
import { CHANGE_BODY } from '../helpers/stream/change-body.ts';

const ROW = { sequence: 7, type: 'created', endorser: 'acme', occurredAt: 1_793_000_000_000 } as const;
const BATCH = { epoch: 3, offsets: [4, 0] };

test('INV-3: a packed change is resent with its packed bytes, in any version of the schema', () => {
  const bytes = fc.uint8Array({ minLength: FINGERPRINT_BYTES }).map((each) => Buffer.from(each));
  fc.assert(
    fc.property(bytes, (packed) => {
      const { key, value } = sentChange({ ...ROW, ...BATCH, packed, body: null });
      expect(key).toBe('acme');
      const header = Buffer.concat([MARKER, packed.subarray(0, FINGERPRINT_BYTES)]);
      expect(value.subarray(0, HEADER_LENGTH).equals(header)).toBe(true);
      const rest = packed.subarray(FINGERPRINT_BYTES);
      expect(value.subarray(value.length - rest.length).equals(rest)).toBe(true);
    }),
  );
});

test('INV-3: a change stored as JSON, in any order of its keys, has the same bytes as a packed one', () => {
  fc.assert(
    fc.property(change, ({ epoch: _epoch, id: _id, sequence, type, occurred_at: _at, ...body }) => {
      const row = { ...ROW, ...BATCH, sequence, type };
      const reversed = Object.fromEntries(Object.entries(body).reverse()) as typeof body;
      const sent = sentChange({ ...row, packed: encodeBody(body), body: null });
      expect(sentChange({ ...row, packed: null, body: reversed })).toEqual(sent);
      expect(changeCodec.decode(sent.value)).toMatchObject({ id: sent.id, sequence, type });
    }),
  );
});

test('INV-7: sent changes are loaded up to the first one that the change log lacks', async () => {
  const rows = [3, 4, 6].map((sequence) => ({ ...ROW, ...BATCH, sequence, packed: null, body: CHANGE_BODY }));
  const pool = { any: async () => rows } as unknown as DatabasePool;
  const load = async (from: number) => {
    const changes = await loadRelayedChanges(pool, from, 9);
    return changes.map(({ value }) => changeCodec.decode(value).sequence);
  };
  expect([await load(3), await load(2)]).toEqual([[3, 4], []]);
});
