import {
  createPool,
  createTypeParserPreset,
  type DatabasePool,
  type Interceptor,
  SchemaValidationError,
  sql,
} from 'slonik';
import { z } from 'zod';
import { createDriver } from './driver.ts';

export { type DatabasePool, sql };

/** The row of a statement that returns none. */
export const noRow = z.object({});

/** int8 as a number. Ids and sequences stay far below 2^53; one beyond would be wrong, so it is refused. */
function parseInt8(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`The number ${text} is beyond 2^53.`);
  return value;
}

/** slonik holds rows to the schema of their query only with this: see its "result parser" documentation. */
const checkRows: Interceptor = {
  name: 'check-rows',
  transformRow: ({ resultParser }, query, row) => {
    if (!resultParser) return row;
    const result = resultParser['~standard'].validate(row);
    if (result instanceof Promise) throw new TypeError('The schema of a row must be synchronous.');
    if (result.issues) throw new SchemaValidationError(query, row, result.issues);
    return result.value as typeof row;
  },
};

function createObserver(onQuery: NonNullable<PoolOptions['onQuery']>): Interceptor {
  return {
    name: 'observe-queries',
    beforeQueryExecution: (_context, query) => {
      onQuery(query.sql, query.values);
      return null;
    },
  };
}

/** How much longer than a statement may run its answer is waited for, in milliseconds. */
const ANSWER_MARGIN_MS = 1000;
/** How long a connection that is ended may take to do so before it is left alone, in milliseconds. */
const GOODBYE_MS = 500;

export interface PoolOptions {
  databaseUrl: string;
  maxConnections: number;
  /** How long making a connection may take, and how long a statement may run, in milliseconds. */
  connectionTimeoutMs: number;
  statementTimeoutMs: number;
  /** Told of every query before it is run. */
  onQuery?: (sql: string, values: readonly unknown[]) => void;
}

/**
 * The pool that reads go through. Every query names the schema of its rows, and rows are held to it.
 *
 * Statements that find one record, and lists that come whole, are prepared (`sql.prepared`): their plan is the same
 * whatever is asked for, and making it takes longer than running it. Lists with filters are planned for the values at
 * hand, because what finds the few of Wyoming is slow for the many of California.
 *
 * Every query ends, also where the database is gone without a word: the server ends a statement that runs too long, and
 * where nothing comes from there either, the connection is given up a second later.
 */
export async function createReadPool(options: PoolOptions): Promise<DatabasePool> {
  const pool = await createPool(options.databaseUrl, {
    driverFactory: createDriver(options.statementTimeoutMs + ANSWER_MARGIN_MS),
    gracefulTerminationTimeout: GOODBYE_MS,
    maxPoolSize: options.maxConnections,
    connectionTimeout: options.connectionTimeoutMs,
    statementTimeout: options.statementTimeoutMs,
    idleTimeout: 60_000,
    connectionRetryLimit: 0,
    queryRetryLimit: 0,
    // Nothing is set on a connection that the next user could inherit; DISCARD ALL would cost a round trip a query.
    resetConnection: async () => {},
    typeParsers: [
      ...createTypeParserPreset().filter((parser) => parser.name !== 'int8'),
      { name: 'int8', parse: parseInt8 },
    ],
    interceptors: [checkRows, ...(options.onQuery ? [createObserver(options.onQuery)] : [])],
  });
  // Whoever asked is told by the exception; an error event that nobody hears would be a second one.
  pool.on('error', () => {});
  return pool;
}

/** Whether the database answers. */
export async function isReachable(pool: DatabasePool): Promise<boolean> {
  return pool.query(sql.type(noRow)`SELECT`).then(
    () => true,
    () => false,
  );
}
