import { type Brokers, plaintextBrokers } from '../../service/brokers.ts';
/** The servers of this test run, started by global-setup.ts. */
export interface TestServers {
  databaseUrl: string;
  brokers: Brokers;
}

/** The addresses of Postgres and Kafka. Each test file has its own database and topic names there. */
export function testServers(): TestServers {
  const { TEST_DATABASE_URL, TEST_KAFKA_BROKERS } = process.env;
  if (TEST_DATABASE_URL === undefined || TEST_KAFKA_BROKERS === undefined) {
    throw new Error('The test servers do not run: global-setup.ts starts them.');
  }
  return { databaseUrl: TEST_DATABASE_URL, brokers: plaintextBrokers(TEST_KAFKA_BROKERS.split(',')) };
}
