/** The contender of a choice `h`, which is the same for all lines of a candidate (contract, "Candidates, not lines"). */
export const CONTENDER = 'COALESCE(-h.candidate_id, h.id)';

/** The most contenders of a contest `c` that a voter may mark or rank; null if it is not known. */
export const MOST_MARKED = `CASE c.vote_method WHEN 'yes_no' THEN 1 WHEN 'ranked_choice' THEN c.ranks_allowed ELSE c.votes_allowed END`;
