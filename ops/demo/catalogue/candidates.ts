import { slugOf } from '../../../intake/catalogue/keys.ts';
import type { ChoiceRecord } from '../../../schemas/catalogue-files.ts';
import type { Random } from '../random.ts';
import type { DemoElection } from './elections.ts';
import { personName } from './names.ts';
import { FUSION_LINES, PARTIES, type Party } from './parties.ts';
import type { ContestSlot } from './slots.ts';

const DESIGNATIONS = [
  ['Incumbent', 'Titular'],
  ['Teacher', 'Maestra'],
  ['Small Business Owner', 'Propietaria de pequeña empresa'],
  ['Nurse', 'Enfermera'],
  ['Attorney', 'Abogada'],
  ['City Councilmember', 'Concejal'],
] as const;

/** The candidate of one or more parties; of none if the office is nonpartisan. */
interface Nominee {
  /** Identifies the candidate within the contest. */
  key: string;
  name: string;
  parties: readonly Party[];
  withdrawn: boolean;
}

/** The choices of a contest of candidates: a line for each party that nominates a candidate. */
export function candidateChoices(election: DemoElection, slot: ContestSlot, random: Random): ChoiceRecord[] {
  const choices = nominees(election, slot, random).flatMap((nominee) => linesOf(nominee, random));
  if (election.state.code === 'NV' && slot.partisan && slot.district.type === 'statewide') {
    choices.push({
      key: 'none-of-these-candidates',
      label: 'None of These Candidates',
      label_es: 'Ninguno de estos candidatos',
      option: 'none_of_these',
    });
  }
  return choices;
}

function nominees({ state, record }: DemoElection, slot: ContestSlot, random: Random): Nominee[] {
  const extra = { plurality: random.below(4), ranked_choice: 3 + random.below(3) };
  const number = slot.votes + (extra[slot.method as keyof typeof extra] ?? 2 + random.below(3));
  const people = drawPeople(number + 1, random);
  const [replacement] = people.splice(number);
  const primary = record.type === 'primary' || record.type === 'special_primary';
  const primaryParty = PARTIES[random.below(2)];
  const list = people.map(([key, name], index): Nominee => {
    const own = primary ? primaryParty : PARTIES[index % PARTIES.length];
    const further = primary ? [] : (FUSION_LINES[state.code]?.[index] ?? []);
    return { key, name, parties: slot.partisan && own ? [own, ...further] : [], withdrawn: false };
  });

  const isGeneral = slot.partisan && !primary;
  const [first, second] = list;
  // Two people of one name, of different parties.
  if (isGeneral && first && second && random.chance(0.03)) second.name = first.name;
  // Withdrawn candidates stay on the ballot, beside at least as many others as there are seats. In a general election, a
  // party names somebody else.
  const leaving = random.chance(0.08) ? list.at(isGeneral ? 0 : -1) : undefined;
  if (!leaving || number < slot.votes + 2) return list;
  leaving.withdrawn = true;
  if (isGeneral && replacement) {
    const [key, name] = replacement;
    list.splice(1, 0, { ...leaving, key, name, withdrawn: false });
  }
  return list;
}

/** Keys and names of different people. */
function drawPeople(number: number, random: Random): [string, string][] {
  const names = new Map<string, string>();
  while (names.size < number) {
    const name = personName(random);
    names.set(slugOf(name), name);
  }
  return [...names];
}

function linesOf({ key, name, parties, withdrawn }: Nominee, random: Random): ChoiceRecord[] {
  const designation = random.chance(0.5) ? random.pick(DESIGNATIONS) : null;
  const base = {
    key,
    label: name,
    candidate: { key, full_name: name },
    ballot_designation: designation?.[0] ?? null,
    ballot_designation_es: designation?.[1] ?? null,
    withdrawn,
  };
  if (parties.length === 0) return [base];
  return parties.map(([party, label, labelEs], index) => ({
    ...base,
    key: index === 0 ? key : `${key}-${slugOf(label)}`,
    party,
    party_label: label,
    party_label_es: labelEs,
  }));
}
