/** What an import would take away from an election, and what the election has. */
export interface ElectionRemoval {
  /** The election's slug. */
  election: string;
  contests: number;
  /** Choices, with those of removed contests. */
  choices: number;
  endorsements: number;
  /** The contests and endorsements of the election before. */
  ofContests: number;
  ofEndorsements: number;
}

/** More than this many removals need consent. */
const MAX_REMOVALS = 100;
/** So do more than this part of an election's contests or endorsements, if they are at least so many. */
const MAX_PART = 0.1;
const FEW = 5;

/** The number of contests, choices and endorsements that go. */
export const countRemovals = (removals: readonly ElectionRemoval[]): number =>
  removals.reduce((sum, { contests, choices, endorsements }) => sum + contests + choices + endorsements, 0);

const isLarge = (part: number, whole: number): boolean => part >= FEW && part > MAX_PART * whole;

/**
 * Whether an import takes away too much to be intended (contract, "What an import takes away is bounded").
 *
 * @param allowed the number of removals that the caller has consented to; null without consent
 */
export function needsConsent(removals: readonly ElectionRemoval[], allowed: number | null): boolean {
  const count = countRemovals(removals);
  if (allowed !== null) return count > allowed;
  return (
    count > MAX_REMOVALS ||
    removals.some(
      ({ contests, endorsements, ofContests, ofEndorsements }) =>
        isLarge(contests, ofContests) || isLarge(endorsements, ofEndorsements),
    )
  );
}
