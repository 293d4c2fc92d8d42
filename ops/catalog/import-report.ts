import { CATALOGUE_KINDS } from '../../schemas/catalogue-files.ts';
import { showControls } from '../../schemas/show-controls.ts';
import {
  CATALOGUE_TABLES,
  type CatalogueCounts,
  type CatalogueImport,
  type CatalogueTable,
} from '../../store/catalogue/import.ts';
import type { Announced } from '../../store/endorsements/announce.ts';
import { count, formatCounts } from '../table.ts';

const COLUMNS = ['added', 'changed', 'unchanged', 'removed', 'refused'] as const;

/** The kind of file for the rows. */
function kindOf(table: CatalogueTable): (typeof CATALOGUE_KINDS)[number] | undefined {
  return CATALOGUE_KINDS.find((kind) => kind.replace('-', '_') === table);
}

/** A table of an import's changes, real or planned: a line for each kind of record, and the resulting events. */
export function formatImport(result: CatalogueImport, { dryRun }: { dryRun: boolean }): string[] {
  const rows = CATALOGUE_TABLES.flatMap((table): [string, ...number[]][] => {
    const kind = kindOf(table);
    const counts: Partial<CatalogueCounts & { refused: number }> = {
      ...result.counts[table],
      refused: (kind && result.refused[kind]) || 0,
    };
    const numbers = COLUMNS.map((column) => counts[column] ?? 0);
    return numbers.some((number) => number > 0) ? [[table.replace('_', ' '), ...numbers]] : [];
  });
  return [...formatCounts(COLUMNS, rows), ...formatAnnounced(result.announced, { dryRun })];
}

/** The events of an edit in a sentence; nothing without events. */
export function formatAnnounced(
  { created, updated, deleted }: Announced,
  { dryRun }: { dryRun: boolean },
): string[] {
  const parts = [
    [updated, 'updated'],
    [created, 'deleted and created again, because the edit affects filters'],
    [deleted - created, 'withdrawn with what was removed or is no longer ranked'],
  ] as const;
  const told = parts.filter(([number]) => number > 0).map(([number, what]) => `${count(number)} ${what}`);
  const which = dryRun ? 'Endorsements to announce' : 'Endorsements announced';
  return told.length === 0 ? [] : [`${which}: ${told.join('; ')}.`];
}

/** Differing descriptions of a district in the files, a line each. */
export function formatAmbiguousDistricts({ ambiguousDistricts }: CatalogueImport): string[] {
  return ambiguousDistricts.map(({ ocdId, level, type, state, name, others }) => {
    const district = `The district ${ocdId ?? name} (${[level, type, state].filter(Boolean).join(', ')})`;
    const given = others.map((other) => `"${other.name}" in ${other.contest}`).join(', ');
    return showControls(`${district} is called "${name}", but ${given}; "${name}" stays.`);
  });
}

/** Elections that feeds name otherwise, a line each. */
export function formatAmbiguousElections({ ambiguousElections }: CatalogueImport): string[] {
  return ambiguousElections.map(({ slug, name, other, file, more }) => {
    const others = more === 0 ? '' : `, and otherwise in ${count(more)} more`;
    return showControls(
      `The election ${slug} is called "${name}", but "${other}" in ${file}${others}; "${name}" stays.`,
    );
  });
}
