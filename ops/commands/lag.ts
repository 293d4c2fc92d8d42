import { measureLag } from '../../administration/lag.ts';
import { requireBrokers } from '../../kafka/admin.ts';
import { readEnv } from '../../service/running-service.ts';
import type { CommandIo, DefineCommand } from '../command.ts';
import { createConfig } from '../config.ts';
import { inOneTransaction } from '../database.ts';
import { formatTable } from '../table.ts';

const EXAMPLES = `
Examples:
  npm run ops -- lag
  npm run ops -- lag --json | jq .changes.lag`;

/** `lag [--json]`. */
export const define: DefineCommand = (command, io) => {
  command
    .option('--json', 'print one JSON object instead of a table')
    .addHelpText('after', EXAMPLES)
    .action(({ json = false }: { json?: boolean }) => printLag(io, json));
};

/** @throws OperatorError if a server does not answer, the Kafka client's error if the topic does not exist */
async function printLag(io: CommandIo, json: boolean): Promise<void> {
  const config = createConfig(readEnv(io.env));
  await requireBrokers(config.brokers);
  const lag = await inOneTransaction(config.databaseUrl, (client) => measureLag(client, config));
  if (json) return io.out(JSON.stringify(lag));
  const { changes, rejections } = lag;
  const rows = [
    ...lag.submissions.map((each) => [
      `submissions ${each.partition}`,
      each.done,
      each.stable_end,
      each.end,
      each.stable_lag,
      each.lag,
    ]),
    ['changes', changes.done, null, changes.end, null, changes.lag],
    ['rejections', null, null, null, null, rejections.lag],
  ];
  const columns = ['WHAT', 'DONE', 'LAST STABLE', 'END', 'LAG TO LAST STABLE', 'LAG'];
  for (const line of formatTable(columns, rows)) io.out(line);
}
