import {
  changeSmartlist,
  type ContactExport,
  type ContactRowsPage,
  createLookupBatch,
  createSmartlist,
  estimateLargeSms,
  type EstimatedSms,
  exportContacts,
  type LookupBatch,
  queryContactRows,
  sendBulkSms,
  sendSms,
  type Smartlist,
  type SmsMessage,
} from '@gangan/contracts';
import { type RequestContext, work } from '@gangan/protocol';
import { Handles } from '@gangan/queue';
import { until } from '@gangan/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Controller } from '@nestjs/common';
import { expectError } from './support/error-shape.js';
import { GatewayFixture, type IssuedKey } from './support/gateway-fixture.js';
import type { Answer } from './support/http.js';
import type { RunningGateway } from './support/running-gateway.js';

let carriedOut = 0;

/** Replaces the messaging, lookup and contacts workers. */
@Controller()
class WorkerDouble {
  @Handles(sendSms)
  send(_: object, { operationId: id }: RequestContext): SmsMessage {
    carriedOut += 1;
    return { id } as SmsMessage;
  }

  @Handles(sendBulkSms)
  sendBulk(request: object, context: RequestContext): SmsMessage {
    return this.send(request, context);
  }

  @Handles(estimateLargeSms)
  estimate(): EstimatedSms {
    carriedOut += 1;
    return {} as EstimatedSms;
  }

  @Handles(createLookupBatch)
  createBatch(): LookupBatch {
    carriedOut += 1;
    return {} as LookupBatch;
  }

  @Handles(queryContactRows)
  query(): ContactRowsPage {
    carriedOut += 1;
    return {} as ContactRowsPage;
  }

  @Handles(exportContacts)
  export(): ContactExport {
    carriedOut += 1;
    return {} as ContactExport;
  }

  @Handles(createSmartlist)
  createSmartlist(): Smartlist {
    carriedOut += 1;
    return {} as Smartlist;
  }

  @Handles(changeSmartlist)
  changeSmartlist(): Smartlist {
    return this.createSmartlist();
  }
}

const list = (count: number): string =>
  Array.from({ length: count }, (_, index) => `+1012${String(5_550_000 + index)}`).join(',');
const personalised = (count: number) =>
  Array.from({ length: count }, () => ({ to: '08031234567', substitutions: {} }));
const text = { content: 'Hello' };
const filter = (count: number) => ({ name: 'Mobile', operator: 'in', value: list(count) });

describe('the phone numbers of a request', () => {
  let fixture: GatewayFixture;
  /** With a burst of 100. */
  let wide: RunningGateway;
  beforeAll(async () => {
    fixture = await GatewayFixture.create();
    await fixture.answer(WorkerDouble);
    wide = await start(100);
  });
  afterAll(() => fixture.stop());
  afterEach(() => {
    carriedOut = 0;
  });

  const start = (burst: number, limits = {}): Promise<RunningGateway> =>
    fixture.gateway({ limits: { RATE_LIMIT_PER_SECOND: 1, RATE_LIMIT_BURST: burst, ...limits } });
  const issue = (): Promise<IssuedKey> =>
    fixture.issueKey({ scopes: ['sms:write', 'lookup:read', 'contacts:read', 'contacts:write'] });
  const post = (
    gateway: RunningGateway,
    { key }: IssuedKey,
    path: string,
    body: object,
    ...headers: [string, string][]
  ): Promise<Answer> =>
    gateway.call({
      method: path.startsWith('PATCH') ? 'PATCH' : 'POST',
      path: path.replace('PATCH ', ''),
      headers: [['authorization', key], ['content-type', 'application/json'], ...headers],
      body: JSON.stringify(body),
    });

  it.each([
    [1, '/sms/send', { ...text, recipients: list(1) }],
    [1, '/sms/send', { ...text, recipients: list(100) }],
    [5, '/sms/send', { ...text, recipients: list(401) }],
    [10, '/sms/send', { ...text, recipients: list(1_000) }],
    [10, '/sms/estimate', { ...text, recipients: list(1_000) }],
    [10, '/lookup/batch', { phones: list(1_000) }],
    [6, '/sms/send', { template_id: 'x', recipients: list(1), personalisation: personalised(501) }],
    // A column of phone numbers is not known to be one.
    [1, '/lists/contact/rows/query', { filters: [filter(100)] }],
    [1, '/lists/contact/rows/query', { filters: [{ ...filter(300), operator: 'contain' }] }],
    [6, '/lists/contact/rows/query', { filters: [filter(300), filter(210)] }],
    [6, '/lists/contact/exports', { filters: [{ any: [{ all: [filter(300)] }, filter(210)] }] }],
    [6, '/lists/contact/smartlists', { name: 'x', filters: [filter(300), filter(210)] }],
    [6, 'PATCH /lists/contact/smartlists/x', { filters: [filter(300), filter(210)] }],
  ])('take %i tokens: case %#', async (tokens, path, body) => {
    const { status, headers } = await post(wide, await issue(), path, body);
    expect(status).toBe(200);
    expect(carriedOut).toBe(1);
    const taken = 100 - Number(headers['ratelimit-remaining']);
    expect(taken).toBeLessThanOrEqual(tokens);
    // Some may have flowed in meanwhile.
    expect(taken).toBeGreaterThanOrEqual(Math.floor(tokens * 0.7));
  });

  it('take no more than the body if that takes more', async () => {
    const body = { ...text, recipients: list(300), more: 'x'.repeat(8 * 65_536) };
    const { headers } = await post(wide, await issue(), '/sms/send', body);
    const taken = 100 - Number(headers['ratelimit-remaining']);
    expect(taken).toBeLessThanOrEqual(9);
    expect(taken).toBeGreaterThanOrEqual(6);
  });

  it('change nothing if the limit does not cover them', async () => {
    const gateway = await start(14);
    const key = await issue();
    const body = { ...text, recipients: list(1_000) };
    expect((await post(gateway, key, '/sms/send', body)).status).toBe(200);
    for (const repeated of [1, 2, 3]) {
      const claimed: [string, string] = ['idempotency-key', `order-${repeated}`];
      const refused = await post(gateway, key, '/sms/send', body, claimed);
      expect(expectError(refused, 429)).toEqual(['organisation rate_limited']);
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(1);
    }
    expect(carriedOut).toBe(1);
    expect(
      await fixture.database.idempotencyClaim.count({ where: { organisationId: key.organisationId } }),
    ).toBe(0);
    await until('a smaller request is accepted', async () => {
      const { status } = await post(gateway, key, '/sms/send', { ...text, recipients: list(1) });
      return status === 200;
    });
  });

  it('are accepted at a full bucket, even if that holds fewer tokens', async () => {
    const gateway = await start(4, { RATE_LIMIT_KEY_PERCENT: 50 });
    const key = await issue();
    const body = { ...text, recipients: list(1_000) };
    expect((await post(gateway, key, '/sms/send', body)).status).toBe(200);
    expect(expectError(await post(gateway, key, '/sms/send', body), 429)).toEqual(['key rate_limited']);
    expect(carriedOut).toBe(1);
  });

  it('take tokens of invalid requests too, of whose numbers the gateway reads a hundred', async () => {
    const gateway = await start(14);
    const key = await issue();
    const before = work.phonesRead;
    const valid = { ...text, recipients: list(1_000) };
    const invalid = { ...valid, channel: 'fax' };
    expectError(await post(gateway, key, '/sms/send', invalid), 400);
    expect(work.phonesRead - before).toBe(100);
    expectError(await post(gateway, key, '/sms/send', invalid), 429);
    expect(work.phonesRead - before).toBe(100);
  });

  it('are not read by the gateway if the request is valid', async () => {
    const key = await issue();
    const before = work.phonesRead;
    await post(wide, key, '/sms/estimate', { ...text, recipients: list(1_000) });
    await post(wide, key, '/lookup/batch', { phones: list(1_000) });
    expect([carriedOut, work.phonesRead - before]).toEqual([2, 0]);
  });

  it.each([
    {},
    { recipients: null, personalisation: 'x', phones: 1 },
    { recipients: ['+2348031234567'], personalisation: [null], phones: {}, filters: [null, { any: 'x' }] },
    { filters: { any: [{ all: 1 }] } },
  ])('may be any JSON: %j', async (body) => {
    const key = await issue();
    for (const path of ['/sms/send', '/sms/estimate', '/lookup/batch', '/lists/contact/smartlists'])
      expectError(await post(wide, key, path, body), 400);
  });
});
