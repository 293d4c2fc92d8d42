/** The rights of each role as an operator grants them: commands of Kafka, users of Strimzi, or a table to read. */
import { stringify } from 'yaml';
import type { Role, RoleRight } from '../../kafka/role-rights.ts';

/** Lines of `kafka-acls`, one for each right. @param principalOf the principal of a role, such as `User:ballot-relay` */
export function renderCommands(rights: readonly RoleRight[], principalOf: (role: Role) => string): string[] {
  return rights.map(({ role, operation, resource, name }) =>
    [
      'kafka-acls --bootstrap-server "$KAFKA_BROKERS" --command-config admin.properties --add',
      `--allow-principal ${quote(principalOf(role))} --operation ${operation} --${resource} ${quote(name)}`,
    ].join(' '),
  );
}

/** Quotes an argument for a shell, if it needs that. */
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
        acls: [...Map.groupBy(own, ({ resource, name }) => `${resource} ${name}`).values()].map((acls) => ({
          resource: { type: acls[0]?.resource, name: acls[0]?.name, patternType: 'literal' },
          operations: acls.map(({ operation }) => operation),
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
