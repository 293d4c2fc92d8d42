import { type Environment, readPort, readRetention, readText, SettingError } from '../service/environment.ts';
import { readServers, type Servers } from '../service/servers.ts';
import {
  readWebhookSettings,
  WEBHOOK_KEY_SETTING,
  type WebhookSettings,
} from '../service/webhook-settings.ts';

const ROLES = ['apply', 'relay', 'deliver'] as const;
export type Role = (typeof ROLES)[number];

export interface ConsumersConfig extends Servers {
  roles: Role[];
  /** The settings of webhooks; null if they are off. The role `deliver` needs them. */
  webhooks: WebhookSettings | null;
  metricsPort: number;
  /** How long an event stays readable, in milliseconds. */
  retentionMs: number;
}

/** All roles by default, without `deliver` if webhooks are off. */
function readRoles(env: Environment, hasWebhooks: boolean): Role[] {
  const known = ROLES.filter((role) => hasWebhooks || role !== 'deliver');
  const roles = (readText(env, 'ROLES') ?? known.join(',')).split(',').map((role) => role.trim());
  for (const role of roles) {
    if (!ROLES.some((known) => known === role)) {
      throw new SettingError(
        `ROLES has "${role}"; it must be a comma-separated list of ${ROLES.join(', ')}.`,
      );
    }
  }
  if (roles.includes('deliver') && !hasWebhooks) {
    throw new SettingError(
      `ROLES has "deliver", which needs ${WEBHOOK_KEY_SETTING}: 32 random bytes in base64.`,
    );
  }
  return ROLES.filter((role) => roles.includes(role));
}

/** The settings of a consumers process. @throws SettingError if one is missing or invalid */
export function createConfig(env: Environment): ConsumersConfig {
  const webhooks = readWebhookSettings(env);
  return {
    ...readServers(env),
    roles: readRoles(env, webhooks !== null),
    webhooks,
    metricsPort: readPort(env, 'METRICS_PORT') ?? 9091,
    retentionMs: readRetention(env),
  };
}
