/** Users and rights of a secured Kafka, and the settings of its listeners. */
import { pbkdf2Sync, randomBytes } from 'node:crypto';
import { alterUserScramCredentialsV0, Connection } from '@platformatic/kafka';
import kafkajs from 'kafkajs';
import { withAdmin } from '../../../kafka/connection/admin.ts';
import type { Right } from '../../../kafka/connection/rights.ts';
import type { Brokers } from '../../../service/brokers.ts';

const SCRAM_ITERATIONS = 4096;
const SCRAM_MECHANISMS = { 'SCRAM-SHA-256': 1, 'SCRAM-SHA-512': 2 } as const;
const { AclOperationTypes, AclPermissionTypes, AclResourceTypes, ResourcePatternTypes } = kafkajs;

/**
 * Sets the password of a user of SCRAM, for both mechanisms. @param everything a client with that right, without TLS or
 * a login
 */
export async function setPassword(everything: Brokers, name: string, password: string): Promise<void> {
  const [host = '', port = ''] = (everything.addresses[0] ?? '').split(':');
  const connection = new Connection('test');
  await connection.connect(host, Number(port));
  // A request may name a user only once.
  for (const [mechanism, id] of Object.entries(SCRAM_MECHANISMS)) {
    const salt = randomBytes(16);
    const digest = mechanism === 'SCRAM-SHA-256' ? 'sha256' : 'sha512';
    const length = mechanism === 'SCRAM-SHA-256' ? 32 : 64;
    const saltedPassword = pbkdf2Sync(password, salt, SCRAM_ITERATIONS, length, digest);
    const credential = { name, mechanism: id, iterations: SCRAM_ITERATIONS, salt, saltedPassword };
    await alterUserScramCredentialsV0.api.async(connection, [], [credential]);
  }
  await connection.close();
}

/** Grants rights to a principal, such as `User:ann`. @param everything a client with that right */
export async function grant(everything: Brokers, principal: string, rights: readonly Right[]): Promise<void> {
  await withAdmin(everything, (admin) =>
    admin.createAcls({ acl: rights.map((right) => toAcl(principal, right)) }),
  );
}

/** Revokes rights that `grant` gave. */
export async function revoke(
  everything: Brokers,
  principal: string,
  rights: readonly Right[],
): Promise<void> {
  await withAdmin(everything, (admin) =>
    admin.deleteAcls({ filters: rights.map((right) => toAcl(principal, right)) }),
  );
}

/** Changes settings of a running broker. */
export async function alterBroker(
  everything: Brokers,
  broker: number,
  settings: Record<string, string>,
): Promise<void> {
  const configEntries = Object.entries(settings).map(([name, value]) => ({ name, value }));
  const resource = { type: kafkajs.ConfigResourceTypes.BROKER, name: String(broker), configEntries };
  await withAdmin(everything, (admin) => admin.alterConfigs({ validateOnly: false, resources: [resource] }));
}

/** The settings of a listener's certificate. @param both the file of its key and certificate */
export function keyStore(prefix: string, both: string, ca: string): Record<string, string> {
  return {
    [`${prefix}ssl.keystore.type`]: 'PEM',
    [`${prefix}ssl.keystore.location`]: both,
    [`${prefix}ssl.truststore.type`]: 'PEM',
    [`${prefix}ssl.truststore.location`]: ca,
  };
}

/** Java's login module for users of SCRAM. */
export const SCRAM_MODULE = 'org.apache.kafka.common.security.scram.ScramLoginModule required;';

function toAcl(principal: string, { operation, resource, name }: Right) {
  const operations = {
    Alter: AclOperationTypes.ALTER,
    AlterConfigs: AclOperationTypes.ALTER_CONFIGS,
    Create: AclOperationTypes.CREATE,
    Describe: AclOperationTypes.DESCRIBE,
    DescribeConfigs: AclOperationTypes.DESCRIBE_CONFIGS,
    Read: AclOperationTypes.READ,
    Write: AclOperationTypes.WRITE,
  };
  return {
    principal,
    host: '*',
    operation: operations[operation],
    permissionType: AclPermissionTypes.ALLOW,
    resourceType: resource === 'topic' ? AclResourceTypes.TOPIC : AclResourceTypes.GROUP,
    resourceName: name,
    resourcePatternType: ResourcePatternTypes.LITERAL,
  };
}
