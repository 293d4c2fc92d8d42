import { readVersion } from '../../service/version.ts';
import type { ListedProcess } from '../../store/processes/process-list.ts';
import { type Finding, failed, formatCount, ok, warning } from './finding.ts';

const SUBJECT = 'processes';
/** A gateway that is further behind the stream is reported, in seconds. */
const MAX_BEHIND_SECONDS = 10;

/** Whether the gateways and consumers that report to the database are ready, lead, and run this version. */
export function judgeProcesses(all: readonly ListedProcess[]): Finding[] {
  const running = all.filter(({ state }) => state !== 'gone');
  const findings = [
    ...all.filter(({ state }) => state === 'gone').map(judgeGone),
    ...running.filter(({ state }) => state === 'not_ready').map(judgeObstacle),
    ...findVacancies(all),
    ...running.flatMap(judgeDistance),
    ...findOtherVersions(running),
  ];
  if (findings.length > 0) return findings;
  const count = (program: string) => running.filter((each) => each.program === program).length;
  const gateways = formatCount(count('gateway'), 'gateway');
  const consumers = formatCount(count('consumers'), 'consumer');
  return [ok(SUBJECT, `${gateways} and ${consumers} are ready.`)];
}

const nameOf = ({ program, host, pid }: ListedProcess) => `The ${program} process ${pid} on ${host}`;

function judgeGone(process: ListedProcess): Finding {
  return warning(
    SUBJECT,
    `${nameOf(process)} does not report any more, so it was killed or cannot reach the database: read its log.`,
    { since: process.seenAt, alert: 'ProgramDown' },
  );
}

function judgeObstacle(process: ListedProcess): Finding {
  const text = `${nameOf(process)} is not ready (${process.obstacle}): read its log.`;
  return failed(SUBJECT, text, { since: process.notReadySince ?? undefined, alert: 'ProgramNotReady' });
}

/** The roles that every deployment needs, each with the alert for its absence. */
const LED_ROLES = { apply: 'NobodyApplies', relay: 'NobodyRelays' } as const;

type Predicate = (process: ListedProcess) => boolean;

const isGateway: Predicate = ({ program }) => program === 'gateway';
const has =
  (role: string): Predicate =>
  (process) =>
    process.program === 'consumers' && process.details.roles.includes(role);
const delivers = has('deliver');
const offersWebhooks: Predicate = (process) =>
  process.program === 'gateway' && process.details.hasWebhooks === true;
const leads =
  (role: string): Predicate =>
  (process) =>
    process.program === 'consumers' && process.details.leads.includes(role);

/**
 * The work that no running process does. If one that did it vanished, its last report is the beginning, or the time at
 * which another one with the role, which may have led meanwhile, ceased to be ready.
 */
function findVacancies(all: readonly ListedProcess[]): Finding[] {
  const running = all.filter(({ state }) => state !== 'gone');
  const judgeVacancy = (does: Predicate, alert: string, text: string, mayDo = does): Finding[] => {
    if (running.some(does)) return [];
    const ends = all.filter(does).map(({ seenAt }) => seenAt);
    const obstacles = running.filter(mayDo).flatMap(({ notReadySince }) => notReadySince ?? []);
    return [warning(SUBJECT, text, { since: latest([...ends, ...obstacles]), alert })];
  };
  const needsDelivery = running.some(offersWebhooks);
  return [
    ...Object.entries(LED_ROLES).flatMap(([role, alert]) => {
      const text = `No process leads ${role}: start a consumer with that role, or read the logs of those that run.`;
      return judgeVacancy(leads(role), alert, text, has(role));
    }),
    ...judgeVacancy(isGateway, 'NobodyServes', 'No gateway runs: start one.'),
    ...(needsDelivery
      ? judgeVacancy(
          delivers,
          'NobodyDelivers',
          'No process delivers to webhooks: start a consumer with the role deliver.',
        )
      : []),
  ];
}

/** The latest of some times; undefined for none. */
const latest = (times: readonly Date[]): Date | undefined =>
  times.length === 0 ? undefined : new Date(Math.max(...times.map(Number)));

/** The last time at which a gateway, by its own report, had every change of Kafka. */
const followedAt = (process: ListedProcess): Date[] =>
  process.program === 'gateway' && process.state !== 'gone'
    ? [new Date(process.seenAt.getTime() - process.details.behindMs)]
    : [];

/** The problem that Kafka does not answer. The gateways know when one of them last had every change. */
export function judgeKafkaAway(all: readonly ListedProcess[]): Finding {
  const text =
    'Kafka does not answer. Reads work, open streams stay open, and changes wait in Postgres: look at the brokers.';
  return failed('Kafka', text, { since: latest(all.flatMap(followedAt)), alert: 'GatewayNotFollowing' });
}

function judgeDistance(process: ListedProcess): Finding[] {
  if (process.program !== 'gateway' || process.state !== 'ready') return [];
  const seconds = Math.round(process.details.behindMs / 1000);
  if (seconds <= MAX_BEHIND_SECONDS) return [];
  const [since] = followedAt(process);
  const text = `${nameOf(process)} is ${seconds} s behind the stream: read its log.`;
  return [warning(SUBJECT, text, { since, alert: 'GatewayBehind' })];
}

function findOtherVersions(running: ListedProcess[]): Finding[] {
  const mine = readVersion();
  const others = [...new Set(running.map(({ version }) => version))].filter((version) => version !== mine);
  if (others.length === 0) return [];
  const text = `Processes of version ${others.join(', ')} run beside this program of ${mine}: finish the deployment.`;
  // They have run beside each other since the first process of the newest group.
  const starts = [...Map.groupBy(running, ({ version }) => version).values()].map(
    (group) => new Date(Math.min(...group.map(({ startedAt }) => startedAt.getTime()))),
  );
  return [warning(SUBJECT, text, { since: latest(starts) })];
}
