const MAX_LENGTH = 254;
/** Printable ASCII without what would end or divide an address in a list, on each side of one @. */
const FORM = /^[!#-'*+\-./0-9=?A-Z^_`a-z{|}~]+@[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*$/;

/**
 * An e-mail address in the form in which addresses are compared: trimmed, in lower case. Only ASCII is accepted, because
 * the lower case of other letters can be another person's address: that of the Kelvin sign is the letter k.
 *
 * @returns null if the text is no such address
 */
export function parseEmailAddress(text: string): string | null {
  const address = text.trim();
  return address.length <= MAX_LENGTH && FORM.test(address) ? address.toLowerCase() : null;
}

/** An address whose owner recognizes it, and that tells others little: a***@example.org. */
export function maskEmailAddress(address: string): string {
  return address.replace(/^(.).*@/, '$1***@');
}
