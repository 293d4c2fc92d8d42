import { setTimeout as sleep } from 'node:timers/promises';
import { measureLag, type ServiceLag } from '../../administration/lag.ts';
import { requireBrokers } from '../../kafka/connection/admin.ts';
import { parseInteger } from '../../service/environment.ts';
import { classifyFailure } from '../../service/failure.ts';
import { OperatorError } from '../../service/operator-error.ts';
import { readEnv } from '../../service/running-service.ts';
import type { CommandIo, DefineCommand } from '../command.ts';
import { createConfig, type OpsConfig } from '../config.ts';
import { inOneTransaction } from '../database.ts';
import { formatLag, summarizeLag } from '../lag/format-lag.ts';

/** Moves to the top left corner and clears the screen. */
const CLEAR = '\u001b[H\u001b[2J';
const DEFAULT_WATCH_SECONDS = 2;

const EXAMPLES = `
Examples:
  npm run ops -- lag
  npm run ops -- lag --watch
  npm run ops -- lag --watch 10 >> lag.txt
  npm run ops -- lag --json | jq .changes.lag`;

interface LagFlags {
  json?: true;
  /** In seconds; true for the default. */
  watch?: number | true;
}

/** `lag [--watch [SECONDS]] [--json]`. */
export const define: DefineCommand = (command, io) => {
  command
    .option('--json', 'print one JSON object instead of a table')
    .option(
      '--watch [seconds]',
      `show it again every ${DEFAULT_WATCH_SECONDS} seconds, or as often as given, until Ctrl-C: on a terminal the ` +
        'table in place, otherwise a line with the time',
      parseSeconds,
    )
    .addHelpText('after', EXAMPLES)
    .action(async ({ json, watch }: LagFlags) => {
      const config = createConfig(readEnv(io.env));
      const lag = await measure(config);
      if (watch !== undefined) return watchLag(lag, { config, json: json ?? false, watch }, io);
      if (json) return io.out(JSON.stringify(lag));
      for (const line of formatLag(lag, io.outTerminal)) io.out(line);
    });
};

const parseSeconds = (text: string) => parseInteger('--watch', text, { min: 1, max: 9999 });

/** @throws OperatorError if a server does not answer; the Kafka client's error if the topic does not exist */
async function measure(config: OpsConfig): Promise<ServiceLag> {
  await requireBrokers(config.brokers);
  return inOneTransaction(config.databaseUrl, (client) => measureLag(client, config));
}

/** Shows the lag repeatedly until Ctrl-C. During an outage it shows that instead. */
async function watchLag(
  first: ServiceLag,
  { config, json, watch }: { config: OpsConfig; json: boolean; watch: number | true },
  io: CommandIo,
): Promise<void> {
  const everyMs = (watch === true ? DEFAULT_WATCH_SECONDS : watch) * 1000;
  const interrupted = new AbortController();
  const forget = io.onInterrupt(() => interrupted.abort());
  try {
    for (let lag: ServiceLag | Error = first; !interrupted.signal.aborted; ) {
      show(lag, json, io);
      await sleep(everyMs, undefined, { signal: interrupted.signal }).catch(() => {});
      lag = await measure(config).catch(keepOutage);
    }
  } finally {
    forget();
  }
}

/** @throws the error unless it is a temporary outage */
function keepOutage(error: Error): Error {
  const failure = classifyFailure(error);
  if (error instanceof OperatorError || failure === 'database_away' || failure === 'kafka_away') return error;
  throw error;
}

function show(lag: ServiceLag | Error, json: boolean, io: CommandIo): void {
  const at = new Date().toISOString();
  if (lag instanceof Error) {
    if (io.outTerminal && !json) io.out(`${CLEAR}${at}\n\n${lag.message}`);
    else io.err(`${at}  ${lag.message}`);
  } else if (json) io.out(JSON.stringify({ at, ...lag }));
  else if (io.outTerminal) io.out(`${CLEAR}${[at, '', ...formatLag(lag, true)].join('\n')}`);
  else io.out(`${at}  ${summarizeLag(lag)}`);
}
