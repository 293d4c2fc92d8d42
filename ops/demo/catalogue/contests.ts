import { YES_AND_NO } from '../../../intake/catalogue/answers.ts';
import type { ChoiceRecord, ContestRecord } from '../../../schemas/catalogue-files.ts';
import type { Random } from '../random.ts';
import { candidateChoices } from './candidates.ts';
import { DEMO_SOURCE, type DemoElection } from './elections.ts';
import { measureFor, type Question, retentionOf } from './measures.ts';
import { personName } from './names.ts';
import { type ContestSlot, contestSlots } from './slots.ts';
import type { DemoState } from './states.ts';

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
  const question = questionOf(slot, state, random);
  const choices = question ? YES_AND_NO : candidateChoices(election, slot, random);
  const title = question ? `${slot.title[0]}: ${question.title[0]}` : slot.title[0];
  const title_es = question ? `${slot.title[1]}: ${question.title[1]}` : slot.title[1];
  return {
    key: `${record.slug}/${slot.slug}`,
    election: record.slug,
    slug: slot.slug,
    title,
    title_es,
    short_title: slot.short[0],
    short_title_es: slot.short[1],
    description: question?.text[0] ?? null,
    description_es: question?.text[1] ?? null,
    kind: slot.kind,
    vote_method: slot.method,
    votes_allowed: slot.votes,
    ranks_allowed: slot.ranks,
    measure_code: slot.code ?? null,
    ballot_order: order,
    district: slot.district,
    source_url: `https://elections.${state.code.toLowerCase()}.example/${record.date}/${slot.slug}`,
    details: question?.details ?? contestDetails(slot, choices, Number(record.date.slice(0, 4)) + 1),
    choices,
    source: DEMO_SOURCE,
  };
}

function questionOf(slot: ContestSlot, state: DemoState, random: Random): Question | null {
  if (slot.kind === 'candidate') return null;
  if (slot.kind === 'retention') return retentionOf(personName(random));
  return measureFor(slot.place ?? [`the ${state.fullName}`, state.fullNameEs], random);
}

/** The details of a contest whose winner takes office in the year `start`. */
function contestDetails(slot: ContestSlot, choices: ChoiceRecord[], start: number): Record<string, unknown> {
  const standing = choices.flatMap(({ candidate, withdrawn }) =>
    candidate && !withdrawn ? candidate.key : [],
  );
  const years = slot.slug === 'us-senate' ? 6 : slot.district.level === 'federal' ? 2 : 4;
  return {
    ...(slot.partisan ? {} : { nonpartisan: true }),
    ...(slot.kind === 'candidate' && new Set(standing).size <= slot.votes ? { uncontested: true } : {}),
    ...(slot.method === 'multi_seat' ? { elected_at_large: true } : {}),
    ...(choices.some(({ option }) => option) ? { none_of_these: true } : {}),
    // Details have no translation, and years need none.
    term: `${start}–${start + years}`,
  };
}
