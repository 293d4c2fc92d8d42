const MAX_LENGTH = 254;
/** Printable ASCII on each side of one @, without characters that end or separate addresses in a list. */
const FORM = /^[!#-'*+\-./0-9=?A-Z^_`a-z{|}~]+@[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*$/;

/**
 * Returns an e-mail address in the form for comparisons: trimmed, in lower case. Only ASCII is accepted,
 * because the lower case of another letter can be another person's address: that of the Kelvin sign is k.
 *
 * @returns null if the text is not such an address
 */
export function parseEmailAddress(text: string): string | null {
  const address = text.trim();
  return address.length <= MAX_LENGTH && FORM.test(address) ? address.toLowerCase() : null;
}

/** Masks an address so that only its owner recognizes it: a***@example.org. */
export function maskEmailAddress(address: string): string {
  return address.replace(/^(.).*@/, '$1***@');
}
