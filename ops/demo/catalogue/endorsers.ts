import { slugOf } from '../../../intake/catalogue/keys.ts';
import type { EndorserCategoryRecord, EndorserRecord } from '../../../schemas/catalogue-files.ts';
import type { Random } from '../random.ts';
import { DEMO_SOURCE } from './elections.ts';
import { personName, placeName } from './names.ts';
import { DEMO_STATES, type DemoState } from './states.ts';

/** The demo's own categories. */
export const DEMO_CATEGORIES: readonly EndorserCategoryRecord[] = [
  ['labor', 'Labor unions', 'Sindicatos', 'Labor union', 'Sindicato'],
  ['newspaper', 'Newspapers', 'Periódicos', 'Newspaper', 'Periódico'],
  ['party', 'Political parties', 'Partidos políticos', 'Political party', 'Partido político'],
  ['political_club', 'Political clubs', 'Clubes políticos', 'Political club', 'Club político'],
  ['advocacy', 'Advocacy groups', 'Grupos de defensa', 'Advocacy group', 'Grupo de defensa'],
  ['business', 'Business groups', 'Grupos empresariales', 'Business group', 'Grupo empresarial'],
  ['individual', 'Individuals', 'Personas', 'Individual', 'Persona'],
  ['other', 'Others', 'Otros', 'Other', 'Otro'],
].map(([slug = '', name = '', name_es = '', singular_name = '', singular_name_es = '']) => ({
  slug,
  name,
  name_es,
  singular_name,
  singular_name_es,
}));

export interface DemoEndorser {
  record: EndorserRecord;
  /** The endorser's leaning, from -1 to 1, so that similar endorsers agree. */
  lean: number;
}

/** The weights of the categories. */
const SHARES: Record<string, number> = {
  labor: 22,
  newspaper: 12,
  party: 8,
  political_club: 14,
  advocacy: 22,
  business: 12,
  individual: 6,
  other: 4,
};
const TRADES = [
  'Ferry Crews',
  'Glaziers',
  'Orchard Workers',
  'Tram Drivers',
  'Stagehands',
  'Lift Mechanics',
  'Bakers',
];
const PAPERS = ['Lantern', 'Almanack', 'Weathervane', 'Semaphore', 'Broadsheet', 'Foghorn', 'Ledger-Lantern'];
const CAUSES = [
  'Clean Creeks',
  'Open Trails',
  'Fair Rents',
  'Safe Crossings',
  'Night Buses',
  'Shade Trees',
  'Quiet Skies',
];
const TRADERS = ['Shopkeepers', 'Innkeepers', 'Growers', 'Boatbuilders', 'Toolmakers', 'Printers'];
const CLUBS = ['Front Porch', 'Lamplighters', 'Second Tuesday', 'Long Table', 'Corner Store', 'Blue Heron'];

/** It shares no factor with the number of states, so that national endorsers do not always displace the same state. */
const NATIONWIDE_EVERY = 9;

/** A name that no real organisation has: its place is invented, and usually its trade. */
function endorserName(category: string, place: string, state: DemoState | null, random: Random): string {
  const where = state?.name ?? 'America';
  switch (category) {
    case 'labor':
      return `${place} ${random.pick(TRADES)} Union Local ${100 + random.below(900)}`;
    case 'newspaper':
      return `The ${place} ${random.pick(PAPERS)}`;
    case 'party':
      return `${random.pick(['Common Ground', 'Neighbors First', 'Plain Dealing'])} Committee of ${place}, ${where}`;
    case 'political_club':
      return `${place} ${random.pick(CLUBS)} Club`;
    case 'advocacy':
      return `${random.pick(CAUSES)} ${place}`;
    case 'business':
      return `${place} ${random.pick(TRADERS)} Exchange`;
    case 'individual':
      return `${random.pick(['Rev.', 'Dr.', 'Prof.', 'Former Mayor'])} ${personName(random)} of ${place}`;
    default:
      return `${place} Debating Society`;
  }
}

/** `number` endorsers. The first eight cover all categories. One in nine is national; the others belong to a state. */
export function demoEndorsers(number: number, seed: Random): DemoEndorser[] {
  const slugs = new Set<string>();
  return Array.from({ length: number }, (_, index) => {
    const random = seed.fork(`endorser ${index}`);
    const category = (
      DEMO_CATEGORIES[index] ?? random.pickWeighted(DEMO_CATEGORIES, ({ slug }) => SHARES[slug] ?? 1)
    ).slug;
    const state = index % NATIONWIDE_EVERY === 0 ? null : homeState(index, random);
    const place = placeName(random.below(1000));
    const name = endorserName(category, place, state, random);
    const slug = freeSlug(slugOf(name), slugs);
    return { lean: random.next() * 2 - 1, record: createEndorser(slug, name, category, state, random) };
  });
}

/** Every state in turn first, so that each has an endorser; then by size. */
function homeState(index: number, random: Random): DemoState {
  const turn = DEMO_STATES[index % DEMO_STATES.length];
  if (turn && index < 2 * DEMO_STATES.length) return turn;
  return random.pickWeighted(DEMO_STATES, ({ seats }) => seats);
}

function freeSlug(wanted: string, taken: Set<string>): string {
  let slug = wanted;
  for (let number = 2; taken.has(slug); number += 1) slug = `${wanted}-${number}`;
  taken.add(slug);
  return slug;
}

function createEndorser(
  slug: string,
  name: string,
  category: string,
  state: DemoState | null,
  random: Random,
): EndorserRecord {
  const year = 1890 + random.below(130);
  return {
    slug,
    name,
    category,
    state: state?.code ?? 'national',
    description: `${name} has published its choices before every election since ${year}. It is invented.`,
    description_es: `${name} publica sus preferencias antes de cada elección desde ${year}. Es inventado.`,
    website_url: `https://${slug.slice(0, 60).replace(/-+$/, '')}.example`,
    logo_url: null,
    source: DEMO_SOURCE,
  };
}
