import type { Buffer } from 'node:buffer';
import { parseDocument } from 'yaml';
import type { Role } from '../../domain/officeholders/terms.ts';
import {
  type Accepted,
  anyObject,
  listOf,
  longText,
  openRecord,
  optional,
  title,
} from '../../schemas/catalogue/fields.ts';
import { isCalendarDate } from '../../schemas/catalogue/formats.ts';
import { createRecordCheck } from '../../schemas/catalogue/record-check.ts';
import { joinField, type Parsed, type Problem, showValue } from '../../schemas/problems.ts';
import { count } from '../table.ts';

/** Far above the longest file of the source, 30 kB. */
const MAX_BYTES = 1024 * 1024;
const MAX_ITEMS = 1000;
const ID = /^(?:ocd-person\/)?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i;

const fields = openRecord({
  id: title,
  name: title,
  given_name: optional(title),
  family_name: optional(title),
  email: optional(longText),
  image: optional(longText),
  death_date: optional(title),
  party: optional(
    listOf(openRecord({ name: title, start_date: optional(title), end_date: optional(title) }), MAX_ITEMS),
  ),
  roles: optional(
    listOf(
      openRecord({
        type: title,
        jurisdiction: title,
        district: optional(title),
        start_date: optional(title),
        end_date: optional(title),
        end_reason: optional(longText),
      }),
      MAX_ITEMS,
    ),
  ),
  offices: optional(
    listOf(
      openRecord({
        classification: title,
        address: optional(longText),
        voice: optional(longText),
        fax: optional(longText),
      }),
      MAX_ITEMS,
    ),
  ),
  // The names of offices in older files of the source.
  contact_details: optional(
    listOf(
      openRecord({
        note: title,
        address: optional(longText),
        voice: optional(longText),
        fax: optional(longText),
      }),
      MAX_ITEMS,
    ),
  ),
  links: optional(listOf(openRecord({ url: longText, note: optional(longText) }), MAX_ITEMS)),
  sources: optional(listOf(openRecord({ url: longText, note: optional(longText) }), MAX_ITEMS)),
  ids: optional(anyObject),
});

/** A person in the source's form. */
export interface SourcePerson extends Accepted<typeof fields> {
  personId: string;
  inRoles: Role[];
}

const check = createRecordCheck(fields, (person) => [
  ...(ID.test(person.id)
    ? []
    : [{ field: 'id', message: `must be ocd-person/ and a UUID, is ${showValue(person.id)}` }]),
  ...dateProblems('death_date', person.death_date),
  ...(person.party ?? []).flatMap(({ end_date }, index) =>
    dateProblems(`party[${index}].end_date`, end_date),
  ),
  ...(person.roles ?? []).flatMap((role, index) => roleProblems(joinField('roles', index), role)),
]);

function roleProblems(
  field: string,
  role: { jurisdiction: string; start_date?: string | null; end_date?: string | null },
): Problem[] {
  const { jurisdiction } = role;
  const isId = /^ocd-jurisdiction\/country:us\/\S+$/.test(jurisdiction);
  return [
    ...(isId
      ? []
      : [
          {
            field: joinField(field, 'jurisdiction'),
            message: `must be an ocd-jurisdiction of the U.S., is ${showValue(jurisdiction)}`,
          },
        ]),
    ...dateProblems(joinField(field, 'start_date'), role.start_date),
    ...dateProblems(joinField(field, 'end_date'), role.end_date),
  ];
}

/** For some dates the source knows only the month or the year. */
function dateProblems(field: string, date: string | null | undefined): Problem[] {
  if (date == null || isCalendarDate(`${date}-01-01`.slice(0, Math.max(10, date.length)))) return [];
  return [{ field, message: `must be a real date as YYYY-MM-DD, YYYY-MM or YYYY, is ${showValue(date)}` }];
}

/** Removes empty values, with which the source marks unknown ones, from a mapping or list. */
function withoutBlanks(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutBlanks);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, item]) => !isBlank(item));
  return Object.fromEntries(entries.map(([name, item]) => [name, withoutBlanks(item)]));
}

function isBlank(item: unknown): boolean {
  return item === null || (typeof item === 'string' && ['', '~', 'null'].includes(item.trim()));
}

function refuse(message: string): Parsed<never> {
  return { ok: false, problems: [{ field: null, message }] };
}

/**
 * Reads a person's file. Every scalar is text: a district `08` is not a number, and a date is the same with or without
 * quotes.
 */
export function parsePersonFile(bytes: Buffer): Parsed<SourcePerson> {
  if (bytes.length > MAX_BYTES) return refuse(`is longer than ${count(MAX_BYTES)} bytes`);
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return refuse('is not valid UTF-8');
  }
  const document = parseDocument(text, { schema: 'failsafe', prettyErrors: true });
  const [error] = document.errors;
  if (error) return refuse(`is not YAML: ${error.message.split('\n')[0]?.replace(/:$/, '')}`);
  let json: unknown;
  try {
    json = withoutBlanks(document.toJS({ maxAliasCount: 100 }));
  } catch (problem) {
    return refuse(`is not readable YAML: ${(problem as Error).message}`);
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json))
    return refuse('is not a mapping of fields');
  const parsed = check(json);
  return parsed.ok ? { ok: true, value: finish(parsed.value) } : parsed;
}

function finish(person: Accepted<typeof fields>): SourcePerson {
  const inRoles = (person.roles ?? []).map((role, index) => ({
    index,
    type: role.type,
    jurisdiction: role.jurisdiction,
    district: role.district?.trim() ?? null,
    start: role.start_date ?? null,
    end: role.end_date ?? null,
    endReason: role.end_reason ?? null,
  }));
  return { ...person, personId: (ID.exec(person.id)?.[1] ?? '').toLowerCase(), inRoles };
}
