import { socialAccounts } from '../../../domain/officeholders/contact.ts';
import { mapRole } from '../../../domain/officeholders/officeholders.ts';
import { slugOf } from '../../../intake/catalogue/keys.ts';
import type { StagedOfficeholder } from '../../../store/officeholders/import.ts';
import type { Random } from '../random.ts';
import { addDays } from './calendar.ts';
import { personName } from './names.ts';
import { DEMO_STATES, type DemoState } from './states.ts';

/** A role in the words of the officeholders' source, and the years of its term. */
interface DemoRole {
  type: string;
  district: string | null;
  years: number;
}

const PARTIES = [
  ['Democratic', 'D'],
  ['Republican', 'R'],
  ['Common Ground', null],
] as const;

const EXECUTIVE: readonly DemoRole[] = ['governor', 'attorney general'].map((type) => ({
  type,
  district: null,
  years: 4,
}));

/** A kind of legislator, and the beginning of the names of the districts. */
type Chamber = readonly [string, string];
const CHAMBERS: readonly Chamber[] = [
  ['upper', ''],
  ['lower', ''],
];
/** Nebraska has one chamber, D.C. has a council, and the demo's territories have none. */
const OTHER_CHAMBERS: Partial<Record<DemoState['code'], readonly Chamber[]>> = {
  ...{ AS: [], GU: [], MP: [], PR: [], VI: [] },
  DC: [['legislature', 'Ward ']],
  NE: [['legislature', '']],
};

function rolesInCongress({ code, name, seats, division }: DemoState): DemoRole[] {
  const senators = division.includes('/state:') ? 2 : 0;
  const numbers = seats === 1 ? ['AL'] : Array.from({ length: seats }, (_, index) => index + 1);
  return [
    ...Array<DemoRole>(senators).fill({ type: 'upper', district: name, years: 6 }),
    ...numbers.map((number) => ({ type: 'lower', district: `${code}-${number}`, years: 2 })),
  ];
}

/** The executive, and the members for the first districts of the legislature. */
function rolesInState({ code }: DemoState): DemoRole[] {
  const legislators = (OTHER_CHAMBERS[code] ?? CHAMBERS).flatMap(([type, name]) =>
    [1, 2, 3].map((number) => ({ type, district: `${name}${number}`, years: 2 })),
  );
  return [...EXECUTIVE, ...legislators];
}

/** The invented holders of the demo's offices on the day `today`, with the seats that an import would give them. */
export function demoOfficeholders(today: string, seed: Random): StagedOfficeholder[] {
  const roles = DEMO_STATES.flatMap((state) => {
    const government = `${state.division.replace('division', 'jurisdiction')}/government`;
    const ofState = { state, place: state.code.toLowerCase(), jurisdiction: government };
    const ofNation = { state, place: 'us', jurisdiction: 'ocd-jurisdiction/country:us/government' };
    return [
      ...rolesInCongress(state).map((role) => ({ ...ofNation, ...role })),
      ...rolesInState(state).map((role) => ({ ...ofState, ...role })),
    ];
  });
  return roles.map(({ state, place, years, ...role }, index) => {
    const random = seed.fork(`officeholder ${index}`);
    const name = personName(random);
    const [party, party_abbreviation] = random.pick(PARTIES);
    const website_url = `https://${slugOf(name)}-${index}.example`;
    const phone = `202-555-01${10 + random.below(90)}`;
    const mapped = mapRole({ index, ...role, ...termOn(today, years), endReason: null, overdue: false });
    if (!('seat' in mapped)) throw new Error(`The demo has no seat for the role ${JSON.stringify(role)}.`);
    return {
      person_id: personId(random),
      name,
      given_name: name.split(' ')[0] ?? null,
      family_name: name.split(' ').at(-1) ?? null,
      party,
      party_abbreviation,
      phone,
      email: `office@${slugOf(name)}-${index}.example`,
      website_url,
      image_url: null,
      addresses: [
        { classification: 'capitol', address: `1 Capitol Square, ${state.name}`, voice: phone, fax: null },
      ],
      social: socialAccounts({}),
      source_urls: [website_url],
      place,
      seats: [mapped.seat],
    };
  });
}

/** The present term of an office: it begins on January 3 of an odd year. */
function termOn(today: string, years: number): { start: string; end: string } {
  const year = Number(addDays(today, -2).slice(0, 4));
  const start = year - ((year + 1) % 2);
  return { start: `${start}-01-03`, end: `${start + years}-01-03` };
}

/** A UUID that the stream of numbers determines. */
function personId(random: Random): string {
  const digits = (length: number) => Array.from({ length }, () => random.below(16).toString(16)).join('');
  return [8, 4, 4, 4, 12].map(digits).join('-');
}
