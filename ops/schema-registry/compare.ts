/** Compares a subject of the registry with its expected versions. */
import type { RegistryClient } from './client.ts';
import { fingerprintOf, type SchemaVersion, type Subject } from './subjects.ts';

/** Every version reads the values of every other, as `test/schemas/avro-versions.test.ts` checks. */
export const COMPATIBILITY = 'FULL_TRANSITIVE';
const REGISTER = 'run "npm run ops -- schemas register"';

/** A version of a subject in the registry. */
export interface FoundVersion {
  /** The registry's own number. */
  version: number;
  id: number;
  /** Null if it is not an Avro schema. */
  fingerprint: string | null;
}

/** The versions of a subject in the registry, oldest first. */
export async function loadVersions(client: RegistryClient, { name }: Subject): Promise<FoundVersion[]> {
  const found: FoundVersion[] = [];
  for (const version of await client.versions(name)) {
    const { id, schema } = await client.schema(name, version);
    found.push({ version, id, fingerprint: fingerprintOf(schema) });
  }
  return found;
}

export const findVersion = (found: readonly FoundVersion[], wanted: SchemaVersion) =>
  found.find(({ fingerprint }) => fingerprint === wanted.fingerprint);

/**
 * The versions that miss an older one in the registry: registered now, the older one would become the newest.
 *
 * @returns a sentence for each missing older version; empty if all can be registered in order
 */
export function findOvertaken({ name, versions }: Subject, found: readonly FoundVersion[]): string[] {
  const newest = versions.findLast((version) => findVersion(found, version));
  if (newest === undefined) return [];
  return versions
    .slice(0, versions.indexOf(newest))
    .filter((version) => !findVersion(found, version))
    .map(
      (version) =>
        `${name} has ${newest.name} but not ${version.name}, which would come after it now: delete the versions of the ` +
        `subject in the registry, then ${REGISTER}.`,
    );
}

async function checkSubject(client: RegistryClient, subject: Subject): Promise<string[]> {
  const { name, versions } = subject;
  const found = await loadVersions(client, subject);
  if (found.length === 0) return [`${name} is not in the registry: ${REGISTER}.`];
  const problems = findOvertaken(subject, found);
  for (const version of problems.length > 0 ? [] : versions.filter((each) => !findVersion(found, each))) {
    problems.push(`${name} lacks ${version.name}: ${REGISTER}.`);
  }
  const known = versions.map(({ fingerprint }) => fingerprint);
  const others = found.filter(({ fingerprint }) => fingerprint === null || !known.includes(fingerprint));
  for (const { version, id } of others) {
    problems.push(
      `${name} has a version ${version} (id ${id}) that this program does not know: use the newest version of the ` +
        'service, or delete that version if nobody should have registered it.',
    );
  }
  const level = await client.compatibility(name);
  if (level !== COMPATIBILITY) {
    problems.push(
      `${name} has the compatibility ${level ?? 'of the whole registry'}, not ${COMPATIBILITY}: ${REGISTER}.`,
    );
  }
  for (const wanted of versions) {
    for (const { version, fingerprint } of found) {
      if (fingerprint === wanted.fingerprint) continue;
      if (await client.isCompatible(name, version, wanted.text)) continue;
      problems.push(
        `The registry finds ${wanted.name} incompatible with version ${version} of ${name}: delete that version if it is ` +
          "not the service's, or set TOPIC_PREFIX or SCHEMA_REGISTRY_NAMING.",
      );
    }
  }
  return problems;
}

/** Asks the registry about all subjects, and changes nothing. @returns a sentence for each difference */
export async function checkSubjects(client: RegistryClient, subjects: readonly Subject[]): Promise<string[]> {
  const problems: string[] = [];
  for (const subject of subjects) problems.push(...(await checkSubject(client, subject)));
  return problems;
}

/** The sentence for a registry without differences. */
export function describeAgreement(subjects: readonly Subject[]): string {
  const count = subjects.reduce((sum, { versions }) => sum + versions.length, 0);
  return `The registry has all ${count} schemas of ${subjects.length} subjects, with the compatibility ${COMPATIBILITY}.`;
}
