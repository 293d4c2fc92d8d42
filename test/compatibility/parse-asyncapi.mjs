/**
 * Prints the findings of AsyncAPI's parser about a document. Arguments: the folder of the linters, and the document.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const [linters, file] = process.argv.slice(2);
const load = createRequire(`${linters}/package.json`);
const { Parser } = load('@asyncapi/parser');
const { AvroSchemaParser } = load('@asyncapi/avro-schema-parser');

const parser = new Parser();
parser.registerSchemaParser(AvroSchemaParser());
const { diagnostics } = await parser.parse(readFileSync(file, 'utf8'));
process.stdout.write(
  JSON.stringify(diagnostics.map(({ code, message, path }) => `${code}: ${path.join('.')} ${message}`)),
);
