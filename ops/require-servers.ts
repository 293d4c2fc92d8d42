import { requireBrokers } from '../kafka/connection/admin.ts';
import { readEnv } from '../service/running-service.ts';
import type { CommandIo } from './command.ts';
import { createConfig, createKafkaConfig, type KafkaConfig, type OpsConfig } from './config.ts';
import { requireDatabase } from './database.ts';

/** The settings of Kafka, once one of its brokers has answered. @throws OperatorError if Kafka cannot be used */
export async function requireKafka(io: CommandIo): Promise<KafkaConfig> {
  const config = createKafkaConfig(readEnv(io.env));
  await requireBrokers(config.brokers);
  return config;
}

/** The settings of both servers, once both have answered. @throws OperatorError if Postgres or Kafka cannot be used */
export async function requireServers(io: CommandIo): Promise<OpsConfig> {
  const config = createConfig(readEnv(io.env));
  await requireDatabase(config.databaseUrl);
  await requireBrokers(config.brokers);
  return config;
}
