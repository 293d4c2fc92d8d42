/** The variables that the programs and commands read. */
import { createConfig as createConsumersConfig } from '../../../consumers/config.ts';
import { createConfig as createGatewayConfig } from '../../../gateway/config.ts';
import { createConfig as createOpsConfig } from '../../../ops/config.ts';
import { KAFKA_SECURITY_SETTINGS } from '../../../service/brokers.ts';
import { DATABASE_SETTINGS } from '../../../service/database-address.ts';
import type { Environment } from '../../../service/environment.ts';
import { readLogLevel } from '../../../service/log.ts';

const SERVERS = { DATABASE_URL: 'postgres://user@host/database', KAFKA_BROKERS: 'host:9092' };

export interface KnownSettings {
  gateway: string[];
  consumers: string[];
  ops: string[];
}

/** Lists them: each program reads an environment that records their names. */
export function listKnownSettings(): KnownSettings {
  const settingsOf = (read: (env: Environment) => unknown) => {
    const names = new Set([...KAFKA_SECURITY_SETTINGS, ...DATABASE_SETTINGS]);
    const env = new Proxy<Environment>(SERVERS, {
      get(values, name: string) {
        names.add(name);
        return values[name];
      },
    });
    read(env);
    readLogLevel(env);
    return [...names].sort();
  };
  return {
    gateway: settingsOf(createGatewayConfig),
    consumers: settingsOf(createConsumersConfig),
    ops: settingsOf(createOpsConfig),
  };
}
