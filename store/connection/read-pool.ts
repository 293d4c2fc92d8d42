import {
  createPool,
  createTypeParserPreset,
  type DatabasePool,
  type Interceptor,
  type QuerySqlToken,
  SchemaValidationError,
  sql,
} from 'slonik';
import { z } from 'zod';
import { classifyFailure } from '../../service/failure.ts';
import { GOODBYE_MS } from './client.ts';
import { readConnectionConfig } from './connection-config.ts';
import { createDriver } from './driver.ts';

export { type DatabasePool, type QuerySqlToken as Statement, sql };
/** A connection in a transaction. */
export type Transaction = Parameters<Parameters<DatabasePool['transaction']>[0]>[0];

/** A piece of SQL that other rooms of the store use as text: a constant, without values. */
export const sqlText = (text: string): ReturnType<typeof sql.fragment> =>
  sql.fragment(Object.assign([text], { raw: Object.freeze([text]) }));

/** The row schema of a statement that returns no rows. */
export const noRow = z.object({});

/** Parses int8 as a number. @throws RangeError beyond 2^53, which ids and sequences never reach. */
function parseInt8(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`The number ${text} is beyond 2^53.`);
  return value;
}

/** Validates rows against the schema of their query. slonik leaves this to an interceptor (its "result parser"). */
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

/** How long the driver waits beyond the statement timeout, in milliseconds. */
const ANSWER_MARGIN_MS = 1000;

export interface PoolOptions {
  databaseUrl: string;
  maxConnections: number;
  /** Time limits for connecting and for a statement. */
  connectionTimeoutMs: number;
  statementTimeoutMs: number;
  /** The run of the server that connections must lead to; any if omitted. */
  instance?: string;
  /** Called with every query before it runs. */
  onQuery?: (sql: string, values: readonly unknown[]) => void;
}

/**
 * Creates the gateway's pool. Every query names the schema of its rows, which are validated against it.
 *
 * Statements for one record, and for whole lists, are prepared (`sql.prepared`): their plan does not depend
 * on the values, and planning takes longer than running. Pages of lists are prepared after repeated use
 * (`prepareRepeated`).
 *
 * Every query ends, even if the database vanishes silently: the server ends a statement that runs too long,
 * and the driver gives up a silent connection a second later.
 */
export async function createReadPool(options: PoolOptions): Promise<DatabasePool> {
  const pool = await createPool(readConnectionConfig(options.databaseUrl).connectionString, {
    driverFactory: createDriver(
      options.databaseUrl,
      options.statementTimeoutMs + ANSWER_MARGIN_MS,
      options.instance,
    ),
    gracefulTerminationTimeout: GOODBYE_MS,
    maxPoolSize: options.maxConnections,
    connectionTimeout: options.connectionTimeoutMs,
    statementTimeout: options.statementTimeoutMs,
    idleTimeout: 60_000,
    connectionRetryLimit: 0,
    queryRetryLimit: 0,
    // Queries leave no settings on a connection, and DISCARD ALL would cost each a round trip.
    resetConnection: async () => {},
    typeParsers: [
      ...createTypeParserPreset().filter((parser) => parser.name !== 'int8'),
      { name: 'int8', parse: parseInt8 },
    ],
    interceptors: [checkRows, ...(options.onQuery ? [createObserver(options.onQuery)] : [])],
  });
  // Callers get the exception. Without a listener, the error event would end the process.
  pool.on('error', () => {});
  return pool;
}

/** Whether the database answers. @throws errors other than an outage */
export async function isReachable(pool: DatabasePool): Promise<boolean> {
  return pool.query(sql.type(noRow)`SELECT`).then(
    () => true,
    (error: unknown) => {
      if (classifyFailure(error) === 'defect') throw error;
      return false;
    },
  );
}
