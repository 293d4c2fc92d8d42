import { type Problem, showValue } from '../../schemas/problems.ts';
import { normalizeText } from '../../schemas/text.ts';
import type { Notes } from '../catalogue/notes.ts';
import type { Texts, VipObject } from './fields.ts';
import type { Feed } from './read-feed.ts';

/** The object of a type with an id; undefined if the feed has none. */
export const find = (feed: Feed, type: string, id: string | undefined): VipObject | undefined =>
  id === undefined ? undefined : feed.objects.get(type)?.get(id.trim());

/** All objects of a type. */
export const all = (feed: Feed, type: string): VipObject[] => [...(feed.objects.get(type)?.values() ?? [])];

/** The only object of a type; undefined if the feed has none or several. */
export function findOnly(feed: Feed, type: string): VipObject | undefined {
  const objects = feed.objects.get(type);
  return objects?.size === 1 ? objects.values().next().value : undefined;
}

/** The ids in a list of references, each once. */
export const idsOf = (references: string | undefined): string[] => [
  ...new Set(references?.split(/\s+/).filter(Boolean)),
];

/** The objects of a type in a list of references, without those that the feed lacks. */
export const findAll = (feed: Feed, type: string, references: string | undefined): VipObject[] =>
  idsOf(references).flatMap((id) => find(feed, type, id) ?? []);

/** The parties in a list of references. Those that the feed lacks are noted. @param name whose parties they are */
export function partiesOf(
  feed: Feed,
  references: string | undefined,
  name: string,
  notes: Notes,
): VipObject[] {
  return idsOf(references).flatMap((id) => {
    const party = find(feed, 'Party', id);
    if (!party) notes.add('to check', 'a party is not in the feed', `${name}: ${id}`);
    return party ?? [];
  });
}

/** A text in English, or else in the first language that is not Spanish, or in Spanish. */
export function english(texts: Texts | undefined): string {
  return normalizeText(texts?.en ?? texts?.other ?? texts?.es ?? '');
}

/** The Spanish text, if it differs from the English one. */
export function spanish(texts: Texts | undefined): string | null {
  const text = normalizeText(texts?.es ?? '');
  return text === '' || text === english(texts) ? null : text;
}

/** The names of parties. One without a name has its abbreviation; those with neither are left out. */
export const namesOfParties = (parties: readonly VipObject[]): string[] =>
  parties.map(({ texts }) => english(texts.Name) || english(texts.Abbreviation)).filter(Boolean);

/** A value that the schema calls a boolean; programs in Python write True. */
export const isTrue = (value: string | undefined): boolean => /^(true|1)$/i.test(value ?? '');

/** A whole number from 1; null if the value is not one. */
export function positive(value: string | undefined): number | null {
  return value !== undefined && /^[0-9]{1,9}$/.test(value) && Number(value) > 0 ? Number(value) : null;
}

/** The problem of references to objects that the feed does not have; none if it has all. */
export function danglingReferences(
  feed: Feed,
  type: string,
  { values }: VipObject,
  field: string,
): Problem[] {
  const missing = idsOf(values[field]).find((id) => find(feed, type, id) === undefined);
  if (missing === undefined) return [];
  return [{ field, message: `names ${showValue(missing)}, which is no ${type} of the feed` }];
}
