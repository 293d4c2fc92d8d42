/** Contests in short form: the choices are A to F in ballot order, and an endorser is the text of its picks. */
import { type EndorsedContest, recommend } from '../../../domain/recommendation.ts';

const LABELS = ['A', 'B', 'C', 'D', 'E', 'F'];
const idOf = (label: string) => LABELS.indexOf(label) + 1;
export const labelOf = (id: number) => LABELS[id - 1] ?? '?';

/** `A B` picks both without ranks, `A>B` ranks them, `A>>B` skips the second rank, `A;B>C` mixes both. */
function picksOf(endorser: number, text: string): EndorsedContest['picks'] {
  const ranked = text.includes('>');
  return text.split(';').flatMap((part, index, parts) =>
    part.split('>').flatMap((labels, place) =>
      labels
        .split(' ')
        .filter((label) => label !== '')
        .map((label) => ({
          endorser,
          choice: idOf(label),
          rank: ranked && index === parts.length - 1 ? place + 1 : null,
        })),
    ),
  );
}

interface Rules {
  votes?: number | null;
  ranks?: number | null;
  /** The labels of withdrawn choices. */
  withdrawn?: string;
  /** The labels of lines of one candidate, several candidates with spaces between them: `AB CD`. */
  lines?: string;
}

export function contestOf(
  vote_method: EndorsedContest['vote_method'],
  endorsers: readonly string[],
  { votes = 1, ranks = null, withdrawn = '', lines = '' }: Rules = {},
): EndorsedContest {
  return {
    vote_method,
    votes_allowed: votes,
    ranks_allowed: ranks,
    choices: LABELS.map((label) => {
      const candidate = lines.split(' ').findIndex((labels) => labels.includes(label));
      return {
        id: idOf(label),
        withdrawn: withdrawn.includes(label),
        candidate: candidate === -1 ? null : candidate + 1,
      };
    }),
    picks: endorsers.flatMap((text, index) => picksOf(index + 1, text)),
  };
}

/** `A B, 3 majority` */
export function recommendationOf(contest: EndorsedContest): string {
  const { choice_ids, endorser_count, agreement } = recommend(contest);
  return `${choice_ids.map(labelOf).join(' ')}, ${endorser_count} ${agreement}`;
}
