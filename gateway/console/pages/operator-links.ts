import { normalizeText } from '../../../schemas/text.ts';
import { inTransaction } from '../../../store/connection/transaction.ts';
import { createLink, LINK_MINUTES } from '../../../store/console/links.ts';
import { actorOf } from '../actor.ts';
import { CopyText, Notice } from '../components.ts';
import { html } from '../html.ts';
import { LINK_ROLES, MAX_NAME_LENGTH } from '../operators/link-form.ts';
import { defineForm } from '../page.ts';
import { PageError } from '../page-error.ts';
import { addressOfAccount, findAccount } from './operator-accounts.ts';

/** Links that sign people in to any account, for operators without a shell. */
export const operatorLinkPages = [
  defineForm(
    '/console/operator/accounts/{id}/link',
    'operator',
    async ({ path, form, session, publicUrl }, context) => {
      const account = await findAccount(context, path.id);
      const person = normalizeText(form.get('person') ?? '');
      if (person === '' || person.length > MAX_NAME_LENGTH) {
        throw new PageError(400, `The name must have 1 to ${MAX_NAME_LENGTH} characters.`);
      }
      const role = LINK_ROLES.find((each) => each === form.get('role'));
      if (!role) throw new PageError(400, `The role must be one of ${LINK_ROLES.join(', ')}.`);
      const token = await inTransaction(context.pool, (client) =>
        createLink(client, { account: account.name, role, person }, actorOf(session)),
      );
      return {
        title: 'The sign-in link',
        script: 'copy',
        body: html`
          <${Notice} kind="good">Send it to ${person}. It works once, within ${LINK_MINUTES} minutes, and is not shown again.<//>
          <${CopyText} label="The link" text=${`${publicUrl}/console/links/${token}`} />
          <p><a href=${addressOfAccount(account)}>Back to ${account.name}</a></p>`,
      };
    },
  ),
];
