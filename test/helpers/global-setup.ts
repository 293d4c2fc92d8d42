import { startTestServers } from './test-servers.ts';

/** jest's globalSetup. The workers that run the test files inherit its environment. */
export default async function globalSetup(): Promise<void> {
  const { databaseUrl, brokers } = await startTestServers();
  process.env.TEST_DATABASE_URL = databaseUrl;
  process.env.TEST_KAFKA_BROKERS = brokers.addresses.join(',');
}
