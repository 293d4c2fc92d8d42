import { expect, test } from '@jest/globals';
import { OpenIdProvider, ProviderAwayError } from '../../../gateway/console/session/openid-provider.ts';
import { systemClock } from '../../../service/clock.ts';
import { answerJson, FakeService } from '../../helpers/clients/fake-service.ts';

test('a description without an address to sign in at counts as no answer, and is read again', async () => {
  const service = await FakeService.start();
  const issuer = service.baseUrl;
  const whole = { issuer, authorization_endpoint: `${issuer}/auth` };
  service.answers = [
    answerJson({ issuer }),
    answerJson({ ...whole, authorization_endpoint: '/auth' }),
    answerJson(whole),
  ];
  const config = {
    ...{ issuer: new URL(issuer), clientId: 'ballots', clientSecret: 'secret', assumesVerified: false },
    callbackUrl: 'https://ballots.example/console/sign-in/callback',
  };
  const provider = new OpenIdProvider(config, systemClock);
  try {
    for (let asked = 0; asked < 2; asked += 1) {
      await expect(provider.begin({ asksAgain: false })).rejects.toThrow(ProviderAwayError);
    }
    expect((await provider.begin({ asksAgain: false })).url.href).toMatch(`${issuer}/auth?`);
  } finally {
    await service.stop();
  }
});
