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
    ...findVacancies(running),
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
  const since = process.seenAt.toISOString();
  return warning(
    SUBJECT,
    `${nameOf(process)} has not reported since ${since}, so it was killed or cannot reach the database: read its log.`,
  );
}

function judgeObstacle(process: ListedProcess): Finding {
  return failed(SUBJECT, `${nameOf(process)} is not ready (${process.obstacle}): read its log.`);
}

function findVacancies(running: ListedProcess[]): Finding[] {
  const leads = new Set(running.flatMap((each) => (each.program === 'consumers' ? each.details.leads : [])));
  const vacant = ['apply', 'relay'].filter((role) => !leads.has(role));
  const findings = vacant.map((role) =>
    warning(
      SUBJECT,
      `No process leads ${role}: start a consumer with that role, or read the logs of those that run.`,
    ),
  );
  if (!running.some(({ program }) => program === 'gateway')) {
    findings.push(warning(SUBJECT, 'No gateway runs: start one.'));
  }
  const hasWebhooks = running.some((each) => each.program === 'gateway' && each.details.hasWebhooks);
  if (hasWebhooks && !running.some(delivers)) {
    findings.push(
      warning(SUBJECT, 'No process delivers to webhooks: start a consumer with the role deliver.'),
    );
  }
  return findings;
}

const delivers = (process: ListedProcess): boolean =>
  process.program === 'consumers' && process.details.roles.includes('deliver');

function judgeDistance(process: ListedProcess): Finding[] {
  if (process.program !== 'gateway' || process.state !== 'ready') return [];
  const seconds = Math.round(process.details.behindMs / 1000);
  if (seconds <= MAX_BEHIND_SECONDS) return [];
  return [warning(SUBJECT, `${nameOf(process)} is ${seconds} s behind the stream: read its log.`)];
}

function findOtherVersions(running: ListedProcess[]): Finding[] {
  const mine = readVersion();
  const others = [...new Set(running.map(({ version }) => version))].filter((version) => version !== mine);
  if (others.length === 0) return [];
  const text = `Processes of version ${others.join(', ')} run beside this program of ${mine}: finish the deployment.`;
  return [warning(SUBJECT, text)];
}
