import type { ClientBase } from 'pg';
import { needsConsent, type Removal } from '../../domain/removal-guard.ts';
import { FATES, type Fate } from '../../intake/endorsements/outcome.ts';
import type { EndorserEntry } from '../../intake/matching/match-endorser.ts';
import { TableError } from '../../intake/tables/table-error.ts';
import { createPause } from '../../service/pause.ts';
import { readPieces } from '../../store/console/pieces.ts';
import type { Upload } from '../../store/console/uploads.ts';
import {
  type CrowdedPosition,
  compareStage,
  countWithdrawals,
  findCrowded,
  findOversizedPositions,
  type StageComparison,
} from '../../store/intake/stage-effects.ts';
import { createStage } from '../../store/intake/staged.ts';
import { piecesOf } from '../catalogue/uploaded-file.ts';
import { type MatchedTable, matchTable, openTable } from '../intake/match-table.ts';
import type { SeenRow } from '../intake/table-work.ts';

/** The most rows of an uploaded table. */
export const MAX_ROWS = 5_000;

/** An upload, and the account to which it belongs. */
export interface UploadWork {
  accountId: number;
  /** The endorsers for which the account may publish. Rows can mean no others. */
  endorsers: readonly EndorserEntry[];
  upload: Upload;
  /** Milliseconds since 1970. */
  now: number;
}

/**
 * Reads a table once.
 *
 * @returns the names of its columns
 * @throws TableError if it cannot be read, or has more than MAX_ROWS rows
 */
export async function checkTable(content: Buffer): Promise<string[]> {
  const pause = createPause();
  const { header, rows } = await openTable(piecesOf(content, pause), pause);
  let count = 0;
  for await (const _ of rows) {
    await pause();
    count += 1;
    if (count > MAX_ROWS) {
      throw new TableError(
        `The table has more than ${MAX_ROWS.toLocaleString('en-US')} rows: upload it in several parts.`,
      );
    }
  }
  if (count === 0) throw new TableError('The table has no rows below the names of its columns.');
  return header;
}

function match(
  client: ClientBase,
  { accountId, endorsers, upload, now }: UploadWork,
  more: { lookOnly: boolean; onRow?(seen: SeenRow): void },
): Promise<MatchedTable> {
  const { map, endorser, election } = upload.settings;
  return matchTable(client, {
    open: () => readPieces(client, 'uploads', upload.id),
    map,
    constants: { ...(endorser !== null && { endorser }), ...(election !== null && { election }) },
    accountId,
    endorsers,
    acceptClose: false,
    now,
    pause: createPause(),
    decide: (line) => upload.decisions[line],
    ...more,
  });
}

/** The fates of rows that a person should look at, in the order of a page. */
const LISTED_FATES = ['refused', 'not representable', 'exact'] as const satisfies Fate[];
/** The most rows of each of these that a page lists. */
const MAX_LISTED = 200;
/** The rows on which one page asks for decisions. */
export const ROWS_ON_PAGE = 20;

/** The meaning of the rows of an upload. */
export interface Review {
  /** How the table was read, in words. */
  read: string;
  /** The columns that hold nothing that is used. */
  unused: string[];
  /** The number of rows by fate. */
  counts: ReadonlyMap<Fate, number>;
  rows: number;
  /** The number of rows that are not decided on, or whose decision cannot be used. */
  open: number;
  /** The rows to decide on that follow a line, with those that are decided on already. At most ROWS_ON_PAGE. */
  asked: SeenRow[];
  /** The number of rows to decide on before these, and in all. */
  askedBefore: number;
  askedInAll: number;
  /** The first rows of each fate that nobody is asked about. */
  listed: ReadonlyMap<Fate, SeenRow[]>;
}

const OPEN: readonly Fate[] = ['close', 'ambiguous', 'none'];

/**
 * Matches the rows of an upload.
 *
 * @param after the line after which rows are asked about
 * @throws TableError if its columns do not fit
 * @throws OperatorError if the catalogue is too large
 */
export async function reviewUpload(client: ClientBase, work: UploadWork, after: number): Promise<Review> {
  const asked: SeenRow[] = [];
  const listed = new Map<Fate, SeenRow[]>(LISTED_FATES.map((fate) => [fate, []]));
  let askedBefore = 0;
  let askedInAll = 0;
  let open = 0;
  const onRow = (seen: SeenRow) => {
    const isDecided = work.upload.decisions[seen.line] !== undefined;
    // A decision that cannot be used decides nothing.
    const isOpen = OPEN.includes(seen.fate) || (isDecided && seen.fate === 'refused');
    if (isOpen) open += 1;
    if (isOpen || isDecided) {
      askedInAll += 1;
      if (seen.line <= after) askedBefore += 1;
      else if (asked.length < ROWS_ON_PAGE) asked.push(seen);
      return;
    }
    const list = listed.get(seen.fate);
    if (list && list.length < MAX_LISTED) list.push(seen);
  };
  const { read, unused, outcome } = await match(client, work, { lookOnly: true, onRow });
  const counts = new Map(FATES.map((fate) => [fate, outcome.count(fate)]));
  return { read, unused, counts, rows: outcome.rows, open, asked, askedBefore, askedInAll, listed };
}

/** The effects of sending an upload. */
export interface UploadEffects extends StageComparison {
  matched: MatchedTable;
  /** The number of rows that are left out because nothing is decided about them, or because they cannot be used. */
  leftOut: number;
  /** The number of rows that endorse nobody, as they say themselves or as a person has decided. */
  withoutPick: number;
  /** The endorsements that would be withdrawn, if the table is the whole list. */
  removals: Removal[];
  /** Positions that get a choice, and then have more of them than a voter may mark, or a rank twice; the first ones. */
  crowded: CrowdedPosition[];
  /** Why the table cannot be sent as the whole list; null if it can. */
  refusal: string | null;
  /** Whether it withdraws so much that the person must agree to the number. */
  needsConsent: boolean;
}

const MAX_EFFECTS = 500;
const MAX_CROWDED = 20;

/**
 * Stages the submissions of an upload in the caller's transaction, and compares them with what is stored.
 *
 * @throws TableError, OperatorError as `reviewUpload` does
 */
export async function stageUpload(client: ClientBase, work: UploadWork): Promise<UploadEffects> {
  await createStage(client);
  const matched = await match(client, work, { lookOnly: false });
  const { isWhole } = work.upload.settings;
  const compared = await compareStage(client, { replace: isWhole, most: MAX_EFFECTS });
  const { outcome } = matched;
  const leftOut = outcome.unresolved;
  const removals = isWhole ? await countWithdrawals(client) : [];
  return {
    ...compared,
    matched,
    leftOut,
    withoutPick: outcome.rows - matched.staged - leftOut,
    removals,
    crowded: await findCrowded(client, { replace: isWhole, most: MAX_CROWDED }),
    refusal: isWhole ? await refuseReplacing(client, matched) : null,
    needsConsent: needsConsent(removals, null),
  };
}

/** How a person says that a table is not the whole list. */
const NOT_WHOLE =
  'go back to the rows, open "Endorser, election and columns", and clear "This is the whole list" there';

/** Why replacing could withdraw what the table only fails to name. */
async function refuseReplacing(
  client: ClientBase,
  { outcome: { unresolved: open }, isReview }: MatchedTable,
): Promise<string | null> {
  if (isReview) {
    return (
      'A review file has only the rows that needed a decision, and as the whole list it would withdraw all others: ' +
      `${NOT_WHOLE}.`
    );
  }
  if (open > 0) {
    return (
      `${open === 1 ? '1 row is' : `${open.toLocaleString('en-US')} rows are`} open, and as the whole list the table would withdraw what they may mean: ` +
      `decide on them, correct them in the file and upload it again, or ${NOT_WHOLE}.`
    );
  }
  const [large] = await findOversizedPositions(client);
  return large
    ? `${large.endorser} has more than 500 choices in ${large.contest}, and a position has at most 500.`
    : null;
}
