import type { ElectionRecord } from '../../../schemas/catalogue-files.ts';
import type { ElectionType } from '../../../schemas/vocabulary.ts';
import { addDays, generalElectionDays, tuesdayFrom } from './calendar.ts';
import { FUSION_LINES } from './parties.ts';
import { DEMO_STATES, type DemoState } from './states.ts';

/** Marks the demo's records in a store. */
export const DEMO_SOURCE = { dataset: 'demo' };

export interface DemoElection {
  state: DemoState;
  record: ElectionRecord;
  /** The election's share of the state's contests. */
  share: number;
}

const TYPE_NAMES: Record<ElectionType, readonly [string, string]> = {
  general: ['General Election', 'Elección general'],
  primary: ['Primary Election', 'Elección primaria'],
  special: ['Special Election', 'Elección especial'],
  special_primary: ['Special Primary Election', 'Elección primaria especial'],
  runoff: ['Runoff Election', 'Segunda vuelta'],
  consolidated: ['Consolidated Election', 'Elección consolidada'],
};

const PRIMARY_SYSTEMS = ['closed', 'semi_closed', 'open', 'top_two', 'nonpartisan'] as const;
/** The rarer elections of a state, and their distance from today in days. */
const OTHERS: readonly (readonly [ElectionType, number])[] = [
  ['special', 24],
  ['special_primary', 38],
  ['runoff', 52],
  ['consolidated', 66],
  ['special', -45],
  ['runoff', -80],
];
const RANKED_STATES = ['AK', 'ME'];

/** A state's elections around `today`: the last general, a primary, one of the rarer types, and the next general. */
function electionsOf(state: DemoState, number: number, today: string): DemoElection[] {
  const { last, next } = generalElectionDays(today);
  const primaryDate = tuesdayFrom(addDays(next, -(120 + (number % 9) * 14)));
  const [otherType, otherDays] = OTHERS[number % OTHERS.length] ?? ['special', 24];
  const system = PRIMARY_SYSTEMS[number % PRIMARY_SYSTEMS.length] ?? 'open';
  const create = (share: number, type: ElectionType, date: string, runoff: string | null = null) => ({
    state,
    share,
    record: createElection({ state, system, type, date, runoff }),
  });
  return [
    create(0.2, 'general', last),
    create(0.15, 'primary', primaryDate),
    create(0.1, otherType, tuesdayFrom(addDays(today, otherDays))),
    create(0.55, 'general', next, runoffAfter(state, next)),
  ];
}

function runoffAfter(state: DemoState, general: string): string | null {
  return ['GA', 'LA', 'MS', 'TX'].includes(state.code) ? addDays(general, 28) : null;
}

interface ElectionFacts {
  state: DemoState;
  type: ElectionType;
  date: string;
  system: (typeof PRIMARY_SYSTEMS)[number];
  runoff: string | null;
}

function createElection({ state, type, date, system, runoff }: ElectionFacts): ElectionRecord {
  const [name, nameEs] = TYPE_NAMES[type];
  const primary = type === 'primary' || type === 'special_primary';
  return {
    slug: `${state.code.toLowerCase()}-${date}-${type.replace('_', '-')}`,
    name: `${state.name} ${name} ${date.slice(0, 4)}`,
    name_es: `${nameEs} de ${state.nameEs} ${date.slice(0, 4)}`,
    short_name: name,
    short_name_es: nameEs,
    date,
    state: state.code,
    type,
    primary_system: primary ? system : 'none',
    info_url: `https://elections.${state.code.toLowerCase()}.example/${date}`,
    details: {
      all_mail: ['CO', 'OR', 'UT', 'WA'].includes(state.code),
      ranked_choice: RANKED_STATES.includes(state.code),
      fusion_voting: state.code in FUSION_LINES,
      runoff_date: runoff,
    },
    source: DEMO_SOURCE,
  };
}

/** Every election of the demo, in the order of the states and of their dates within a state. */
export function demoElections(today: string): DemoElection[] {
  return DEMO_STATES.flatMap((state, number) =>
    electionsOf(state, number, today).sort((a, b) => (a.record.date < b.record.date ? -1 : 1)),
  );
}
