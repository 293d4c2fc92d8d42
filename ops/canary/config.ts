import {
  type Environment,
  parseAddress,
  readInteger,
  readPort,
  readText,
  SettingError,
} from '../../service/environment.ts';
import { readEnv, readServiceUrl } from '../../service/running-service.ts';
import { createKafkaConfig, type KafkaConfig } from '../config.ts';

export interface CanaryConfig extends Pick<KafkaConfig, 'brokers' | 'topicPrefix'> {
  /** The gateways' address, without a trailing slash. */
  gatewayUrl: string;
  key: string;
  metricsPort: number;
  /** The pause between two probes, in milliseconds. */
  intervalMs: number;
  /** The time after which a change counts as lost, in milliseconds. */
  timeoutMs: number;
}

/**
 * Reads the canary's settings from environment variables or a test's own values. The service on DATA_DIR supplies
 * missing ones.
 *
 * @throws SettingError if one is missing or invalid
 */
export function createCanaryConfig(env: Environment): CanaryConfig {
  const { brokers, topicPrefix } = createKafkaConfig(readEnv(env));
  const gatewayUrl = readText(env, 'GATEWAY_URL') ?? readServiceUrl(env);
  // "gateway:8080" alone is a valid URL, of the scheme "gateway".
  if (!parseAddress('GATEWAY_URL', gatewayUrl) || !/^https?:\/\//.test(gatewayUrl)) {
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
    // The alert CanaryFails pages after some minutes without a success. A single failed probe must be shorter.
    intervalMs: (readInteger(env, 'CANARY_INTERVAL_SECONDS', { min: 1, max: 120 }) ?? 60) * 1000,
    timeoutMs: 30_000,
  };
}
