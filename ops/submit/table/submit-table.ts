import path from 'node:path';
import type pg from 'pg';
import { type MatchedTable, matchTable } from '../../../administration/intake/match-table.ts';
import { needsConsent } from '../../../domain/removal-guard.ts';
import { formatReport } from '../../../intake/reports/format-report.ts';
import { type Report, SectionRows } from '../../../intake/reports/report.ts';
import { TableError } from '../../../intake/tables/table-error.ts';
import type { Submission } from '../../../schemas/submission.ts';
import { OperatorError } from '../../../service/operator-error.ts';
import { saveAliases } from '../../../store/intake/aliases.ts';
import {
  type CrowdedPosition,
  compareStage,
  countWithdrawals,
  findCrowded,
  findOversizedPositions,
  type StageComparison,
} from '../../../store/intake/stage-effects.ts';
import { createStage, readEndorses, readPositions } from '../../../store/intake/staged.ts';
import { readBytes } from '../../catalog/count-bytes.ts';
import type { CommandIo } from '../../command.ts';
import { withDatabase } from '../../database.ts';
import { requireFile } from '../../find-path.ts';
import { findNamedAccount } from '../../named-account.ts';
import { withTotal } from '../../progress.ts';
import { describeRemovals } from '../../removals.ts';
import { writeReport } from '../../report-file.ts';
import { count } from '../../table.ts';
import { nameReview, ReviewTarget } from './review-target.ts';

/** The options of `submit` that only tables have. */
export interface TableFlags {
  map?: string[];
  endorser?: string;
  election?: string;
  review?: string;
  acceptClose?: boolean;
  account?: string;
  replace?: boolean;
  allowRemovals?: number;
  dryRun?: boolean;
  report?: string;
}

/** Sends submissions. @returns their number */
type Send = (submissions: AsyncIterable<Submission>, total: number) => Promise<number>;

const MAX_EFFECTS = 1_000;

const REMOVALS = {
  records: 'endorsements',
  wholes: 'endorsers',
  whole: "an endorser's list",
  reason: 'replacing would withdraw endorsements that the table lacks',
  nothing: 'Nothing was sent',
};

/** Whether a file is a table, by its name. */
export const isTable = (file: string): boolean => /\.(csv|tsv)$/i.test(file);

/**
 * Matches a table with the catalogue, and sends what is sure.
 *
 * @returns whether anything was sent
 * @throws OperatorError if the table, an option or a server cannot be used; if rows are refused without `skipRefused`;
 * or if replacing is not safe. Nothing is sent then
 */
export async function submitTable(
  io: CommandIo,
  { databaseUrl, file, skipRefused }: { databaseUrl: string; file: string; skipRefused: boolean },
  flags: TableFlags,
  send: Send,
): Promise<boolean> {
  const { size: bytes } = await requireFile(file);
  const review = new ReviewTarget(flags.review ?? nameReview(file));
  let isSent = false;
  try {
    return await withDatabase(databaseUrl, 'ops', async (client) => {
      await client.query('BEGIN');
      // The stage ends with the transaction. If the work throws, closing the connection rolls it back.
      await createStage(client);
      const accountId = await findNamedAccount(client, flags.account);
      const matched = await match(io, client, { file, bytes, accountId, flags, review });
      const bounds = { replace: flags.replace ?? false, most: MAX_EFFECTS };
      const comparison = await compareStage(client, bounds);
      const crowded = await findCrowded(client, bounds);
      const report = createReport(file, flags, { ...matched, ...comparison, crowded });
      for (const line of formatReport(report)) io.out(line);
      if (flags.report !== undefined) await writeReport(flags.report, report);
      if (flags.dryRun) {
        io.err('This was a dry run: nothing was sent.');
        return false;
      }
      if (matched.outcome.count('refused') > 0 && !skipRefused) {
        throw new OperatorError(
          'Nothing was sent. Correct the rows, or send the others with --skip-refused.',
        );
      }
      if (flags.replace) await checkReplacing(client, matched, flags.allowRemovals ?? null);
      const submissions = flags.replace ? readPositions(client) : readEndorses(client);
      await review.finish();
      const sent = await send(submissions, matched.staged);
      isSent = true;
      io.out(`${count(sent)} submissions sent`);
      await saveAliases(client, accountId, matched.decisions);
      await client.query('COMMIT');
      if (matched.decisions.length > 0)
        io.err(`${count(matched.decisions.length)} decisions are remembered.`);
      if (matched.reviewed > 0) io.err(describeReview(review.file, matched.reviewed));
      return sent > 0;
    });
  } catch (error) {
    throw error instanceof TableError
      ? new OperatorError(`${file}: ${error.message}`, { cause: error })
      : error;
  } finally {
    if (!isSent) await review.discard();
  }
}

const describeReview = (file: string, rows: number): string =>
  `${count(rows)} rows need a decision. They are in ${file}: write yes, no or a key into its column "decision", and submit ` +
  'it with the same --map, --endorser, --election and --account.';

interface MatchWork {
  file: string;
  bytes: number;
  accountId: number | null;
  flags: TableFlags;
  review: ReviewTarget;
}

async function match(
  io: CommandIo,
  client: pg.Client,
  { file, bytes, accountId, flags, review }: MatchWork,
): Promise<MatchedTable> {
  const { endorser, election } = flags;
  // The file is read twice.
  return withTotal(io.terminal, 'Matching', 2 * bytes, (onBytes) =>
    matchTable(client, {
      open: () => readBytes(file, onBytes),
      map: flags.map ?? [],
      constants: { ...(endorser !== undefined && { endorser }), ...(election !== undefined && { election }) },
      accountId,
      acceptClose: flags.acceptClose ?? false,
      now: io.now().getTime(),
      review: async (line) => {
        if (!flags.dryRun) await review.write(line);
      },
    }),
  );
}

interface ComparedTable extends MatchedTable, StageComparison {
  crowded: readonly CrowdedPosition[];
}

function createReport(
  file: string,
  { replace, dryRun }: TableFlags,
  { read, unused, outcome, counts, rows, repeated, crowded }: ComparedTable,
): Report {
  const title = dryRun ? 'Endorsements that would change' : 'Endorsements that change';
  const effects = new SectionRows(
    { title, columns: ['effect', 'endorser', 'contest', 'choice'] },
    MAX_EFFECTS,
  );
  for (const { effect, endorser, contest, choice } of rows) effects.add(effect, endorser, contest, choice);
  const full = new SectionRows({
    title: 'Positions with more choices than a voter may mark, or a rank twice',
    advice: 'Look at these: an earlier choice stays until you withdraw it.',
    columns: ['endorser', 'contest', 'choices', 'problem'],
  });
  for (const { endorser, title: contest, district, labels, hasRankTwice } of crowded) {
    const problem = hasRankTwice ? 'two have the same rank, which is rejected' : null;
    full.add(endorser, `${contest}, ${district}`, labels.join(', '), problem);
  }
  const all = counts.created + counts.changed + counts.withdrawn;
  const { counts: fates, sections } = outcome.report;
  return {
    title: `Endorsements of ${path.basename(file)}`,
    facts: [
      { label: 'Read as', value: read },
      ...(unused.length > 0 ? [{ label: 'Columns that are not used', value: unused.join(', ') }] : []),
      ...(replace
        ? [{ label: 'Replaces', value: 'what each endorser has in the elections of the table' }]
        : []),
    ],
    counts: [
      ...fates,
      { label: 'repeated', count: repeated },
      ...(['created', 'changed', 'unchanged', 'withdrawn'] as const).map((effect) => ({
        label: dryRun ? `would be ${effect}` : effect,
        count: counts[effect],
      })),
    ],
    sections: [
      ...sections,
      ...full.sections,
      ...effects.sections.map((section) => ({ ...section, total: all })),
    ],
  };
}

/** @throws OperatorError if replacing could withdraw what the table only fails to name, or too much */
async function checkReplacing(
  client: pg.Client,
  { outcome, isReview }: MatchedTable,
  allowed: number | null,
): Promise<void> {
  if (isReview) {
    throw new OperatorError(
      'Nothing was sent: a review file has only the rows that needed a decision, and --replace would withdraw all ' +
        'others. Send it without --replace.',
    );
  }
  if (outcome.unresolved > 0) {
    throw new OperatorError(
      `Nothing was sent: ${count(outcome.unresolved)} rows are open, and --replace would withdraw what they may mean. ` +
        'Send the table without --replace first, and decide on them in its review file; take out the rows that stay open.',
    );
  }
  const [large] = await findOversizedPositions(client);
  if (large) {
    throw new OperatorError(
      `Nothing was sent: ${large.endorser} has more than 500 choices in ${large.contest}, and a position has at most 500.`,
    );
  }
  const removals = await countWithdrawals(client);
  if (needsConsent(removals, allowed)) {
    throw new OperatorError(describeRemovals(removals, REMOVALS, { keepMissing: true }));
  }
}
