import {
  type Environment,
  readInteger,
  readPort,
  readText,
  SettingError,
} from '../../service/environment.ts';
import { readEnv, readServiceUrl } from '../../service/running-service.ts';
import { createKafkaConfig, type KafkaConfig } from '../config.ts';

export interface CanaryConfig extends Pick<KafkaConfig, 'brokers' | 'topicPrefix'> {
  /** The address of the gateways, without a slash at its end. */
  gatewayUrl: string;
  key: string;
  metricsPort: number;
  /** The pause between two probes, in milliseconds. */
  intervalMs: number;
  /** A change that has not arrived after this time counts as failed, in milliseconds. */
  timeoutMs: number;
}

/**
 * Reads the settings of the canary from environment variables or a test's own values. The service that runs on DATA_DIR
 * gives those that are missing.
 *
 * @throws SettingError if one is missing or invalid
 */
export function createCanaryConfig(env: Environment): CanaryConfig {
  const { brokers, topicPrefix } = createKafkaConfig(readEnv(env));
  const gatewayUrl = readText(env, 'GATEWAY_URL') ?? readServiceUrl(env);
  if (!URL.canParse(gatewayUrl)) {
    throw new SettingError(
      `GATEWAY_URL is "${gatewayUrl}"; it must be an address such as http://gateway:8080.`,
    );
  }
  const key = readText(env, 'CANARY_KEY');
  if (key === null) {
    throw new SettingError(
      'CANARY_KEY is not set: make a key with "npm run ops -- keys create --account canary --plan internal --scopes stream:read".',
    );
  }
  return {
    brokers,
    topicPrefix,
    gatewayUrl: gatewayUrl.replace(/\/$/, ''),
    key,
    metricsPort: readPort(env, 'METRICS_PORT') ?? 9092,
    // The alert CanaryFails pages after some minutes without a success, which one failed probe must not fill.
    intervalMs: (readInteger(env, 'CANARY_INTERVAL_SECONDS', { min: 1, max: 120 }) ?? 60) * 1000,
    timeoutMs: 30_000,
  };
}
