import { expect } from '@jest/globals';
import { contest as record } from '../../helpers/ballots/catalogue-records.ts';
import { pick, position } from '../../helpers/ballots/submissions.ts';
import { findAccessibilityProblems, findProblemsInLooks } from '../../helpers/browser/chromium.ts';
import { testInBrowser, useChromium } from '../../helpers/browser/use-chromium.ts';
import { ConsoleClient, makeLink, readSeen } from '../../helpers/console/console-client.ts';
import { addressesOf, isDownload } from '../../helpers/console/console-pages.ts';
import { emailOf, useConsoleWithProvider } from '../../helpers/console/console-with-provider.ts';
import { findRejection, publishInConsole, uploadInConsole } from '../../helpers/service/publishing.ts';

const console = useConsoleWithProvider({ gateways: 1 });
const newContext = useChromium();

/** The names that several buttons, folded parts or links to other sites of a page have. */
const SHARED_NAMES = `(() => {
  const controls = [...document.querySelectorAll('main :is(a[rel], button, summary):not([hidden])')];
  const nameOf = (each) => [each.form?.ariaLabel, each.ariaLabel ?? each.textContent].join(' ');
  const named = Map.groupBy(controls, nameOf);
  return [...named].flatMap(([name, { length }]) => (length > 1 ? [name] : []));
})()`;

/** The hints in empty fields that have a browser's own colour: it is too pale in dark, and axe does not look at them. */
const PALE_HINTS = `[...document.querySelectorAll('main [placeholder]')]
  .filter((each) => getComputedStyle(each, '::placeholder').color === 'rgb(117, 117, 117)')
  .map((each) => each.placeholder)`;

/** The labels of boxes and buttons whose text has a line that begins below its control. */
const UNALIGNED_LABELS = `[...document.querySelectorAll('main label > :is([type=checkbox], [type=radio])')]
  .filter((control) => {
    const text = document.createRange();
    text.setStartAfter(control);
    text.setEndAfter(control.parentElement.lastChild);
    const { right } = control.getBoundingClientRect();
    return [...text.getClientRects()].some(({ width, left }) => width > 0 && left < right);
  })
  .map((control) => control.parentElement.textContent.trim())`;

testInBrowser(
  'axe finds nothing on any page, on a phone in light and wide in dark, and each control has its own name',
  async () => {
    const account = await console.makeAccount();
    const { client, subject } = await console.join(account, { role: 'owner' });
    await client.post('/console/keys', { name: 'Website', scope: ['data:read'] });
    await client.post('/console/people/invitations', { email: 'bob@example.org', role: 'member' });
    const [person] = await console.service.query('SELECT id FROM people WHERE subject = $1', [subject]);
    const [key] = await console.service.query('SELECT max(id) AS id FROM api_keys');
    const operator = await ConsoleClient.signIn(console.service, { account, role: 'operator' });
    await console.service.allow(['bakers-local-1'], account);
    const [mayor] = await console.service.query(`SELECT id FROM contests WHERE key LIKE '%/mayor'`);
    const contest = Number(mayor?.id);
    const receipt = await publishInConsole(operator, contest, { endorser: 'bakers-local-1', choice: 'ann' });
    const hook = await operator.post('/console/webhooks', {
      name: 'Site',
      url: 'https://hooks.example.org/a',
    });
    await console.service.query(
      `INSERT INTO webhook_attempts SELECT id, 1, 'msg_1', false, now(), 5, 'refused', 500, 1, 9, 'broken' FROM webhooks`,
    );
    const upload = () =>
      uploadInConsole(operator, [
        'endorser,election,contest,choice',
        'Bakers Local 1,or-2026-11-03-general,mayor,ann',
        'Bakers Local 1,or-2026-11-03-general,mayor,anne',
        'Bakers Local 2,or-2026-11-03-general,dogcatcher,ann',
        'Bakers Local 1,or-2026-11-03-general,mayor,no endorsement',
        'Bakers Local 1,or-2026-11-03-general,mayor,bob,too,many',
        'Bakers Local 1,or-2026-11-03-general,council,bob',
      ]);
    const sentUpload = async () => {
      const path = `/console/endorsements/uploads/${await upload()}`;
      await operator.post(`${path}/publish`, { seen: readSeen(await operator.get(`${path}/preview`)) });
      return [path, `${path}/undo`];
    };
    // Lines that are refused, changes, and removals that need consent.
    const catalogueFile = async (lines: readonly object[], fields: Record<string, string>) => {
      const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
      const file = { name: 'contests.ndjson', text };
      return (await operator.postFile('/console/operator/imports', fields, file)).location;
    };
    const changed = record('mayor', { title: 'Mayor of Fernville' });
    const files = [
      await catalogueFile([changed, { ...changed, title: '' }], {}),
      await catalogueFile([changed], {}),
      await catalogueFile([changed], { 'keep-missing': 'yes' }),
    ];
    const picks = [pick('ann', { statement: 'Good.' }), pick('nobody')];
    await console.service.submit([position('bakers-local-1', 'mayor', picks)]);
    const rejection = await findRejection(operator, 'bakers-local-1');
    const context = await newContext();
    const origin = console.service.url('');
    const cookie = { name: 'bes_session', value: operator.cookie('bes_session'), url: `${origin}/console` };
    await context.addCookies([cookie]);
    const problems: string[] = [];
    const paths = [
      ...addressesOf('GET', {
        people: Number(person?.id),
        keys: Number(key?.id),
        elections: 'or-2026-11-03-general',
        endorsers: 'bakers-local-1',
        plans: 'internal',
        endorsements: contest,
        webhooks: /webhooks\/([0-9]+)/.exec(hook.html)?.[1] ?? '',
        receipts: receipt,
        uploads: await upload(),
      }),
      `/console/history?endorser=bakers-local-1&contest=${contest}`,
      ...(await sentUpload()),
      ...files,
      '/console/explorer/search?q=ann',
      ...['', '/edit', '/edit?as=json'].map((end) => `${rejection}${end}`),
      '/console/sign-in?signed-out',
      '/console/nothing',
      await makeLink(console.service),
      await console.invite(account, emailOf('carl')),
    ];
    // One page for all, since a process for each takes longer than axe.
    const page = await context.newPage();
    for (const path of paths.filter((each) => !isDownload(each))) {
      await page.goto(`${origin}${path}`);
      problems.push(...(await findProblemsInLooks(page)).map((problem) => `${path}: ${problem}`));
      const names = await page.evaluate<string[]>(SHARED_NAMES);
      problems.push(...names.map((name) => `${path}: several controls are named "${name}"`));
      const hints = await page.evaluate<string[]>(PALE_HINTS);
      problems.push(...hints.map((hint) => `${path}: the hint "${hint}" is pale`));
      await page.setViewportSize({ width: 390, height: 844 });
      const labels = await page.evaluate<string[]>(UNALIGNED_LABELS);
      problems.push(...labels.map((label) => `${path}: a line of "${label}" begins below its control`));
    }
    expect(problems).toEqual([]);
    await context.close();
  },
  300_000,
);

testInBrowser('axe finds nothing on a refused form, and the reason or a field has the focus', async () => {
  const [account, other] = [await console.makeAccount(), await console.makeAccount()];
  const operator = await ConsoleClient.signIn(console.service, { account, role: 'operator' });
  await operator.post('/console/subscriptions', { name: 'Ours' });
  const idOf = async (query: string) => (await console.service.query(query))[0]?.id;
  const subscription = await idOf('SELECT max(id) AS id FROM subscriptions');
  const context = await newContext({ viewport: { width: 390, height: 844 } });
  const origin = console.service.url('');
  const value = operator.cookie('bes_session');
  await context.addCookies([{ name: 'bes_session', value, url: `${origin}/console` }]);
  const page = await context.newPage();
  const problems: string[] = [];
  const plan = 'form[action="/console/operator/plans/free"]';
  const whole = 'form.card';
  for (const [path, form, fields, title] of [
    ['/console/operator/plans', plan, { maxStreams: 'many' }, 'Plans'],
    ['/console/operator/plans', plan, { seen: '1/2/3/4', maxStreams: '77' }, 'Plans'],
    [`/console/subscriptions/${subscription}`, whole, { version: 'older', name: 'Mine' }, 'Edit Ours'],
    ['/console/keys', whole, { name: 'Website' }, 'The console shows another account'],
  ] as const) {
    await page.goto(`${origin}${path}`);
    for (const [field, text] of Object.entries(fields)) {
      const selector = JSON.stringify(`${form} [name="${field}"]`);
      await page.evaluate(`document.querySelector(${selector}).value = ${JSON.stringify(text)}`);
    }
    if (path === '/console/keys') {
      const id = await idOf(`SELECT id FROM accounts WHERE name = '${other}'`);
      await operator.post('/console/account', { account: String(id) });
    }
    await page.click(`${form} button:not([type])`);
    await page.waitForSelector('.notice.bad[role=alert]:focus, [aria-invalid]:focus');
    expect(await page.textContent('h1')).toBe(title);
    problems.push(...(await findAccessibilityProblems(page)).map((problem) => `${path}: ${problem}`));
  }
  expect(problems).toEqual([]);
  await context.close();
});
