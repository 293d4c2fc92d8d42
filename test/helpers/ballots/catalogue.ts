import { checkRecord } from '../../../administration/catalogue/check-record.ts';
import { createRefusalList } from '../../../administration/catalogue/refusal-list.ts';
import type { CatalogueKind } from '../../../schemas/catalogue-files.ts';
import { type CatalogueImport, importCatalogue } from '../../../store/catalogue/import.ts';
import type { StagedLine } from '../../../store/catalogue/staging.ts';
import { withClient } from '../postgres/with-client.ts';
import { category, choice, contest, election, endorser } from './catalogue-records.ts';

/** A line of a catalogue file: its kind and its record. */
export type CatalogueLine = [CatalogueKind, object];

/** The lines of records of one kind. */
export const lines = (kind: CatalogueKind, records: readonly object[]): CatalogueLine[] =>
  records.map((record) => [kind, record]);

export const CALIFORNIA = 'ca-2026-11-03-general';

const ABCD = ['ann', 'bob', 'cyd', 'dee'].map((key) => choice(key));
const YES_NO = ['yes', 'no'].map((answer) =>
  choice(answer, {
    label: answer === 'yes' ? 'Yes' : 'No',
    label_es: answer === 'yes' ? 'Sí' : 'No',
    measure_answer: answer,
    candidate: null,
  }),
);
const STATE_OF_CALIFORNIA = {
  ocd_id: 'ocd-division/country:us/state:ca',
  name: 'California',
  level: 'state',
  type: 'statewide',
  state: 'CA',
};

/**
 * A small ballot with every vote method that affects submissions, and with endorsers of two states and a national one.
 */
export const SMALL_BALLOT: CatalogueLine[] = [
  ['endorser-categories', category()],
  ['endorser-categories', category({ slug: 'newspaper', name: 'Newspaper', name_es: 'Periódico' })],
  ...lines('endorsers', [
    endorser(),
    endorser({ slug: 'coast-gazette', name: 'Coast Gazette', category: 'newspaper', state: 'CA' }),
    endorser({ slug: 'nation-herald', name: 'Nation Herald', category: 'newspaper', state: 'national' }),
  ]),
  ['elections', election()],
  ['elections', election({ slug: CALIFORNIA, name: 'California general 2026', state: 'CA' })],
  ...lines('contests', [
    contest('mayor', { choices: ABCD }),
    contest('council', { choices: ABCD, vote_method: 'multi_seat', votes_allowed: 2 }),
    contest('sheriff', { choices: ABCD, vote_method: 'ranked_choice', ranks_allowed: 3 }),
    contest('prop-1', {
      election: CALIFORNIA,
      title_es: 'Título de prop-1',
      kind: 'measure',
      vote_method: 'yes_no',
      measure_code: '1',
      choices: YES_NO,
      district: STATE_OF_CALIFORNIA,
    }),
  ]),
];

/** Lines as an import gets them, checked; their records may be wrong. */
export async function* stageLines(
  lines: readonly (readonly [CatalogueKind, unknown])[],
): AsyncGenerator<StagedLine> {
  for (const [index, [kind, record]] of lines.entries()) {
    yield checkRecord(kind, 'test.ndjson', index + 1, record, createRefusalList());
  }
}

type ImportOptions = Partial<Parameters<typeof importCatalogue>[2]>;

/** Imports catalogue lines as `catalog import` does, by default without its permissions. */
export async function importLines(
  databaseUrl: string,
  lines: readonly CatalogueLine[],
  options: ImportOptions = {},
): Promise<CatalogueImport> {
  return withClient(databaseUrl, async (client) => {
    const defaults = { skipRefused: false, dryRun: false, maxRemovals: null };
    return await importCatalogue(client, stageLines(lines), { ...defaults, ...options });
  });
}

/** Loads catalogue lines with every permission. @throws Error if a line is refused */
export async function loadCatalogue(
  databaseUrl: string,
  lines: CatalogueLine[],
  options: ImportOptions = {},
): Promise<void> {
  const permissions = { maxRemovals: Number.POSITIVE_INFINITY, allowRenames: true };
  const { loaded, ...result } = await importLines(databaseUrl, lines, { ...permissions, ...options });
  if (!loaded) throw new Error(`The test catalogue was refused: ${JSON.stringify(result)}`);
}
