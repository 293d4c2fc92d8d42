import { z } from 'zod';
import { type DatabasePool, noRow, sql, type Transaction } from '../connection/read-pool.ts';
import { inSnapshot } from '../connection/snapshot.ts';
import { recordRow, type Sql } from './json.ts';
import { offsetsAfter, pointRow, type StreamPoint } from './stream-points.ts';

/** The number of records per fetch: some hundred kilobytes, and 5 MB if each is as large as an event can be. */
const FETCHED = 100;
const FETCH = sql.type(recordRow)`FETCH 100 FROM export`;

const beginningRow = pointRow.extend({ pid: z.number(), startedAt: z.string() });
/** The transaction of an export, as the server knows it. */
type ExportTransaction = Pick<z.infer<typeof beginningRow>, 'pid' | 'startedAt'>;

/** Receives an export. Until `write` resolves, only the next records are fetched. */
export interface ExportSink {
  /** Aborts when the receiver leaves. The statement under way then ends at once. */
  closed: AbortSignal;
  /** Called before the first record with the exact point of the stream that the records show. */
  begin(stream: StreamPoint): Promise<void>;
  /** @param records the JSON of each, without line breaks */
  write(records: readonly string[]): Promise<void>;
}

/**
 * Exports all records of a query in one snapshot, over a cursor in the database. Neither the database nor
 * this process ever holds more than two fetches.
 *
 * @param pool needs a connection more than exports, to end the statements of receivers that leave
 * @param select SQL of rows with the column `record`, in order
 * @returns the number of records
 * @throws the sink's error, after ending the query
 */
export async function exportRecords(pool: DatabasePool, select: Sql, sink: ExportSink): Promise<number> {
  const read = async (transaction: Transaction) => {
    // For the parts that many records have in common.
    await transaction.query(sql.type(noRow)`SET LOCAL work_mem = '16MB'`);
    const { pid, startedAt, ...point } = await transaction.one(sql.type(beginningRow)`
      SELECT s.epoch, s.last_sequence AS sequence, ${offsetsAfter(sql.fragment`s.last_sequence`)} AS offsets,
        pg_backend_pid() AS pid, now()::text AS "startedAt"
      FROM stream_head s`);
    const leave = () => cancelStatement(pool, { pid, startedAt });
    sink.closed.addEventListener('abort', leave);
    try {
      await sink.begin(point);
      await transaction.query(sql.type(noRow)`DECLARE export NO SCROLL CURSOR FOR ${select}`);
      return await sendAll(transaction, sink);
    } finally {
      sink.closed.removeEventListener('abort', leave);
    }
  };
  return inSnapshot(pool, read, 0);
}

async function sendAll(transaction: Pick<DatabasePool, 'anyFirst'>, sink: ExportSink): Promise<number> {
  const fetch = () => transaction.anyFirst(FETCH);
  let count = 0;
  let records = await fetch();
  while (records.length > 0) {
    const next = records.length < FETCHED ? Promise.resolve([]) : fetch();
    // The fetch's error is thrown below. Without a handler it would end the process while the sink is waited for.
    const fetched = next.catch(() => {});
    // The sink's error waits for the fetch, because the transaction cannot end during a query.
    await sink.write(records).finally(() => fetched);
    count += records.length;
    records = await next;
  }
  return count;
}

/** Ends the statement of a transaction, unless its connection serves another one already. Never rejects. */
function cancelStatement(pool: DatabasePool, { pid, startedAt }: ExportTransaction): void {
  const cancelled = pool.query(sql.type(noRow)`
    SELECT pg_cancel_backend(pid) FROM pg_stat_activity
    WHERE pid = ${pid} AND xact_start = ${startedAt}::timestamptz`);
  // Without an answer, the statement lasts up to its timeout.
  cancelled.catch(() => {});
}
