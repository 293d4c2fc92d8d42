import type { RefusalList } from '../../administration/catalogue/refusal-list.ts';
import { showControls } from '../../schemas/show-controls.ts';
import type { LineRefusal, RefusalCount } from '../../store/catalogue/refusals.ts';
import { count } from '../table.ts';

/** The most combinations of file, field and reason that are shown. */
const MAX_COUNTS_SHOWN = 50;

/** `elections.ndjson:3: field date: must be …, is null (ga-2018-primary-runoff)`. */
export function formatRefusal({ file, line, field, message, name }: LineRefusal): string {
  const where = field === null ? '' : `field ${field}: `;
  return `${file}:${line}: ${where}${message}${name === null ? '' : ` (${name})`}`;
}

/**
 * The list as lines of text: the kept refusals, the number of others, and the number by file, field and reason. A
 * single refusal is not counted.
 */
export function formatRefusals({ kept, total, counts }: Omit<RefusalList, 'add'>): string[] {
  const lines = formatKept({ kept, total });
  if (total > 1) lines.push(...formatRefusalCounts(counts));
  return lines.map(showControls);
}

/** Possible mistakes in lines that are accepted, as lines of text; nothing without any. */
export function formatWarnings({ kept, total }: Pick<RefusalList, 'kept' | 'total'>): string[] {
  if (total === 0) return [];
  return ['Possible mistakes, which are sent all the same:', ...formatKept({ kept, total })].map(
    showControls,
  );
}

function formatKept({ kept, total }: Pick<RefusalList, 'kept' | 'total'>): string[] {
  const lines = kept.map(formatRefusal);
  return total > kept.length ? [...lines, `… and ${count(total - kept.length)} more`] : lines;
}

function formatRefusalCounts(counts: RefusalCount[]): string[] {
  const shown = counts.toSorted((a, b) => b.count - a.count).slice(0, MAX_COUNTS_SHOWN);
  const lines = shown.map(({ file, field, reason, count: number }) => {
    const what = field === null ? reason : `field ${field} ${reason}`;
    return `${count(number).padStart(11)}  ${file}: ${what}`;
  });
  const hidden = counts.length - shown.length;
  if (hidden > 0) lines.push(`             and ${count(hidden)} other reasons`);
  return ['Refusals by file, field and reason:', ...lines];
}
