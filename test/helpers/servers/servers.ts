import { type Brokers, plaintextBrokers, readBrokers } from '../../../service/brokers.ts';
import type { User, UserSettings } from './secured-cluster.ts';

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

/** The settings of each user of the secured brokers; null in an ordinary run. */
function readUsers(): UserSettings | null {
  const { TEST_KAFKA_USERS } = process.env;
  return TEST_KAFKA_USERS === undefined ? null : JSON.parse(TEST_KAFKA_USERS);
}

/** Whether this run has secured brokers, with a user for each part of the service. */
export function isSecured(): boolean {
  return readUsers() !== null;
}

/** The settings with which a part of the service connects to Kafka; in a secured run, those of its own user. */
export function kafkaSettings(user: User): Record<string, string> {
  return readUsers()?.[user] ?? { KAFKA_BROKERS: testServers().brokers.addresses.join(',') };
}

/** The Kafka connection of a part of the service. */
export function brokersOf(user: User): Brokers {
  const brokers = readBrokers(kafkaSettings(user));
  if (brokers === null) throw new Error('The test servers have no brokers.');
  return brokers;
}
