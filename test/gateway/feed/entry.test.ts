import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createEntries, openRecords } from '../../../gateway/feed/entry.ts';
import { renderRecords } from '../../../gateway/feed/rendered-changes.ts';
import { type Change, changeCodec } from '../../../schemas/change.ts';
import { renderEvent, renderFrame } from '../../../schemas/event.ts';
import { createLog } from '../../../service/log.ts';
import { change } from '../../helpers/arbitraries.ts';

const log = createLog('test', 'silent');
const [BASE] = fc.sample(change, { numRuns: 1, seed: 1 });
if (!BASE) throw new Error('there is no change to make entries of');

const frameOf = (of: Change) => renderFrame({ event: 'endorsement', id: of.id, data: renderEvent(of) });

describe('what a gateway keeps of changes that came together', () => {
  test('is the frame, the JSON and the id of each, however long they are and whatever stands in them', () => {
    const long = fc.tuple(change, fc.constantFrom('x', 'é', '☃', '🗳'), fc.constantFrom(1, 1000, 300_000));
    fc.assert(
      fc.property(fc.array(long, { maxLength: 5 }), (made) => {
        const changes = made.map(([of, text, times]) => ({
          ...of,
          endorser: { ...of.endorser, name: text.repeat(times) },
        }));
        const entries = createEntries(changes);
        expect(entries.map(({ frame }) => frame.toString())).toEqual(changes.map(frameOf));
        expect(entries.map(({ json }) => json.toString())).toEqual(changes.map(renderEvent));
        expect(entries.map(({ id }) => id)).toEqual(changes.map(({ id }) => id));
      }),
      { numRuns: 30 },
    );
  });

  test('holds on to the bytes of these changes only, and not to a pool that others share', () => {
    const entries = Array.from({ length: 20 }, () => {
      Buffer.from('another text, made in between');
      return createEntries([BASE])[0];
    });
    for (const entry of entries) expect(entry?.frame.buffer.byteLength).toBe(entry?.frame.length);
  });
});

test('a record that is no change, of another epoch, or of no time that there is, leaves the others as they are', () => {
  const good = [1, 2, 3].map((sequence) => ({ ...BASE, sequence }));
  const values = [
    Buffer.from('no change'),
    ...good.slice(0, 2).map(changeCodec.encode),
    changeCodec.encode({ ...BASE, epoch: BASE.epoch + 1 }),
    changeCodec.encode({ ...BASE, occurred_at: 9_000_000_000_000_000 }),
    ...good.slice(2).map(changeCodec.encode),
  ];
  const records = values.map((value, offset) => ({ offset, value }));
  const decoded = openRecords(renderRecords(records, BASE.epoch), log);
  expect(decoded.map(({ offset, entry }) => [offset, entry.sequence])).toEqual([
    [1, 1],
    [2, 2],
    [5, 3],
  ]);
  expect(decoded.map(({ entry }) => entry.frame.toString())).toEqual(good.map(frameOf));
});
