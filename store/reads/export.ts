import { type DatabasePool, noRow, sql } from '../connection/read-pool.ts';
import { recordRow, type Sql } from './json.ts';
import { offsetsAfter, pointRow, type StreamPoint } from './stream-points.ts';

/** Fetches so many records at a time: some hundred kilobytes. */
const FETCHED = 500;
const FETCH = sql.type(recordRow)`FETCH 500 FROM export`;

/** Takes an export in. The next records are fetched meanwhile, and no more, until `write` resolves. */
export interface ExportSink {
  /** The point of the stream that the records show exactly, before the first of them. */
  begin(stream: StreamPoint): Promise<void>;
  /** @param records the JSON of each, without line breaks */
  write(records: readonly string[]): Promise<void>;
}

/**
 * Exports all records of a query in one snapshot, over a cursor in the database: neither it nor this process ever holds more
 * than a few hundred of them.
 *
 * @param select SQL of rows with the column `record`, in order
 * @returns the number of records
 * @throws whatever the sink throws; the query ends then
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
      // Its error is thrown below. The sink's comes first, after the query: the transaction cannot end during one.
      await sink.write(records).finally(() => next.catch(() => {}));
      count += records.length;
      records = await next;
    }
    return count;
  }, 0);
}
