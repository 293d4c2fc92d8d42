import { parseContest } from './catalogue/contest.ts';
import type { ContestRecord } from './catalogue/contest-fields.ts';
import { type ElectionRecord, parseElection } from './catalogue/election.ts';
import {
  type EndorserCategoryRecord,
  type EndorserRecord,
  parseEndorser,
  parseEndorserCategory,
} from './catalogue/endorser.ts';
import { unstorableParts } from './catalogue/storable.ts';
import type { Parsed } from './problems.ts';
import { normalizeText } from './text.ts';

export type { ChoiceRecord, ContestRecord } from './catalogue/contest-fields.ts';
export type { ElectionRecord } from './catalogue/election.ts';
export type { EndorserCategoryRecord, EndorserRecord } from './catalogue/endorser.ts';

/** The kinds of catalogue files. Each kind comes after the kinds that its records refer to. */
export const CATALOGUE_KINDS = ['endorser-categories', 'endorsers', 'elections', 'contests'] as const;
export type CatalogueKind = (typeof CATALOGUE_KINDS)[number];

/** The record on a line of each kind of file. */
interface CatalogueRecords {
  'endorser-categories': EndorserCategoryRecord;
  endorsers: EndorserRecord;
  elections: ElectionRecord;
  contests: ContestRecord;
}
export type CatalogueRecord = CatalogueRecords[CatalogueKind];

const PARSERS: { [K in CatalogueKind]: (json: unknown) => Parsed<CatalogueRecords[K]> } = {
  'endorser-categories': parseEndorserCategory,
  endorsers: parseEndorser,
  elections: parseElection,
  contests: parseContest,
};

/** Checks the value of one line of a catalogue file (contract, "Catalogue and submission files"). */
export function parseCatalogueRecord(kind: CatalogueKind, json: unknown): Parsed<CatalogueRecord> {
  return PARSERS[kind](json);
}

/**
 * The name of a record within its kind: a contest's key, otherwise the slug. Works for refused records too:
 * null if the name is missing, contradicts itself or cannot be stored.
 */
export function catalogueKey(kind: CatalogueKind, json: unknown): string | null {
  if (typeof json !== 'object' || json === null) return null;
  const { key, election, slug } = json as Record<string, unknown>;
  const given = kind === 'contests' ? key : slug;
  if (typeof given !== 'string' || unstorableParts(given).length > 0) return null;
  const name = normalizeText(given);
  return kind === 'contests' && name !== [election, slug].map((part) => normalizeText(String(part))).join('/')
    ? null
    : name;
}
