import type { ClientBase, Pool } from 'pg';
import { type AllowedEndorser, listAllowedEndorsers } from '../../../store/accounts/endorsers.ts';
import {
  findOwnPosition,
  listOpenElections,
  type OpenElection,
  type OwnPosition,
} from '../../../store/console/own-positions.ts';
import type { ConsoleContext } from '../context.ts';
import type { PageRequest } from '../page.ts';
import { PageError } from '../page-error.ts';
import { readRowId } from '../row-id.ts';

/** The most endorsers of an account, and the most elections, that its pages offer. */
const MAX_OFFERED = 500;

/** The endorsers for which the session's account may publish, always with the one of the form or the address. */
export function listEndorsers(
  { session, form, query }: PageRequest,
  { pool }: ConsoleContext,
): Promise<AllowedEndorser[]> {
  const chosen = form.get('endorser') ?? query.get('endorser');
  return listAllowedEndorsers(pool, session.accountId, { limit: MAX_OFFERED, chosen });
}

/** The elections in which endorsers can take positions: those to come, always with the one of a slug. */
export function listElections(
  client: ClientBase | Pool,
  { findFirstUpcoming }: ConsoleContext,
  slug: string | null,
): Promise<OpenElection[]> {
  return listOpenElections(client, { from: findFirstUpcoming(), slug, limit: MAX_OFFERED });
}

/** An election as an option of a form. */
export const electionOption = ({ slug, date, state, name }: OpenElection): [string, string] => [
  slug,
  `${date} ${state}: ${name}`,
];

/** The field with the version of the position that a form has shown: its `sequence`. */
export const VERSION_FIELD = 'version';
const VERSION = /^\d{1,15}$/;

/** The version of a form. A form without one has seen nothing. */
export function readVersion(form: URLSearchParams): number | null {
  const text = form.get(VERSION_FIELD);
  if (text === null) return null;
  return VERSION.test(text) ? Number(text) : 0;
}

/** A contest, the position of one of the account's endorsers in it, and that endorser. */
export interface Subject {
  endorser: AllowedEndorser;
  position: OwnPosition;
}

/**
 * Finds the contest in the path and the endorser in the address or the form; without one, the account's first.
 *
 * @throws PageError 404 without such a contest, 403 if the account may not publish for that endorser
 */
export async function findSubject(request: PageRequest, context: ConsoleContext): Promise<Subject> {
  const { path, query, form } = request;
  const endorsers = await listEndorsers(request, context);
  const slug = form.get('endorser') ?? query.get('endorser') ?? endorsers[0]?.slug;
  const endorser = endorsers.find((each) => each.slug === slug);
  if (!endorser)
    throw new PageError(
      403,
      'The account may not publish for this endorser. Ask an operator of the service to allow it.',
    );
  const contestId = readRowId(path.id);
  const since = readVersion(form);
  const position =
    contestId && (await findOwnPosition(context.pool, { endorser: endorser.slug, contestId, since }));
  if (!position) throw new PageError(404, 'There is no such contest.');
  return { endorser, position };
}
