import { checkRecord } from '../../administration/catalogue/check-record.ts';
import type { RefusalList } from '../../administration/catalogue/refusal-list.ts';
import { topicNames } from '../../kafka/topic-names.ts';
import type { Submission } from '../../schemas/submission.ts';
import { parseSubmission, type SubmissionLine } from '../../schemas/submission-files.ts';
import type { Brokers } from '../../service/brokers.ts';
import type { StagedLine } from '../../store/catalogue/staging.ts';
import { importOfficeholders } from '../../store/officeholders/import.ts';
import { formatRefusal } from '../catalog/format-refusals.ts';
import { importLines } from '../catalog/import-catalogue.ts';
import { withDatabase } from '../database.ts';
import { submitAll } from '../submit/submit-all.ts';
import { count } from '../table.ts';
import { createDemo, DEMO_DEFAULT_SIZE, type Demo, type DemoSize } from './generate.ts';

export const DEMO_SEED = 1;

export interface LoadDemoOptions {
  databaseUrl: string;
  topicPrefix?: string;
  /** YYYY-MM-DD; the demo's elections lie around it. */
  today: string;
  size?: DemoSize;
  /** Called with a sentence about each completed step. */
  report: (line: string) => void;
}

const demoOf = ({ today, size = DEMO_DEFAULT_SIZE }: LoadDemoOptions): Demo =>
  createDemo({ ...size, seed: DEMO_SEED, today });

/**
 * Loads the demo: its catalogue like `catalog import`, its officeholders like `officeholders import`, and its
 * endorsements like `submit`. A second load on the same day
 * changes nothing.
 *
 * @throws OperatorError if the database or the brokers cannot be reached, Error if the demo itself is invalid
 */
export async function loadDemo(options: LoadDemoOptions & { brokers: Brokers }): Promise<void> {
  await importDemoCatalogue(options);
  await submitDemoEndorsements(options);
}

/** The first half of loading the demo, which needs no Kafka. */
export async function importDemoCatalogue(options: LoadDemoOptions): Promise<void> {
  const { databaseUrl, report } = options;
  const demo = demoOf(options);
  const outcome = await importLines((refusals) => catalogueLines(demo, refusals), {
    databaseUrl,
    skipRefused: false,
    maxRemovals: Number.POSITIVE_INFINITY,
    dryRun: false,
  });
  const [refusal] = outcome.allRefusals.kept;
  if (refusal) throw new Error(`The demo catalogue is not fit for import: ${formatRefusal(refusal)}`);
  const { contests, choices, endorsers } = outcome.counts;
  report(
    `Demo catalogue: ${count(contests?.added ?? 0)} contests, ${count(choices?.added ?? 0)} choices and ` +
      `${count(endorsers?.added ?? 0)} endorsers added.`,
  );
  const officeholders = await withDatabase(databaseUrl, 'officeholders-import', (client) =>
    importOfficeholders(
      client,
      { people: demo.officeholders(), places: [], leftIds: [], refusedIds: [] },
      { now: new Date(`${options.today}T00:00:00Z`), maxRemovals: null, dryRun: false },
    ),
  );
  report(`Demo officeholders: ${count(officeholders.counts.people.added)} added.`);
}

/** The second half, which needs the catalogue. */
export async function submitDemoEndorsements(options: LoadDemoOptions & { brokers: Brokers }): Promise<void> {
  const { brokers, topicPrefix, report } = options;
  const sent = await submitAll({
    brokers,
    topic: topicNames(topicPrefix).submissions,
    submissions: submissions(demoOf(options).submissions()),
  });
  report(`Demo endorsements: ${count(sent)} submissions sent.`);
}

/** The demo's catalogue as checked lines, as if from files. */
async function* catalogueLines(demo: Demo, refusals: RefusalList): AsyncGenerator<StagedLine> {
  const files = [
    ['endorser-categories', demo.categories()],
    ['endorsers', demo.endorsers()],
    ['elections', demo.elections()],
    ['contests', demo.contests()],
  ] as const;
  for (const [kind, records] of files) {
    let line = 0;
    for (const record of records) {
      line += 1;
      yield checkRecord(kind, `${kind}.ndjson`, line, record, refusals);
    }
  }
}

function* submissions(records: Iterable<SubmissionLine>): Generator<Submission> {
  for (const record of records) {
    const parsed = parseSubmission(record);
    if (!parsed.ok)
      throw new Error(`The demo made a submission that is refused: ${JSON.stringify(parsed.problems)}`);
    yield parsed.value;
  }
}
