import type { TestService } from '../service/service.ts';
import type { ConsoleClient, ReceivedPage } from './console-client.ts';

/** Loses the answer to the first batch that is sent, and what would follow, as if the connection had broken. */
export async function loseAnswer<T>(service: TestService, work: () => Promise<T>): Promise<T> {
  await service.query(
    `CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$
     BEGIN RAISE EXCEPTION 'gone' USING ERRCODE = '57P01'; END $$`,
  );
  await service.query(
    `CREATE TRIGGER fail BEFORE INSERT ON upload_batches FOR EACH ROW WHEN (NEW.publication_id IS NOT NULL)
     EXECUTE FUNCTION fail()`,
  );
  return work().finally(() => service.query('DROP FUNCTION fail() CASCADE'));
}

/**
 * Posts a form that sends two batches, while the first one takes back the rights of all accounts. On a slow machine, one
 * request sends only the first: as the page's script does, another one sends the rest.
 */
export async function loseRights(
  service: TestService,
  client: ConsoleClient,
  address: string,
  fields: Record<string, string>,
): Promise<ReceivedPage> {
  await service.query(
    `CREATE FUNCTION lose() RETURNS trigger LANGUAGE plpgsql AS $$
     BEGIN DELETE FROM account_endorsers; RETURN NULL; END $$`,
  );
  await service.query(
    'CREATE TRIGGER lose AFTER UPDATE OF publication_id ON upload_batches FOR EACH ROW EXECUTE FUNCTION lose()',
  );
  try {
    const answer = await client.post(address, fields);
    return answer.location.endsWith('?on')
      ? await client.post(answer.location.replace('?on', '/send'))
      : answer;
  } finally {
    await service.query('DROP FUNCTION lose() CASCADE');
  }
}
