import { type Finding, failed, formatCount, ok, warning } from '../../administration/health/finding.ts';
import { withAdmin } from '../../kafka/connection/admin.ts';
import { formatRight, type Right } from '../../kafka/connection/rights.ts';
import { listRoleRights, type Role } from '../../kafka/connection/role-rights.ts';
import { findMissingRights } from '../../kafka/connection/user-rights.ts';
import { readNewestRecords } from '../../kafka/reading/newest-records.ts';
import { topicNames } from '../../kafka/topic-names.ts';
import { checkTopics } from '../../kafka/topics/topics.ts';
import { findChange } from '../../schemas/change.ts';
import { type Brokers, nameProtocol } from '../../service/brokers.ts';
import { describeClientCertificate } from '../../service/certificates.ts';
import type { KafkaConfig } from '../config.ts';
import { judgeClientCertificate, judgeExpiry, readServerExpiry } from './certificates.ts';
import { describeError, examine, examineAs, inTime } from './examine.ts';

const TLS_MS = 5000;
/** A larger clock difference is reported, in milliseconds. */
const TOLERATED_SKEW_MS = 2000;
/** The beginning of a check without a broker. */
const NOT_CHECKED = 'Not checked, because no broker answers';

/**
 * Checks every broker of KAFKA_BROKERS and of the cluster, then their topics and rights.
 *
 * @param roles the roles whose rights this process's user should have
 */
export async function checkKafka(config: KafkaConfig, roles: readonly Role[]): Promise<Finding[]> {
  const { brokers } = config;
  const named = new Map(
    await Promise.all(
      brokers.addresses.map(async (address) => [address, await ask(brokers, address)] as const),
    ),
  );
  const cluster = [...named.values()].find((answer) => answer.addresses !== null);
  const others = cluster?.addresses?.filter((address) => !named.has(address)) ?? [];
  for (const [index, answer] of (await Promise.all(others.map((other) => ask(brokers, other)))).entries()) {
    named.set(others[index] ?? '', answer);
  }
  const findings = [...named.values()].map(({ finding }) => finding);
  findings.push(...(await checkCertificates(brokers, [...named.keys()])));
  if (cluster === undefined) {
    const text = `${NOT_CHECKED}: correct that first.`;
    return [...findings, ...['Kafka rights', 'topics', 'events'].map((subject) => warning(subject, text))];
  }
  const answering = {
    ...brokers,
    addresses: [...named].filter(([, { addresses }]) => addresses !== null).map(([address]) => address),
  };
  const later = await Promise.all([
    examine('Kafka rights', () => inTime(checkRights(answering, config.topicPrefix, roles), 'Kafka')),
    examineAs(roles, 'topics', () => inTime(checkSettings({ ...config, brokers: answering }), 'Kafka')),
    examineAs(roles, 'events', () => inTime(checkEvents(answering, config.topicPrefix), 'Kafka')),
  ]);
  return [...findings, ...later.flat()];
}

interface Answer {
  finding: Finding;
  /** The brokers of the cluster; null if this one does not answer. */
  addresses: string[] | null;
}

/** Asks one broker for the brokers of the cluster. */
async function ask(brokers: Brokers, address: string): Promise<Answer> {
  const subject = 'Kafka';
  const one = { ...brokers, addresses: [address] };
  const startedAt = performance.now();
  try {
    const describing = withAdmin(one, (admin) => admin.describeCluster(), { retries: 0 });
    const cluster = await inTime(describing, `Kafka at ${address}`);
    const ms = Math.round(performance.now() - startedAt);
    const text = `${address} answers in ${ms} ms over ${nameProtocol(brokers)}; the cluster has ${formatCount(cluster.brokers.length, 'broker')}.`;
    return {
      finding: ok(subject, text),
      addresses: cluster.brokers.map(({ host, port }) => `${host}:${port}`),
    };
  } catch (error) {
    return { finding: failed(subject, describeError(error)), addresses: null };
  }
}

async function checkCertificates({ tls }: Brokers, addresses: string[]): Promise<Finding[]> {
  if (tls === null) return [];
  const servers = addresses.map((address) =>
    examine('Kafka TLS', async () => {
      const validTo = await readServerExpiry(address, tls, TLS_MS).catch((error: Error) => error);
      if (validTo instanceof Error) {
        return [warning('Kafka TLS', `The certificate of ${address} cannot be read (${validTo.message}).`)];
      }
      return [judgeExpiry('Kafka TLS', `The certificate of ${address}`, validTo)];
    }),
  );
  const own = judgeClientCertificate('Kafka TLS', describeClientCertificate(tls));
  return [...(await Promise.all(servers)).flat(), ...own];
}

async function checkRights(
  brokers: Brokers,
  topicPrefix: string,
  roles: readonly Role[],
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const role of roles) {
    const needed = listRoleRights(topicPrefix).filter((right) => right.role === role);
    const { missing, unknown } = await findMissingRights(brokers, needed);
    findings.push(...missing.map((right) => judgeMissing(role, right, needed)));
    if (missing.length === 0 && unknown.length === 0) {
      findings.push(ok('Kafka rights', `The user has the ${needed.length} rights of the role ${role}.`));
    } else if (missing.length === 0) {
      const names = [...new Set(unknown.map(({ name }) => name))].join(', ');
      findings.push(
        warning(
          'Kafka rights',
          `Rights of the role ${role} on ${names} are unknown, because the topic is missing.`,
        ),
      );
    }
  }
  return findings;
}

function judgeMissing(role: Role, right: Right, needed: ReturnType<typeof listRoleRights>): Finding {
  const { operation, name } = right;
  const isForConsole = needed.some(
    (each) => each.operation === operation && each.name === name && each.onlyConsole,
  );
  const hint = `grant it, as "npm run ops -- topics acls --role ${role}" shows`;
  const text = `The user lacks the right ${formatRight(right)} of the role ${role}`;
  if (isForConsole) {
    return warning('Kafka rights', `${text}, which only the console's pages for operators need: ${hint}.`);
  }
  return failed('Kafka rights', `${text}: ${hint}.`);
}

async function checkSettings(config: KafkaConfig): Promise<Finding[]> {
  const problems = await checkTopics(config);
  if (problems.length === 0) return [ok('topics', 'The topics have the right settings.')];
  return problems.map((problem) =>
    failed('topics', `${problem}. See "npm run ops -- topics plan", then run "npm run ops -- topics apply".`),
  );
}

/** Checks the newest event of each partition: whether this program can read it, and its broker's clock. */
async function checkEvents(brokers: Brokers, topicPrefix: string): Promise<Finding[]> {
  const newest = await readNewestRecords({ brokers, topic: topicNames(topicPrefix).changes });
  const now = Date.now();
  const unreadable: number[] = [];
  let aheadMs = 0;
  let behindMs = 0;
  for (const { partition, value, appendedAt } of newest) {
    aheadMs = Math.max(aheadMs, appendedAt - now);
    const change = findChange(value);
    // The time of a change is by the database's clock.
    if (change) behindMs = Math.max(behindMs, change.occurred_at - appendedAt);
    else unreadable.push(partition);
  }
  const findings: Finding[] = [];
  if (unreadable.length > 0) {
    const text = `This version cannot read the newest records of the partitions ${unreadable.join(', ')}: run a newer version, or find their producer.`;
    findings.push(failed('schemas', text));
  } else {
    findings.push(
      ok(
        'schemas',
        `This version can read the newest records of ${formatCount(newest.length, 'partition')}.`,
      ),
    );
  }
  const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
  const repair = 'repair the time services';
  if (aheadMs > TOLERATED_SKEW_MS) {
    const text = `A broker's clock is at least ${seconds(aheadMs)} ahead of this machine's: ${repair}.`;
    findings.push(warning('clock', text));
  } else if (behindMs > TOLERATED_SKEW_MS) {
    const text = `A broker's clock is at least ${seconds(behindMs)} behind the database's: ${repair}.`;
    findings.push(warning('clock', text));
  } else if (newest.length > 0) {
    findings.push(ok('clock', "The brokers' clocks agree with the times of the newest events."));
  }
  return findings;
}
