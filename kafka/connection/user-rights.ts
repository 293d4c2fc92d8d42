import type { Brokers } from '../../service/brokers.ts';
import { Admin, metadataV12 } from '../library.ts';
import { keepConnectionErrors, platformaticConnection } from './connections.ts';
import { explainingRefusals } from './refusal.ts';
import { isMissingRight, isUnknownTopic, type Operation, type Right } from './rights.ts';

/** Kafka's numbers of operations, which are the bits of its answers. */
const BITS: Record<Operation, number> = {
  Read: 3,
  Write: 4,
  Create: 5,
  Alter: 7,
  Describe: 8,
  DescribeConfigs: 10,
  AlterConfigs: 11,
};

/**
 * Asks Kafka which of these rights this process's user lacks. Asking changes nothing.
 *
 * @returns the missing rights, and the rights on topics that do not exist, which Kafka does not report
 * @throws KafkaRefusal if Kafka refuses this process, and the client's error if the brokers do not answer
 */
export async function findMissingRights(
  brokers: Brokers,
  rights: readonly Right[],
): Promise<{ missing: Right[]; unknown: Right[] }> {
  const admin = new Admin({
    clientId: 'ballot-endorsements-admin',
    ...platformaticConnection(brokers),
    retries: 0,
  });
  const findHidden = keepConnectionErrors(admin);
  try {
    return await explainingRefusals(brokers, () => sortRights(admin, rights), findHidden);
  } finally {
    await admin.close();
  }
}

async function sortRights(
  admin: Admin,
  rights: readonly Right[],
): Promise<{ missing: Right[]; unknown: Right[] }> {
  const sorted: { missing: Right[]; unknown: Right[] } = { missing: [], unknown: [] };
  for (const own of Map.groupBy(rights, ({ resource, name }) => `${resource} ${name}`).values()) {
    const [{ resource, name } = { resource: 'topic', name: '' }] = own;
    const granted = await (resource === 'topic' ? readTopicBits(admin, name) : readGroupBits(admin, name));
    if (granted === null) sorted.unknown.push(...own);
    else sorted.missing.push(...own.filter(({ operation }) => ((granted >> BITS[operation]) & 1) === 0));
  }
  return sorted;
}

/** The operations that the user may perform on a topic, as bits; null if the topic does not exist. */
async function readTopicBits(admin: Admin, topic: string): Promise<number | null> {
  const { brokers } = await admin.metadata({ topics: [] });
  const connection = await admin.connections.getFirstAvailable([...brokers.values()]);
  try {
    const { topics } = await metadataV12.api.async(connection, [topic], false, true);
    return topics[0]?.topicAuthorizedOperations ?? 0;
  } catch (error) {
    if (isMissingRight(error)) return 0;
    if (isUnknownTopic(error)) return null;
    throw error;
  }
}

async function readGroupBits(admin: Admin, group: string): Promise<number> {
  try {
    const groups = await admin.describeGroups({ groups: [group], includeAuthorizedOperations: true });
    return groups.get(group)?.authorizedOperations ?? 0;
  } catch (error) {
    if (isMissingRight(error)) return 0;
    throw error;
  }
}
