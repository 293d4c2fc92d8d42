import type { ContestRecord, ElectionRecord } from '../../schemas/catalogue-files.ts';
import type { Problem } from '../../schemas/problems.ts';

/** A reason why a record cannot be used, and its line if it is not the record's. */
export interface DraftProblem extends Problem {
  line?: number;
}

interface Drafted {
  /** The line of the file at which the record begins. */
  line: number;
  /** If there are any, the record is not used. */
  problems: DraftProblem[];
}

/** A record of the catalogue that was made from a table or a feed, before the check of every record. Its key is empty if its names make none. */
export type Draft = Drafted & {
  /** The lines of a contest's choices, if each has its own. */
  choiceLines?: number[];
  /** Set if a table only names the election, so that it says nothing new about one that exists, or if a feed names it. */
  namedBy?: 'table' | 'feed';
} & ({ kind: 'elections'; record: ElectionRecord } | { kind: 'contests'; record: ContestRecord });

/** An endorser or a category that was made from a row of a table, before its check. */
export interface EndorserDraft extends Drafted {
  kind: 'endorser-categories' | 'endorsers';
  record: { slug: string; [field: string]: string };
}
