import { generateKeyPairSync, sign } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { OpenIdProvider, ProviderAwayError } from '../../../gateway/console/session/openid-provider.ts';
import { systemClock } from '../../../service/clock.ts';
import { answerJson, FakeService } from '../../helpers/clients/fake-service.ts';
import { ManualClock } from '../../helpers/service/manual-clock.ts';

const settingsOf = (issuer: string) => ({
  ...{ issuer: new URL(issuer), clientId: 'ballots', clientSecret: 'secret', assumesVerified: false },
  callbackUrl: 'https://ballots.example/console/sign-in/callback',
});

test('a description is read again after a sign-in that failed, once a minute at most', async () => {
  const service = await FakeService.start();
  const issuer = service.baseUrl;
  let token = '/wrong';
  service.answers = [
    (response, request) => {
      const isDescription = request.path.startsWith('/.well-known/');
      const answer = isDescription
        ? answerJson({
            issuer,
            authorization_endpoint: `${issuer}/auth`,
            token_endpoint: `${issuer}${token}`,
          })
        : answerJson({}, 404);
      return answer(response, request);
    },
  ];
  const clock = new ManualClock();
  const provider = new OpenIdProvider(settingsOf(issuer), clock);
  const secrets = { state: 's', nonce: 'n', codeVerifier: 'v'.repeat(43) };
  const signIn = () => provider.finish('code=c&state=s', secrets).catch(() => {});
  try {
    await signIn();
    token = '/right';
    await clock.advance(59_000);
    await signIn();
    await clock.advance(1000);
    await signIn();
    await signIn();
    await clock.advance(59_000);
    await signIn();
    const paths = service.requests.map(({ path }) =>
      path.replace('/.well-known/openid-configuration', 'read'),
    );
    expect(paths).toEqual(['read', '/wrong', '/wrong', 'read', '/right', '/right', '/right']);
  } finally {
    await service.stop();
  }
});

test('a sign-in does not begin while the provider is down, although its description is known', async () => {
  const service = await FakeService.start();
  const issuer = service.baseUrl;
  service.answers = [answerJson({ issuer, authorization_endpoint: `${issuer}/auth` })];
  const clock = new ManualClock();
  const provider = new OpenIdProvider(settingsOf(issuer), clock);
  const begin = () => provider.begin({ asksAgain: false });
  await begin();
  await clock.advance(4000);
  await begin();
  expect(service.requests).toHaveLength(1);
  await clock.advance(1000);
  await begin();
  expect(service.requests).toHaveLength(2);
  await service.stop();
  await clock.advance(5000);
  await expect(begin()).rejects.toThrow(ProviderAwayError);
});

test('a description without an address to sign in at counts as no answer, and is read again', async () => {
  const service = await FakeService.start();
  const issuer = service.baseUrl;
  const whole = { issuer, authorization_endpoint: `${issuer}/auth` };
  service.answers = [
    answerJson({ issuer }),
    answerJson({ ...whole, authorization_endpoint: '/auth' }),
    answerJson(whole),
  ];
  const provider = new OpenIdProvider(settingsOf(issuer), systemClock);
  try {
    for (let asked = 0; asked < 2; asked += 1) {
      await expect(provider.begin({ asksAgain: false })).rejects.toThrow(ProviderAwayError);
    }
    expect((await provider.begin({ asksAgain: false })).url.href).toMatch(`${issuer}/auth?`);
  } finally {
    await service.stop();
  }
});

test('an address counts as verified by the source that gives it, and not by another one', async () => {
  const service = await FakeService.start();
  const issuer = service.baseUrl;
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const iat = Math.floor(Date.now() / 1000);
  const claims = { iss: issuer, sub: 'ann', aud: 'ballots', nonce: 'n', iat, exp: iat + 60 };
  const signed = `${encode({ alg: 'RS256' })}.${encode({ ...claims, email_verified: true })}`;
  const signature = sign('sha256', Buffer.from(signed), privateKey).toString('base64url');
  const bodies: Record<string, object> = {
    '/.well-known/openid-configuration': {
      ...{ issuer, authorization_endpoint: `${issuer}/auth`, token_endpoint: `${issuer}/token` },
      ...{ jwks_uri: `${issuer}/keys`, userinfo_endpoint: `${issuer}/person` },
    },
    '/token': { access_token: 'a', token_type: 'Bearer', id_token: `${signed}.${signature}` },
    '/keys': { keys: [publicKey.export({ format: 'jwk' })] },
    '/person': { sub: 'ann', email: 'ann@example.org' },
  };
  service.answers = [(response, request) => answerJson(bodies[request.path] ?? {})(response, request)];
  const provider = new OpenIdProvider(settingsOf(issuer), systemClock);
  const secrets = { state: 's', nonce: 'n', codeVerifier: 'v'.repeat(43) };
  try {
    expect(await provider.finish('code=c&state=s', secrets)).toEqual({
      ...{ iss: issuer, sub: 'ann', email: 'ann@example.org' },
    });
  } finally {
    await service.stop();
  }
});
