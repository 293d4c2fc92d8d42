import { beforeEach } from '@jest/globals';
import type { Client } from 'pg';
import {
  type CatalogueImport,
  type CatalogueImportOptions,
  importCatalogue,
} from '../../../store/catalogue/import.ts';
import { type CatalogueLine, stageLines } from './catalogue.ts';
import { category, contest, election, endorser } from './catalogue-records.ts';

export const GENERAL = 'or-2026-11-03-general';
export const PRIMARY = 'or-2026-05-19-primary';

/** One endorser, and two elections with three contests. */
export const START: CatalogueLine[] = [
  ['endorser-categories', category()],
  ['endorsers', endorser()],
  ['elections', election()],
  ['elections', election({ slug: PRIMARY, date: '2026-05-19' })],
  ['contests', contest('mayor')],
  ['contests', contest('council')],
  ['contests', contest('mayor', { election: PRIMARY })],
];

/** Imports lines into a database, by default with a hundred removals. */
type Load = (
  lines: Parameters<typeof stageLines>[0],
  options?: Partial<CatalogueImportOptions>,
) => Promise<CatalogueImport>;

/** Gives a database the same catalogue before each test: the endorser endorses the first choice of every contest. */
export function useEndorsedCatalogue(client: Client): Load {
  const load: Load = (lines, options = {}) =>
    importCatalogue(client, stageLines(lines), {
      ...{ skipRefused: false, dryRun: false, maxRemovals: 100 },
      ...options,
    });
  beforeEach(async () => {
    await client.query(
      'TRUNCATE elections, endorser_categories, endorsers, districts, contests, candidates, choices CASCADE',
    );
    await client.query('TRUNCATE change_log');
    await load(START);
    await client.query(`
      INSERT INTO endorsements (endorser_id, contest_id, choice_id, election_id, updated_at)
      SELECT endorsers.id, contests.id, choices.id, election_id, now()
      FROM endorsers, contests JOIN choices ON contest_id = contests.id WHERE choices.key = 'ann'`);
  });
  return load;
}
