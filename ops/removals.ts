import { type Command, InvalidArgumentError } from 'commander';
import { countRemovals, type Removal } from '../domain/removal-guard.ts';
import { count } from './table.ts';

/** The most elections or states that are named. */
const MAX_NAMED = 20;

/** The words of an import for its bounded removals. */
interface RemovalWords {
  /** The records that an import may take away, such as `officeholders`. */
  records: string;
  /** The wholes that the records belong to, such as `states`, and one of them, such as `a state`. */
  wholes: string;
  whole: string;
  /** A sentence's end that says why an import takes records away. */
  reason: string;
  /** The beginning of that sentence; "Nothing was loaded" by default. */
  nothing?: string;
}

/** The flags of an import whose removals are bounded. */
export interface RemovalFlags {
  allowRemovals?: number | null;
  keepMissing: boolean;
}

/** Adds the options `--allow-removals` and `--keep-missing` to an import. */
export function addRemovalOptions(command: Command, { records, wholes }: RemovalWords): Command {
  return command
    .option('--allow-removals <n>', `load it even if it takes away up to this many ${records}`, parseCount)
    .option('--keep-missing', `keep what the files lack: they are only a part of their ${wholes}`, false);
}

export function parseCount(text: string): number {
  if (!/^[0-9]{1,9}$/.test(text)) throw new InvalidArgumentError('It must be a whole number of 0 or more.');
  return Number(text);
}

/** Says what an import would take away, by election or state with the most first, and what to do. */
export function describeRemovals(
  removals: readonly Removal[],
  { wholes, whole, reason, nothing = 'Nothing was loaded' }: RemovalWords,
  { keepMissing }: { keepMissing: boolean },
): string {
  const shown = removals
    .toSorted((a, b) => countRemovals([b]) - countRemovals([a]))
    .slice(0, MAX_NAMED)
    .map(({ from, records }) => {
      const parts = records.map(({ kind, removed, of }) =>
        of === null ? `${count(removed)} ${kind}` : `${count(removed)} of ${count(of)} ${kind}`,
      );
      return `  ${from}: ${parts.join(', ')}`;
    });
  const more = removals.length - shown.length;
  const advice = [
    ...(keepMissing ? [] : [`If the files have only a part of ${whole}, add --keep-missing.`]),
    `If this is intended, add --allow-removals ${countRemovals(removals)}.`,
  ];
  return [
    `${nothing}: ${reason}:`,
    ...shown,
    ...(more > 0 ? [`  and ${count(more)} more ${wholes}`] : []),
    advice.join(' '),
  ].join('\n');
}
