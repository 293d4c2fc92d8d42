/** The servers of this test run, started by global-setup.ts. */
export interface TestServers {
  databaseUrl: string;
  /** `host:port` of each broker. */
  brokers: string[];
}

/** Where Postgres and Kafka are. Each test file makes a database, and topic names, of its own there. */
export function testServers(): TestServers {
  const { TEST_DATABASE_URL, TEST_KAFKA_BROKERS } = process.env;
  if (TEST_DATABASE_URL === undefined || TEST_KAFKA_BROKERS === undefined) {
    throw new Error('the test servers are not there: global-setup.ts starts them');
  }
  return { databaseUrl: TEST_DATABASE_URL, brokers: TEST_KAFKA_BROKERS.split(',') };
}
