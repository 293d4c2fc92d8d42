import type pg from 'pg';
import { needsConsent, type Removal } from '../../domain/removal-guard.ts';
import type { CatalogueKind } from '../../schemas/catalogue-files.ts';
import type { Announced } from '../endorsements/announce.ts';
import { adoptKeys, type Equals } from './adopt-keys.ts';
import { beginListing, type CatalogueChanges, listRemoved, readChanges } from './changes.ts';
import { type EditOptions, type EditOutcome, editCatalogue } from './edit.ts';
import type { MergeCounts } from './merge.ts';
import { mergeCandidates, mergeChoices, spreadChoices } from './merge-choices.ts';
import {
  type AmbiguousDistrict,
  type AmbiguousElection,
  findAmbiguousDistricts,
  findAmbiguousElections,
  mergeContests,
  mergeDistricts,
  mergeElections,
  spreadContests,
} from './merge-contests.ts';
import { mergeCategories, mergeEndorsers } from './merge-endorsers.ts';
import { refuseMovedTexts } from './moved-texts.ts';
import {
  countRefused,
  type ListedRefusals,
  listRefusals,
  refuseMovedElections,
  refuseUnfit,
} from './refusals.ts';
import { refuseWithKept } from './refuse-with-kept.ts';
import { countByElection, removeVanished } from './removal.ts';
import { noteRenames } from './renames.ts';
import { type StagedLine, stageLines } from './staging.ts';

/** The most refusals of the store to list; further ones are only counted. */
const MAX_REFUSALS = 100;
/** The most changed records to list. */
const MAX_CHANGES = 200;
/** The most districts, and elections, with several names to report. */
const MAX_AMBIGUOUS = 20;

/** The tables of the catalogue, each after those that it refers to. */
export const CATALOGUE_TABLES = [
  'endorser_categories',
  'endorsers',
  'elections',
  'districts',
  'contests',
  'candidates',
  'choices',
] as const;
export type CatalogueTable = (typeof CATALOGUE_TABLES)[number];

export interface CatalogueCounts extends MergeCounts {
  removed: number;
}

export interface CatalogueImport extends ListedRefusals {
  /** Whether the import was committed, or would be without the dry run. If false, it changed nothing. */
  loaded: boolean;
  /** Rows by table; empty if lines were refused. */
  counts: Partial<Record<CatalogueTable, CatalogueCounts>>;
  /** The records that the import takes away, by election. */
  removals: Removal[];
  /** The same, if it needs consent; the import is then not loaded. */
  removalsRefused: Removal[] | null;
  /** The records that it changes; null if nobody asked for them, or lines were refused. */
  changes: CatalogueChanges | null;
  /** The events that tell clients of the changes. */
  announced: Announced;
  /** Refused lines by kind, including those refused before staging. */
  refused: Partial<Record<CatalogueKind, number>>;
  /** Districts with conflicting descriptions. */
  ambiguousDistricts: AmbiguousDistrict[];
  /** Elections that feeds name otherwise. */
  ambiguousElections: AmbiguousElection[];
}

export interface CatalogueImportOptions extends EditOptions {
  /** Imports the other lines despite refusals; otherwise one refusal stops the whole import. */
  skipRefused: boolean;
  /** The most contests, choices and endorsements that the import may take away; null for few (contract). */
  maxRemovals: number | null;
  /** Keeps contests and choices that the lines lack: they are only a part of their elections. */
  keepMissing?: boolean;
  /** Accepts choices that keep their keys and get other people's names, and measures that get others' texts. */
  allowRenames?: boolean;
  /** Lists the records that it changes. */
  listChanges?: boolean;
  /** Decides before the commit whether an import is loaded, in its transaction. */
  accept?: (imported: Imported) => Promise<boolean>;
}

/** An import before it is announced. */
export type Imported = Omit<CatalogueImport, 'announced'>;

/**
 * Imports catalogue lines in one transaction, and announces their changes. Tables are merged in the order of
 * their dependencies, so the order of `lines` does not matter. Importing is idempotent: records keep their
 * ids, and unchanged rows are not written.
 *
 * @param client a connection of the caller's own, outside of a transaction.
 * @throws the errors of `lines` and of the database, after rolling back.
 */
export async function importCatalogue(
  client: pg.Client,
  lines: AsyncIterable<StagedLine>,
  options: CatalogueImportOptions,
): Promise<CatalogueImport> {
  const { result, announced } = await editCatalogue(
    client,
    () => mergeLines(client, lines, options),
    options,
  );
  // A large import changes the planner's statistics.
  if (result.loaded && !options.dryRun) await client.query(`ANALYZE ${CATALOGUE_TABLES.join(', ')}`);
  return { ...result, announced };
}

async function mergeLines(
  client: pg.Client,
  lines: AsyncIterable<StagedLine>,
  options: CatalogueImportOptions,
): Promise<EditOutcome<Imported>> {
  const { skipRefused, maxRemovals, keepMissing = false, allowRenames = false } = options;
  await client.query(`SET LOCAL work_mem = '64MB'`);
  await client.query('SET LOCAL jit = off');
  await stageLines(client, lines, { keepMissing });
  await refuseUnfit(client);
  const equals = await adoptKeys(client);
  await refuseWithKept(client, { keepMissing, equals: equals.choices });
  await noteRenames(client, { keepMissing, allowRenames });
  if (!allowRenames) await refuseMovedTexts(client, { keepMissing });
  await refuseMovedElections(client, { keepMissing });
  const refused = await countRefused(client);
  const listed = await listRefusals(client, MAX_REFUSALS);
  if (Object.keys(refused).length > 0 && !skipRefused) {
    const nothing = {
      ...{ loaded: false, counts: {}, removals: [], removalsRefused: null },
      ...{ changes: null, ambiguousDistricts: [], ambiguousElections: [] },
    };
    return { result: { ...nothing, refused, ...listed }, keep: false };
  }
  if (options.listChanges) await beginListing(client);
  const counts = await mergeAll(client, { keepMissing, equals });
  const removals = await countByElection(client);
  const changes = options.listChanges ? await readChanges(client, MAX_CHANGES) : null;
  const ambiguousDistricts = await findAmbiguousDistricts(client, MAX_AMBIGUOUS);
  const ambiguousElections = await findAmbiguousElections(client, MAX_AMBIGUOUS);
  const isAllowed = !needsConsent(removals, maxRemovals);
  const imported = {
    ...{ loaded: isAllowed, counts, removals, removalsRefused: isAllowed ? null : removals },
    ...{ changes, ambiguousDistricts, ambiguousElections, refused, ...listed },
  };
  const loaded = isAllowed && (options.dryRun || (await (options.accept?.(imported) ?? true)));
  return { result: { ...imported, loaded }, keep: loaded };
}

/** Merges each table after the tables that it refers to. */
async function mergeAll(
  client: pg.Client,
  removing: { keepMissing: boolean; equals: Equals },
): Promise<CatalogueImport['counts']> {
  const endorser_categories = await mergeCategories(client);
  const endorsers = await mergeEndorsers(client);
  const elections = await mergeElections(client);
  await spreadContests(client);
  const districts = await mergeDistricts(client, removing);
  const contests = await mergeContests(client, removing);
  await spreadChoices(client);
  const candidates = await mergeCandidates(client);
  const choices = await mergeChoices(client);
  const removal = await removeVanished(client, removing);
  await listRemoved(client);
  return {
    endorser_categories: { ...endorser_categories, removed: 0 },
    endorsers: { ...endorsers, removed: 0 },
    elections: { ...elections, removed: 0 },
    districts: { ...districts, removed: 0 },
    contests: { ...contests, removed: removal.contests },
    candidates: { ...candidates, removed: 0 },
    choices: { ...choices, removed: removal.choices },
  };
}
