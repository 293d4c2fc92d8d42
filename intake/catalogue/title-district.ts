import { jurisdictionOfState } from '../../domain/officeholders/states.ts';
import type { Level } from '../../schemas/vocabulary.ts';
import { foldText } from '../matching/words.ts';
import { kindOfDivision } from './divisions.ts';

/** A chamber whose members districts elect. */
interface Chamber {
  /** The type of its districts in OCD ids. */
  division: 'cd' | 'sldu' | 'sldl';
  /** The name of its districts before their number. */
  district: string;
  /** Its offices in folded titles. */
  office: RegExp;
}

/** The chambers; those of the United States first, whose offices share words with those of a state. */
const CHAMBERS: readonly Chamber[] = [
  {
    division: 'cd',
    district: 'Congressional District',
    office: /\b(u ?s|united states) (house|representative)\b|\bcongress(ional|man|woman|person|member)?\b/,
  },
  {
    division: 'sldu',
    district: 'State Senate District',
    office: /\bstate senat(e|or)\b|\bsenat(e district|or in the general assembly)\b/,
  },
  {
    division: 'sldl',
    district: 'State House District',
    office:
      /\bstate (representative|house)\b|\bhouse (of (representatives|delegates)|district)\b|\brepresentative in the general assembly\b/,
  },
];
/** Lower houses of other names. Boroughs of Alaska have assemblies too. */
const ASSEMBLIES: ReadonlySet<string> = new Set(['CA', 'NJ', 'NV', 'NY', 'WI']);
const ASSEMBLY: Chamber = {
  division: 'sldl',
  district: 'State Assembly District',
  office: /\b(state|member of the) assembly\b|^assembly ?(member|man|woman|person)?\b/,
};

/** The number of a district in a folded title. */
const NUMBER =
  /\bdistrict (?:no |number )?0*([1-9][0-9]{0,2}[a-z]?)\b|\b([1-9][0-9]{0,2})(?:st|nd|rd|th) (?:[a-z]+ ){0,2}district\b/g;

/**
 * The district that the title of a contest for a legislature names by its number, such as "State Representative, 45th
 * District"; null if it names none or several, or one of another level than the given.
 *
 * @param state the USPS code of the election
 */
export function districtOfTitle(
  title: string,
  state: string,
  level: Level | undefined,
): { name: string; ocdId: string } | null {
  const words = foldText(title);
  const chambers = ASSEMBLIES.has(state) ? [...CHAMBERS, ASSEMBLY] : CHAMBERS;
  const chamber = chambers.find(({ office }) => office.test(words));
  const numbers = new Set([...words.matchAll(NUMBER)].map(([, after, before]) => after ?? before ?? ''));
  const [number = ''] = numbers;
  const whole = jurisdictionOfState(state)?.division;
  if (!chamber || numbers.size !== 1 || whole === undefined) return null;
  const ocdId = `${whole}/${chamber.division}:${number}`;
  if (level !== undefined && level !== kindOfDivision(ocdId)?.level) return null;
  return { name: `${chamber.district} ${number.toUpperCase()}`, ocdId };
}
