import { jurisdictionOfState } from '../../domain/officeholders/states.ts';
import { normalizeText } from '../../schemas/text.ts';

/** The USPS code of a state by its code or name in any case; the text itself if there is none. */
export function readState(text: string): string {
  const name = normalizeText(text);
  const words = name
    .toLowerCase()
    .replaceAll(/(^|\s)\p{L}/gu, (letter) => letter.toUpperCase())
    .replace(' Of ', ' of ');
  return jurisdictionOfState(name.toUpperCase())?.state ?? jurisdictionOfState(words)?.state ?? name;
}
