import { createKey } from '../ops/commands/keys.ts';
import { createConfig, type OpsConfig } from '../ops/config.ts';
import { readEnv } from '../service/running-service.ts';

/** The loaded store of the environment, with a new key for its gateways. */
export async function openStore(): Promise<{
  config: OpsConfig;
  key: string;
  headers: { Authorization: string };
}> {
  const config = createConfig(readEnv(process.env));
  const key = await createKey({ databaseUrl: config.databaseUrl, account: 'bench', plan: 'internal' });
  return { config, key, headers: { Authorization: `Bearer ${key}` } };
}
