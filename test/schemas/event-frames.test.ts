import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { facetsOf } from '../../domain/stream-filter.ts';
import { AvroDecodeError } from '../../schemas/avro-codec.ts';
import { type Change, changeCodec } from '../../schemas/change.ts';
import { renderFrame } from '../../schemas/event.ts';
import { FrameWriter } from '../../schemas/event-frames.ts';
import { FACET_FIELDS, FACET_PATHS } from '../../schemas/vocabulary.ts';
import { change, character } from '../helpers/properties/arbitraries.ts';
import { renderEvent } from '../helpers/stream/render-event.ts';

const CAPTURES = FACET_FIELDS.map((field) => FACET_PATHS[field].join('.'));

/** The frame of a change, made from the change as an object. */
const expectedFrame = (of: Change) => renderFrame({ event: 'endorsement', id: of.id, data: renderEvent(of) });

/** Texts that JSON escapes, that take several bytes, and that are long. */
const text = fc.oneof(
  fc.string({ unit: character }),
  fc.string({
    unit: fc.constantFrom(
      '"',
      '\\',
      '\n',
      '\0',
      '\u001f',
      '\u007f',
      '\u0085',
      '\u2028',
      '\u2029',
      'é',
      '🗳️',
      'a',
    ),
  }),
  fc.integer({ min: 0, max: 5000 }).map((length) => 'x'.repeat(length)),
);
const integer = fc.oneof(
  // avsc cannot encode numbers far beyond these.
  fc.integer({ min: -(2 ** 52), max: 2 ** 52 }),
  fc.constantFrom(0, 63, 64, 8191, 8192, 2 ** 31 - 1, 2 ** 31, 2 ** 52, -1, -(2 ** 31)),
);
const anyChange = fc.tuple(change, text, text, integer).map(([made, one, other, number]) => ({
  ...made,
  endorsement: { ...made.endorsement, id: number, statement: one },
  endorser: { ...made.endorser, name: other },
  choice: { ...made.choice, candidate: { id: number, full_name: one }, party: other },
}));

describe('the frames that are written from Avro', () => {
  test('INV-3: equal the frames of the changes as objects, for any values', () => {
    const writer = new FrameWriter([]);
    fc.assert(
      fc.property(fc.array(anyChange, { minLength: 1, maxLength: 5 }), (changes) => {
        writer.clear();
        for (const made of changes) {
          const start = writer.end;
          writer.write(changeCodec.encode(made));
          expect(writer).toMatchObject({ epoch: made.epoch, sequence: made.sequence, type: made.type });
          expect(writer.occurredAt).toBe(made.occurred_at);
          const bytes = writer.copyFrames();
          expect(bytes.toString('utf8', start)).toBe(expectedFrame(made));
          expect(bytes.toString('utf8', writer.jsonStart)).toBe(`${renderEvent(made)}\n\n`);
        }
      }),
      { numRuns: 300 },
    );
  });

  test('come with the requested strings', () => {
    const writer = new FrameWriter(CAPTURES);
    fc.assert(
      fc.property(change, (made) => {
        writer.clear();
        writer.write(changeCodec.encode(made));
        const captured = CAPTURES.map((_, index) => writer.textOf(index));
        const facets = facetsOf(made.type, made);
        expect(captured).toEqual(FACET_FIELDS.map((field) => facets[field]));
      }),
    );
  });

  test('have room for any number and size', () => {
    const writer = new FrameWriter([]);
    const [made] = fc.sample(change, { numRuns: 1, seed: 1 }) as [Change];
    const large = { ...made, endorser: { ...made.endorser, name: '\0'.repeat(600_000) } };
    for (const each of [made, large, made]) writer.write(changeCodec.encode(each));
    expect(writer.copyFrames().toString()).toBe([made, large, made].map(expectedFrame).join(''));
  });
});

describe('bytes that do not hold a change', () => {
  const [made] = fc.sample(change, { numRuns: 1, seed: 2 }) as [Change];
  const good = changeCodec.encode(made);

  test.each([
    ['no value', null],
    ['nothing', Buffer.alloc(0)],
    ['another marker', Buffer.concat([Buffer.from([0xc3, 2]), good.subarray(2)])],
    ['an unknown fingerprint', Buffer.concat([good.subarray(0, 2), Buffer.alloc(8), good.subarray(10)])],
    ['an end that comes too early', good.subarray(0, -1)],
    ['something after the end', Buffer.concat([good, Buffer.from([0])])],
    ['an id with a line break', changeCodec.encode({ ...made, id: 'x\ndata: forged' })],
    ['a time that no date has', changeCodec.encode({ ...made, occurred_at: 9_000_000_000_000_000 })],
  ])('are refused, and nothing is written: %s', (_, bytes) => {
    const writer = new FrameWriter([]);
    writer.write(good);
    const { end } = writer;
    expect(() => writer.write(bytes)).toThrow(AvroDecodeError);
    expect(writer.end).toBe(end);
    expect(writer.copyFrames().toString()).toBe(expectedFrame(made));
  });

  test('never become a broken frame, if any bytes are changed', () => {
    const writer = new FrameWriter(CAPTURES);
    const changed = fc.array(fc.tuple(fc.nat(good.length - 11), fc.nat(255)), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(changed, (places) => {
        const bytes = Buffer.from(good);
        for (const [at, byte] of places) bytes[10 + at] = byte;
        writer.clear();
        try {
          writer.write(bytes);
        } catch (error) {
          expect(error).toBeInstanceOf(AvroDecodeError);
          expect(writer.end).toBe(0);
          return;
        }
        const [event, id, data, ...rest] = writer.copyFrames().toString().split('\n');
        expect([event, ...rest]).toEqual(['event: endorsement', '', '']);
        expect(JSON.parse(data?.slice('data: '.length) ?? '').id).toBe(id?.slice('id: '.length));
      }),
      { numRuns: 1000 },
    );
  });
});
