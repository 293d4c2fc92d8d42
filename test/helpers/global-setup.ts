import { startTestServers } from './test-servers.ts';

/** jest's globalSetup: what it puts into the environment, the workers that run the test files inherit. */
export default async function globalSetup(): Promise<void> {
  const { databaseUrl, brokers } = await startTestServers();
  process.env.TEST_DATABASE_URL = databaseUrl;
  process.env.TEST_KAFKA_BROKERS = brokers.join(',');
}
