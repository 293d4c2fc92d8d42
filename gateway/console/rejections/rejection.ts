import { chooseOne } from '../../../administration/rejections/find-chosen.ts';
import { findNamed, nameOf } from '../../../administration/rejections/name.ts';
import { byTime } from '../../../administration/rejections/read-rejections.ts';
import { loadLaterRejections, loadRecentRejections } from '../../../administration/rejections/recent.ts';
import type { Rejection } from '../../../schemas/submission.ts';
import { OperatorError } from '../../../service/operator-error.ts';
import type { ConsoleContext } from '../context.ts';
import type { PageRequest } from '../page.ts';
import { PageError } from '../page-error.ts';

export const REJECTED = '/console/operator/rejected';

/** The most rejections of a partition that a page reads at a time, the newest first; fewer if they are large. */
export const NEWEST = 50;

/** The page of a rejection. */
export const placeOf = (rejection: Rejection): string => `${REJECTED}/${nameOf(rejection)}`;

/** The origin in a page's path, and the name, which can have a time. */
export const nameIn = ({ path }: PageRequest): string => `${path.partition}/${path.offset}`;

/** Reads the offsets before which a page reads, by partition: `0-120,1-88`. */
export function readBefore(text: string | null): ReadonlyMap<number, number> | null {
  if (text === null || !/^\d{1,6}-\d{1,15}(,\d{1,6}-\d{1,15})*$/.test(text)) return null;
  return new Map(text.split(',').map((part) => part.split('-').map(Number) as [number, number]));
}

export const writeBefore = (before: ReadonlyMap<number, number>): string =>
  [...before].map(([partition, offset]) => `${partition}-${offset}`).join(',');

/** A rejection, and what its page has read. */
export interface FoundRejection {
  named: Rejection[];
  /** All that were read, and later ones, by time. */
  rejections: Rejection[];
  /** The query with which their pages find them. */
  search: string;
}

/**
 * Finds the rejections that a page's path names, among those that a page of the list reads and later ones.
 *
 * @throws PageError 404 if there is none
 */
export async function findNamedIn(request: PageRequest, context: ConsoleContext): Promise<FoundRejection> {
  const name = nameIn(request);
  const before = readBefore(request.query.get('before') ?? request.form.get('before'));
  const recent = await loadRecentRejections(context, NEWEST, before);
  const later = await loadLaterRejections(context, before);
  const rejections = [...recent.rejections, ...later].sort(byTime);
  const fitting = [recent.rejections, later].map((each) => findNamed(each, name));
  const named = fitting.find((each) => each.length > 0) ?? [];
  if (named.length === 0) {
    throw new PageError(
      404,
      `No recent rejection of origin ${name} is kept. "ops rejected" finds older ones.`,
    );
  }
  return { named, rejections, search: before ? `?before=${writeBefore(before)}` : '' };
}

/**
 * Finds the rejection that a page's path names, and all that were read.
 *
 * @throws PageError 404 if there is none, 409 if there are several
 */
export async function findOneIn(
  request: PageRequest,
  context: ConsoleContext,
): Promise<Omit<FoundRejection, 'named'> & { item: Rejection }> {
  const { named, ...found } = await findNamedIn(request, context);
  const item = await refuseAsPage(async () => chooseOne(named, nameIn(request), 'Nothing was done'));
  return { item, ...found };
}

/** Turns the refusal of work on rejections into a page. */
export async function refuseAsPage<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof OperatorError) throw new PageError(409, error.message);
    throw error;
  }
}
