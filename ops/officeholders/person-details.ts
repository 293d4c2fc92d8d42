import { longText, openRecord, optional, title } from '../../schemas/catalogue/fields.ts';
import { createRecordCheck } from '../../schemas/catalogue/record-check.ts';
import { SOCIAL_NETWORKS } from '../../schemas/http/officeholders.ts';
import type { Parsed } from '../../schemas/problems.ts';
import { dateProblems, isBlank, isMapping, type Mapping, withoutBlanks } from './source-values.ts';

/** Far above the longest list of the source. Further items are left out. */
const MAX_ITEMS = 1000;

const contact = { address: optional(longText), voice: optional(longText), fax: optional(longText) };
type Contact = { address?: string | null; voice?: string | null; fax?: string | null };
const NOWHERE = [{ field: null, message: 'has no address, voice and fax' }];
const isReachable = ({ address, voice, fax }: Contact) => ((address ?? voice ?? fax) ? [] : NOWHERE);

const shortText = createRecordCheck(title);
const anyText = createRecordCheck(longText);
const membership = createRecordCheck(openRecord({ name: title, end_date: optional(title) }), ({ end_date }) =>
  dateProblems('end_date', end_date),
);
const office = createRecordCheck(openRecord({ classification: title, ...contact }), isReachable);
const noteOfOffice = createRecordCheck(openRecord({ note: title, ...contact }), isReachable);
const link = createRecordCheck(openRecord({ url: longText, note: optional(longText) }));

/**
 * The details of a person that are shown if they are usable. A blank or unusable one says nothing about the person's
 * office, so it is left out, and the person stays.
 */
export type PersonDetails = ReturnType<typeof readDetails>['details'];

/**
 * Reads the details of a person.
 *
 * @param json the file as a mapping, with its blank values
 * @returns the usable details, and the number of the others by field
 */
export function readDetails(json: Mapping) {
  const leftOut = new Map<string, number>();
  const leaveOut = (field: string, number: number) => {
    if (number > 0) leftOut.set(field, (leftOut.get(field) ?? 0) + number);
  };

  const text = (field: string, check: (value: unknown) => Parsed<string>, value: unknown) => {
    if (value === undefined) return null;
    const parsed = isBlank(value) ? null : check(value);
    if (parsed?.ok) return parsed.value;
    leaveOut(field, 1);
    return null;
  };

  const list = <Item>(field: string, check: (item: unknown) => Parsed<Item>): Item[] => {
    const value = json[field];
    if (value === undefined) return [];
    if (!Array.isArray(value)) {
      leaveOut(field, 1);
      return [];
    }
    leaveOut(field, Math.max(0, value.length - MAX_ITEMS));
    return value.slice(0, MAX_ITEMS).flatMap((item) => {
      const parsed = check(isMapping(item) ? withoutBlanks(item) : item);
      leaveOut(field, parsed.ok ? Object.values(item).filter(isBlank).length : 1);
      return parsed.ok ? [parsed.value] : [];
    });
  };

  const accounts = () => {
    const { ids } = json;
    if (ids === undefined) return {};
    if (!isMapping(ids)) {
      leaveOut('ids', 1);
      return {};
    }
    return Object.fromEntries(
      SOCIAL_NETWORKS.map((network) => [network, text('ids', shortText, ids[network])]),
    );
  };
  const details = {
    given_name: text('given_name', shortText, json.given_name),
    family_name: text('family_name', shortText, json.family_name),
    email: text('email', anyText, json.email),
    image: text('image', anyText, json.image),
    party: list('party', membership),
    offices: list('offices', office),
    // The name of offices in older files of the source.
    contact_details: list('contact_details', noteOfOffice),
    links: list('links', link),
    sources: list('sources', link),
    ids: accounts(),
  };
  return { details, leftOut };
}
