import type { TestService } from '../service/service.ts';

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

/** Takes back the rights of all accounts once a batch was sent. */
export async function loseRights<T>(service: TestService, work: () => Promise<T>): Promise<T> {
  await service.query(
    `CREATE FUNCTION lose() RETURNS trigger LANGUAGE plpgsql AS $$
     BEGIN DELETE FROM account_endorsers; RETURN NULL; END $$`,
  );
  await service.query(
    'CREATE TRIGGER lose AFTER UPDATE OF publication_id ON upload_batches FOR EACH ROW EXECUTE FUNCTION lose()',
  );
  return work().finally(() => service.query('DROP FUNCTION lose() CASCADE'));
}
