import { readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { chooseWebhookSettings } from '../../../ops/local/webhook-key.ts';
import { readWebhookSettings } from '../../../service/webhook-settings.ts';
import { useFolder } from '../../helpers/use-folder.ts';

const inFolder = useFolder();

test('a start makes a key that only its user can read, and the next one keeps it', async () => {
  const dataDir = path.dirname(inFolder('x'));
  const settings = await chooseWebhookSettings({}, { dataDir, publicUrl: null });
  const file = settings.WEBHOOK_SECRET_KEY_FILE as string;
  expect(settings).toEqual({
    ALLOW_PRIVATE_WEBHOOKS: '1',
    WEBHOOK_SECRET_KEY_FILE: path.join(dataDir, 'webhook-key'),
  });
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const key = await readFile(file, 'utf8');
  expect(readWebhookSettings(settings)?.allowPrivate).toBe(true);
  await chooseWebhookSettings({}, { dataDir, publicUrl: null });
  expect(await readFile(file, 'utf8')).toBe(key);
});

test('a start replaces the empty key that one on a full disk has left', async () => {
  await writeFile(inFolder('webhook-key'), '');
  const settings = await chooseWebhookSettings({}, { dataDir: inFolder(), publicUrl: null });
  expect(readWebhookSettings(settings)).not.toBeNull();
});

test('a key and a choice of the environment come first, and a public service allows no private addresses', async () => {
  const dataDir = inFolder('nowhere');
  const env = { WEBHOOK_SECRET_KEY_FILE: '/run/secrets/key', ALLOW_PRIVATE_WEBHOOKS: '0' };
  expect(await chooseWebhookSettings(env, { dataDir, publicUrl: null })).toEqual({
    ALLOW_PRIVATE_WEBHOOKS: '0',
  });
  const key = { WEBHOOK_SECRET_KEY: 'x' };
  expect(await chooseWebhookSettings(key, { dataDir, publicUrl: 'https://a.example' })).toEqual({
    ALLOW_PRIVATE_WEBHOOKS: '0',
  });
});
