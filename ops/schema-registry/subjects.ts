/** The subjects of a schema registry for the values of the topics, and their expected versions. */
import avro from 'avsc';
import { topicNames } from '../../kafka/topic-names.ts';
import { fingerprint, readSchemaVersions } from '../../schemas/avro-codec.ts';
import type { Naming } from './registry.ts';

export interface SchemaVersion {
  /** As in `schemas/avro`, such as `endorsement-change.v1`. */
  name: string;
  /** The schema as JSON. */
  text: string;
  /** CRC-64-AVRO in hexadecimal digits, which identifies the schema in values. */
  fingerprint: string;
}

export interface Subject {
  name: string;
  /** Oldest first. */
  versions: SchemaVersion[];
}

/** Lists the subjects of the topics' values. Keys are plain text, without a schema. */
export function listSubjects(topicPrefix: string, naming: Naming): Subject[] {
  const topics = topicNames(topicPrefix);
  return [
    describe(topics.submissions, 'endorsement-submission', naming),
    describe(topics.rejected, 'submission-rejection', naming),
    describe(topics.changes, 'endorsement-change', naming),
  ];
}

function describe(topic: string, schema: string, naming: Naming): Subject {
  const schemas = readSchemaVersions(schema);
  const record = String(avro.Type.forSchema(schemas.at(-1) ?? 'null').name);
  return {
    name: { topic: `${topic}-value`, record, 'topic-record': `${topic}-${record}` }[naming],
    versions: schemas.map((each, index) => {
      const text = JSON.stringify(each);
      return { name: `${schema}.v${index + 1}`, text, fingerprint: String(fingerprintOf(text)) };
    }),
  };
}

/**
 * The fingerprint of a schema, in hexadecimal digits. It ignores docs, as the values do, so that a registry may have
 * edited docs.
 *
 * @param text the schema as JSON
 * @returns null if it is not an Avro schema, or refers to others
 */
export function fingerprintOf(text: string): string | null {
  try {
    return fingerprint(avro.Type.forSchema(JSON.parse(text))).toString('hex');
  } catch {
    return null;
  }
}
