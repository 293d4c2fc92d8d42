import { type Finding, failed, ok } from '../../administration/health/finding.ts';
import type { Environment } from '../../service/environment.ts';
import { createTopicConfig } from '../config.ts';
import { RegistryClient } from '../schema-registry/client.ts';
import { checkSubjects, describeAgreement } from '../schema-registry/compare.ts';
import { readRegistry } from '../schema-registry/registry.ts';
import { listSubjects } from '../schema-registry/subjects.ts';
import { examine } from './examine.ts';

/** Checks the schema registry of the settings, if there is one. */
export function checkRegistry(env: Environment): Promise<Finding[]> {
  return examine('registry', async () => {
    const registry = readRegistry(env);
    if (registry === null) return [];
    const subjects = listSubjects(createTopicConfig(env).topicPrefix, registry.naming);
    const problems = await checkSubjects(new RegistryClient(registry), subjects);
    if (problems.length === 0) return [ok('registry', describeAgreement(subjects))];
    return problems.map((problem) => failed('registry', problem));
  });
}
