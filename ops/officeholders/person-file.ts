import type { Buffer } from 'node:buffer';
import { parseDocument } from 'yaml';
import type { Role } from '../../domain/officeholders/terms.ts';
import {
  type Accepted,
  listOf,
  longText,
  openRecord,
  optional,
  title,
} from '../../schemas/catalogue/fields.ts';
import { createRecordCheck } from '../../schemas/catalogue/record-check.ts';
import { joinField, type Parsed, type Problem, showValue } from '../../schemas/problems.ts';
import { count } from '../table.ts';
import { type PersonDetails, readDetails } from './person-details.ts';
import { dateProblems, isBlank, isMapping, withoutBlanks } from './source-values.ts';

/** Far above the longest file of the source, 30 kB. */
const MAX_BYTES = 1024 * 1024;
const MAX_ROLES = 1000;
const ID = /^(?:ocd-person\/)?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i;

/** The fields that decide about a person and an office. If one of them is unusable, the file is refused. */
const fields = openRecord({
  id: title,
  name: title,
  death_date: optional(title),
  // A file that was copied only in part can lack them: its person has not left office.
  roles: listOf(
    openRecord({
      type: title,
      jurisdiction: title,
      district: optional(title),
      start_date: optional(title),
      end_date: optional(title),
      end_reason: optional(longText),
    }),
    MAX_ROLES,
  ),
});

/** A person in the source's form. */
export interface SourcePerson {
  personId: string;
  name: string;
  isDead: boolean;
  roles: Role[];
  details: PersonDetails;
  /** The number of blank or unusable details, which are left out, by field. */
  leftOutDetails: ReadonlyMap<string, number>;
}

const check = createRecordCheck(fields, (person) => [
  ...(ID.test(person.id)
    ? []
    : [{ field: 'id', message: `must be ocd-person/ and a UUID, is ${showValue(person.id)}` }]),
  ...dateProblems('death_date', person.death_date),
  ...person.roles.flatMap((role, index) => roleProblems(joinField('roles', index), role)),
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

function refuse(message: string): Parsed<never> {
  return { ok: false, problems: [{ field: null, message }] };
}

/**
 * Reads a person's file. Blank and unusable details are left out. Every scalar is text: a district `08` is not a number,
 * and a date is the same with or without quotes.
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
    json = document.toJS({ maxAliasCount: 100 });
  } catch (problem) {
    return refuse(`is not readable YAML: ${(problem as Error).message}`);
  }
  if (!isMapping(json)) return refuse('is not a mapping of fields');
  const { id, name, death_date, roles: given } = withoutBlanks(json);
  const roles = Array.isArray(given) ? readRoles(given) : given;
  const parsed = check({ id, name, death_date, roles });
  if (!parsed.ok) return parsed;
  const { details, leftOut } = readDetails(json);
  const blankRoles = Array.isArray(given) && Array.isArray(roles) ? given.length - roles.length : 0;
  if (blankRoles > 0) leftOut.set('roles', blankRoles);
  return { ok: true, value: { ...describePerson(parsed.value), details, leftOutDetails: leftOut } };
}

/** The roles without blank values. Blank ones are left out. */
function readRoles(roles: readonly unknown[]): unknown[] {
  return roles
    .map((role) => (isMapping(role) ? withoutBlanks(role) : role))
    .filter((role) => !isBlank(isMapping(role) && Object.keys(role).length === 0 ? null : role));
}

function describePerson(person: Accepted<typeof fields>): Omit<SourcePerson, 'details' | 'leftOutDetails'> {
  const roles = person.roles.map((role, index) => ({
    index,
    type: role.type,
    jurisdiction: role.jurisdiction,
    district: role.district?.trim() ?? null,
    start: role.start_date ?? null,
    end: role.end_date ?? null,
    endReason: role.end_reason ?? null,
  }));
  return {
    personId: (ID.exec(person.id)?.[1] ?? '').toLowerCase(),
    name: person.name.trim(),
    isDead: person.death_date != null,
    roles,
  };
}
