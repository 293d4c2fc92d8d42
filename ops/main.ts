/**
 * `npm run ops -- <command> ...`: finds the command's module and runs it. Modules are imported when they are
 * asked for, so that a command loads only what it uses.
 */
import type { CommandIo, RunCommand } from './command.ts';
import { describeFailure } from './ops-error.ts';

const commands: Record<string, { usage: string; load: () => Promise<{ run: RunCommand }> }> = {
  migrate: { usage: 'migrate', load: () => import('./migrate.ts') },
  keys: {
    usage:
      'keys create --account NAME --plan PLAN [--scopes a,b] [--expires DATE] | keys list | keys revoke ID',
    load: () => import('./keys.ts'),
  },
  accounts: {
    usage:
      'accounts list | accounts suspend NAME | accounts resume NAME | accounts set-plan NAME --plan PLAN',
    load: () => import('./accounts.ts'),
  },
  plans: {
    usage: 'plans list | plans set NAME [--requests-per-minute N] [--requests-per-day N] [--max-streams N]',
    load: () => import('./plans.ts'),
  },
  audit: { usage: 'audit list [--limit N]', load: () => import('./audit.ts') },
  catalog: { usage: 'catalog import PATH...', load: () => import('./catalog.ts') },
  officeholders: {
    usage: 'officeholders import DIR [--skip-refused]',
    load: () => import('./officeholders.ts'),
  },
  submit: { usage: 'submit PATH... (- reads standard input)', load: () => import('./submit.ts') },
  demo: {
    usage: 'demo generate DIR [--contests N] [--endorsers N] [--endorsements N]',
    load: () => import('./demo/command.ts'),
  },
  rejected: {
    usage: 'rejected list | rejected retry [PARTITION/OFFSET...]',
    load: () => import('./rejected.ts'),
  },
  stream: {
    usage: 'stream check | stream repair | stream new-epoch [--submissions-from-beginning]',
    load: () => import('./stream.ts'),
  },
  lag: { usage: 'lag [--json]', load: () => import('./lag.ts') },
  topics: { usage: 'topics apply | topics check', load: () => import('./topics.ts') },
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
