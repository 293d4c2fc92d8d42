import { foldWords } from './words.ts';

/** The ways to write a party, by its name. Other parties are compared as they are written. */
const PARTIES: Readonly<Record<string, readonly string[]>> = {
  democratic: ['d', 'dem', 'dems', 'democrat', 'democrats', 'dfl', 'democratic farmer labor'],
  republican: ['r', 'rep', 'gop', 'republicans'],
  libertarian: ['l', 'lib', 'lbt'],
  green: ['g', 'grn'],
  independent: ['i', 'ind', 'npa', 'npp', 'no party preference', 'no party affiliation', 'unaffiliated'],
  conservative: ['c', 'con'],
  'working families': ['wf', 'wfp', 'wor'],
  nonpartisan: ['n', 'np', 'non partisan'],
};
const partyText = (text: string): string =>
  foldWords(text)
    .filter((word) => word !== 'party' && word !== 'the')
    .join(' ');
const BY_WORD = new Map(
  Object.entries(PARTIES).flatMap(([party, words]) =>
    [party, ...words].map((word) => [partyText(word), party] as const),
  ),
);

/** The party in its one form; null for an empty text. */
export function foldParty(text: string | null): string | null {
  const words = partyText(text ?? '');
  return words === '' ? null : (BY_WORD.get(words) ?? words);
}

/** The party that a text consists of, such as `D`, `Dem`, `R-TX` or `Democratic Party`; null if it is anything else. */
export function readParty(text: string): string | null {
  const [, before] = /^\s*([\p{L} .]+)-\s*[A-Z]{2}\s*$/u.exec(text) ?? [];
  return BY_WORD.get(partyText(before ?? text)) ?? null;
}
