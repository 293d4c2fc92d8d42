import { parseCursor } from '../../../schemas/cursor.ts';
import { type ChangeLog, loadChangeLog } from '../../helpers/stream/change-log.ts';
import { connectionOfPage, StreamChecker, sequenceOf } from '../../helpers/stream/stream-checker.ts';
import type { StreamReader } from '../../helpers/stream/stream-reader.ts';
import { until } from '../../helpers/until.ts';
import { judgeWebhook } from '../../helpers/webhooks/judge-webhook.ts';
import type { Part, World } from './world.ts';

/** The longest recovery of the service after a fault, in milliseconds. */
const SETTLE_MS = 240_000;

async function get(world: World, part: Part, path: string) {
  const response = await fetch(`${world.address(part)}${path}`, {
    headers: { Authorization: `Bearer ${world.key}` },
  });
  // biome-ignore lint/suspicious/noExplicitAny: the suite compares bodies whose shape it knows.
  return { status: response.status, body: (await response.json()) as any };
}

/** The newest sequence that a gateway can deliver; -1 while unknown. */
async function latest(world: World, part: Part): Promise<number> {
  const answer = await get(world, part, '/v1/events?limit=1').catch(() => null);
  return answer?.status === 200 ? parseCursor(answer.body.next_cursor).sequence : -1;
}

/**
 * Waits until every sent submission is applied, relayed, and known to every gateway.
 *
 * @returns the sequence of the newest change
 */
export async function settle(world: World): Promise<number> {
  let head = -1;
  const isSettled = async () => {
    const { submissions, changes, rejections } = await world.measureLag();
    // An offset beyond the end belongs to a consumer that has not noticed the rollback of the log yet.
    const isApplied = submissions.every(({ lag, done, end }) => lag === 0 && done <= end);
    if (!isApplied || changes.lag > 0 || rejections.lag > 0) return false;
    head = changes.end;
    const known = await Promise.all(world.gateways.map((part) => latest(world, part)));
    return known.every((sequence) => sequence === head);
  };
  await until('everything is applied and delivered', () => isSettled().catch(() => false), SETTLE_MS);
  return head;
}

/** All endorsements of a gateway, as the model writes them. */
async function readEndorsements(world: World, part: Part): Promise<string[]> {
  const lines: string[] = [];
  for (let cursor = ''; ; ) {
    const { body } = await get(world, part, `/v1/endorsements?limit=500${cursor}`);
    for (const one of body.data) {
      const { endorser, contest, choice, statement } = one;
      // The small ballot's titles end with the slug, and its labels are the keys.
      const slug = contest.title.split(' ').at(-1);
      lines.push(`${endorser.slug} ${slug} ${choice.label.toLowerCase()}: ${statement}`);
    }
    if (body.next_cursor === null) return lines.sort();
    cursor = `&cursor=${encodeURIComponent(body.next_cursor)}`;
  }
}

/** The endorsements that remain after all events, by id. */
function foldEvents({ events }: ChangeLog): Map<number, string> {
  const held = new Map<number, string>();
  for (const { type, endorsement } of events) {
    if (type === 'endorsement.deleted') held.delete(endorsement.id);
    else held.set(endorsement.id, String(endorsement.statement));
  }
  return held;
}

/** Compares the settled service with the model. @returns the differences, a sentence each */
export async function judge(
  world: World,
  {
    head,
    lines,
    readers,
    cursor,
  }: { head: number; lines: string[]; readers: StreamReader[]; cursor: number },
): Promise<string[]> {
  const faults: string[] = [];
  const log = await loadChangeLog(world.databaseUrl);
  if (log.events.length !== head)
    faults.push(`the log has ${log.events.length} changes, the head is ${head}.`);
  for (const part of world.gateways) {
    const found = await readEndorsements(world, part);
    const missing = lines.filter((line) => !found.includes(line));
    const strange = found.filter((line) => !lines.includes(line));
    for (const line of missing) faults.push(`${part.name} lacks "${line}".`);
    for (const line of strange) faults.push(`${part.name} has "${line}", but the model does not.`);
  }
  const statements = [...foldEvents(log).values()].sort();
  const wanted = lines.map((line) => line.slice(line.indexOf(': ') + 2)).sort();
  if (statements.join() !== wanted.join()) faults.push('the events do not add up to the endorsements.');

  const checker = new StreamChecker(log);
  for (const reader of readers) {
    await until(`${reader.record.name} is at the end`, () => reader.position >= head, SETTLE_MS).catch(
      () => {},
    );
    await reader.stop();
    faults.push(...checker.judge({ ...reader.record, upTo: head }).faults);
  }
  faults.push(...(await judgeWebhook(world.receiver, { log, head, settleMs: SETTLE_MS })));
  const start = log.events[cursor];
  for (const part of start ? world.gateways : []) {
    const { status, body } = await get(world, part, `/v1/events?limit=1000&cursor=${start?.id}`);
    if (status !== 200) faults.push(`an old cursor of ${part.name} gets ${status}: ${JSON.stringify(body)}`);
    else {
      const page = connectionOfPage(sequenceOf(start?.id ?? ''), body);
      const record = { name: `a page of ${part.name}`, filter: {}, connections: [page], upTo: null };
      faults.push(...checker.judge(record).faults);
      if (body.data.length !== Math.min(1000, head - cursor - 1)) {
        faults.push(`${part.name} gives ${body.data.length} events after change ${cursor + 1} of ${head}.`);
      }
    }
  }
  return faults;
}
