/** Formats the rights of each role for the operator: commands of Kafka, users of Strimzi, or a table to read. */
import { stringify } from 'yaml';
import type { Role, RoleRight } from '../../kafka/connection/role-rights.ts';

/**
 * Lines of `kafka-acls`, one for each role and resource.
 *
 * @param principalOf the principal of a role, such as `User:ballot-relay`
 */
export function renderCommands(rights: readonly RoleRight[], principalOf: (role: Role) => string): string[] {
  return [...Map.groupBy(rights, ({ role }) => role)].flatMap(([role, own]) =>
    groupByResource(own).map(({ resource, name, operations }) =>
      [
        'kafka-acls --bootstrap-server "$KAFKA_BROKERS" --command-config admin.properties --add',
        `--allow-principal ${quote(principalOf(role))}`,
        ...operations.map((operation) => `--operation ${operation}`),
        `--${resource} ${quote(name)}`,
      ].join(' '),
    ),
  );
}

function groupByResource(rights: readonly RoleRight[]) {
  const groups = Map.groupBy(rights, ({ resource, name }) => `${resource} ${name}`);
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const { resource, name } = first;
    return [{ resource, name, operations: group.map(({ operation }) => operation) }];
  });
}

/** Quotes an argument for a shell, if necessary. */
function quote(text: string): string {
  return /^[\w:.=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** KafkaUser resources of Strimzi, one for each role. @param userOf the name of a role's user */
export function renderStrimzi(
  rights: readonly RoleRight[],
  {
    cluster,
    authentication,
    userOf,
  }: { cluster: string; authentication: string; userOf: (role: Role) => string },
): string[] {
  const documents = [...Map.groupBy(rights, ({ role }) => role)].map(([role, own]) => ({
    apiVersion: 'kafka.strimzi.io/v1',
    kind: 'KafkaUser',
    metadata: { name: userOf(role), labels: { 'strimzi.io/cluster': cluster } },
    spec: {
      authentication: { type: authentication },
      authorization: {
        type: 'simple',
        acls: groupByResource(own).map(({ resource, name, operations }) => ({
          resource: { type: resource, name, patternType: 'literal' },
          operations,
        })),
      },
    },
  }));
  return documents.map((document) => `---\n${stringify(document).trimEnd()}`);
}

/** A table in Markdown, one row for each right. */
export function renderTable(rights: readonly RoleRight[]): string[] {
  const rows = rights.map(({ role, operation, resource, name, purpose, onlyConsole }) => [
    role,
    operation,
    `${resource} \`${name}\``,
    onlyConsole ? `${purpose} (only for the console's pages for operators)` : purpose,
  ]);
  const table = [['role', 'right', 'on', 'for'], ['---', '---', '---', '---'], ...rows];
  return table.map((cells) => `| ${cells.join(' | ')} |`);
}
