import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type Environment, readText } from '../../service/environment.ts';
import { WEBHOOK_KEY_SETTING } from '../../service/webhook-settings.ts';

/**
 * The settings with which webhooks work at once: a key that is made once and kept in the DATA_DIR, and receivers on this
 * machine, unless the service has a public address. The environment's own settings come first.
 */
export async function chooseWebhookSettings(
  env: Environment,
  { dataDir, publicUrl }: { dataDir: string; publicUrl: string | null },
): Promise<Record<string, string>> {
  const allow = readText(env, 'ALLOW_PRIVATE_WEBHOOKS') ?? (publicUrl === null ? '1' : '0');
  const isGiven = [WEBHOOK_KEY_SETTING, `${WEBHOOK_KEY_SETTING}_FILE`].some(
    (name) => readText(env, name) !== null,
  );
  return {
    ALLOW_PRIVATE_WEBHOOKS: allow,
    ...(!isGiven && { [`${WEBHOOK_KEY_SETTING}_FILE`]: await ensureKey(dataDir) }),
  };
}

async function ensureKey(dataDir: string): Promise<string> {
  const file = path.join(dataDir, 'webhook-key');
  // On a full disk, a start can leave an empty file.
  const kept = existsSync(file) ? await readFile(file, 'utf8') : '';
  if (kept === '') await writeFile(file, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600 });
  return file;
}
