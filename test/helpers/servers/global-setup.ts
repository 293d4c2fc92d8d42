import { SecuredCluster } from './secured-cluster.ts';
import { startServers, startTestServers } from './test-servers.ts';

/** jest's globalSetup. The workers of the test files inherit its environment. */
export default async function globalSetup(): Promise<void> {
  if (process.env.TEST_SECURED !== undefined) {
    const { databaseUrl, kafka } = await startServers((options) => SecuredCluster.start(options));
    process.env.TEST_DATABASE_URL = databaseUrl;
    process.env.TEST_KAFKA_BROKERS = kafka.everything.addresses.join(',');
    process.env.TEST_KAFKA_USERS = JSON.stringify(kafka.settings);
    return;
  }
  const { databaseUrl, brokers } = await startTestServers();
  process.env.TEST_DATABASE_URL = databaseUrl;
  process.env.TEST_KAFKA_BROKERS = brokers.addresses.join(',');
}
