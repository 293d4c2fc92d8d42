import { CopyText, Notice } from '../components.ts';
import { type Html, html } from '../html.ts';
import type { WebhookWithSecret } from './webhook.ts';

/** Shows a new secret, once. */
export function Secret({ webhook: { id, name, secret } }: { webhook: WebhookWithSecret }): Html {
  return html`
    <${Notice} kind="good">This is the only time that the secret of ${name} is shown. Keep it like a password.<//>
    <${CopyText} label="The secret" text=${secret} />
    <p>Your receiver verifies the signature of each message with it. Libraries of the Standard Webhooks do so in ten languages.</p>
    <p><a class="button" href=${`/console/webhooks/${id}`}>Send a test message</a></p>`;
}
