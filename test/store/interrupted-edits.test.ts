/** Edits of the catalogue whose command was killed between its commit and its announcements. */
import { beforeEach, expect, test } from '@jest/globals';
import type pg from 'pg';
import { editCatalogue } from '../../store/catalogue/edit.ts';
import { beginEdit, dropUnchangedParts, keepParts, listStale } from '../../store/catalogue/stale.ts';
import { ADVISORY_LOCKS } from '../../store/connection/advisory-locks.ts';
import { inTransaction } from '../../store/connection/transaction.ts';
import { announceLeftovers } from '../../store/endorsements/announce-leftovers.ts';
import { applySubmissions } from '../helpers/ballots/apply.ts';
import { loadCatalogue, SMALL_BALLOT } from '../helpers/ballots/catalogue.ts';
import { election } from '../helpers/ballots/catalogue-records.ts';
import { endorse } from '../helpers/ballots/submissions.ts';
import { useClient, usePool, useTestDatabase } from '../helpers/postgres/database.ts';
import { loadLoggedChanges } from '../helpers/postgres/logged-changes.ts';
import { until } from '../helpers/until.ts';

const { client, url } = useTestDatabase();
const other = useClient(url);
const pool = usePool(url);
const { signal } = new AbortController();

beforeEach(async () => {
  await client.query('TRUNCATE endorsements, change_log, stale_announcements');
  await loadCatalogue(url, SMALL_BALLOT);
  await applySubmissions(client, endorse('bakers-local-1', 'mayor', 'ann'));
  await client.query('TRUNCATE change_log');
});

/** Moves the election to Washington, as an edit does that is killed right after its commit. */
async function moveAndDie(): Promise<void> {
  await inTransaction(pool, async (doomed) => {
    await beginEdit(doomed);
    await keepParts(doomed, 'elections', `FROM elections t WHERE t.slug = '${election().slug}'`);
    await doomed.query("UPDATE elections SET state = 'WA' WHERE slug = $1", [election().slug]);
    await dropUnchangedParts(doomed);
    await listStale(doomed, 0);
    await doomed.query('UPDATE stream_head SET has_stale = true');
  });
}

async function announced(): Promise<[string, string][]> {
  const logged = await loadLoggedChanges(client);
  return logged.map(({ type, body }) => [type, body.election.state]);
}

/** Whether another edit can begin. */
async function canEdit(): Promise<boolean> {
  const { rows } = await client.query('SELECT pg_try_advisory_lock($1) AS free', [
    ADVISORY_LOCKS.catalogueImport,
  ]);
  await client.query('SELECT pg_advisory_unlock_all()');
  return rows[0].free;
}

test('INV-13: the next edit first announces the values of the interrupted one', async () => {
  // Elections whose districts are in a state cannot move to another one.
  await client.query('UPDATE districts SET state = NULL');
  await moveAndDie();
  expect(await announced()).toEqual([]);
  await loadCatalogue(url, [['elections', election({ state: 'CA' })]]);
  expect(await announced()).toEqual([
    ['deleted', 'OR'],
    ['created', 'WA'],
    ['deleted', 'WA'],
    ['created', 'CA'],
  ]);
});

test('INV-13: the consumers announce it once, and then let the next edit begin', async () => {
  await moveAndDie();
  expect(await announceLeftovers(pool, signal)).toEqual({ created: 1, updated: 0, deleted: 1 });
  expect(await announceLeftovers(pool, signal)).toBeNull();
  expect(await canEdit()).toBe(true);
});

test('consumers that fail to announce it try again, and then let the next edit begin', async () => {
  await moveAndDie();
  await client.query('ALTER TABLE change_log RENAME TO away');
  await expect(announceLeftovers(pool, signal)).rejects.toThrow('change_log');
  await client.query('ALTER TABLE away RENAME TO change_log');
  await until('the announcement', async () => (await announceLeftovers(pool, signal)) !== null);
  expect(await canEdit()).toBe(true);
});

test('the consumers leave the announcements to an edit that is still at work', async () => {
  await moveAndDie();
  await client.query('SELECT pg_advisory_lock($1)', [ADVISORY_LOCKS.catalogueImport]);
  expect(await announceLeftovers(pool, signal)).toBeNull();
  await client.query('SELECT pg_advisory_unlock_all()');
  expect(await announced()).toEqual([]);
  expect(await announceLeftovers(pool, signal)).not.toBeNull();
});

test('INV-13: an endorsement that is made right after an edit has listed the others is announced too', async () => {
  let isMade = false;
  const query = async (statement: string, values?: unknown[]) => {
    const answer = await client.query(statement, values);
    if (!isMade && statement.includes('FROM emptied_choices e JOIN endorsements')) {
      isMade = true;
      await applySubmissions(other, endorse('coast-gazette', 'mayor', 'ann'));
    }
    return answer;
  };
  const move = async () => {
    await keepParts(client, 'elections', `FROM elections t WHERE t.slug = '${election().slug}'`);
    await client.query(`UPDATE elections SET state = 'WA' WHERE slug = $1`, [election().slug]);
    return { result: null, keep: true };
  };
  await editCatalogue({ query } as unknown as pg.Client, move, { dryRun: false });
  expect(await announced()).toEqual([
    ['created', 'OR'],
    ['deleted', 'OR'],
    ['created', 'WA'],
    ['deleted', 'OR'],
    ['created', 'WA'],
  ]);
});
