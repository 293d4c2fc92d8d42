import { isCalendarDate } from '../../../schemas/catalogue/formats.ts';
import { normalizeText } from '../../../schemas/text.ts';
import { SCOPES } from '../../../schemas/vocabulary.ts';
import type { KeyGrant } from '../../../store/accounts/issued-keys.ts';
import { readFormId } from '../form-id.ts';

const MAX_NAME_LENGTH = 100;

/**
 * Reads the form for a new key.
 *
 * @param now milliseconds since 1970
 * @returns the key to issue, or a sentence about the first invalid field
 */
export function readKeyForm(form: URLSearchParams, now: number): { grant: KeyGrant } | { problem: string } {
  const name = normalizeText(form.get('name') ?? '');
  if (name === '') return { problem: 'Give the key a name, so that you recognize it later.' };
  if (name.length > MAX_NAME_LENGTH) {
    return { problem: `A name has at most ${MAX_NAME_LENGTH} characters.` };
  }
  const asked = form.getAll('scope');
  const scopes = SCOPES.filter((scope) => asked.includes(scope));
  if (scopes.length === 0) return { problem: 'Choose at least one thing that the key may do.' };
  const day = form.get('expires') ?? '';
  if (day !== '' && !isCalendarDate(day)) {
    return { problem: 'The expiry must be a date such as 2027-01-31, or empty.' };
  }
  const expiresAt = day === '' ? null : new Date(`${day}T00:00:00Z`);
  if (expiresAt && expiresAt.getTime() <= now) {
    return { problem: 'The expiry must be in the future: the key ends when that day begins, in UTC.' };
  }
  return { grant: { name, scopes, expiresAt, formId: readFormId(form) } };
}
