/*
 * Keeps a file in step with all endorsements while it runs: API_KEY=bes_... node docs/examples/mirror.mts [FILE]
 * BASE_URL is the address of the service. After a restart, the program continues from the cursor in the file.
 */
import { BallotEndorsements } from 'ballot-endorsements';
import { FileStorage } from 'ballot-endorsements/file-storage';

const { BASE_URL: baseUrl = 'http://localhost:8080', API_KEY: apiKey } = process.env;
const onRetry = ({ error }: { error: unknown }) => process.stderr.write(`${error}\n`);
const client = new BallotEndorsements({ baseUrl, apiKey, onRetry });
const storage = new FileStorage(process.argv[2] ?? 'mirror.json', { saveEveryMs: 100 });
await client.mirror({ storage }).run();
