import { isHttpUrl } from '../../schemas/catalogue/formats.ts';
import { type Address, SOCIAL_NETWORKS } from '../../schemas/http/officeholders.ts';

/** The contact of a person, as the interface shows it (contract, "Officeholder"). */
export interface Contact {
  phone: string | null;
  email: string | null;
  website_url: string | null;
  addresses: Address[];
}

export interface Link {
  url: string;
  note: string | null;
}

/** An http or https URL without the spaces around it; null for any other text. */
export function webAddress(text: string | null | undefined): string | null {
  return text && isHttpUrl(text) ? text.trim() : null;
}

/** The first phone of the capitol office, or else of the main office, or else of any office. */
function mainPhone(addresses: readonly Address[]): string | null {
  const withVoice = addresses.filter(({ voice }) => voice !== null);
  const ofKind = (kind: string) => withVoice.find(({ classification }) => classification === kind);
  return (ofKind('capitol') ?? ofKind('primary') ?? withVoice[0])?.voice ?? null;
}

/** The link noted as a website, or else one without a note. Others may be contact forms. */
function mainWebsite(links: readonly Link[]): string | null {
  const shown = links.filter(({ url }) => webAddress(url) !== null);
  const homepage = shown.find(({ note }) => note !== null && /^(website|home ?page)$/i.test(note));
  return webAddress((homepage ?? shown.find(({ note }) => note === null))?.url);
}

/**
 * Returns the contact of a person.
 *
 * @param email the source's value. It is often the URL of a contact form, which is dropped.
 */
export function describeContact(
  email: string | null,
  links: readonly Link[],
  addresses: readonly Address[],
): Contact {
  const trimmed = email?.trim().replace(/^mailto:/i, '') ?? '';
  return {
    phone: mainPhone(addresses),
    email: /^[^\s@/:]+@[^\s@/:]+$/.test(trimmed) ? trimmed : null,
    website_url: mainWebsite(links),
    addresses: [...addresses],
  };
}

/** A person's account on every social network; null if it is unknown. */
export function socialAccounts(ids: Readonly<Record<string, unknown>>): Record<string, string | null> {
  const accounts = SOCIAL_NETWORKS.map((network) => {
    const account = ids[network];
    return [network, typeof account === 'string' ? account : null] as const;
  });
  return Object.fromEntries(accounts);
}
