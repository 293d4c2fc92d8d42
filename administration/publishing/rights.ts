import type { ClientBase } from 'pg';
import { describeUnknown } from '../../domain/nearest-names.ts';
import { normalizeText } from '../../schemas/text.ts';
import { OperatorError } from '../../service/operator-error.ts';
import type { Actor } from '../../store/accounts/audit-log.ts';
import {
  listEndorserSlugs,
  setEndorsersAllowed,
  UnknownEndorsersError,
} from '../../store/accounts/endorsers.ts';

/** The most endorsers of one change. */
const MAX_AT_ONCE = 500;
/** How many unknown slugs a message explains. */
const EXPLAINED = 5;

/**
 * Allows an account to publish for endorsers, or no longer. All change, or none.
 *
 * @param change.given slugs, as a person writes them
 * @returns the endorsers for which something changed, by slug
 * @throws OperatorError if no endorser or more than 500 are given, or one does not exist
 */
export async function changeRights(
  client: ClientBase,
  account: { id: number; name: string },
  { given, isAllowed }: { given: readonly string[]; isAllowed: boolean },
  actor: Actor,
): Promise<string[]> {
  const slugs = [...new Set(given.map(normalizeText).filter((slug) => slug !== ''))];
  if (slugs.length === 0) throw new OperatorError('Name at least one endorser, by its slug.');
  if (slugs.length > MAX_AT_ONCE) {
    throw new OperatorError(`Name at most ${MAX_AT_ONCE} endorsers at a time; there are ${slugs.length}.`);
  }
  try {
    return await setEndorsersAllowed(client, account, { slugs, isAllowed }, actor);
  } catch (error) {
    if (!(error instanceof UnknownEndorsersError)) throw error;
    throw new OperatorError(describeAll(error.slugs, await listEndorserSlugs(client)));
  }
}

function describeAll(slugs: readonly string[], known: readonly string[]): string {
  const sentences = slugs.slice(0, EXPLAINED).map((slug) => describeUnknown('endorser', slug, known));
  const rest = slugs.length - EXPLAINED;
  const more = rest > 0 ? [`${rest} more are unknown.`] : [];
  return [...sentences, ...more, 'Nothing was changed.'].join(' ');
}
