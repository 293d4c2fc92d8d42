import { OperatorError } from '../../service/operator-error.ts';
import type { RegistryClient } from './client.ts';
import { COMPATIBILITY, findOvertaken, findVersion, loadVersions } from './compare.ts';
import { IncompatibleError } from './refusal.ts';
import type { SchemaVersion, Subject } from './subjects.ts';

/**
 * Registers a subject's missing versions, oldest first, and sets its compatibility. It can be repeated.
 *
 * @param print gets a line for each version, and for a changed compatibility
 * @throws OperatorError if the versions cannot be put in order, or the registry refuses
 */
export async function registerSubject(
  client: RegistryClient,
  subject: Subject,
  print: (line: string) => void,
): Promise<void> {
  const found = await loadVersions(client, subject);
  const [overtaken] = findOvertaken(subject, found);
  if (overtaken !== undefined) throw new OperatorError(overtaken);
  const { name, versions } = subject;
  if (found.length > 0) await requireCompatibility(client, name, print);
  for (const [index, version] of versions.entries()) {
    const there = findVersion(found, version);
    const outcome = there
      ? `was there, with id ${there.id}`
      : `registered with id ${await add(client, name, version)}`;
    print(`${name}: ${version.name} ${outcome}`);
    // Some registries know a subject's compatibility only once it has a version.
    if (found.length === 0 && index === 0) await requireCompatibility(client, name, print);
  }
}

async function add(client: RegistryClient, subject: string, { name, text }: SchemaVersion): Promise<number> {
  try {
    return await client.register(subject, text);
  } catch (error) {
    if (!(error instanceof IncompatibleError)) throw error;
    throw new OperatorError(
      `The registry finds ${name} incompatible with the versions of ${subject} (${error.message}): run ` +
        '"npm run ops -- schemas check", which names them.',
      { cause: error },
    );
  }
}

async function requireCompatibility(
  client: RegistryClient,
  subject: string,
  print: (line: string) => void,
): Promise<void> {
  const level = await client.compatibility(subject);
  if (level === COMPATIBILITY) return;
  await client.setCompatibility(subject, COMPATIBILITY);
  print(`${subject}: compatibility ${COMPATIBILITY}${level === null ? '' : ` in place of ${level}`}`);
}
