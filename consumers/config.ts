import { type Environment, readPort, readRetention, readText, SettingError } from '../service/environment.ts';
import { readServers, type Servers } from '../service/servers.ts';

const ROLES = ['apply', 'relay'] as const;
export type Role = (typeof ROLES)[number];

export interface ConsumersConfig extends Servers {
  roles: Role[];
  metricsPort: number;
  /** How long an event stays readable, in milliseconds. */
  retentionMs: number;
}

function readRoles(env: Environment): Role[] {
  const roles = (readText(env, 'ROLES') ?? ROLES.join(',')).split(',').map((role) => role.trim());
  for (const role of roles) {
    if (!ROLES.some((known) => known === role)) {
      throw new SettingError(
        `ROLES has "${role}"; it must be a comma-separated list of ${ROLES.join(', ')}.`,
      );
    }
  }
  return ROLES.filter((role) => roles.includes(role));
}

/**
 * The settings of a consumers process.
 *
 * @throws SettingError if one is missing or invalid
 */
export function createConfig(env: Environment): ConsumersConfig {
  return {
    ...readServers(env),
    roles: readRoles(env),
    metricsPort: readPort(env, 'METRICS_PORT') ?? 9091,
    retentionMs: readRetention(env),
  };
}
