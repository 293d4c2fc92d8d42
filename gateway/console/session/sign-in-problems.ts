import type { Context } from 'koa';
import { type Content, html } from '../html.ts';
import { renderPublicPage } from '../layout.ts';

/** The reason why no session begins. */
export interface Problem {
  status: 400 | 403 | 503;
  title: string;
  message: Content;
  /** Whether another identity could help, so that the provider has to ask for one. */
  isAboutPerson?: boolean;
}

/** The most characters of a provider's error code that are shown. */
export const MAX_CODE_LENGTH = 60;
const FAILED = 'You are not signed in';

/** The same for an accepted invitation and for one that never existed. */
export const INVITATION_SPENT =
  'This invitation was accepted or withdrawn already, has expired, or never existed. Ask for a new one.';

/** The reasons that need no details. */
export const PROBLEMS = {
  stale: {
    status: 400,
    title: FAILED,
    message: 'This sign-in took longer than ten minutes, was used already, or began in another browser.',
  },
  away: {
    status: 503,
    title: 'Not available',
    message:
      'The sign-in provider does not answer at the moment. Try again in a minute; links that an operator made still work.',
  },
  declined: { status: 403, title: FAILED, message: 'The sign-in was declined at the provider.' },
  no_subject: { status: 403, title: FAILED, message: 'The provider did not say who you are.' },
  no_address: {
    status: 403,
    title: FAILED,
    message: 'The provider did not tell your e-mail address, or the console does not accept it.',
    isAboutPerson: true,
  },
  unverified_address: {
    status: 403,
    title: FAILED,
    message: 'The provider has not verified your e-mail address. Verify it there, then sign in again.',
    isAboutPerson: true,
  },
  suspended: {
    status: 403,
    title: 'The account is suspended',
    message: 'Ask the operator of this service to resume it.',
    isAboutPerson: true,
  },
  invitation_spent: { status: 400, title: FAILED, message: INVITATION_SPENT },
} as const satisfies Record<string, Problem>;

/** @param code the provider's error code; null if the console refuses the provider's answer */
export function describeRefusal(code: string | null): Problem {
  const word = code !== null && html` The provider says: <code>${code.slice(0, MAX_CODE_LENGTH)}</code>.`;
  return { status: 400, title: FAILED, message: ['The sign-in could not be completed.', word] };
}

/** @param email the verified address of a person whom the console does not know */
export function describeStranger(email: string): Problem {
  const who = html`You signed in at the provider as <strong>${email}</strong>, who belongs to no account here.`;
  return {
    status: 403,
    title: 'You belong to no account',
    message: [who, ' Ask an owner of the account for an invitation.'],
    isAboutPerson: true,
  };
}

/** @param masked the invited address, as maskEmailAddress shows it */
export function describeOtherAddress(masked: string): Problem {
  const whose = html`Only the owner of the verified address <strong>${masked}</strong> can accept it.`;
  return {
    status: 403,
    title: 'The invitation is for another address',
    message: [whose, ' Open the invitation again, and sign in with that address.'],
    isAboutPerson: true,
  };
}

/** Says why no session begins, and offers another try. */
export function showProblem(ctx: Context, { status, title, message, isAboutPerson = false }: Problem): void {
  ctx.status = status;
  ctx.body = renderPublicPage({
    title,
    body: html`
      <p role="alert">${message}</p>
      <p>
        ${
          isAboutPerson
            ? html`<a class="button" href="/console/sign-in/start?again">Sign in as somebody else</a>`
            : html`<a class="button" href="/console/sign-in">Back to signing in</a>`
        }
      </p>
      <p class="muted">Request ${ctx.state.requestId}</p>`,
  });
}
