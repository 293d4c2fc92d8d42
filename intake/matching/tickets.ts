import { areApart, explainClose, hasWordsOf, type PersonName, readPersonName } from './person-name.ts';

/** The people of a ticket in the order of the ballot, its top first. */
export type Ticket = readonly PersonName[];

const BETWEEN_NAMES = /\s*(?:;|\/|\n|\+|&|\band\b)\s*/i;
/** The last names of two people: `Lee-Diaz`, `Lee – Diaz`. */
const TWO_LAST_NAMES = /^(\p{L}+)\s?[-–]\s?(\p{L}+)$/u;

const split = (text: string, separator: RegExp | string): string[] =>
  text.split(separator).filter((part) => part.trim() !== '');

/** The names in a text of several people, `Ann Lee / Bo Diaz`, `Ann Lee, Bo Diaz`; null for one. */
export function splitNames(text: string): string[] | null {
  const names = split(text, BETWEEN_NAMES);
  if (names.length > 1) return names;
  const listed = split(text, ',');
  // A last name and given names have a comma too.
  return listed.length > 1 && listed.every((name) => isFullName(readPersonName(name))) ? listed : null;
}

/** Reads the people of a text that names several; null for one. */
export const readTicket = (text: string): Ticket | null => splitNames(text)?.map(readPersonName) ?? null;

/** Whether a name has a given and a last name. */
export const isFullName = ({ words }: PersonName): boolean => words.length > 1;

/** The people that a row can name: one, or those of a ticket. */
export function readPeople(text: string, person: PersonName): readonly Ticket[] {
  const people = readTicket(text) ?? [person];
  const [, first, second] = TWO_LAST_NAMES.exec(text.trim()) ?? [];
  return first && second ? [people, [first, second].map(readPersonName)] : [people];
}

const isProbably = (given: PersonName, known: PersonName) =>
  (hasWordsOf(given, known) && !areApart(given, known)) || explainClose(given, known) !== null;

/** Says why some people are probably those of a ticket, or its top; null if they are not. */
export function explainTicket(people: Ticket, ticket: Ticket): string | null {
  const fits = people.every((given, at) => {
    const known = ticket[at];
    return known !== undefined && isProbably(given, known);
  });
  if (!fits) return null;
  return people.length < ticket.length
    ? 'the running mate is missing'
    : 'the names of the ticket are written differently';
}
