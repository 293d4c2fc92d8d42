import { OperatorError } from '../../service/operator-error.ts';
import { readEnv } from '../../service/running-service.ts';
import type { CommandIo, DefineCommand } from '../command.ts';
import { createTopicConfig } from '../config.ts';
import { RegistryClient } from '../schema-registry/client.ts';
import { checkSubjects, describeAgreement } from '../schema-registry/compare.ts';
import { registerSubject } from '../schema-registry/register.ts';
import { readRegistry } from '../schema-registry/registry.ts';
import { listSubjects, type Subject } from '../schema-registry/subjects.ts';

const EXAMPLES = `
Examples:
  SCHEMA_REGISTRY_URL=http://localhost:8081 npm run ops -- schemas register
  SCHEMA_REGISTRY_URL=http://localhost:8081 npm run ops -- schemas check`;

/** `schemas register` and `schemas check`. */
export const define: DefineCommand = (schemas, io) => {
  schemas
    .command('register')
    .description(
      'put every version of the Avro schemas of the topics into a schema registry, in order, and set their compatibility',
    )
    .action(async () => {
      const { client, subjects } = prepare(io);
      for (const subject of subjects) await registerSubject(client, subject, io.out);
    });
  schemas
    .command('check')
    .description('name every difference between a schema registry and the schemas, and change nothing')
    .action(async () => {
      const { client, subjects } = prepare(io);
      const problems = await checkSubjects(client, subjects);
      for (const problem of problems) io.out(problem);
      if (problems.length === 0) return io.out(describeAgreement(subjects));
      const differences = problems.length === 1 ? '1 difference' : `${problems.length} differences`;
      throw new OperatorError(`${differences} between the registry and the schemas.`);
    });
  for (const command of schemas.commands) command.addHelpText('after', EXAMPLES);
};

function prepare(io: CommandIo): { client: RegistryClient; subjects: Subject[] } {
  const env = readEnv(io.env);
  const registry = readRegistry(env);
  if (registry === null) {
    throw new OperatorError(
      'SCHEMA_REGISTRY_URL is not set; it must be an address such as https://registry.example.org:8081.',
    );
  }
  return {
    client: new RegistryClient(registry),
    subjects: listSubjects(createTopicConfig(env).topicPrefix, registry.naming),
  };
}
