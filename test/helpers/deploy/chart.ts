/** Renders the chart of ops/kubernetes with Helm. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from '@jest/globals';
import { Ajv, type ValidateFunction } from 'ajv';
import { parseAllDocuments, stringify } from 'yaml';
import { findProgram } from '../servers/find-program.ts';

export const CHART = 'ops/kubernetes/ballot-endorsement-data';
const KUBERNETES = '1.34.0';
/** The folder in which .ci/kubernetes-tools puts helm and schemas. */
const TOOLS = path.resolve('.cache/kubernetes');
const SCHEMAS = path.join(TOOLS, 'schemas');

const ownHelm = path.join(TOOLS, 'helm');
const helm = existsSync(ownHelm) ? ownHelm : findProgram('helm');
const canValidate = existsSync(SCHEMAS);
if (helm === null || !canValidate) {
  process.stderr.write('Tests of the chart are skipped: .ci/kubernetes-tools gets helm and schemas.\n');
}

/** A test that renders the chart. It is skipped on a machine without Helm. */
export const chartTest = helm === null ? test.skip : test;
/** A test that also compares with the schemas of Kubernetes. */
export const schemaTest = helm === null || !canValidate ? test.skip : test;

/** A resource, as parsed from YAML. */
// biome-ignore lint/suspicious/noExplicitAny: tests reach into resources of many kinds.
export type Resource = any;

/** Values of the chart, with defaults for the required ones. */
export type Values = Record<string, unknown>;

const REQUIRED = {
  image: { repository: 'registry.example.org/ballots' },
  database: { url: 'postgres://ballot@postgres:5432/ballot', passwordSecret: { name: 'ballot-database' } },
  kafka: { brokers: 'kafka:9093' },
};

interface Outcome {
  status: number | null;
  output: string;
  errors: string;
}

function runHelm(args: string[], input: string): Outcome {
  if (helm === null) throw new Error('Helm is not installed.');
  const { status, stdout, stderr } = spawnSync(helm, args, { input, encoding: 'utf8' });
  return { status, output: stdout, errors: stderr };
}

/** Merges two levels of values over the required ones. */
function complete(values: Values): string {
  const merged: Values = { ...REQUIRED };
  for (const [name, value] of Object.entries(values)) {
    const base = merged[name];
    merged[name] = isMapping(base) && isMapping(value) ? { ...base, ...value } : value;
  }
  return stringify(merged);
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Runs `helm template`. @returns its text, or its error if it refuses the values */
export function template(values: Values): Outcome {
  const args = ['template', 'ballots', CHART, '--namespace', 'ballots', '--kube-version', KUBERNETES];
  return runHelm([...args, '--values', '-'], complete(values));
}

/** The resources of a release with these values. @throws Error if Helm refuses them */
export function render(values: Values = {}): Resource[] {
  const { status, output, errors } = template(values);
  if (status !== 0) throw new Error(errors);
  return parseAllDocuments(output)
    .map((document) => document.toJS())
    .filter((resource) => resource !== null);
}

/** Runs `helm lint`. @returns its complaints; empty if there are none */
export function lint(values: Values): string {
  const args = ['lint', CHART, '--strict', '--quiet', '--kube-version', KUBERNETES, '--values', '-'];
  const { status, output, errors } = runHelm(args, complete(values));
  return status === 0 ? '' : `${output}${errors}`;
}

/** Strimzi publishes its schemas only in its repository; other tests check these resources. */
const WITHOUT_SCHEMA = ['KafkaTopic', 'KafkaUser'];

function readSchema(name: string): object {
  const { $schema: _, ...schema } = JSON.parse(readFileSync(path.join(SCHEMAS, name), 'utf8'));
  return schema;
}

const schemas = new Ajv({ strict: false, validateFormats: false, allErrors: true });

/** The schema of a kind, such as deployment-apps-v1.json or service-v1.json. @throws Error if there is none */
function findSchema({ kind, apiVersion }: Resource): ValidateFunction {
  if (!schemas.getSchema('_definitions.json'))
    schemas.addSchema(readSchema('_definitions.json'), '_definitions.json');
  const name = `${[kind, ...apiVersion.replace(/\.[^/]*/, '').split('/')].join('-').toLowerCase()}.json`;
  return (
    schemas.getSchema(name) ?? (schemas.addSchema(readSchema(name), name).getSchema(name) as ValidateFunction)
  );
}

/** Compares resources with the schemas of Kubernetes and of the operators. @returns the complaints */
export function validate(values: Values): string[] {
  return render(values)
    .filter(({ kind }) => !WITHOUT_SCHEMA.includes(kind))
    .flatMap((resource) => {
      const check = findSchema(resource);
      if (check(resource)) return [];
      return [`${resource.metadata.name}: ${schemas.errorsText(check.errors, { dataVar: resource.kind })}`];
    });
}

/** The resource of a kind whose name ends like this. @throws Error if there is none */
export function find(resources: Resource[], kind: string, ending = ''): Resource {
  const found = resources.find(
    (resource) => resource.kind === kind && resource.metadata.name.endsWith(ending),
  );
  if (found === undefined) throw new Error(`There is no ${kind} *${ending}.`);
  return found;
}

/** The pods of a release, by the name of their resource without the release's. */
export function podsOf(resources: Resource[]): Map<string, Resource> {
  const pods = new Map<string, Resource>();
  for (const { kind, metadata, spec } of resources) {
    const pod = kind === 'Pod' ? spec : spec?.template?.spec;
    if (pod) pods.set(metadata.name.replace('ballots-ballot-endorsement-data-', ''), pod);
  }
  return pods;
}
