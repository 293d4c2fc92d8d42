import { isStorable } from '../../schemas/catalogue/storable.ts';
import type { ErrorCode } from '../../schemas/errors.ts';
import { MAX_NAME } from '../../schemas/http/subscriptions.ts';
import { showValue } from '../../schemas/problems.ts';
import { normalizeText } from '../../schemas/text.ts';
import { ApiError } from '../http/api-error.ts';

/**
 * Reads the name that an account gives a record, in its one form.
 *
 * @param body the whole body, whose texts must be storable
 * @throws ApiError with `code`
 */
export function readName(text: string, body: unknown, code: ErrorCode): string {
  if (!isStorable(body)) {
    const message = 'The body has a NUL character or an unpaired surrogate, which cannot be stored.';
    throw new ApiError(code, message);
  }
  const name = normalizeText(text);
  // Composing a text can make it longer.
  if (name !== '' && Array.from(name).length <= MAX_NAME && !/^[0-9]+$/.test(name)) return name;
  const message = `name must be text of 1 to 100 characters, without control characters and not all digits, is ${showValue(text)}.`;
  throw new ApiError(code, message);
}
