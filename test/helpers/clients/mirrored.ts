import fc from 'fast-check';
import type { MirroredEndorsement } from '../../../clients/typescript/src/index.ts';

const text = fc.string({ unit: 'grapheme', maxLength: 12 });

/** An endorsement as a copy keeps it. */
export const mirroredEndorsement = (id: fc.Arbitrary<number>): fc.Arbitrary<MirroredEndorsement> =>
  fc.record({
    choice: fc.record({
      candidate: fc.option(fc.record({ full_name: text, id: fc.nat() })),
      id: fc.nat(),
      label: text,
      measure_answer: fc.constantFrom('yes' as const, 'no' as const, null),
      party: fc.option(text),
    }),
    contest: fc.record({
      district: fc.record({
        id: fc.nat(),
        level: fc.constantFrom('federal' as const, 'city' as const),
        name: text,
        ocd_id: fc.option(text),
        state: fc.constantFrom('CA' as const, 'OR' as const, null),
      }),
      id: fc.nat(),
      kind: fc.constantFrom('candidate' as const, 'measure' as const),
      short_title: text,
      title: text,
    }),
    election: fc.record({
      date: fc.constant('2026-11-03'),
      id: fc.nat(),
      name: text,
      slug: text,
      state: fc.constantFrom('CA' as const, 'OR' as const),
      type: fc.constant('general' as const),
    }),
    endorser: fc.record({
      category: fc.record({ name: text, slug: text }),
      id: fc.nat(),
      name: text,
      slug: text,
      state: fc.constantFrom('CA' as const, 'national' as const),
    }),
    id,
    published_on: fc.option(fc.constant('2026-10-01')),
    rank: fc.option(fc.nat({ max: 9 })),
    source_url: fc.option(text),
    statement: fc.option(text),
  });
