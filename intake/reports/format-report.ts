import { showControls } from '../../schemas/show-controls.ts';
import type { Report, ReportCell, ReportSection } from './report.ts';

/** The rows of a section that a terminal shows. */
const MAX_LINES = 10;

export const formatNumber = (value: number): string => value.toLocaleString('en-US');

/** A cell for a reader. Control characters are written out. */
export function formatCell(cell: ReportCell): string {
  if (cell === null) return '';
  return typeof cell === 'number' ? formatNumber(cell) : showControls(cell);
}

/** The lines of a report for a terminal: its counts, and the first rows of each section with the advice. */
export function formatReport({ title, facts, counts, sections }: Report): string[] {
  const width = Math.max(0, ...counts.map(({ label }) => label.length));
  return [
    showControls(title),
    ...facts.map(({ label, value }) => `  ${label}: ${showControls(value)}`),
    ...counts.map(({ label, count }) => `  ${label.padEnd(width)} ${formatNumber(count).padStart(11)}`),
    ...sections.flatMap(formatSection),
  ];
}

function formatSection({ title, advice, columns, rows, total }: ReportSection): string[] {
  const shown = rows.slice(0, MAX_LINES);
  return [
    '',
    `${showControls(title)} (${formatNumber(total)})${advice === null ? '' : `. ${showControls(advice)}`}`,
    ...shown.map((row) => {
      const cells = row.map((cell, at) => ({ name: columns[at] ?? '', text: formatCell(cell) }));
      return `  ${cells.flatMap(({ name, text }) => (text === '' ? [] : `${name} ${text}`)).join(' | ')}`;
    }),
    ...(total > shown.length ? [`  … and ${formatNumber(total - shown.length)} more`] : []),
  ];
}
