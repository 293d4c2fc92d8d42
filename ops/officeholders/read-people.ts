import { readFile } from 'node:fs/promises';
import { describeContact, socialAccounts, webAddress } from '../../domain/officeholders/contact.ts';
import {
  hasOneHolder,
  isExecutive,
  isLegislative,
  mapRole,
  orderSeats,
  type Seat,
} from '../../domain/officeholders/officeholders.ts';
import { currentParty } from '../../domain/officeholders/parties.ts';
import { type Role, rolesInOffice } from '../../domain/officeholders/terms.ts';
import type { Problem } from '../../schemas/problems.ts';
import type { StagedOfficeholder } from '../../store/officeholders/import.ts';
import type { Folder, PersonFile } from './find-files.ts';
import { parsePersonFile, type SourcePerson } from './person-file.ts';

/** A problem with one field of a file. */
export interface FileRefusal extends Problem {
  file: string;
}

/** The content of a checkout's files. */
export interface ReadPeople {
  people: StagedOfficeholder[];
  refusals: FileRefusal[];
  refusedFiles: PersonFile[];
  /** The number of people without an office of the interface, by the reason. */
  leftOut: Map<string, number>;
  /** The ids of these people. */
  leftIds: string[];
  /** The number of blank or unusable details of the others, by field. */
  leftOutDetails: Map<string, number>;
}

type HeldSeat = Seat & { overdue: boolean };
type Holder = { person: SourcePerson; place: string; seats: HeldSeat[] };
type Outcome = Holder | { leftOut: string } | { problems: Problem[] };

function isOfFolder(folder: Folder): (role: Role) => boolean {
  if (folder === 'municipalities') return () => false;
  return ({ type }) => (folder === 'executive' ? isExecutive(type) : isLegislative(type));
}

/** The seats that a person holds today, or the reason why there are none. */
function readHolder(person: SourcePerson, { place, folder }: PersonFile, today: string): Outcome {
  if (person.isDead) return { leftOut: 'died' };
  const inOffice = rolesInOffice(person.roles, today, isOfFolder(folder));
  if (inOffice.length === 0) return { leftOut: 'no role in office today' };
  const seats: HeldSeat[] = [];
  const problems: Problem[] = [];
  const outside: string[] = [];
  for (const role of inOffice) {
    const mapped = mapRole(role);
    const field = `roles[${role.index}].district`;
    if ('problem' in mapped) problems.push({ field, message: mapped.problem });
    else if ('outside' in mapped) outside.push(mapped.outside);
    else seats.push({ ...mapped.seat, overdue: role.overdue });
  }
  if (problems.length > 0) return { problems };
  return seats.length > 0 ? { person, place, seats } : { leftOut: outside.join(', ') };
}

/**
 * Takes an executive seat from its holder if the term is over and somebody else holds the seat by date. The successor
 * is in office, and the source still lists the predecessor.
 */
function dropSucceeded(holders: readonly Holder[]): Holder[] {
  const officeOf = ({ office, state }: Seat) => `${office} ${state}`;
  const held = new Set(holders.flatMap(({ seats }) => seats.filter(({ overdue }) => !overdue).map(officeOf)));
  const isSucceeded = (seat: HeldSeat) =>
    seat.overdue && hasOneHolder(seat.office) && held.has(officeOf(seat));
  return holders.map((holder) => ({ ...holder, seats: holder.seats.filter((seat) => !isSucceeded(seat)) }));
}

function describePerson({ person, place, seats }: Holder, today: string): StagedOfficeholder {
  const { details } = person;
  const addresses = [
    ...details.offices,
    ...details.contact_details.map(({ note, ...rest }) => ({
      ...rest,
      classification: note.toLowerCase().replace(/ office$/, ''),
    })),
  ].map(({ classification, address, voice, fax }) => ({
    classification,
    address: address ?? null,
    voice: voice ?? null,
    fax: fax ?? null,
  }));
  const links = details.links.map(({ url, note }) => ({ url, note: note ?? null }));
  const parties = details.party.map(({ name, end_date }) => ({ name, end: end_date ?? null }));
  const sources = details.sources.map(({ url }) => webAddress(url)).filter((url) => url !== null);
  return {
    person_id: person.personId,
    name: person.name,
    given_name: details.given_name,
    family_name: details.family_name,
    ...currentParty(parties, today),
    ...describeContact(details.email, links, addresses),
    image_url: webAddress(details.image),
    social: socialAccounts(details.ids),
    source_urls: [...new Set(sources)],
    place,
    seats: orderSeats(seats),
  };
}

/** Reads the files of a checkout. @param today the day, YYYY-MM-DD, that decides about terms of office */
export async function readPeople(
  files: readonly PersonFile[],
  today: string,
  onFile: () => void = () => {},
): Promise<ReadPeople> {
  const read: ReadPeople = {
    people: [],
    refusals: [],
    refusedFiles: [],
    leftOut: new Map(),
    leftIds: [],
    leftOutDetails: new Map(),
  };
  const holders: Holder[] = [];
  const fileOf = new Map<string, string>();
  const refuse = (file: PersonFile, problems: readonly Problem[]) => {
    read.refusedFiles.push(file);
    read.refusals.push(...problems.map((problem) => ({ ...problem, file: file.path })));
  };
  const leaveOut = ({ personId }: SourcePerson, reason: string) => {
    addTo(read.leftOut, reason, 1);
    read.leftIds.push(personId);
  };

  for (const file of files) {
    onFile();
    const parsed = parsePersonFile(await readFile(file.path));
    if (!parsed.ok) {
      refuse(file, parsed.problems);
      continue;
    }
    const { value: person } = parsed;
    const first = fileOf.get(person.personId);
    if (first !== undefined) {
      refuse(file, [{ field: 'id', message: `must be unique, is ${person.personId} as in ${first}` }]);
      continue;
    }
    fileOf.set(person.personId, file.path);
    const outcome = readHolder(person, file, today);
    if ('problems' in outcome) refuse(file, outcome.problems);
    else if ('leftOut' in outcome) leaveOut(person, outcome.leftOut);
    else holders.push(outcome);
  }

  for (const holder of dropSucceeded(holders)) {
    if (holder.seats.length === 0) {
      leaveOut(holder.person, 'succeeded by somebody else');
      continue;
    }
    read.people.push(describePerson(holder, today));
    for (const [field, number] of holder.person.leftOutDetails) addTo(read.leftOutDetails, field, number);
  }
  return read;
}

function addTo(counts: Map<string, number>, name: string, number: number): void {
  counts.set(name, (counts.get(name) ?? 0) + number);
}
