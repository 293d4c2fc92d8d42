/** Writes the types of the TypeScript client from the service's description: npm run client:types. */
import { writeFile } from 'node:fs/promises';
import { CLIENT_TYPES, generateClientTypes } from '../../helpers/clients/client-types.ts';

const types = await generateClientTypes();
if (types === null) process.exit(1);
await writeFile(CLIENT_TYPES, types);
