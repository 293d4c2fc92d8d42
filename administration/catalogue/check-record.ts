import type { Draft, EndorserDraft } from '../../intake/catalogue/draft.ts';
import { type CatalogueKind, catalogueKey, parseCatalogueRecord } from '../../schemas/catalogue-files.ts';
import type { LineRefusal } from '../../store/catalogue/refusals.ts';
import type { StagedLine } from '../../store/catalogue/staging.ts';
import { nameOfRecord, type RefusalList } from './refusal-list.ts';

/** Checks one record; its problems are added to `refusals`. */
export function checkRecord(
  kind: CatalogueKind,
  file: string,
  line: number,
  json: unknown,
  refusals: Pick<RefusalList, 'add'>,
): StagedLine {
  const parsed = parseCatalogueRecord(kind, json);
  if (!parsed.ok) {
    const name = nameOfRecord(json);
    for (const problem of parsed.problems) refusals.add({ file, line, ...problem, name });
  }
  return { kind, file, line, key: catalogueKey(kind, json), record: parsed.ok ? parsed.value : null };
}

/**
 * Checks a record that was made from a table or a feed; its problems are added to `refusals`, those of a choice with the
 * choice's own line.
 */
export function checkDraft(file: string, draft: Draft | EndorserDraft, refusals: RefusalList): StagedLine {
  const { kind, line, record, problems } = draft;
  const choiceLines = ('choiceLines' in draft ? draft.choiceLines : undefined) ?? [];
  const name = String('title' in record ? record.title : record.slug);
  if (problems.length > 0) {
    for (const problem of problems) refusals.add({ file, name, ...problem, line: problem.line ?? line });
    return {
      kind,
      file,
      line,
      key: String('key' in record ? record.key : record.slug) || null,
      record: null,
    };
  }
  const lineOf = (field: string | null) =>
    choiceLines[Number(/^choices\[([0-9]+)\]/.exec(field ?? '')?.[1])] ?? line;
  const byChoice = {
    add: (refusal: LineRefusal) => refusals.add({ ...refusal, line: lineOf(refusal.field) }),
  };
  const checked = checkRecord(kind, file, line, record, byChoice);
  return 'namedBy' in draft && draft.namedBy ? { ...checked, namedBy: draft.namedBy } : checked;
}
