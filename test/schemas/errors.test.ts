import { expect, test } from '@jest/globals';
import { ERROR_STATUS } from '../../schemas/errors.ts';

test('the codes and their statuses are exactly those of the interface', () => {
  expect(Object.groupBy(Object.keys(ERROR_STATUS), (code) => Reflect.get(ERROR_STATUS, code))).toEqual({
    400: [
      'invalid_parameter',
      'invalid_json',
      'invalid_filter',
      'invalid_subscription',
      'invalid_submission',
      'invalid_webhook',
    ],
    401: ['missing_api_key', 'invalid_api_key', 'revoked_api_key', 'expired_api_key'],
    403: ['insufficient_scope', 'account_suspended', 'endorser_not_allowed'],
    404: ['not_found', 'subscription_not_found'],
    405: ['method_not_allowed'],
    409: ['conflict'],
    410: ['cursor_expired'],
    413: ['body_too_large'],
    429: ['rate_limit_exceeded', 'daily_limit_exceeded', 'too_many_streams', 'too_many_requests_in_flight'],
    500: ['internal_error'],
    503: ['not_available', 'warming_up', 'server_busy'],
  });
});
