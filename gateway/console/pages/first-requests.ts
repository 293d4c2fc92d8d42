/** A newcomer's first requests, like those of the README, and programs that send them. */

/** The placeholder for the key. */
export const KEY_PLACE = 'YOUR_KEY';

export interface FirstRequest {
  id: string;
  title: string;
  explanation: string;
  /** The path and query of the API. */
  path: string;
  /** Whether it answers with an endless stream. */
  isStream: boolean;
}

export const FIRST_REQUESTS: readonly FirstRequest[] = [
  {
    id: 'endorsements',
    title: 'Read endorsements',
    explanation:
      'Three endorsements in California. With next_cursor, the answer says where the next page begins.',
    path: '/v1/endorsements?states=CA&limit=3',
    isStream: false,
  },
  {
    id: 'events',
    title: 'Read events',
    explanation: 'The oldest three changes that are kept. Reading continues from next_cursor.',
    path: '/v1/events?from=earliest&limit=3',
    isStream: false,
  },
  {
    id: 'stream',
    title: 'Watch changes as they happen',
    explanation: 'Each frame is a change, and its id is the place from which the stream can be continued.',
    path: '/v1/stream',
    isStream: true,
  },
];

/** A program that sends a request. */
export interface Snippet {
  language: string;
  /** The command that runs the program from a file, and its requirements; null if the program is a command itself. */
  run: { command: string; needs: string } | null;
  text: string;
}

function curl(url: string, isStream: boolean): string {
  return `curl ${isStream ? '-N ' : ''}-H 'Authorization: Bearer ${KEY_PLACE}' '${url}'`;
}

/** The client's package. */
const CLIENT = 'ballot-endorsements';

/** Programs that list three endorsements with a key, for the page that shows the key. */
export function snippetsWith(key: string, publicUrl: string): Snippet[] {
  const [request] = FIRST_REQUESTS;
  const [shell, , script] = request ? snippetsOf(request, publicUrl) : [];
  const withClient = {
    language: 'TypeScript',
    run: { command: 'node first.mts', needs: `Node 22.18 or newer, and the package ${CLIENT}` },
    text: `import { BallotEndorsements } from '${CLIENT}';

const client = new BallotEndorsements({ baseUrl: '${publicUrl}', apiKey: '${KEY_PLACE}' });
const { data } = await client.listEndorsements({ states: ['CA'], limit: 3 });
for (const { endorser, choice } of data) console.log(\`\${endorser.name}: \${choice.label}\`);
`,
  };
  return [shell, withClient, script].flatMap((each) => {
    return each ? [{ ...each, text: each.text.replaceAll(KEY_PLACE, key) }] : [];
  });
}

const TYPESCRIPT_END = `
if (!response.ok) throw new Error(\`\${response.status} \${await response.text()}\`);`;

function typescript(url: string, isStream: boolean): string {
  const shown = isStream
    ? `
for await (const text of response.body!.pipeThrough(new TextDecoderStream())) {
  process.stdout.write(text);
}`
    : `
console.log(JSON.stringify(await response.json(), null, 2));`;
  return `const key = process.env.API_KEY ?? '${KEY_PLACE}';
const response = await fetch('${url}', {
  headers: { Authorization: \`Bearer \${key}\` },
});${TYPESCRIPT_END}${shown}
`;
}

function python(url: string, isStream: boolean): string {
  const shown = isStream
    ? `    for line in response:
        print(line.decode(), end="", flush=True)`
    : `    print(json.dumps(json.load(response), indent=2))`;
  return `${isStream ? '' : 'import json\n'}import os
from urllib.request import Request, urlopen

key = os.environ.get("API_KEY", "${KEY_PLACE}")
request = Request("${url}", headers={"Authorization": f"Bearer {key}"})
with urlopen(request${isStream ? ', timeout=60' : ''}) as response:
${shown}
`;
}

/** The programs that send a request. @param publicUrl the service's address, without a trailing slash */
export function snippetsOf({ path, isStream }: FirstRequest, publicUrl: string): Snippet[] {
  const url = publicUrl + path;
  return [
    { language: 'curl', run: null, text: curl(url, isStream) },
    {
      language: 'TypeScript',
      run: { command: 'node first.mts', needs: 'Node 24 or newer' },
      text: typescript(url, isStream),
    },
    {
      language: 'Python',
      run: { command: 'python3 first.py', needs: 'no packages' },
      text: python(url, isStream),
    },
  ];
}
