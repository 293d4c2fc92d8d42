import path from 'node:path';
import { CATALOGUE_KINDS, type CatalogueKind } from '../../schemas/catalogue-files.ts';

/** The end of a file's name gives its kind: `undated-elections.ndjson` is an elections file, `our-endorsers.csv` one of endorsers. */
export function kindOfFile(file: string): CatalogueKind | null {
  const name = path.basename(file);
  if (/(^|[^a-z0-9])endorsers\.(csv|tsv)$/i.test(name)) return 'endorsers';
  return CATALOGUE_KINDS.find((kind) => new RegExp(`(^|[^a-z0-9])${kind}\\.ndjson$`).test(name)) ?? null;
}
