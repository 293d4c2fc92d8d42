import { parseOrigin } from '../../administration/rejections/name.ts';
import type { CommandIo, DefineCommand } from '../command.ts';
import { requireServers } from '../require-servers.ts';
import { skipSubmission } from '../submissions/skip.ts';

const EXAMPLES = `
Example:
  npm run ops -- submissions skip 3/1201 --reason "stops every consumer, see the log of 3 May"`;

/** `submissions skip PARTITION/OFFSET --reason TEXT` (INV-14). */
export const define: DefineCommand = (submissions, io) => {
  submissions
    .command('skip')
    .description('reject the next submission of a partition unread, if it stops the consumers')
    .argument('<origin>', 'its place in the submissions topic, PARTITION/OFFSET')
    .requiredOption('--reason <text>', 'the reason, for the rejection and the audit log')
    .addHelpText('after', EXAMPLES)
    .action((origin: string, { reason }: { reason: string }) => skip(io, origin, reason));
};

/** @throws OperatorError if the submission is not the next one, or if a server cannot be used */
async function skip(io: CommandIo, origin: string, reason: string): Promise<void> {
  const place = parseOrigin(origin);
  const config = await requireServers(io);
  await skipSubmission(config, place, reason);
  io.err(`The submission ${origin} was skipped; "rejected list" shows it once it has been sent to Kafka.`);
}
