/** The parts of an OpenAPI description that the plain reference shows. */
interface Description {
  info: { title: string; description: string };
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { responses: Record<string, Answer> };
}

interface Operation {
  summary: string;
  description: string;
  tags: string[];
  parameters?: { name: string; in: string; required: boolean; description: string }[];
  requestBody?: Body;
  responses: Record<string, Answer | { $ref: string }>;
}

type Answer = Body & { description: string };
interface Body {
  content?: Record<string, { example?: unknown }>;
}

/** Headings within a description become part of its operation. */
const demote = (markdown: string): string => markdown.replaceAll(/^#+ /gm, '#### ');

const cell = (text: string): string => text.replaceAll('|', String.raw`\|`).replaceAll('\n', ' ');

function renderExample(title: string, { content = {} }: Body): string[] {
  const example = content['application/json']?.example;
  return example === undefined ? [] : [title, `\`\`\`\n${JSON.stringify(example, null, 2)}\n\`\`\``];
}

function renderOperation(
  { components }: Description,
  { method, path, operation }: { method: string; path: string; operation: Operation },
): string[] {
  const { summary, description, parameters = [], requestBody, responses } = operation;
  const rows = parameters.map(
    ({ name, in: where, required, description: text }) =>
      `| \`${name}\` | ${where}${required ? ', required' : ''} | ${cell(text)} |`,
  );
  const answers = Object.entries(responses).map(([status, given]) => {
    const name = '$ref' in given ? (given.$ref.split('/').at(-1) ?? '') : '';
    return [status, '$ref' in given ? components.responses[name] : given] as const;
  });
  return [
    `### ${method.toUpperCase()} ${path}`,
    `**${summary}.** ${demote(description)}`,
    ...(rows.length > 0 ? [`| Parameter | In | Meaning |\n|---|---|---|\n${rows.join('\n')}`] : []),
    ...(requestBody ? renderExample('A body:', requestBody) : []),
    answers.map(([status, answer]) => `- \`${status}\`: ${cell(answer?.description ?? '')}`).join('\n'),
    ...answers.flatMap(([status, answer]) =>
      status.startsWith('2') && answer ? renderExample('An answer:', answer) : [],
    ),
  ];
}

/** Writes an OpenAPI description as Markdown, for readers without scripts. */
export function renderPlainReference(document: object): string {
  const description = document as Description;
  const operations = Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  );
  const { info, tags } = description;
  return [
    `# ${info.title}: reference`,
    info.description,
    ...tags.flatMap(({ name, description: text }) => [
      `## ${name}`,
      text,
      ...operations
        .filter(({ operation }) => operation.tags.includes(name))
        .flatMap((each) => renderOperation(description, each)),
    ]),
  ].join('\n\n');
}
