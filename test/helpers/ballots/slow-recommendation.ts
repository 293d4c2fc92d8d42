import type { EndorsedContest } from '../../../domain/recommendation.ts';
import { firstChoicesSlowly, orderSlowly } from './slow-runoffs.ts';

type Choice = EndorsedContest['choices'][number];

/** The recommendation of a contest in the words of the contract, for comparison with the real code. It shares none. */
export function recommendSlowly(contest: EndorsedContest): {
  choice_ids: number[];
  endorser_count: number;
  agreement: string;
} {
  const { choices, picks, vote_method, votes_allowed } = contest;
  const everybody = [...new Set(picks.map(({ endorser }) => endorser))];
  const standing = choices.filter(({ withdrawn }) => !withdrawn);
  const isLineOf = (line: Choice, of: Choice) =>
    line.id === of.id || (of.candidate !== null && line.candidate === of.candidate);
  // Each contender as its lines, in ballot order.
  const contenders = standing
    .map((choice) => standing.filter((line) => isLineOf(line, choice)))
    .filter((lines, index, all) => all.findIndex(([first]) => first?.id === lines[0]?.id) === index);
  const backersOf = (lines: Choice[]) =>
    everybody.filter((endorser) =>
      lines.some(({ id }) => picks.some((pick) => pick.endorser === endorser && pick.choice === id)),
    ).length;
  const lineOf = (lines: Choice[]): number => {
    const most = Math.max(...lines.map((line) => backersOf([line])));
    return (lines.find((line) => backersOf([line]) === most) as Choice).id;
  };
  const backed = contenders.filter((lines) => backersOf(lines) > 0);
  const ordered = backed.toSorted((a, b) => backersOf(b) - backersOf(a));
  const result = (marked: Choice[][], support: number | undefined) => {
    const share = (support ?? 0) / everybody.length;
    const agreed = share === 1 ? 'unanimous' : share > 0.5 ? 'majority' : 'plurality';
    return {
      choice_ids: marked.map(lineOf),
      endorser_count: everybody.length,
      agreement: everybody.length === 0 ? 'none' : marked.length === 0 ? 'split' : agreed,
    };
  };
  const leastOf = (marked: Choice[][]) => Math.min(...marked.map(backersOf));
  const strictLeader = ordered.filter((lines) =>
    ordered.every((rival) => rival === lines || backersOf(rival) < backersOf(lines)),
  );
  const aboveHalf = ordered.filter((lines) => backersOf(lines) > everybody.length / 2);
  switch (vote_method) {
    case 'plurality':
    case 'yes_no':
      return result(strictLeader, leastOf(strictLeader));
    case 'approval': {
      const marked = aboveHalf.length > 0 ? aboveHalf : strictLeader;
      return result(marked, leastOf(marked));
    }
    case 'multi_seat': {
      // A contender has a seat if fewer than all seats go to those that are backed as well or better.
      const seated = ordered.filter(
        (lines) =>
          ordered.filter((rival) => backersOf(rival) >= backersOf(lines)).length <= (votes_allowed ?? 0),
      );
      const marked = votes_allowed === null ? aboveHalf : seated;
      return result(marked, leastOf(marked));
    }
    case 'ranked_choice': {
      const place = (rank: number | null) => rank ?? 1;
      // One ballot line for each contender, and the best rank of an endorser on any of its lines.
      const single: EndorsedContest = {
        ...contest,
        choices: contenders.map(([first]) => ({ ...(first as Choice), candidate: null })),
        picks: everybody.flatMap((endorser) =>
          contenders.flatMap((lines) => {
            const ranks = picks
              .filter((pick) => pick.endorser === endorser && lines.some(({ id }) => id === pick.choice))
              .map(({ rank }) => place(rank));
            return ranks.length === 0
              ? []
              : [{ endorser, choice: (lines[0] as Choice).id, rank: Math.min(...ranks) }];
          }),
        ),
      };
      const order = orderSlowly(single);
      const marked = order.map((id) => contenders.find(([first]) => first?.id === id) as Choice[]);
      return result(marked, order[0] === undefined ? undefined : firstChoicesSlowly(single, order[0]));
    }
  }
}

/** The order of a contest's choices in the words of the contract, as `id own-backers`. It shares no code with the real one. */
export function orderBySupportSlowly({ choices, picks }: EndorsedContest): string[] {
  const backersOf = (lines: readonly Choice[]) =>
    new Set(
      picks.filter(({ choice }) => lines.some(({ id }) => id === choice)).map(({ endorser }) => endorser),
    ).size;
  const linesOf = (of: Choice) =>
    choices.filter(({ id, candidate }) => id === of.id || (candidate !== null && candidate === of.candidate));
  // Lines that stand decide the contender's place; all of them if none stands.
  const weightOf = (of: Choice) => {
    const standing = linesOf(of).filter(({ withdrawn }) => !withdrawn);
    return backersOf(standing.length > 0 ? standing : linesOf(of));
  };
  const firstOf = (of: Choice) => choices.indexOf(linesOf(of)[0] as Choice);
  const isBefore = (a: Choice, b: Choice) =>
    weightOf(b) - weightOf(a) ||
    firstOf(a) - firstOf(b) ||
    backersOf([b]) - backersOf([a]) ||
    choices.indexOf(a) - choices.indexOf(b);
  return choices.toSorted(isBefore).map((choice) => `${choice.id} ${backersOf([choice])}`);
}
