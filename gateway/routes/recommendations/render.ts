import { setImmediate } from 'node:timers/promises';
import { type EndorsedContest, orderBySupport, recommend } from '../../../domain/recommendation.ts';
import type { StoredContest, StoredRecommendations } from '../../../store/reads/recommendations.ts';

/** The longest time for which a large answer may block other requests, in milliseconds. */
const SLICE_MS = 5;

/** Appends members to the JSON of an object. */
function append(object: string, members: readonly string[]): string {
  return `${object.slice(0, -1)},${members.join(',')}}`;
}

const linesOf = (text: string): string[] => (text === '' ? [] : text.split('\n'));

/**
 * Renders a contest with its recommendation (specification, "Recommendation"). Inserts JSON that the database
 * rendered without parsing it.
 *
 * @param endorsers the JSON of the endorsers, by id
 */
function renderContest(stored: StoredContest, endorsers: ReadonlyMap<number, string>): string {
  const contest: EndorsedContest = JSON.parse(stored.endorsed);
  const records = linesOf(stored.choices);
  const recordById = new Map(contest.choices.map(({ id }, index) => [id, records[index] ?? '']));
  const backings = new Map<number, string[]>(contest.choices.map(({ id }) => [id, []]));
  for (const [index, record] of linesOf(stored.picks).entries()) {
    const { endorser = 0, choice = 0 } = contest.picks[index] ?? {};
    backings.get(choice)?.push(`{"endorser":${endorsers.get(endorser)},${record.slice(1)}`);
  }
  const choices = orderBySupport(contest).map(({ id, endorsement_count, first_choice_count }) =>
    append(recordById.get(id) ?? '', [
      `"endorsed_by":[${backings.get(id)?.join(',')}]`,
      `"endorsement_count":${endorsement_count}`,
      ...(first_choice_count === null ? [] : [`"first_choice_count":${first_choice_count}`]),
    ]),
  );
  return append(stored.record, [
    `"choices":[${choices.join(',')}]`,
    `"recommendation":${JSON.stringify(recommend(contest))}`,
  ]);
}

/**
 * Renders the elections of an answer, each with its contests, in pieces. A whole state has thousands of
 * contests, so other requests get their turn after every piece, which takes a few milliseconds.
 *
 * @param closed aborts when the client disconnects. Ends the work.
 */
export async function* renderElections(
  { contests, elections, endorsers }: StoredRecommendations,
  closed: AbortSignal,
): AsyncGenerator<string> {
  let piece = '[';
  let current: number | null = null;
  let sliceEnd = performance.now() + SLICE_MS;
  for (const contest of contests) {
    const { electionId } = contest;
    if (electionId === current) piece += ',';
    else piece += `${current === null ? '' : ']},'}${elections.get(electionId)?.slice(0, -1)},"contests":[`;
    current = electionId;
    piece += renderContest(contest, endorsers);
    if (performance.now() < sliceEnd) continue;
    yield piece;
    piece = '';
    await setImmediate();
    if (closed.aborted) return;
    sliceEnd = performance.now() + SLICE_MS;
  }
  yield `${piece}${current === null ? '' : ']}'}]`;
}
