import { isHttpUrl } from '../schemas/catalogue/formats.ts';
import { type OfficeAddress, SOCIAL_NETWORKS } from '../schemas/http/officeholders.ts';

/** Where and how a person can be reached, as the interface shows it (contract, "Officeholder"). */
export interface Contact {
  phone: string | null;
  email: string | null;
  website_url: string | null;
  offices: OfficeAddress[];
}

export interface Link {
  url: string;
  note: string | null;
}

/** The party a person is in now. */
export interface PartyMembership {
  name: string;
  end: string | null;
}

const ABBREVIATIONS = new Map(
  Object.entries({
    Democratic: 'D',
    'Democratic-Farmer-Labor': 'DFL',
    Green: 'G',
    Independent: 'I',
    Libertarian: 'L',
    'New Progressive': 'PNP',
    Nonpartisan: 'NP',
    'Popular Democratic': 'PPD',
    Progressive: 'P',
    Republican: 'R',
  }),
);

/** The address as it can be shown, or null where it is none: an http or https URL. */
export function webAddress(text: string | null | undefined): string | null {
  return text && isHttpUrl(text) ? text.trim() : null;
}

/** The first voice line: of the capitol, else of the main office, else of any. */
function mainPhone(offices: readonly OfficeAddress[]): string | null {
  const withVoice = offices.filter(({ voice }) => voice !== null);
  const ofKind = (kind: string) => withVoice.find(({ classification }) => classification === kind);
  return (ofKind('capitol') ?? ofKind('primary') ?? withVoice[0])?.voice ?? null;
}

/** The link that calls itself a website, else one that says nothing; never a form. */
function mainWebsite(links: readonly Link[]): string | null {
  const shown = links.filter(({ url }) => webAddress(url) !== null);
  const homepage = shown.find(({ note }) => note !== null && /^(website|home ?page)$/i.test(note));
  return webAddress((homepage ?? shown.find(({ note }) => note === null))?.url);
}

/**
 * How a person can be reached.
 *
 * @param email in the source often the address of a form on the web, which is no e-mail address.
 */
export function describeContact(
  email: string | null,
  links: readonly Link[],
  offices: readonly OfficeAddress[],
): Contact {
  const trimmed = email?.trim().replace(/^mailto:/i, '') ?? '';
  return {
    phone: mainPhone(offices),
    email: /^[^\s@/:]+@[^\s@/:]+$/.test(trimmed) ? trimmed : null,
    website_url: mainWebsite(links),
    offices: [...offices],
  };
}

/** The party that a person is in: of several memberships the last that has not ended by `today`. */
export function currentParty(
  memberships: readonly PartyMembership[],
  today: string,
): { party: string | null; party_abbreviation: string | null } {
  const party = memberships.findLast(({ end }) => end === null || end > today)?.name ?? null;
  return { party, party_abbreviation: party === null ? null : (ABBREVIATIONS.get(party) ?? null) };
}

/** A person's account on every network, null where none is known. */
export function socialAccounts(ids: Readonly<Record<string, unknown>>): Record<string, string | null> {
  const accounts = SOCIAL_NETWORKS.map((network) => {
    const account = ids[network];
    return [network, typeof account === 'string' ? account : null] as const;
  });
  return Object.fromEntries(accounts);
}
