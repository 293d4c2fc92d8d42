import { createHash } from 'node:crypto';
import type pg from 'pg';
import { countRemovals, needsConsent, type Removal } from '../../domain/removal-guard.ts';
import type { Note } from '../../intake/catalogue/notes.ts';
import { createPause } from '../../service/pause.ts';
import type { ChangedRecord } from '../../store/catalogue/changes.ts';
import type { CatalogueCounts, CatalogueTable, Imported } from '../../store/catalogue/import.ts';
import type { LineRefusal, RefusalCount } from '../../store/catalogue/refusals.ts';
import type { StagedLine } from '../../store/catalogue/staging.ts';
import type { CatalogueFileOptions } from '../../store/console/catalogue-files.ts';
import type { Announced } from '../../store/endorsements/announce.ts';
import { type ImportOutcome, importCheckedLines } from './import-lines.ts';
import { readRecords } from './read-records.ts';
import { readTableRecords } from './read-tables.ts';
import { createReadingNotes, type ReadingNotes } from './reading-notes.ts';
import type { RefusalList } from './refusal-list.ts';

/** The most combinations of field and reason, and notes, that are kept. */
const MAX_COUNTS = 50;
const MAX_NOTES = 50;

/** The changes that the import of an uploaded file would make, or has made. It is stored as JSON. */
export interface FileOutcome {
  /** Whether the import is possible, apart from the consent to its removals. */
  isPossible: boolean;
  /** Rows by table; empty if lines are refused. */
  counts: Partial<Record<CatalogueTable, CatalogueCounts>>;
  changes: ChangedRecord[];
  removals: Removal[];
  /** The number of removals to which the person must agree; null for few. */
  consent: number | null;
  announced: Announced;
  refusedLines: number;
  refusals: { total: number; kept: LineRefusal[]; counts: RefusalCount[] };
  ambiguousDistricts: Imported['ambiguousDistricts'];
  /** How the file was read, and what a person should know about it. */
  read: ReadingNotes['facts'];
  notes: Note[];
  /** Equal digests stand for equal outcomes, but for the number of announcements. */
  digest: string;
}

/** A catalogue file in memory. */
export interface LoadedFile {
  fileName: string;
  content: Buffer;
  options: CatalogueFileOptions;
}

const PIECE_BYTES = 16 * 1024;

/** The content of a file in pieces. */
export async function* piecesOf(content: Buffer, pause: () => Promise<void>): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < content.length; at += PIECE_BYTES) {
    await pause();
    yield content.subarray(at, at + PIECE_BYTES);
  }
}

/** Reads the lines of a file. Others have their turns between two lines. */
async function* readLines(
  { fileName, content, options }: LoadedFile,
  refusals: RefusalList,
  found: ReadingNotes,
): AsyncGenerator<StagedLine> {
  const { kind, isTable, election, electionType } = options;
  const pause = createPause();
  const open = () => piecesOf(content, pause);
  const lines =
    isTable || kind === null
      ? readTableRecords({ file: fileName, kind, open }, refusals, found, { election, electionType, pause })
      : readRecords({ file: fileName, kind, bytes: open() }, refusals);
  for await (const line of lines) {
    await pause();
    yield line;
  }
}

/** The digest of what people decide on. Endorsements that are made meanwhile change only the number of announcements. */
function digestOf({ counts, changes, removals, refused }: Imported): string {
  const removed = removals.map(({ from, records }) => [from, records.map((record) => record.removed)]);
  const text = JSON.stringify([counts, changes?.digest, removed, refused]);
  return createHash('sha256').update(text).digest('base64url');
}

/**
 * Says what the import of a file would change. Changes nothing.
 *
 * @param client a connection of the caller's own, outside of a transaction
 * @throws OperatorError if a table cannot be used as a whole
 */
export async function compareFile(client: pg.Client, file: LoadedFile): Promise<FileOutcome> {
  const { skipRefused, keepMissing, allowRenames } = file.options;
  const found = createReadingNotes();
  const outcome = await importCheckedLines(client, (refusals) => readLines(file, refusals, found), {
    ...{ skipRefused, keepMissing, allowRenames },
    ...{ maxRemovals: Number.POSITIVE_INFINITY, listChanges: true, dryRun: true },
  });
  return describeOutcome(outcome, found);
}

function describeOutcome(outcome: ImportOutcome, { facts, notes }: ReadingNotes): FileOutcome {
  const { loaded, counts, changes, removals, announced, refused, allRefusals, ambiguousDistricts } = outcome;
  return {
    isPossible: loaded,
    ...{ counts, removals, announced, ambiguousDistricts },
    changes: changes?.first ?? [],
    consent: needsConsent(removals, null) ? countRemovals(removals) : null,
    refusedLines: Object.values(refused).reduce((sum, number) => sum + number, 0),
    refusals: { ...allRefusals, counts: allRefusals.counts.slice(0, MAX_COUNTS) },
    read: facts,
    notes: notes.all.slice(0, MAX_NOTES),
    digest: digestOf(outcome),
  };
}

/**
 * Imports a file exactly as its comparison has shown it.
 *
 * @param options.seen the digest of the outcome that the person has seen
 * @param options.consent the number of removals to which the person agrees; null for few
 * @param options.accept called in the transaction of the import; false rolls it back
 * @returns the announced events; null if nothing was imported, because the outcome would differ or was not accepted
 */
export async function importFile(
  client: pg.Client,
  file: LoadedFile,
  options: { seen: string; consent: number | null; accept: () => Promise<boolean> },
): Promise<Announced | null> {
  const { skipRefused, keepMissing, allowRenames } = file.options;
  const found = createReadingNotes();
  const { loaded, announced } = await importCheckedLines(
    client,
    (refusals) => readLines(file, refusals, found),
    {
      ...{ skipRefused, keepMissing, allowRenames, maxRemovals: options.consent },
      ...{ listChanges: true, dryRun: false },
      accept: async (imported) => digestOf(imported) === options.seen && (await options.accept()),
    },
  );
  return loaded ? announced : null;
}
