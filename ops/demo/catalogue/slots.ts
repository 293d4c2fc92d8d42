import { slugOf } from '../../../intake/catalogue/keys.ts';
/**
 * The contests of a ballot without their candidates: an endless list for every election, with the highest offices
 * first. A demo of any size takes the first ones.
 */
import type { ContestKind, Level, VoteMethod } from '../../../schemas/vocabulary.ts';
import type { DemoElection } from './elections.ts';
import { PLACE_COUNT, placeName } from './names.ts';
import type { DemoState } from './states.ts';

/** English and Spanish. */
export type Bilingual = readonly [string, string];

interface DemoDistrict {
  ocd_id: string | null;
  name: string;
  name_es: string;
  level: Level;
  type: string;
  state: DemoState['code'] | null;
}

export interface ContestSlot {
  slug: string;
  title: Bilingual;
  short: Bilingual;
  kind: ContestKind;
  method: VoteMethod;
  votes: number;
  ranks: number | null;
  partisan: boolean;
  district: DemoDistrict;
  /** For measures: their name on the ballot. */
  code?: string;
  /** For measures: the place that votes on them. In Spanish it is a masculine noun without its article. */
  place?: Bilingual;
}

const ONE = { kind: 'candidate', method: 'plurality', votes: 1, ranks: null, partisan: true } as const;
const LOCAL = { ...ONE, partisan: false } as const;

/** An endless list of an election's contests, the most important first. */
export function* contestSlots({ state }: DemoElection): Generator<ContestSlot> {
  const statewide = statewideDistrict(state, 'state');
  yield* statewideOffices(state, statewide);
  for (let round = 1; ; round += 1) {
    if (round <= state.seats) yield congressional(state, round);
    if (round <= 12) yield stateMeasure(state, statewide, round);
    if (round <= 12) yield judge(statewide, round);
    yield* countyContests(state, round);
    if (round <= 60) yield* legislature(state, round);
  }
}

function statewideDistrict(state: DemoState, level: Level): DemoDistrict {
  return {
    ocd_id: state.division,
    name: state.name,
    name_es: state.nameEs,
    level,
    type: 'statewide',
    state: state.code,
  };
}

function* statewideOffices(state: DemoState, district: DemoDistrict): Generator<ContestSlot> {
  if (state.seats > 1) {
    const title: Bilingual = [`U.S. Senator, ${state.name}`, `Senador de EE. UU., ${state.nameEs}`];
    yield {
      ...ONE,
      slug: 'us-senate',
      title,
      short: ['U.S. Senate', 'Senado de EE. UU.'],
      district: statewideDistrict(state, 'federal'),
    };
  }
  const ranked = state.code === 'AK' || state.code === 'ME';
  yield {
    ...ONE,
    ...(ranked ? { method: 'ranked_choice' as const, ranks: 4 } : {}),
    slug: 'governor',
    title: [`Governor of ${state.name}`, `Gobernador de ${state.nameEs}`],
    short: ['Governor', 'Gobernador'],
    district,
  };
  yield {
    ...ONE,
    slug: 'attorney-general',
    title: [`Attorney General of ${state.name}`, `Fiscal General de ${state.nameEs}`],
    short: ['Attorney General', 'Fiscal General'],
    district,
  };
}

function congressional(state: DemoState, number: number): ContestSlot {
  const atLarge = state.seats === 1;
  return {
    ...ONE,
    slug: `us-house-${number}`,
    title: [
      `U.S. Representative, ${state.name} ${atLarge ? 'at large' : `District ${number}`}`,
      `Representante de EE. UU., ${state.nameEs}, ${atLarge ? 'distrito único' : `Distrito ${number}`}`,
    ],
    short: [
      `U.S. House ${state.code}-${atLarge ? 'AL' : number}`,
      `Cámara de EE. UU. ${state.code}-${atLarge ? 'AL' : number}`,
    ],
    district: {
      ocd_id: `${state.division}/cd:${atLarge ? 'at-large' : number}`,
      name: atLarge ? `${state.name} At-large District` : `${state.name} Congressional District ${number}`,
      name_es: atLarge
        ? `Distrito único de ${state.nameEs}`
        : `Distrito congresional ${number} de ${state.nameEs}`,
      level: 'federal',
      type: 'congressional_district',
      state: state.code,
    },
  };
}

function* legislature(state: DemoState, number: number): Generator<ContestSlot> {
  for (const [slug, en, es, type] of [
    ['state-senate', 'State Senator', 'Senador estatal', 'sldu'],
    ['state-house', 'State Representative', 'Representante estatal', 'sldl'],
  ] as const) {
    yield {
      ...ONE,
      slug: `${slug}-${number}`,
      title: [`${en}, District ${number}`, `${es}, Distrito ${number}`],
      short: [`${en} ${number}`, `${es} ${number}`],
      district: {
        ocd_id: `${state.division}/${type}:${number}`,
        name: `${state.name} ${type === 'sldu' ? 'Senate' : 'House'} District ${number}`,
        name_es: `Distrito ${number} ${type === 'sldu' ? 'del Senado' : 'de la Cámara'} de ${state.nameEs}`,
        level: 'state',
        type: type === 'sldu' ? 'state_upper' : 'state_lower',
        state: state.code,
      },
    };
  }
}

function judge(district: DemoDistrict, number: number): ContestSlot {
  return {
    ...LOCAL,
    kind: 'retention',
    method: 'yes_no',
    slug: `supreme-court-retention-${number}`,
    title: [
      `Retention of Supreme Court Justice, Seat ${number}`,
      `Retención en la Corte Suprema, puesto ${number}`,
    ],
    short: [`Retain Justice ${number}`, `Retener juez ${number}`],
    district,
  };
}

function stateMeasure(state: DemoState, district: DemoDistrict, number: number): ContestSlot {
  return {
    ...LOCAL,
    kind: 'measure',
    method: 'yes_no',
    slug: `proposition-${number}`,
    title: [`Proposition ${number}`, `Proposición ${number}`],
    short: [`Prop. ${number}`, `Prop. ${number}`],
    district,
    code: String(number),
    place: [`the ${state.fullName}`, state.fullNameEs],
  };
}

/** One county, its seat, and its districts. The place is the same in every election of the state. */
function* countyContests(state: DemoState, number: number): Generator<ContestSlot> {
  const first = (state.code.charCodeAt(0) * 31 + state.code.charCodeAt(1)) % PLACE_COUNT;
  const place = placeName(first + number);
  const word = slugOf(place);
  const within = (part: string) => `${state.division}/${part}:${word.replaceAll('-', '_')}`;
  const district = (name: Bilingual, level: Level, type: string, ocdId: string | null): DemoDistrict => ({
    ocd_id: ocdId,
    name: name[0],
    name_es: name[1],
    level,
    type,
    state: state.code,
  });
  const countyName: Bilingual = [`${place} County`, `Condado de ${place}`];
  const county = district(countyName, 'county', 'county', within('county'));
  const city = district([place, place], 'city', 'place', within('place'));
  const schools: Bilingual = [`${place} Unified School District`, `Distrito Escolar Unificado de ${place}`];
  // Counties letter their measures on their own, so two of them share a letter.
  const letter = String.fromCharCode(65 + (Math.floor((number - 1) / 2) % 26));
  const water: Bilingual = [`${place} Water District`, `Distrito de Agua de ${place}`];

  yield {
    ...LOCAL,
    method: 'ranked_choice',
    ranks: 3 + (number % 3),
    slug: `${word}-mayor`,
    title: [`Mayor of ${place}`, `Alcalde de ${place}`],
    short: ['Mayor', 'Alcalde'],
    district: city,
  };
  yield {
    ...LOCAL,
    method: 'multi_seat',
    votes: 2 + (number % 3),
    slug: `${word}-city-council`,
    title: [`${place} City Council`, `Concejo Municipal de ${place}`],
    short: ['City Council', 'Concejo Municipal'],
    district: city,
  };
  yield {
    ...LOCAL,
    kind: 'measure',
    method: 'yes_no',
    slug: `${word}-measure`,
    title: [`Measure ${letter}, ${countyName[0]}`, `Medida ${letter}, ${countyName[1]}`],
    short: [`Measure ${letter}`, `Medida ${letter}`],
    district: county,
    code: letter,
    place: countyName,
  };
  yield {
    ...LOCAL,
    method: 'approval',
    slug: `${word}-water-district`,
    title: [`${water[0]} Director`, `Director del ${water[1]}`],
    short: ['Water Director', 'Director de Agua'],
    district: district(water, 'special', 'water_district', null),
  };
  yield {
    ...LOCAL,
    method: 'multi_seat',
    votes: 3,
    slug: `${word}-school-board`,
    title: [`${schools[0]}, Governing Board`, `${schools[1]}, Junta Directiva`],
    short: ['School Board', 'Junta Escolar'],
    district: district(schools, 'school', 'school_district', null),
  };
  yield {
    ...ONE,
    slug: `${word}-sheriff`,
    title: [`Sheriff of ${place} County`, `Alguacil del Condado de ${place}`],
    short: ['Sheriff', 'Alguacil'],
    district: county,
  };
}
