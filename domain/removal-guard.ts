/** The records of one kind that an import would take away from a whole. */
interface RemovedRecords {
  /** The kind in the plural: `contests`. */
  kind: string;
  removed: number;
  /** How many the whole had before; null if only the number of removed records matters. */
  of: number | null;
}

/** The records that an import would take away from an election, or from the officeholders of a state. */
export interface Removal {
  /** The election's slug or the state's code. */
  from: string;
  records: readonly RemovedRecords[];
}

/** More than this many removals need consent. */
const MAX_REMOVALS = 100;
/** So do more than this part of the records of a kind, if they are at least so many. */
const MAX_PART = 0.1;
const FEW = 5;

/** The number of records of all kinds that go. */
export const countRemovals = (removals: readonly Removal[]): number =>
  removals.flatMap(({ records }) => records).reduce((sum, { removed }) => sum + removed, 0);

const isLarge = ({ removed, of }: RemovedRecords): boolean =>
  of !== null && removed >= FEW && removed > MAX_PART * of;

/**
 * Whether an import takes away too much to be intended (contract, "What an import takes away is bounded").
 *
 * @param allowed the number of removals that the caller has consented to; null without consent
 */
export function needsConsent(removals: readonly Removal[], allowed: number | null): boolean {
  const count = countRemovals(removals);
  if (allowed !== null) return count > allowed;
  return count > MAX_REMOVALS || removals.some(({ records }) => records.some(isLarge));
}
