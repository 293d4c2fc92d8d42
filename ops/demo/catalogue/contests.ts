import type { ChoiceRecord, ContestRecord } from '../../../schemas/catalogue-files.ts';
import type { Random } from '../random.ts';
import { DEMO_SOURCE, type DemoElection } from './elections.ts';
import { measureFor } from './measures.ts';
import { personName, slugOf } from './names.ts';
import { type ContestSlot, contestSlots } from './slots.ts';

const PARTIES = [
  ['democratic', 'Democratic', 'Demócrata'],
  ['republican', 'Republican', 'Republicano'],
  ['independent', 'No Party Preference', 'Sin preferencia de partido'],
  ['common_ground', 'Common Ground', 'Terreno Común'],
] as const;
/** New York lists one candidate under several parties. */
const FUSION_LINES = [
  ['neighbors_first', 'Neighbors First', 'Vecinos Primero'],
  ['upstate_alliance', 'Upstate Alliance', 'Alianza del Norte'],
] as const;
type Party = readonly [string, string, string];

const DESIGNATIONS = [
  ['Incumbent', 'Titular'],
  ['Teacher', 'Maestra'],
  ['Small Business Owner', 'Propietaria de pequeña empresa'],
  ['Nurse', 'Enfermera'],
  ['Attorney', 'Abogada'],
  ['City Councilmember', 'Concejal'],
] as const;

/** The first `limit` contests of an election. The seed determines them, so the same call returns the same contests. */
export function* contestsOf(election: DemoElection, limit: number, seed: Random): Generator<ContestRecord> {
  let order = 0;
  if (limit === 0) return;
  for (const slot of contestSlots(election)) {
    order += 1;
    yield createContest(election, slot, order, seed.fork(`${election.record.slug}/${slot.slug}`));
    if (order >= limit) return;
  }
}

function createContest(
  election: DemoElection,
  slot: ContestSlot,
  order: number,
  random: Random,
): ContestRecord {
  const { state, record } = election;
  const measure =
    slot.kind === 'measure'
      ? measureFor(slot.place ?? [`the ${state.fullName}`, state.fullNameEs], random)
      : null;
  const choices = slot.kind === 'candidate' ? candidateChoices(election, slot, random) : answerChoices();
  const title = measure ? `${slot.title[0]}: ${measure.title[0]}` : slot.title[0];
  const title_es = measure ? `${slot.title[1]}: ${measure.title[1]}` : slot.title[1];
  return {
    key: `${record.slug}/${slot.slug}`,
    election: record.slug,
    slug: slot.slug,
    title,
    title_es,
    short_title: slot.short[0],
    short_title_es: slot.short[1],
    description: measure?.question[0] ?? null,
    description_es: measure?.question[1] ?? null,
    kind: slot.kind,
    vote_method: slot.method,
    votes_allowed: slot.votes,
    ranks_allowed: slot.ranks,
    measure_code: slot.code ?? null,
    ballot_order: order,
    district: slot.district,
    source_url: `https://elections.${state.code.toLowerCase()}.example/${record.date}/${slot.slug}`,
    details: measure?.details ?? contestDetails(slot, choices, Number(record.date.slice(0, 4)) + 1),
    choices,
    source: DEMO_SOURCE,
  };
}

/** The details of a contest whose winner takes office in the year `start`. */
function contestDetails(slot: ContestSlot, choices: ChoiceRecord[], start: number): Record<string, unknown> {
  const years = slot.slug === 'us-senate' ? 6 : slot.district.level === 'federal' ? 2 : 4;
  return {
    ...(slot.partisan ? {} : { nonpartisan: true }),
    ...(slot.kind === 'candidate' && choices.length <= slot.votes ? { uncontested: true } : {}),
    ...(slot.method === 'multi_seat' ? { elected_at_large: true } : {}),
    ...(choices.some(({ option }) => option) ? { none_of_these: true } : {}),
    // Details have no translation, and years need none.
    term: `${start}–${start + years}`,
  };
}

function answerChoices(): ChoiceRecord[] {
  return [
    { key: 'yes', label: 'Yes', label_es: 'Sí', measure_answer: 'yes' },
    { key: 'no', label: 'No', label_es: 'No', measure_answer: 'no' },
  ];
}

function candidateChoices(
  { state, record }: DemoElection,
  slot: ContestSlot,
  random: Random,
): ChoiceRecord[] {
  const extra = slot.method === 'plurality' ? random.below(4) : 2 + random.below(3);
  const number = slot.votes + extra;
  const primary = record.type === 'primary' || record.type === 'special_primary';
  const primaryParty = primary && slot.partisan ? PARTIES[random.below(2)] : undefined;
  const names = new Map<string, string>();
  while (names.size < number) {
    const name = personName(random);
    names.set(slugOf(name), name);
  }
  const choices = [...names].flatMap(([key, name], index) => {
    const party: Party | null = slot.partisan
      ? (primaryParty ?? PARTIES[index % PARTIES.length] ?? null)
      : null;
    const base = createCandidate(key, name, party, random);
    const fused = state.code === 'NY' && party && !primary && index < FUSION_LINES.length;
    const line = fused ? FUSION_LINES[index] : undefined;
    if (!line) return [base];
    return [base, { ...base, key: `${key}-${slugOf(line[1])}`, ...partyFields(line) }];
  });
  // Withdrawn candidates stay on the ballot, beside at least as many others as there are seats.
  const last = choices.at(-1);
  if (last && choices.length > slot.votes + 1 && random.chance(0.08)) last.withdrawn = true;
  if (state.code === 'NV' && slot.partisan && slot.district.type === 'statewide') {
    choices.push({
      key: 'none-of-these-candidates',
      label: 'None of These Candidates',
      label_es: 'Ninguno de estos candidatos',
      option: 'none_of_these',
    });
  }
  return choices;
}

function createCandidate(key: string, name: string, party: Party | null, random: Random): ChoiceRecord {
  const designation = random.chance(0.5) ? random.pick(DESIGNATIONS) : null;
  return {
    key,
    label: name,
    candidate: { full_name: name },
    ...(party ? partyFields(party) : {}),
    ballot_designation: designation?.[0] ?? null,
    ballot_designation_es: designation?.[1] ?? null,
    withdrawn: false,
  };
}

function partyFields([party, label, labelEs]: Party) {
  return { party, party_label: label, party_label_es: labelEs };
}
