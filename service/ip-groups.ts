/** The 16-bit groups of an address: two of IPv4, eight of IPv6. */
export function groupsOf(address: string): number[] {
  const text = address.replace(/%.*$/, '').replace(/[0-9]+(\.[0-9]+){3}$/, (ipv4) => {
    const [a = 0, b = 0, c = 0, d = 0] = ipv4.split('.').map(Number);
    return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  });
  const parse = (part = '') =>
    part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16));
  const [head, tail] = text.split('::');
  const [first, last] = [parse(head), parse(tail)];
  const zeros = tail === undefined ? 0 : 8 - first.length - last.length;
  return [...first, ...Array<number>(zeros).fill(0), ...last];
}
