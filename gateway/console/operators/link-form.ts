import { ROLES } from '../../../schemas/vocabulary.ts';
import { LINK_MINUTES } from '../../../store/console/links.ts';
import { Select } from '../components.ts';
import { type Html, html } from '../html.ts';
import { Form } from '../layout.ts';

/** The roles that a link from the console can give. Links for operators come from `ops console link`. */
export const LINK_ROLES = ROLES.filter((role) => role !== 'operator');
export const MAX_NAME_LENGTH = 100;

/** The form for a link that signs a person in to an account. */
export function LinkForm({ where }: { where: string }): Html {
  return html`
    <${Form} action=${`${where}/link`} class="card">
      <h2>Sign-in link</h2>
      <label>Name <input name="person" required maxlength=${MAX_NAME_LENGTH} /> <small class="muted">as the audit log shows it</small></label>
      <${Select} label="Role" name="role" options=${LINK_ROLES.map((role) => [role, role])} chosen="owner" />
      <p class="muted">The link works once, within ${LINK_MINUTES} minutes, without a sign-in provider.</p>
      <button>Make a link</button>
    <//>`;
}
