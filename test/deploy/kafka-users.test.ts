import { execFile } from 'node:child_process';
import { chmod, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { ROLES } from '../../kafka/connection/role-rights.ts';
import { createIo, createRunner } from '../helpers/commands/command-io.ts';
import { createFolder } from '../helpers/folder.ts';

/** A script of Kafka looks for others in its own folder. These note their arguments and the files that they name. */
const script = (name: string) => `#!/bin/bash\nexec $(dirname $0)/kafka-run-class.sh ${name} "$@"\n`;
const RUN_CLASS = `#!/bin/bash
for word; do
  if [[ $word == /* || $word == *.properties ]]; then word=$(cat "$word"); fi
  line+="$word "
done
echo "$line" >> "$CALLS"
`;

test('each user of Kafka gets its password and its rights', async () => {
  const io = createIo({});
  await createRunner('topics')(['acls'], io);
  const folder = await createFolder({
    'opt/kafka/bin/kafka-acls.sh': script('acls'),
    'opt/kafka/bin/kafka-configs.sh': script('configs'),
    'opt/kafka/bin/kafka-run-class.sh': RUN_CLASS,
    'etc/kafka/secrets/client.properties': 'SETTINGS',
    'rights/commands': `${io.printed.join('\n')}\n`,
    ...Object.fromEntries(ROLES.map((role) => [`secrets/${role}/password`, `secret-${role}`])),
  });
  try {
    for (const name of ['acls', 'configs', 'run-class']) {
      await chmod(folder.file(`opt/kafka/bin/kafka-${name}.sh`), 0o755);
    }
    // The script names folders of the container.
    const users = (await readFile('ops/compose/make-users.sh', 'utf8')).replaceAll(
      /(?<![\w/])\/(?=(opt|etc|secrets|rights)\/)/g,
      `${folder.dir}/`,
    );
    const env = { ...process.env, KAFKA_BROKERS: 'kafka:9094', CALLS: folder.file('calls') };
    await promisify(execFile)('bash', ['-c', users], { env });

    const connection = '--bootstrap-server kafka:9094 --command-config SETTINGS';
    const passwords = ROLES.map(
      (role) =>
        `configs ${connection} --alter --entity-type users --entity-name ballot-${role} ` +
        `--add-config-file SCRAM-SHA-512=password=secret-${role}`,
    );
    const rights = io.printed.map((line) =>
      line.replace(/^kafka-acls .* --add /, `acls ${connection} --add `),
    );
    const calls = (await readFile(folder.file('calls'), 'utf8')).trim().split(/ \n/);
    expect(calls.sort()).toEqual([...passwords, ...rights].sort());
  } finally {
    await folder.remove();
  }
});
