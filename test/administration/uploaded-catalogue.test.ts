import { beforeAll, expect, jest, test } from '@jest/globals';
import { CatalogueFileWork } from '../../administration/catalogue/file-work.ts';
import { compareFile, importFile, type LoadedFile } from '../../administration/catalogue/uploaded-file.ts';
import { createLog } from '../../service/log.ts';
import { ADVISORY_LOCKS } from '../../store/connection/advisory-locks.ts';
import { saveCatalogueFile } from '../../store/console/catalogue-files.ts';
import { applySubmissions } from '../helpers/ballots/apply.ts';
import { loadCatalogue, SMALL_BALLOT } from '../helpers/ballots/catalogue.ts';
import { choice, contest, endorser, ndjson } from '../helpers/ballots/catalogue-records.ts';
import { endorse } from '../helpers/ballots/submissions.ts';
import { TcpProxy } from '../helpers/faults/tcp-proxy.ts';
import { useTestDatabase } from '../helpers/postgres/database.ts';

const { client, url } = useTestDatabase();
beforeAll(() => loadCatalogue(url, SMALL_BALLOT));

const fileOf = (content: string, skipRefused = false): LoadedFile => ({
  ...{ fileName: 'endorsers.ndjson', content: Buffer.from(content) },
  options: {
    ...{ kind: 'endorsers', isTable: false, election: null, electionType: null },
    ...{ skipRefused, keepMissing: false, allowRenames: false },
  },
});
const renaming = (name: string) => fileOf(ndjson([endorser({ name })]));
const nameNow = async () => {
  const { rows } = await client.query("SELECT name FROM endorsers WHERE slug = 'bakers-local-1'");
  return rows[0].name;
};
const accepting = () => jest.fn(async () => true);

test('a comparison shows what an import would change, and changes nothing', async () => {
  const before = await nameNow();
  const outcome = await compareFile(client, renaming('Bakers of Oregon'));
  expect(outcome).toMatchObject({ isPossible: true, refusedLines: 0, consent: null, removals: [] });
  expect(outcome.counts.endorsers).toMatchObject({ changed: 1, added: 0 });
  expect(JSON.stringify(outcome.changes)).toContain('Bakers of Oregon');
  expect(await nameNow()).toBe(before);
});

test('a file is imported as its comparison has shown it: nothing happens if its effects differ, or nobody accepts them', async () => {
  const file = renaming('Bakers of the Coast');
  const { digest } = await compareFile(client, file);
  expect((await compareFile(client, file)).digest).toBe(digest);
  const before = await nameNow();
  const order = { seen: digest, consent: null, accept: accepting() };
  const other = endorser({ slug: 'coast-gazette', name: 'Gazette', category: 'newspaper', state: 'CA' });
  const { digest: ofOther } = await compareFile(client, fileOf(ndjson([other])));
  const unseen = { ...order, seen: ofOther };
  expect(await importFile(client, file, unseen)).toBeNull();
  expect(unseen.accept).not.toHaveBeenCalled();
  expect(await importFile(client, file, { ...order, accept: async () => false })).toBeNull();
  expect(await nameNow()).toBe(before);
  expect(await importFile(client, file, order)).toMatchObject({ updated: 0 });
  expect([await nameNow(), order.accept.mock.calls.length]).toEqual(['Bakers of the Coast', 1]);
  // Now it would change nothing, which nobody has seen.
  expect(await importFile(client, file, order)).toBeNull();
});

test('a digest counts what was endorsed since only if it would be withdrawn, and refused lines; an import needs consent too', async () => {
  const [right, wrong] = [ndjson([endorser({ name: 'Bakers One' })]), '{"slug":"x"}\n'];
  const part = fileOf(ndjson([contest('mayor', { choices: [choice('bob')] })]));
  const withdrawing = { ...part, options: { ...part.options, kind: 'contests' as const } };
  const { digest } = await compareFile(client, fileOf(right));
  const { digest: before } = await compareFile(client, withdrawing);
  await applySubmissions(client, endorse('bakers-local-1', 'mayor', 'ann'));
  expect((await compareFile(client, fileOf(right))).digest).toBe(digest);
  const { digest: seen } = await compareFile(client, withdrawing);
  expect(seen).not.toBe(before);
  const order = { seen, consent: 0, accept: accepting() };
  expect(await importFile(client, withdrawing, order)).toBeNull();
  expect(order.accept).not.toHaveBeenCalled();
  const refused = await compareFile(client, fileOf(`${right}${wrong}${wrong}`));
  expect(refused).toMatchObject({ isPossible: false, refusedLines: 2 });
  expect(refused.refusals.total).toBeGreaterThan(1);
  const skipping = await compareFile(client, fileOf(`${right}${wrong}`, true));
  expect(skipping).toMatchObject({ isPossible: true, refusedLines: 1 });
  expect(new Set([digest, refused.digest, skipping.digest]).size).toBe(3);
});

test('work on a file ends if Postgres falls silent during it, and the next file can be worked on', async () => {
  const way = await TcpProxy.open(url);
  const work = new CatalogueFileWork(way.url, createLog('test', 'silent'), 500);
  const doWork = async () => {
    const hasBegun = await work.start(1, { work: 'compare' });
    await work.wait(10_000);
    return hasBegun;
  };
  expect(await doWork()).toBe(true);
  // The last packets of this work: a statement, and the goodbye.
  way.trap(way.packets - 1, () => way.silence());
  expect(await doWork()).toBe(true);
  way.mend();
  expect(await doWork()).toBe(true);
  await work.stop();
  expect(await work.start(1, { work: 'compare' })).toBe(false);
  await way.close();
});

test('a file that somebody deletes while its import waits for another edit is not imported', async () => {
  const file = renaming('Bakers of the Valley');
  const [before, { digest: seen }] = [await nameNow(), await compareFile(client, file)];
  await client.query('BEGIN');
  const id = await saveCatalogueFile(client, { person: 'ann', ...file });
  await client.query('COMMIT');
  await client.query('SELECT pg_advisory_lock($1)', [ADVISORY_LOCKS.catalogueImport]);
  const work = new CatalogueFileWork(url, createLog('test', 'silent'));
  await work.start(id, { work: 'import', seen, consent: null, actor: { osUser: null, person: 'ann' } });
  await client.query('DELETE FROM catalogue_files WHERE id = $1', [id]);
  await client.query('SELECT pg_advisory_unlock($1)', [ADVISORY_LOCKS.catalogueImport]);
  await work.wait(60_000);
  expect(await nameNow()).toBe(before);
  await work.stop();
});
