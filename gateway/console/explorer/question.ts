import { ApiError } from '../../http/api-error.ts';
import { type ApiCall, fillPath } from '../api-calls.ts';
import type { ConsoleContext } from '../context.ts';
import type { PageRequest } from '../page.ts';

/** A GET request to the API that a page of the explorer shows. */
export type Question = Required<Pick<ApiCall, 'path' | 'query'>> & Pick<ApiCall, 'parameters'>;

/** The data of an answer, or the API's message about an invalid parameter. */
export type Answer<Body> = { body: Body; problem: null } | { body: null; problem: string };

/** A page of a list. */
export interface List<Item> {
  data: Item[];
  next_cursor: string | null;
}

/**
 * The non-empty fields of a page's address that are passed to the API. People write spaces between the values of a list;
 * `q` is one text.
 */
export function chooseQuery(query: URLSearchParams, names: readonly string[]): URLSearchParams {
  const chosen = new URLSearchParams();
  for (const name of names) {
    const values = query.getAll(name).flatMap((text) => (name === 'q' ? [text] : text.split(',')));
    const given = values.map((value) => value.trim()).filter((value) => value !== '');
    if (given.length > 0) chosen.set(name, given.join(','));
  }
  return chosen;
}

/** The path and query of a question, as a client sends them. Commas stay readable. */
export function addressOf({ path, parameters = {}, query }: Question): string {
  const text = String(query).replaceAll('%2C', ',');
  return `${fillPath(path, parameters)}${text === '' ? '' : `?${text}`}`;
}

/** Asks the API as the session's account. @throws ApiError except for an invalid parameter */
export async function ask<Body>(
  request: PageRequest,
  { api }: ConsoleContext,
  question: Question,
): Promise<Answer<Body>> {
  try {
    return { body: await api.call<Body>(request, question), problem: null };
  } catch (error) {
    if (error instanceof ApiError && error.status === 400) return { body: null, problem: error.message };
    throw error;
  }
}
