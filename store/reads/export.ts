import { type DatabasePool, noRow, sql } from '../connection/read-pool.ts';
import { recordRow, type Sql } from './json.ts';
import { offsetsAfter, pointRow, type StreamPoint } from './stream-points.ts';

/** The number of records per fetch: some hundred kilobytes. */
const FETCHED = 500;
const FETCH = sql.type(recordRow)`FETCH 500 FROM export`;

/** Receives an export. Until `write` resolves, only the next records are fetched. */
export interface ExportSink {
  /** Called before the first record with the exact point of the stream that the records show. */
  begin(stream: StreamPoint): Promise<void>;
  /** @param records the JSON of each, without line breaks */
  write(records: readonly string[]): Promise<void>;
}

/**
 * Exports all records of a query in one snapshot, over a cursor in the database. Neither the database nor
 * this process ever holds more than a few hundred records.
 *
 * @param select SQL of rows with the column `record`, in order
 * @returns the number of records
 * @throws the sink's error, after ending the query
 */
export async function exportRecords(pool: DatabasePool, select: Sql, sink: ExportSink): Promise<number> {
  return pool.transaction(async (transaction) => {
    await transaction.query(sql.type(noRow)`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY`);
    const point = await transaction.one(sql.type(pointRow)`
      SELECT s.epoch, s.last_sequence AS sequence, ${offsetsAfter(sql.fragment`s.last_sequence`)} AS offsets
      FROM stream_head s`);
    await sink.begin(point);
    await transaction.query(sql.type(noRow)`DECLARE export NO SCROLL CURSOR FOR ${select}`);
    const fetch = () => transaction.anyFirst(FETCH);
    let count = 0;
    let records = await fetch();
    while (records.length > 0) {
      const next = records.length < FETCHED ? Promise.resolve([]) : fetch();
      // The fetch's error is thrown below. The sink's error waits for the fetch, because the transaction
      // cannot end during a query.
      await sink.write(records).finally(() => next.catch(() => {}));
      count += records.length;
      records = await next;
    }
    return count;
  }, 0);
}
