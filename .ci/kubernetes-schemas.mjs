/*
 * `node .ci/kubernetes-schemas.mjs TARGET SOURCE...`: writes the JSON Schemas of resources. A source is a folder of
 * schemas of Kubernetes, or a CustomResourceDefinition, whose schemas are made to refuse unknown fields.
 */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';

const [target = '', ...sources] = process.argv.slice(2);

function write(name, schema) {
  writeFileSync(path.join(target, name), JSON.stringify(schema));
}

/** The schemas refer to each other by addresses that exist nowhere; files beside each other do as well. */
function copyFolder(folder) {
  for (const name of readdirSync(folder)) {
    const text = readFileSync(path.join(folder, name), 'utf8');
    const { $id: _, ...schema } = JSON.parse(
      text.replaceAll('"/api/_definitions.json', '"_definitions.json'),
    );
    write(name, schema);
  }
}

function refuseUnknown(schema) {
  if (Array.isArray(schema)) return schema.map(refuseUnknown);
  if (typeof schema !== 'object' || schema === null) return schema;
  const copy = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, refuseUnknown(value)]));
  // JavaScript does not read this notation of Go's.
  if (String(schema.pattern).includes('(?i)')) delete copy.pattern;
  const isOpen = schema['x-kubernetes-preserve-unknown-fields'] === true;
  const isObject = schema.type === 'object' && typeof schema.properties === 'object';
  if (isObject && !isOpen && !('additionalProperties' in copy)) copy.additionalProperties = false;
  return copy;
}

function convertDefinition(file) {
  const { spec } = parse(readFileSync(file, 'utf8'));
  const kind = spec.names.kind.toLowerCase();
  const [group] = spec.group.split('.');
  for (const { name, schema } of spec.versions) {
    write(`${kind}-${group}-${name}.json`, refuseUnknown(schema.openAPIV3Schema));
  }
}

for (const source of sources) {
  if (statSync(source).isDirectory()) copyFolder(source);
  else convertDefinition(source);
}
