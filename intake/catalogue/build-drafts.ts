import { stateName } from '../../domain/officeholders/states.ts';
import type { ContestRecord, ElectionRecord } from '../../schemas/catalogue-files.ts';
import { showValue } from '../../schemas/problems.ts';
import type { Level } from '../../schemas/vocabulary.ts';
import { answerOfLabel, methodOfSeats, seatsOfTitle } from './answers.ts';
import { completeDistrict, type GivenDistrict } from './assume-district.ts';
import { choicesOf, type TableShape } from './build-choices.ts';
import type { Collected, CollectedContest, CollectedElection } from './collect-rows.ts';
import { divisionName } from './divisions.ts';
import type { Draft, DraftProblem } from './draft.ts';
import { readElectionType } from './election-types.ts';
import { type GivenValues, recordOf, textOf } from './given-values.ts';
import { makeKeysInPieces } from './keys.ts';
import type { Notes } from './notes.ts';
import { readState } from './read-state.ts';
import type { CatalogueField } from './table-fields.ts';
import { districtOfTitle } from './title-district.ts';

/** The columns that name an election. */
const NAMING: readonly CatalogueField[] = ['election', 'state', 'election_date', 'election_type'];
/**
 * Makes the records of an election. Its own record is left out if the table only names it.
 *
 * @param pause awaited after each contest, and after each key
 */
export async function* buildDrafts(
  election: CollectedElection,
  { shape, notes, pause = async () => {} }: { shape: TableShape; notes: Notes; pause?: () => Promise<void> },
): AsyncGenerator<Draft> {
  const { values, problems, line } = election;
  const isNamedOnly = [...values.keys()].every((name) => name === 'election');
  const isNamed = [...values.keys()].every((name) => NAMING.includes(name));
  const record = electionOf(values, notes);
  if (!isNamedOnly && !isDayUnread(election)) {
    yield { kind: 'elections', line, record, problems, ...(isNamed && { namedBy: 'table' }) };
  }
  const contests: ReturnType<typeof contestOf>[] = [];
  for (const contest of election.contests.values()) {
    contests.push(contestOf(contest, record, shape, notes));
    await pause();
  }
  const pieces = makeKeysInPieces(contests.map(({ named }) => named));
  let piece = pieces.next();
  for (; !piece.done; piece = pieces.next()) await pause();
  const keys = piece.value;
  for (const [index, { draft, given, named }] of contests.entries()) {
    const slug = given ?? keys[index] ?? null;
    if (slug === null && named) {
      const message =
        'has no title, or the same title and district as another contest; give each a contest_key';
      draft.problems.push({ field: 'contest', message });
    }
    draft.record.slug = slug ?? '';
    draft.record.key = slug === null ? '' : `${record.slug}/${slug}`;
    yield draft;
  }
}

/** Whether all contests of an election without a day say that they have one that cannot be read. */
function isDayUnread({ values, contests }: CollectedElection): boolean {
  const isUnread = ({ problems }: Collected) => problems.some(({ field }) => field === 'election_date');
  return contests.size > 0 && !values.has('election_date') && [...contests.values()].every(isUnread);
}

function electionOf(values: GivenValues, notes: Notes): ElectionRecord {
  const record = recordOf(values) as Partial<ElectionRecord>;
  const slug = record.slug ?? '';
  const state = record.state ?? readState(slug.slice(0, 2));
  const type = record.type ?? readElectionType(slug.replaceAll('-', ' ')) ?? '';
  const date = record.date ?? /[0-9]{4}-[0-9]{2}-[0-9]{2}/.exec(slug)?.[0] ?? '';
  const made = [state.toLowerCase(), date, type.replaceAll('_', '-')].filter(Boolean).join('-');
  if (record.name === undefined) {
    notes.add('assumed', 'the name of an election is made of its state and type', slug || made);
  }
  return {
    ...record,
    slug: slug || made,
    name: record.name ?? `${stateName(state)} ${type.replaceAll('_', ' ')} election`,
    date,
    state: state as ElectionRecord['state'],
    type: type as ElectionRecord['type'],
  };
}

function contestOf(contest: CollectedContest, election: ElectionRecord, shape: TableShape, notes: Notes) {
  const { values, line } = contest;
  const problems = [...contest.problems];
  const isUnexpired = values.get('unexpired')?.value === true;
  const title = contestTitle(textOf(values, 'measure') || textOf(values, 'contest'), isUnexpired);
  const record = recordOf(values) as Partial<ContestRecord>;
  const kind = record.kind ?? kindOf(contest, title, notes);
  const key = textOf(values, 'contest_key');
  const given = key === '' ? null : key.slice(key.lastIndexOf('/') + 1);
  const { choices, lines } = choicesOf(contest, kind, shape, notes);
  problems.push(...findRepeats(contest, title, notes));
  const isQuestion = choices.some(({ measure_answer: answer }) => answer);
  const primary = textOf(values, 'primary_party');
  const isKnown = isQuestion || record.vote_method !== undefined;
  const seats = record.votes_allowed ?? (isKnown ? null : assumeSeats(title, notes));
  const method = record.vote_method ?? assumeMethod(seats, isQuestion, title, notes);
  const { district, keyPart } = districtOf(values, election.state, { title, kind }, problems, notes);
  if (district.level === 'county') problems.push(...findCounties(contest));
  const details = {
    ...record.details,
    ...(primary === '' ? {} : { primary_party: primary }),
    ...(isUnexpired ? { short_term: true } : {}),
  };
  const draft: Draft & { kind: 'contests' } = {
    kind: 'contests',
    line,
    problems,
    choiceLines: lines,
    record: {
      ...record,
      key: '',
      slug: '',
      election: election.slug,
      title,
      short_title: record.short_title ?? title,
      kind,
      vote_method: method,
      ...(seats === null ? {} : { votes_allowed: seats }),
      district,
      choices,
      ...(Object.keys(details).length === 0 ? {} : { details }),
    },
  };
  return {
    draft,
    given,
    /** Null without the district, which is a part of the key. */
    named:
      keyPart === null
        ? null
        : { parts: [title, primary, keyPart], further: [textOf(values, 'short_title')] },
  };
}

/** The title of a contest. That of the rest of a term says so, because the office can be on the ballot for a whole term too. */
const contestTitle = (title: string, isUnexpired: boolean): string =>
  !isUnexpired || title === '' || /unexpired|(?:short|partial) term/i.test(title)
    ? title
    : `${title} (unexpired term)`;

/**
 * Equal rows are of one choice if a contest has all of its choices as often, as lists by county do. Otherwise they can be
 * of two people (INV-16).
 */
function findRepeats({ choices }: CollectedContest, title: string, notes: Notes): DraftProblem[] {
  const rows = [...choices.values()];
  const [count = 1, ...others] = new Set(rows.map((row) => row.count));
  if (others.length > 0) {
    return rows.flatMap(({ line, again }) => {
      if (again === null) return [];
      const message = `is the same row as line ${line}, and other choices of the contest do not come as often: remove it, or tell the two apart`;
      return [{ line: again, field: 'choice', message }];
    });
  }
  if (count > 1) {
    notes.add('assumed', 'equal rows of a contest are one choice', title, (count - 1) * rows.length);
  }
  return [];
}

/** A contest of a county whose choices differ between counties would be several contests in one. */
function findCounties({ line, counties }: CollectedContest): DraftProblem[] {
  const [first, ...others] = [...counties];
  const other = others.find(([, said]) => first !== undefined && said.symmetricDifference(first[1]).size > 0);
  if (first === undefined || other === undefined) return [];
  const message = `must tell the counties ${showValue(first[0])} and ${showValue(other[0])} apart, which have other choices: write the county into it`;
  return [{ line, field: 'district', message }];
}

const MEASURE =
  /^(proposition|prop|measure|question|referendum|initiative|issue|bond|amendment|constitutional amendment)\b/i;

function kindOf({ values, choices }: CollectedContest, title: string, notes: Notes): ContestRecord['kind'] {
  const rows = [...choices.values()].map((choice) => choice.values);
  const answers = rows.map((row) => answerOfLabel(textOf(row, 'choice') || textOf(row, 'candidate')));
  // A person can be named No. In a column of candidates, only Yes and No together make a measure.
  const isSaid =
    rows.every((row) => row.has('choice')) || (answers.includes('yes') && answers.includes('no'));
  const isAnswered = rows.length > 0 && isSaid && !answers.includes(null);
  const isMeasure =
    values.has('measure') || isAnswered || (MEASURE.test(title) && !rows.some((row) => row.has('candidate')));
  const kind = isMeasure ? 'measure' : 'candidate';
  notes.add('assumed', `the kind of a contest is ${kind}`, title);
  return kind;
}

function assumeSeats(title: string, notes: Notes): number | null {
  const seats = seatsOfTitle(title);
  if (seats !== null) notes.add('assumed', 'the number of seats is that in the title', title);
  return seats;
}

function assumeMethod(seats: number | null, isQuestion: boolean, title: string, notes: Notes) {
  const method = isQuestion ? 'yes_no' : methodOfSeats(seats);
  notes.add('assumed', `the vote method is ${method}`, title);
  return method;
}

function districtOf(
  values: GivenValues,
  state: string,
  { title, kind }: Pick<ContestRecord, 'title' | 'kind'>,
  problems: DraftProblem[],
  notes: Notes,
) {
  const said: GivenDistrict = {
    name: textOf(values, 'district') || undefined,
    ocdId: textOf(values, 'district_ocd_id') || undefined,
    level: values.get('level')?.value as Level | undefined,
    type: textOf(values, 'district_type') || undefined,
  };
  const isUnnamed = kind === 'candidate' && said.name === undefined && said.ocdId === undefined;
  const inTitle = isUnnamed ? districtOfTitle(title, state, said.level) : null;
  if (inTitle) notes.add('assumed', 'the district is that of the number in the title', title);
  const given = { ...said, ...inTitle };
  const completed = completeDistrict(given, state, title, notes);
  if ('fault' in completed) {
    problems.push({ field: completed.field, message: completed.fault });
    return { district: { name: '', level: 'state' as const, type: '' }, keyPart: null };
  }
  const { district } = completed;
  const of = textOf(values, 'district_state');
  return {
    district: {
      ocd_id: district.ocdId,
      name: district.name,
      name_es: textOf(values, 'district_es') || null,
      level: district.level,
      type: district.type,
      state: (of === '' ? state : of === 'US' ? null : of) as ContestRecord['district']['state'] & string,
    },
    keyPart:
      district.type === 'statewide'
        ? ''
        : district.ocdId === null
          ? `${district.type} ${district.name}`
          : divisionName(district.ocdId),
  };
}
