import { newId } from '@gangan/protocol';
import { type TestRequest, until } from '@gangan/testing';
import { expect, it } from '@jest/globals';
import { ownOrganisation } from '../support/new-organisation.js';
import type { RunningSystem } from '../support/running.js';

export function looksUpPhoneNumbers(running: RunningSystem): void {
  const { system } = running;
  const { key } = ownOrganisation(running, 'Lookup');
  it.each([
    ['in the query', { path: '/lookup/phone?phone=08031234567' }],
    ['in the body of the GET', { path: '/lookup/phone', body: { phone: '08031234567' } }],
  ])('looks up a number %s', async (_, question) => {
    const answer = await system().request({ ...question, key: key() });
    expect(answer).toMatchObject({
      status: 200,
      body: { msisdn: '2348031234567', operator: 'MTN', country: 'NG', ported: false, dnd: false },
    });
    expect(answer.headers['x-request-id']).toBeDefined();
  });

  it('gives each concurrent request its own response', async () => {
    const phones = Array.from({ length: 200 }, (_, index) => `+234803${String(1_000_000 + index)}`);
    const answers = await Promise.all(
      phones.map((phone) => system().request({ path: '/lookup/phone', body: { phone }, key: key() })),
    );
    expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
    expect(answers.map(({ body }) => (body as { msisdn: string }).msisdn)).toEqual(phones);
  });

  it('responds 401 without a key', async () => {
    const answer = await system().request({ path: '/lookup/phone?phone=08031234567' });
    expect(answer).toMatchObject({ status: 401, body: { status: 401 } });
  });

  it('names the field of an invalid number', async () => {
    const answer = await system().request({ path: '/lookup/phone?phone=112', key: key() });
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ field: 'phone', type: 'phone' }] } });
  });

  const ask = async (question: Omit<TestRequest, 'key'>): Promise<object> => {
    const { status, body } = await system().request({ ...question, key: key() });
    expect([status, body]).toEqual([200, body]);
    return body as object;
  };
  /** Waits until a batch has ended. @returns the lines of its file without the header */
  const linesOf = async (batch: object): Promise<string[]> => {
    const { id } = batch as { id: string };
    await until('the batch ends', async () => {
      const { state } = (await ask({ path: `/lookup/batch/${id}` })) as { state: string };
      return state === 'done';
    });
    const fetched = await fetch(`${system().url}/lookup/batch/${id}/file`, {
      headers: { authorization: key() },
    });
    expect(fetched.headers.get('content-type')).toContain('text/csv');
    return (await fetched.text()).trimEnd().split('\r\n').slice(1);
  };

  it('looks up a batch of numbers, once for one Idempotency-Key', async () => {
    const phones = Array.from({ length: 1_000 }, (_, index) => `0803${String(2_000_000 + index)}`);
    const question = {
      method: 'POST' as const,
      path: '/lookup/batch',
      body: { phones: phones.join(', ') },
      headers: { 'idempotency-key': newId() },
    };
    const [batch, again] = [await ask(question), await ask(question)];
    expect((again as { id: string }).id).toBe((batch as { id: string }).id);
    const lines = await linesOf(batch);
    expect(lines.map((line) => line.split(',').slice(0, 3).join())).toEqual(
      phones.map((phone) => `${phone},234${phone.slice(1)},MTN`),
    );
  });

  it('looks up the numbers of a smartlist', async () => {
    const text = 'Name,Mobile\nBatch One,08031112221\nBatch Two,08051112222\nBatch Three,\n';
    const headers = { 'content-type': 'text/csv' };
    const imported = (await ask({ method: 'POST', path: '/lists/contact/imports', headers, text })) as {
      id: string;
    };
    await until('the contacts are imported', async () => {
      const { state } = (await ask({ path: `/lists/contact/imports/${imported.id}` })) as { state: string };
      return state === 'done';
    });
    const filters = [{ name: 'Name', operator: 'start_with', value: 'Batch ' }];
    const { id } = (await ask({
      method: 'POST',
      path: '/lists/contact/smartlists',
      body: { name: `Batch ${newId()}`, filters },
    })) as { id: string };
    const lines = await linesOf(
      await ask({
        method: 'POST',
        path: '/lookup/batch',
        body: { smartlist_id: id, phone_column: 'Mobile' },
      }),
    );
    // Other tests count what filters by this column.
    await ask({ method: 'DELETE', path: `/lists/contact/smartlists/${id}` });
    const cells = lines.map((line) => [line.split(',').slice(0, 3).join(), line.split(',').at(-1)].join(' '));
    expect(cells.toSorted()).toEqual(
      ['08031112221,2348031112221,MTN ', '08051112222,2348051112222,Glo ', ',, missing'].toSorted(),
    );
  });

  it('rejects a batch with invalid numbers, and one without numbers', async () => {
    const post = (body: object) =>
      system().request({ method: 'POST', path: '/lookup/batch', body, key: key() });
    expect(await post({ phones: '08031234567, 112' })).toMatchObject({
      status: 400,
      body: { errors: [{ field: 'phones.1', type: 'phone' }] },
    });
    expect(await post({})).toMatchObject({
      status: 400,
      body: { errors: [{ field: 'phones', type: 'missing' }] },
    });
    expect(await post({ phones: '08031234567', smartlist_id: newId() })).toMatchObject({ status: 400 });
    expect(await post({ smartlist_id: newId() })).toMatchObject({
      status: 400,
      body: { errors: [{ field: 'smartlist_id' }] },
    });
    expect(await system().request({ path: `/lookup/batch/${newId()}`, key: key() })).toMatchObject({
      status: 404,
    });
  });
}
