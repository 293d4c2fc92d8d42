import type { ContestRecord } from '../../schemas/catalogue-files.ts';
import type { SubmissionLine } from '../../schemas/submission-files.ts';
import { addDays } from './catalogue/calendar.ts';
import type { DemoEndorser } from './catalogue/endorsers.ts';
import type { Random } from './random.ts';

const STATEMENTS = {
  candidates: [
    [
      'A steady record and a clear plan for the next four years.',
      'Una trayectoria firme y un plan claro para los próximos cuatro años.',
    ],
    [
      'Our members interviewed every candidate; this was not close.',
      'Nuestros miembros entrevistaron a cada candidato; no hubo duda.',
    ],
    ['Listens first, and knows the budget by heart.', 'Escucha primero y conoce el presupuesto de memoria.'],
    [
      'We would have liked a bolder choice, but the direction is right.',
      'Habríamos querido una opción más audaz, pero la dirección es correcta.',
    ],
  ],
  questions: [
    ['Our members read all of it before they voted.', 'Nuestros miembros lo leyeron todo antes de votar.'],
    [
      'We heard both sides, and decided by a wide margin.',
      'Escuchamos a ambas partes y hubo amplia mayoría.',
    ],
  ],
} as const;

/** A statement about a candidate or, in a yes-or-no contest, an answer, in English and Spanish. */
export function demoStatement(voteMethod: string, random: Random): readonly [string, string] {
  return random.pick<readonly [string, string]>(
    STATEMENTS[voteMethod === 'yes_no' ? 'questions' : 'candidates'],
  );
}

/** The lines of each candidate, or other choice, that can be endorsed. */
function standingLines(contest: ContestRecord): string[][] {
  const standing = contest.choices.filter(({ withdrawn, option }) => !withdrawn && !option);
  const lines = Map.groupBy(standing, ({ key, candidate }) => candidate?.key ?? key);
  return [...lines.values()].map((choices) => choices.map(({ key }) => key));
}

/** The number of an endorser's picks in a contest, at most `available`. */
function pickCount(contest: ContestRecord, available: number, random: Random): number {
  const most = {
    plurality: 1,
    yes_no: 1,
    multi_seat: contest.votes_allowed ?? 1,
    approval: 2,
    ranked_choice: 3,
  };
  const limit = Math.min(most[contest.vote_method], contest.ranks_allowed ?? available, available);
  return limit <= 1 ? limit : 1 + random.below(limit);
}

/**
 * An endorser's position in a contest, of at most `budget` picks, published before the election and not after today.
 * Null if nobody can be endorsed. The lean orders the choices, so that similar endorsers make similar picks.
 */
export function demoPosition(
  contest: ContestRecord,
  endorser: DemoEndorser,
  facts: { electionDate: string; today: string; budget: number; random: Random },
): { submission: SubmissionLine; picks: number } | null {
  const { electionDate, today, budget, random } = facts;
  const ranked = contest.vote_method === 'ranked_choice';
  const candidates = standingLines(contest);
  // In a long ranked ballot, nobody names the last candidates.
  if (ranked) candidates.splice(Math.ceil(candidates.length * 0.6));
  const number = Math.min(budget, pickCount(contest, candidates.length, random));
  if (number === 0) return null;
  const tilt = endorser.lean + (random.next() - 0.5) * 0.8;
  if (tilt < 0) candidates.reverse();
  const start = Math.abs(tilt) > 0.9 ? 1 : 0;
  const chosen = [...candidates.slice(start), ...candidates.slice(0, start)]
    .slice(0, number)
    // A few endorse a candidate on every line, and the others on one.
    .flatMap((lines) => (random.chance(0.2) ? lines : [random.pick(lines)]))
    .slice(0, budget);

  const [latest = today] = [electionDate, today].sort();
  const published_on = addDays(latest, -(1 + random.below(90)));
  const statement = random.chance(0.4) ? demoStatement(contest.vote_method, random) : null;
  const about = {
    statement: statement?.[0] ?? null,
    statement_es: statement?.[1] ?? null,
    source_url: random.chance(0.7)
      ? `${endorser.record.website_url}/endorsements/${electionDate.slice(0, 4)}`
      : null,
    published_on,
  };
  const { slug } = endorser.record;
  const [only] = chosen;
  if (!ranked && chosen.length === 1 && only !== undefined) {
    return { picks: 1, submission: { endorser: slug, contest: contest.key, choice: only, ...about } };
  }
  const picks = chosen.map((choice, index) => ({
    choice,
    rank: ranked ? index + 1 : null,
    ...(index === 0 ? about : { published_on }),
  }));
  return {
    picks: picks.length,
    submission: { action: 'position', endorser: slug, contest: contest.key, picks },
  };
}
