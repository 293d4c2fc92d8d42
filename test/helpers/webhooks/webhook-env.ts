/** Webhooks of tests lead to receivers on this machine. */
export const WEBHOOK_ENV = {
  WEBHOOK_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
  ALLOW_PRIVATE_WEBHOOKS: '1',
};
