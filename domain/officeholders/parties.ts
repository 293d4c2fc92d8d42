/** A membership of a person in a party. */
interface PartyMembership {
  name: string;
  end: string | null;
}

/**
 * The usual abbreviations of parties, by the source's names. Puerto Rico's parties have their Spanish abbreviations
 * under either name. The last two parties are of D.C. and the Virgin Islands.
 */
const ABBREVIATIONS = new Map(
  Object.entries({
    Conservative: 'C',
    Democratic: 'D',
    'Democratic-Farmer-Labor': 'DFL',
    Forward: 'FWD',
    Green: 'G',
    Independent: 'I',
    Libertarian: 'L',
    Nonpartisan: 'NP',
    Progressive: 'P',
    Republican: 'R',
    'Working Families': 'WF',

    'Movimiento Victoria Ciudadana': 'MVC',
    'New Progressive': 'PNP',
    'Partido Nuevo Progresista': 'PNP',
    'Popular Democratic': 'PPD',
    'Partido Popular Democrático': 'PPD',
    'Puerto Rican Independence': 'PIP',
    'Partido Independentista Puertorriqueño': 'PIP',
    'Project Dignity': 'PD',
    'Proyecto Dignidad': 'PD',

    'D.C. Statehood Green': 'STG',
    'Independent Citizens Movement': 'ICM',
  }),
);

/**
 * The abbreviation of a party; null if it is unknown. Some legislators are elected on the lines of several parties, as
 * in `Democratic/Working Families`. The source names their own party first, and its abbreviation counts.
 */
function abbreviate(party: string): string | null {
  const [own = ''] = party.split('/');
  return ABBREVIATIONS.get(own.trim().normalize('NFC')) ?? null;
}

/** A person's present party: the last membership that had not ended by `today`, YYYY-MM-DD. */
export function currentParty(
  memberships: readonly PartyMembership[],
  today: string,
): { party: string | null; party_abbreviation: string | null } {
  const party = memberships.findLast(({ end }) => end === null || end > today)?.name ?? null;
  return { party, party_abbreviation: party === null ? null : abbreviate(party) };
}
