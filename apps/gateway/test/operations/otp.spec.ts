import {
  findOtp,
  listOtpsOfRecipient,
  type OtpDetails,
  type OtpRecord,
  type OtpsOfRecipientRequest,
  type RecordId,
} from '@gangan/contracts';
import { notFound } from '@gangan/protocol';
import { Handles } from '@gangan/queue';
import { Controller } from '@nestjs/common';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { expectError } from '../support/error-shape.js';
import type { Answer } from '../support/http.js';
import type { RunningGateway } from '../support/running-gateway.js';
import { GatewayFixture } from '../support/gateway-fixture.js';

const asked: (RecordId | OtpsOfRecipientRequest)[] = [];

@Controller()
class OtpDouble {
  @Handles(findOtp)
  find(request: RecordId): OtpDetails {
    asked.push(request);
    throw notFound('The OTP');
  }

  @Handles(listOtpsOfRecipient)
  list(request: OtpsOfRecipientRequest): OtpRecord[] {
    asked.push(request);
    return [];
  }
}

describe('OTPs at the gateway', () => {
  let fixture: GatewayFixture;
  let gateway: RunningGateway;
  let key: string;
  beforeAll(async () => {
    fixture = await GatewayFixture.create();
    gateway = await fixture.gateway();
    await fixture.answer(OtpDouble);
    ({ key } = await fixture.issueKey({ scopes: ['otp:read', 'otp:write'] }));
  });
  afterAll(() => fixture.stop());
  beforeEach(() => {
    asked.length = 0;
  });

  const call = (method: 'GET' | 'POST' | 'DELETE', path: string, body?: object, as = key): Promise<Answer> =>
    gateway.call({
      method,
      path,
      headers: [['authorization', as], ...(body ? [['content-type', 'application/json'] as const] : [])],
      ...(body && { body: JSON.stringify(body) }),
    });
  const get = (path: string, body?: object): Promise<Answer> => call('GET', path, body);

  it.each<[string, object | undefined, object]>([
    ['?recipient=08031234567', undefined, { recipient: '08031234567' }],
    ['?recipient=%2B2348031234567', undefined, { recipient: '+2348031234567' }],
    ['?recipient=+2348031234567', undefined, { recipient: '+2348031234567' }],
    ['?recipient=08031234567&limit=5', undefined, { recipient: '08031234567', limit: 5 }],
    ['', { recipient: '08031234567', limit: 5 }, { recipient: '08031234567', limit: 5 }],
    ['?limit=5', { recipient: '08031234567' }, { recipient: '08031234567', limit: 5 }],
    ['/?recipient=08031234567', undefined, { recipient: '08031234567' }],
    ['/08031234567', undefined, { recipient: '08031234567' }],
    ['/08031234567/?limit=5', undefined, { recipient: '08031234567', limit: 5 }],
    ['/+2348031234567', undefined, { recipient: '+2348031234567' }],
    ['/%2B2348031234567', undefined, { recipient: '+2348031234567' }],
    ['/%202348031234567', undefined, { recipient: '+2348031234567' }],
  ])('accepts GET /otp/get-by-recipient%s with the body %j', async (path, body, request) => {
    const { status, json } = await get(`/otp/get-by-recipient${path}`, body);
    expect([status, json, asked]).toEqual([200, [], [request]]);
  });

  it.each<[string, object | undefined, string]>([
    ['', undefined, 'recipient missing'],
    ['', {}, 'recipient missing'],
    ['/', undefined, 'recipient missing'],
    ['?recipient=', undefined, 'recipient missing'],
    ['?recipient=invalid', undefined, 'recipient phone'],
    ['?recipient=08031234567&recipient=08031234568', undefined, 'recipient string_type'],
    ['?recipient=08031234567&limit=0', undefined, 'limit greater_than_equal'],
    ['?recipient=08031234567&limit=many', undefined, 'limit integer_type'],
    ['', { recipient: '08031234567', limit: '5' }, 'limit integer_type'],
    ['?recipient=08031234567', { recipient: '08031234568' }, 'recipient value_error'],
    ['/invalid', undefined, 'recipient phone'],
    ['/%00', undefined, 'recipient phone'],
    ['/08031234567?recipient=08031234568', undefined, 'recipient value_error'],
  ])('rejects GET /otp/get-by-recipient%s with the body %j', async (path, body, fault) => {
    expect(expectError(await get(`/otp/get-by-recipient${path}`, body), 400)).toEqual([fault]);
    expect(asked).toEqual([]);
  });

  it.each(['..x', '%00', 'x'.repeat(500), 'get-by-recipient-'])('treats %j as an id', async (id) => {
    expectError(await get(`/otp/${id}`), 404);
    expect(asked).toHaveLength(1);
  });

  it('rejects invalid requests without a worker', async () => {
    const bad = { recipient: 'x', length: 3, expires_in: 61, token: 1234, channel: 'SMS' };
    expect(expectError(await call('POST', '/otp/request_token', bad), 400)).toEqual([
      'recipient phone',
      'length greater_than_equal',
      'expires_in less_than_equal',
      'token string_type',
      'channel enum',
    ]);
    expect(expectError(await call('POST', '/otp/verify', {}), 400)).toEqual(['id missing', 'token missing']);
  });

  it('requires the scope', async () => {
    const { key: reader } = await fixture.issueKey({ scopes: ['otp:read'] });
    const { key: stranger } = await fixture.issueKey({ scopes: ['sms:write', 'sms:read'] });
    for (const [method, path] of [
      ['POST', '/otp/request_token'],
      ['POST', '/otp/verify'],
      ['DELETE', '/otp/x'],
    ] as const) {
      expectError(await call(method, path, {}, reader), 403);
    }
    for (const path of ['/otp/x', '/otp/get-by-recipient?recipient=1', '/otp/get-by-recipient/1']) {
      expectError(await call('GET', path, undefined, stranger), 403);
    }
    expectError(await call('DELETE', '/otp/get-by-recipient/08031234567'), 405);
  });
});
