import { CATALOGUE_KINDS } from '../../schemas/catalogue-files.ts';
import type { CatalogueCounts, CatalogueImport, CatalogueTable } from '../../store/catalogue/import.ts';
import { count, formatCounts } from '../table.ts';

const LABELS: Record<CatalogueTable, string> = {
  endorser_categories: 'endorser categories',
  endorsers: 'endorsers',
  elections: 'elections',
  districts: 'districts',
  contests: 'contests',
  candidates: 'candidates',
  choices: 'choices',
};
const COLUMNS = ['added', 'changed', 'unchanged', 'removed', 'refused'] as const;

/** The kind of file that a table's rows come from. */
function kindOf(table: CatalogueTable): (typeof CATALOGUE_KINDS)[number] | undefined {
  return CATALOGUE_KINDS.find((kind) => kind.replace('-', '_') === table);
}

/** A table of what an import did, a line for each kind of record that it met. */
export function formatImport(result: CatalogueImport): string[] {
  const rows = Object.entries(LABELS).flatMap(([name, label]): [string, ...number[]][] => {
    const table = name as CatalogueTable;
    const kind = kindOf(table);
    const counts: Partial<CatalogueCounts & { refused: number }> = {
      ...result.counts[table],
      refused: (kind && result.refused[kind]) || 0,
    };
    const numbers = COLUMNS.map((column) => counts[column] ?? 0);
    return numbers.some((number) => number > 0) ? [[label, ...numbers]] : [];
  });
  const lines = formatCounts(COLUMNS, rows);
  if (result.endorsementsWithdrawn > 0) {
    const withdrawn = count(result.endorsementsWithdrawn);
    lines.push(`${withdrawn} endorsements of removed records were withdrawn.`);
  }
  return lines;
}
