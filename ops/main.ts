/**
 * `npm run ops -- <command> ...`: finds the command's module and runs it. Modules are imported when they are
 * asked for, so that a command loads only what it uses.
 */

import { describeFailure } from '../service/operator-error.ts';
import type { CommandIo, RunCommand } from './command.ts';

const commands: Record<string, { usage: string; load: () => Promise<{ run: RunCommand }> }> = {
  migrate: { usage: 'migrate', load: () => import('./commands/migrate.ts') },
  keys: {
    usage:
      'keys create --account NAME --plan PLAN [--scopes a,b] [--expires DATE] | keys list | keys revoke ID',
    load: () => import('./commands/keys.ts'),
  },
  accounts: {
    usage:
      'accounts list | accounts suspend NAME | accounts resume NAME | accounts set-plan NAME --plan PLAN',
    load: () => import('./commands/accounts.ts'),
  },
  plans: {
    usage: 'plans list | plans set NAME [--requests-per-minute N] [--requests-per-day N] [--max-streams N]',
    load: () => import('./commands/plans.ts'),
  },
  audit: { usage: 'audit list [--limit N]', load: () => import('./commands/audit.ts') },
  catalog: { usage: 'catalog import PATH...', load: () => import('./commands/catalog.ts') },
  officeholders: {
    usage: 'officeholders import DIR [--skip-refused]',
    load: () => import('./commands/officeholders.ts'),
  },
  submit: { usage: 'submit PATH... (- reads standard input)', load: () => import('./commands/submit.ts') },
  demo: {
    usage: 'demo generate DIR [--contests N] [--endorsers N] [--endorsements N]',
    load: () => import('./commands/demo.ts'),
  },
  rejected: {
    usage: 'rejected list | rejected retry [PARTITION/OFFSET...]',
    load: () => import('./commands/rejected.ts'),
  },
  stream: {
    usage: 'stream check | stream repair | stream new-epoch [--submissions-from-beginning]',
    load: () => import('./commands/stream.ts'),
  },
  lag: { usage: 'lag [--json]', load: () => import('./commands/lag.ts') },
  topics: { usage: 'topics apply | topics check', load: () => import('./commands/topics.ts') },
};

function usage(): string {
  const lines = Object.values(commands).map((command) => `  npm run ops -- ${command.usage}`);
  return ['Commands:', ...lines].join('\n');
}

async function main(argv: string[], io: CommandIo): Promise<number> {
  const [name, ...args] = argv;
  const command = name !== undefined && Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) {
    io.err(name === undefined ? usage() : `There is no command "${name}". ${usage()}`);
    return 1;
  }
  try {
    const { run } = await command.load();
    return await run(args, io);
  } catch (error) {
    io.err(describeFailure(error));
    return 1;
  }
}

// Whoever reads only the first lines, as `head` does, has what they wanted.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

process.exitCode = await main(process.argv.slice(2), {
  env: process.env,
  stdin: process.stdin,
  out: (line) => process.stdout.write(`${line}\n`),
  err: (line) => process.stderr.write(`${line}\n`),
  terminal: process.stderr.isTTY === true,
});
