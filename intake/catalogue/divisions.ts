import type { Level } from '../../schemas/vocabulary.ts';

const DIVISION = /^ocd-division\/country:us(\/[a-z_]+:[^/:\s]+)*$/;

/** A United States division id in its one form; null if the text is not one. */
export function readDivision(text: string): string | null {
  const id = text.trim().toLowerCase();
  return DIVISION.test(id) ? id : null;
}

/** The parts of a division below its state, such as `['county:albemarle', 'council_district:2']`. */
function partsBelowState(id: string): string[] {
  const [, , ...parts] = id.split('/');
  return parts.filter((part) => !/^(state|district|territory):[a-z]{2}$/.test(part));
}

/** The part of keys that a division gives: empty for a whole state, and `us` for the nation. */
export function divisionName(id: string): string {
  return id === 'ocd-division/country:us' ? 'us' : partsBelowState(id).join(' ');
}

/** The level and the type of the districts that a division's last part names, in the catalogue's words. */
const KINDS: Readonly<Record<string, readonly [Level, string]>> = {
  cd: ['federal', 'congressional_district'],
  sldu: ['state', 'state_upper'],
  sldl: ['state', 'state_lower'],
  county: ['county', 'county'],
  parish: ['county', 'county'],
  borough: ['county', 'county'],
  census_area: ['county', 'county'],
  place: ['city', 'place'],
  school_district: ['school', 'school_district'],
};

/**
 * The level and type of a division's districts; null if its id does not tell them, as with a whole state, which elects
 * federal and state offices.
 */
export function kindOfDivision(id: string): { level: Level; type: string } | null {
  const parts = partsBelowState(id);
  const last = parts.at(-1)?.split(':')[0] ?? '';
  const kind = Object.hasOwn(KINDS, last) ? KINDS[last] : undefined;
  if (kind) return { level: kind[0], type: kind[1] };
  // A council district or ward is a part of a county or city.
  const around = parts.at(-2)?.split(':')[0] ?? '';
  const whole = Object.hasOwn(KINDS, around) ? KINDS[around] : undefined;
  return whole && last !== '' ? { level: whole[0], type: last } : null;
}

const FEDERAL =
  /\bpresident (and|&|\/) ?vice|\bpresident(ial)? (elector|of the united states|of the u\.?s)|^president(ial)?$|^u\.? ?s\.? |\bu\.? ?s\.? (senat|rep|house)|\bunited states (senat|rep|house)|\b(senator|representative|delegate|member) (in|to|of) (the )?(u\.? ?s\.? |united states )?congress\b|\bcongress(ional|ional district|man|woman|person|member)?\b|^resident commissioner/i;

/** Whether an office that a whole state elects is federal, by its name: president, senator or member of Congress. */
export const isFederalOffice = (name: string): boolean => FEDERAL.test(name);
