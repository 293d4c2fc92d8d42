import { type CatalogueKind, catalogueKey, parseCatalogueRecord } from '../../schemas/catalogue-files.ts';
import type { StagedLine } from '../../store/catalogue/staging.ts';
import { nameOfRecord, type RefusalList } from './refusal-list.ts';

/** Checks one record; its problems are added to `refusals`. */
export function checkRecord(
  kind: CatalogueKind,
  file: string,
  line: number,
  json: unknown,
  refusals: RefusalList,
): StagedLine {
  const parsed = parseCatalogueRecord(kind, json);
  if (!parsed.ok) {
    const name = nameOfRecord(json);
    for (const problem of parsed.problems) refusals.add({ file, line, ...problem, name });
  }
  return { kind, file, line, key: catalogueKey(kind, json), record: parsed.ok ? parsed.value : null };
}
