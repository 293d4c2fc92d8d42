import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { makeKeys, slugOf } from '../../../intake/catalogue/keys.ts';
import { character } from '../../helpers/properties/arbitraries.ts';

describe('the part of a key that a name gives', () => {
  test.each([
    ['Governor of Virginia', 'governor-of-virginia'],
    ['  GOVERNOR\u00a0of   Virginia ', 'governor-of-virginia'],
    ['José Díaz, Jr.', 'jose-diaz-jr'],
    ['Jose\u0301 Di\u0301az Jr', 'jose-diaz-jr'],
    ["O'Brien", 'obrien'],
    ['O\u00b4Brien', 'obrien'],
    ['U.S. Senate', 'us-senate'],
    ['Parks & Water', 'parks-and-water'],
    ['—', ''],
  ])('%j is %s', (name, slug) => {
    expect(slugOf(name)).toBe(slug);
  });

  test('is short and tells long names, and names in other letters, apart', () => {
    const names = [`${'word '.repeat(60)}a`, `${'word '.repeat(60)}b`, '市長', '市议员', 'Мэр'];
    const slugs = names.map(slugOf);
    expect(new Set(slugs).size).toBe(names.length);
    for (const slug of slugs) expect(slug).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
    expect(slugs[0]).toMatch(/^word-word-.{0,80}$/);
  });

  test('is a slug for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: character }), (name) => {
        expect(slugOf(name)).toMatch(/^([a-z0-9]+(-[a-z0-9]+)*)?$/);
        expect(slugOf(name).length).toBeLessThanOrEqual(80);
      }),
    );
  });
});

describe('keys', () => {
  test('are longer only if others share them', () => {
    const judge = (seat: string) => ({ parts: ['Judge', 'County'], further: ['', seat] });
    expect(makeKeys([judge('1'), { parts: ['Mayor', ''], further: ['x'] }])).toEqual([
      'judge-county',
      'mayor',
    ]);
    expect(makeKeys([judge('1'), judge('2')])).toEqual(['judge-county-1', 'judge-county-2']);
  });

  test('of many long names are short, and differ', () => {
    const long = (end: string) => ({
      parts: Array.from({ length: 5 }, () => 'word '.repeat(15)).concat(end),
      further: [],
    });
    const [a = '', b = ''] = makeKeys([long('a'), long('b')]).map(String);
    expect([a.length <= 160, a === b]).toEqual([true, false]);
  });

  test('are missing if nothing tells the records apart, or if they have no names', () => {
    const same = { parts: ['Judge'], further: ['Seat'] };
    expect(makeKeys([same, same, { parts: ['-'], further: [] }])).toEqual([null, null, null]);
    // More than a call takes as arguments.
    expect(makeKeys(Array.from({ length: 200_000 }, () => null))).toContain(null);
  });

  const word = fc.constantFrom('', 'A', 'a', 'B', 'A-B', 'C');
  const records = fc.array(
    fc.record({ parts: fc.array(word, { maxLength: 2 }), further: fc.array(word, { maxLength: 3 }) }),
    {
      maxLength: 8,
    },
  );

  test('differ, and do not depend on the order of the records', () => {
    fc.assert(
      fc.property(
        records.chain((all) =>
          fc.record({
            all: fc.constant(all),
            order: fc.shuffledSubarray([...all.keys()], { minLength: all.length }),
          }),
        ),
        ({ all, order }) => {
          const keys = makeKeys(all);
          const given = keys.filter((key) => key !== null);
          expect(new Set(given).size).toBe(given.length);
          const shuffled = makeKeys(order.map((at) => all[at] ?? { parts: [], further: [] }));
          expect(shuffled).toEqual(order.map((at) => keys[at]));
        },
      ),
    );
  });
});
