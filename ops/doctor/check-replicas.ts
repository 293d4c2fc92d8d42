import type pg from 'pg';
import { type Finding, failed, ok, warning } from '../../administration/health/finding.ts';
import { nameServer } from '../../service/database-address.ts';
import { listReplicas } from '../../store/replicas/registry.ts';
import { ReplicaLink } from '../../store/replicas/replica-link.ts';

const SUBJECT = 'replica';
/** Longer than the relay's wait, to tell a slow replica from a silent one. */
const TIMEOUT_MS = 5000;

/** Whether each server answers, is a replica, and is in use. @param client a connection to the primary */
export async function checkReplicas(
  client: pg.Client,
  readDatabaseUrls: readonly string[],
): Promise<Finding[]> {
  const listed = await listReplicas(client);
  const inUse = new Set(listed.filter((each) => each.inUse).map(({ instance }) => instance));
  return Promise.all(readDatabaseUrls.map((url) => checkReplica(url, inUse)));
}

async function checkReplica(databaseUrl: string, inUse: ReadonlySet<string>): Promise<Finding> {
  const name = nameServer(databaseUrl);
  const link = new ReplicaLink(databaseUrl, TIMEOUT_MS);
  try {
    const { isReplica, instance } = await link.probe();
    if (!isReplica) {
      const text = `${name} is not a replica; it may have been promoted: make it one, or remove it from READ_DATABASE_URLS.`;
      return failed(SUBJECT, text);
    }
    if (inUse.has(instance)) return ok(SUBJECT, `${name} is in use.`);
    const text = `${name} is out of use: it is late, the relay cannot reach it or does not know it, or it has just come back. See docs/operations/alerts.md#replicaoutofuse.`;
    return warning(SUBJECT, text);
  } catch (error) {
    const { message } = error as Error;
    return failed(SUBJECT, `${name} does not answer (${message}): start it, or correct READ_DATABASE_URLS.`);
  } finally {
    await link.close();
  }
}
