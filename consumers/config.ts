import {
  type Environment,
  readBrokers,
  readPort,
  readRetention,
  readText,
  requireText,
  SettingError,
} from '../service/environment.ts';

export const ROLES = ['apply', 'relay'] as const;
export type Role = (typeof ROLES)[number];

export interface ConsumersConfig {
  databaseUrl: string;
  brokers: string[];
  topicPrefix: string;
  roles: Role[];
  metricsPort: number;
  /** How long an event stays readable, in milliseconds. */
  retentionMs: number;
}

function readRoles(env: Environment): Role[] {
  const roles = (readText(env, 'ROLES') ?? ROLES.join(',')).split(',').map((role) => role.trim());
  for (const role of roles) {
    if (!ROLES.some((known) => known === role)) {
      throw new SettingError(`ROLES has "${role}"; it must be of ${ROLES.join(', ')}, comma-separated.`);
    }
  }
  return ROLES.filter((role) => roles.includes(role));
}

/**
 * The settings of a consumers process, out of environment variables or a test's own values.
 *
 * @throws SettingError where one is missing or cannot be right.
 */
export function createConfig(env: Environment): ConsumersConfig {
  return {
    databaseUrl: requireText(env, 'DATABASE_URL', 'postgres://user:password@host/database'),
    brokers: readBrokers(env, 'KAFKA_BROKERS'),
    topicPrefix: readText(env, 'TOPIC_PREFIX') ?? '',
    roles: readRoles(env),
    metricsPort: readPort(env, 'METRICS_PORT', 9091),
    retentionMs: readRetention(env),
  };
}
