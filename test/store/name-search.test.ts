import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { useTestDatabase } from '../helpers/postgres/database.ts';

const { client } = useTestDatabase();

async function fold(texts: readonly string[]): Promise<string[]> {
  const { rows } = await client.query<{ folded: string }>(
    'SELECT name_search(text) AS folded FROM unnest($1::text[]) WITH ORDINALITY AS given (text, place) ORDER BY place',
    [texts],
  );
  return rows.map(({ folded }) => folded);
}

test.each([
  [
    'apostrophes and okinas',
    ["Kaho'olawe", 'Kahoʻolawe', 'Kaho‘olawe', 'Kaho’olawe', 'Kahoʼolawe', 'Kaho`olawe'],
  ],
  ['other marks like apostrophes', ['Kahoolawe', 'Kaho´olawe', 'Kaho′olawe', 'Kahoʽolawe', 'Kaho‛olawe']],
  [
    'white space',
    ['Ron Unz', 'Ron  Unz', 'Ron\u00a0Unz', ' Ron Unz\t', 'Ron\u2028Unz', 'Ron\u3000\u2009Unz'],
  ],
  ['ligatures', ['Griffin', 'Griﬃn', 'Griﬀin', 'grifﬁn']],
  ['German letters', ['Strasse', 'Straße', 'STRAẞE']],
  ['joined letters', ['Aegir Oeuvre', 'Ægir Œuvre', 'ægir œuvre']],
  ['accents', ['Zoë Ñandú', 'ZOE NANDU', 'Zoe\u0308 N\u0303andu\u0301']],
  ['strokes and dashes', ['Łódź–Øst', 'lodz-ost', 'LODZ—OST']],
  ['invisible characters', ['Acme', 'Ac\u200bme', 'Ac\u00adme', '\ufeffAcme', 'Acme\ufe0f']],
  ['widths', ['ACME 12', 'ＡＣＭＥ　１２']],
])('a search does not see a difference in %s', async (_, texts) => {
  expect(new Set(await fold(texts)).size).toBe(1);
});

test('a search sees other letters, digits, signs and the space between words', async () => {
  const texts = ['ann', 'anne', 'an n', 'ann 1', 'ann %', 'ann_', 'ann\\', 'an-n', 'ann "b"', '安', ''];
  expect(new Set(await fold(texts)).size).toBe(texts.length);
});

test('what people type is found in a name however both are written', async () => {
  const letter = fc.constantFrom(..."aÉñßﬁÆʻ’'`- \u00a0\u200bŁ1%");
  const name = fc.string({ unit: letter, maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(name, name, name, async (before, part, after) => {
      const whole = `${before}x${part}y${after}`;
      const [held, ...typed] = await fold([
        whole,
        ...['NFC', 'NFD', 'NFKC'].flatMap((form) =>
          [part, `x${part}y`, whole].map((text) => text.normalize(form)),
        ),
        `x${part}y`.toUpperCase(),
      ]);
      for (const text of typed) expect(held).toContain(text);
      expect(await fold([held ?? ''])).toEqual([held]);
    }),
    { numRuns: 100 },
  );
});
