import {
  createPool,
  createTypeParserPreset,
  type DatabasePool,
  type Interceptor,
  SchemaValidationError,
  sql,
} from 'slonik';

export { type DatabasePool, sql };

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

export interface PoolOptions {
  databaseUrl: string;
  maxConnections: number;
  /** How long a query may wait for a connection, and how long it may run, in milliseconds. */
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
 */
export async function createReadPool(options: PoolOptions): Promise<DatabasePool> {
  const pool = await createPool(options.databaseUrl, {
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
