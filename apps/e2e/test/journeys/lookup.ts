import { expect, it } from '@jest/globals';
import type { Running } from './running.js';

const key = 'sk_test_demo';

export function looksUpPhoneNumbers({ system }: Running): void {
  it.each([
    ['in the query', { path: '/lookup/phone?phone=08031234567' }],
    ['in the body of the GET', { path: '/lookup/phone', body: { phone: '08031234567' } }],
  ])('looks up a number %s', async (_, question) => {
    const answer = await system().request({ ...question, key });
    expect(answer).toMatchObject({
      status: 200,
      body: { msisdn: '2348031234567', operator: 'MTN', country: 'NG', ported: false, dnd: false },
    });
    expect(answer.headers['x-request-id']).toBeDefined();
  });

  it('gives each concurrent request its own response', async () => {
    const phones = Array.from({ length: 200 }, (_, index) => `+234803${String(1_000_000 + index)}`);
    const answers = await Promise.all(
      phones.map((phone) => system().request({ path: '/lookup/phone', body: { phone }, key })),
    );
    expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
    expect(answers.map(({ body }) => (body as { msisdn: string }).msisdn)).toEqual(phones);
  });

  it('responds 401 without a key', async () => {
    const answer = await system().request({ path: '/lookup/phone?phone=08031234567' });
    expect(answer).toMatchObject({ status: 401, body: { status: 401 } });
  });

  it('names the field of an invalid number', async () => {
    const answer = await system().request({ path: '/lookup/phone?phone=112', key });
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ field: 'phone', type: 'phone' }] } });
  });
}
