/*
 * The smallest set of Kafka rights for each part of the service. A right to read or write a topic includes
 * the right to describe it, and a right to alter settings the right to read them, so the list omits the
 * included rights.
 */

import { applyGroup, topicNames } from '../topic-names.ts';
import type { Right } from './rights.ts';

/** The parts of the service that log in to Kafka, each with a user of its own. */
export const ROLES = ['gateway', 'apply', 'relay', 'deliver', 'ops', 'producer'] as const;
export type Role = (typeof ROLES)[number];

/** A right of a role. */
export interface RoleRight extends Right {
  role: Role;
  /** The use of the right, as a phrase. */
  purpose: string;
  /** Whether only the console's pages for operators use it. Everything else works without it. */
  onlyConsole?: true;
}

/** The rights of all roles. @param topicPrefix the beginning of every topic's name */
export function listRoleRights(topicPrefix: string): RoleRight[] {
  const { submissions, rejected, changes } = topicNames(topicPrefix);
  const topic = (name: string) => ({ resource: 'topic', name }) as const;
  const keepTopics = [submissions, rejected, changes].flatMap((name): RoleRight[] => [
    { role: 'ops', operation: 'Create', ...topic(name), purpose: '`topics apply` creates the topic' },
    { role: 'ops', operation: 'Alter', ...topic(name), purpose: '`topics apply` adds partitions' },
    {
      role: 'ops',
      operation: 'AlterConfigs',
      ...topic(name),
      purpose: '`topics` reads and corrects settings',
    },
  ]);
  return [
    { role: 'gateway', operation: 'Read', ...topic(changes), purpose: 'the stream' },
    {
      role: 'gateway',
      operation: 'Read',
      ...topic(rejected),
      purpose: 'the page of rejected submissions',
      onlyConsole: true,
    },
    {
      role: 'gateway',
      operation: 'Write',
      ...topic(submissions),
      purpose: 'publishing over HTTP; in the console, lag and sending rejected submissions again',
    },
    { role: 'apply', operation: 'Read', ...topic(submissions), purpose: 'applies submissions' },
    { role: 'apply', operation: 'Write', ...topic(rejected), purpose: 'sends rejections' },
    { role: 'apply', operation: 'Read', ...topic(changes), purpose: 'compares the history of the stream' },
    {
      role: 'apply',
      operation: 'Read',
      resource: 'group',
      name: applyGroup(topicPrefix),
      purpose: 'commits its offsets for lag tools',
    },
    { role: 'relay', operation: 'Write', ...topic(changes), purpose: 'relays changes' },
    { role: 'relay', operation: 'Read', ...topic(changes), purpose: 'compares the history of the stream' },
    {
      role: 'relay',
      operation: 'DescribeConfigs',
      ...topic(changes),
      purpose: 'watches the settings that keep events',
    },
    { role: 'deliver', operation: 'Read', ...topic(changes), purpose: 'delivers to webhooks' },
    ...keepTopics,
    { role: 'ops', operation: 'Read', ...topic(submissions), purpose: '`submissions skip`' },
    { role: 'ops', operation: 'Write', ...topic(submissions), purpose: '`submit`, `rejected retry`' },
    { role: 'ops', operation: 'Read', ...topic(rejected), purpose: '`rejected`, `submit --wait`' },
    { role: 'ops', operation: 'Read', ...topic(changes), purpose: '`stream check`' },
    { role: 'ops', operation: 'Write', ...topic(changes), purpose: '`stream repair`' },
    { role: 'producer', operation: 'Write', ...topic(submissions), purpose: 'sends submissions' },
  ];
}
