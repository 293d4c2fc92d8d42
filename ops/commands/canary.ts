import { stopOnSignal } from '../../service/lifecycle.ts';
import { createLog, readLogLevel } from '../../service/log.ts';
import { startMonitoring } from '../../service/monitoring.ts';
import { readEnv } from '../../service/running-service.ts';
import { CANARY_ELECTION, canaryLines } from '../canary/ballot.ts';
import { startCanary } from '../canary/canary.ts';
import { createCanaryConfig } from '../canary/config.ts';
import { formatRefusal } from '../catalog/format-refusals.ts';
import { importLines } from '../catalog/import-catalogue.ts';
import type { CommandIo, DefineCommand } from '../command.ts';
import { createDatabaseConfig } from '../config.ts';

const EXAMPLES = `
Examples:
  npm run ops -- canary setup
  CANARY_KEY=$(npm run --silent ops -- keys create --account canary --plan internal --scopes stream:read)
  CANARY_KEY=$CANARY_KEY npm run ops -- canary run`;

const SETTINGS = `
Settings of "canary run":
  CANARY_KEY               a key with the scope stream:read
  GATEWAY_URL              the gateways' address; by default that of the service on DATA_DIR
  METRICS_PORT             the port of its metrics; 9092 by default
  CANARY_INTERVAL_SECONDS  the pause between two probes; 60 by default, at most 120`;

/** `canary setup` and `canary run`. */
export const define: DefineCommand = (canary, io) => {
  canary
    .command('setup')
    .description('add the made-up endorser and contest of the canary to the catalogue')
    .addHelpText('after', EXAMPLES)
    .action(() => setUp(io));
  canary
    .command('run')
    .description('send a change through the service every minute, and measure it, until it is stopped')
    .addHelpText('after', SETTINGS + EXAMPLES)
    .action(() => run(io));
};

/** @throws OperatorError if the database cannot be used */
async function setUp(io: CommandIo): Promise<void> {
  const { databaseUrl } = createDatabaseConfig(readEnv(io.env));
  const options = { databaseUrl, skipRefused: false, dryRun: false, maxRemovals: 0 };
  const { allRefusals } = await importLines(canaryLines, options);
  const [refusal] = allRefusals.kept;
  if (refusal) throw new Error(`The canary's ballot is not fit for import: ${formatRefusal(refusal)}`);
  io.out('The catalogue has the endorser and the contest of the canary.');
  io.err(`To take them out again: npm run ops -- catalog remove ${CANARY_ELECTION}`);
}

/** Runs until a signal. @throws SettingError if a setting is missing or invalid */
async function run(io: CommandIo): Promise<void> {
  const config = createCanaryConfig(io.env);
  const log = createLog('canary', readLogLevel(io.env));
  const canary = startCanary(config, { log });
  await startMonitoring({ port: config.metricsPort, isReady: canary.isReady, log });
  stopOnSignal(canary, log);
  log.info({ gateway: config.gatewayUrl, intervalMs: config.intervalMs }, 'probing');
  // The signal ends the process.
  await new Promise(() => {});
}
