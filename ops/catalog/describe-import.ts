import type { ImportOutcome } from '../../administration/catalogue/import-lines.ts';
import type { ReadingNotes } from '../../administration/catalogue/reading-notes.ts';
import { NOTE_KINDS, type NoteKind } from '../../intake/catalogue/notes.ts';
import { formatReport } from '../../intake/reports/format-report.ts';
import { type Report, type ReportSection, SectionRows } from '../../intake/reports/report.ts';

const SECTIONS: Record<NoteKind, { title: string; advice?: string }> = {
  assumed: {
    title: 'Assumed, because the files do not say it',
    advice: 'If this is wrong, export the election as a table, correct it, and import the table',
  },
  'left out': { title: 'Left out, because the catalogue has no place for it' },
  'to check': { title: 'To check', advice: 'Look whether these records are right' },
};

/** Notes on tables and feeds for people, as sections of a report. */
function noteSections({ notes }: ReadingNotes): ReportSection[] {
  return NOTE_KINDS.flatMap((kind) => {
    const rows = new SectionRows({ ...SECTIONS[kind], columns: ['what', 'count', 'such as'] });
    for (const { kind: of, message, count, examples } of notes.all) {
      if (of !== kind) continue;
      // Each record that is to be checked has a row, as far as they are kept.
      const listed = kind === 'to check' ? examples : [examples.join('; ')];
      for (const [at, example] of listed.entries()) rows.add(message, at === 0 ? count : null, example);
    }
    return rows.sections;
  });
}

/** The lines about tables and feeds for a terminal; nothing for files of records. */
export function formatFound(found: ReadingNotes): string[] {
  if (found.facts.length === 0) return [];
  return [
    ...formatReport({ title: 'Read:', facts: found.facts, counts: [], sections: noteSections(found) }),
    '',
  ];
}

/** The report of an import for people: its outcome, what was assumed or left out, and what was refused. */
export function describeImport(
  outcome: ImportOutcome,
  found: ReadingNotes,
  { paths, dryRun }: { paths: string[]; dryRun: boolean },
): Report {
  const { allRefusals, removalsRefused, loaded, counts, announced } = outcome;
  const refused = new SectionRows({
    title: 'Refused',
    advice: 'Correct the lines, or leave them out with --skip-refused',
    columns: ['file', 'line', 'field', 'reason', 'record'],
  });
  for (const { file, line, field, message, name } of allRefusals.kept) {
    refused.add(file, line, field, message, name);
  }
  const removed = new SectionRows({
    title: 'Not loaded, because it would take much away',
    advice: 'If the files are a part of an election, add --keep-missing; if you intend it, --allow-removals',
    columns: ['election', 'records', 'removed', 'of'],
  });
  for (const { from, records } of removalsRefused ?? []) {
    for (const { kind, removed: number, of } of records) removed.add(from, kind, number, of);
  }
  const result = loaded
    ? dryRun
      ? 'nothing yet: this was a dry run'
      : 'everything that is not refused'
    : 'nothing';
  return {
    title: `Import of ${paths.join(', ')}`,
    facts: [...found.facts, { label: 'Loaded', value: result }],
    counts: [
      ...Object.entries(counts).flatMap(([table, row]) =>
        Object.entries(row).flatMap(([change, count]) =>
          count > 0 ? [{ label: `${table.replaceAll('_', ' ')} ${change}`, count }] : [],
        ),
      ),
      { label: 'endorsements announced', count: announced.updated + announced.deleted + announced.created },
      { label: 'refusals', count: allRefusals.total },
    ],
    sections: [
      ...removed.sections,
      ...refused.sections.map((section) => ({ ...section, total: allRefusals.total })),
      ...noteSections(found),
    ],
  };
}
