/** `npm run dashboards`: writes the files of the dashboards. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DASHBOARDS } from './dashboards.ts';
import { buildDashboard } from './panels.ts';

const FOLDER = path.join(import.meta.dirname, 'dashboards');

for (const content of DASHBOARDS) {
  const file = path.join(FOLDER, `${content.name}.json`);
  await writeFile(file, `${JSON.stringify(buildDashboard(content), null, 2)}\n`);
}
