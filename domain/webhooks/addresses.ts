import { BlockList, isIP, isIPv4 } from 'node:net';

/* The addresses to which webhooks may lead: of the public internet, and of nothing inside the operator's network. */

/** The most characters of a webhook's address. */
const MAX_URL_LENGTH = 2000;
const PORTS = ['', '443', '8443'];

/** The IPv4 networks that are not of the public internet (IANA's registry of special addresses), and one more. */
const SPECIAL_IPV4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
  // A public address that Azure answers inside its networks, for metadata.
  ['168.63.129.16', 32],
] as const;

/** The only part of IPv6 with public addresses. Mapped, translated (NAT64), private and local ones are outside. */
const GLOBAL_IPV6 = ['2000::', 3] as const;
/** The special parts of it: IETF protocols with Teredo, documentation, and 6to4. */
const SPECIAL_IPV6 = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['2620:4f:8000::', 48],
  ['3fff::', 20],
] as const;

const special = new BlockList();
for (const [network, prefix] of SPECIAL_IPV4) special.addSubnet(network, prefix, 'ipv4');
for (const [network, prefix] of SPECIAL_IPV6) special.addSubnet(network, prefix, 'ipv6');
const globalIpv6 = new BlockList();
globalIpv6.addSubnet(...GLOBAL_IPV6, 'ipv6');

/** Whether an IP address belongs to the public internet. Any other text does not. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !special.check(address, 'ipv4');
  // A zone belongs to a link.
  if (isIP(address) !== 6 || address.includes('%')) return false;
  return globalIpv6.check(address, 'ipv6') && !special.check(address, 'ipv6');
}

/** The host of an address as a name or an IP address without brackets. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1');

/**
 * Checks the address of a webhook as far as its text shows. Names are looked up, and checked, when a connection is made.
 *
 * @param allowPrivate allows private addresses, http, and any port
 * @returns the address in its one form, or a problem that continues the sentence "url …"
 */
export function checkWebhookUrl(text: string, allowPrivate: boolean): { url: string } | { problem: string } {
  // Other ways to write an address, such as a decimal number, become the usual one here.
  const url = URL.parse(text);
  if (text.length > MAX_URL_LENGTH || url === null) return { problem: mustBe(allowPrivate) };
  const isHttp = url.protocol === 'http:' && allowPrivate;
  if (url.protocol !== 'https:' && !isHttp) return { problem: mustBe(allowPrivate) };
  if (url.username !== '' || url.password !== '') return { problem: 'must not have a user name or password' };
  if (url.hash !== '' || text.includes('#')) return { problem: 'must not have a fragment (#)' };
  if (url.href.length > MAX_URL_LENGTH) return { problem: mustBe(allowPrivate) };
  if (allowPrivate) return { url: url.href };
  if (!PORTS.includes(url.port)) return { problem: `must have the port 443 or 8443, has ${url.port}` };
  const host = hostOf(url);
  const isName = isIP(host) === 0;
  if (isName ? isPublicName(host) : isPublicAddress(host)) return { url: url.href };
  return { problem: `must lead to a public ${isName ? 'host' : 'address'}; ${host} is not one` };
}

const mustBe = (allowPrivate: boolean) =>
  `must be an address of ${allowPrivate ? 'http or https' : 'https'}, of at most ${MAX_URL_LENGTH} characters`;

/** Whether a name can be public: it has a domain, and is not one of those that are local by definition. */
function isPublicName(host: string): boolean {
  const labels = host.replace(/\.$/, '').split('.');
  const last = labels.at(-1) ?? '';
  return labels.length > 1 && !['localhost', 'local', 'internal', 'localdomain'].includes(last);
}
