import { isFullSuite, uniqueName } from '@gangan/testing';
import { expect, it } from '@jest/globals';
import { examplesOf } from '../interface/example.js';
import { withInput } from '../interface/inputs.js';
import { columnIds, product } from '../tenants/seeds.js';
import type { HostileClient } from './hostile-client.js';
import { hostileNumbers, spellings } from './hostile-numbers.js';
import { phoneInputsOf, phonesIn, takesPhoneLists } from './phone-inputs.js';

/** In the full suite as many as a request may have. */
const count = isFullSuite ? 1_000 : 200;
const numbers = hostileNumbers(count);
/** Numbers of no other test. */
const others = hostileNumbers(count + 6).slice(count);
const plain = numbers.map(spellings['with +'].spelt);
const dialled = numbers.map(spellings['with 00'].spelt);
const bare = numbers.map(spellings['with neither'].spelt);

/** Bounds are texts that are parsed: one for a number with `+` or `00`, two for one with neither. */
export function readsNumbersOnce(client: HostileClient): void {
  it('with a phone number in any field reads it at most twice: in the gateway and in a worker', async () => {
    // Airtime is bought for Nigerian numbers only.
    const some = numbers.filter((number, index) => index % (count / 4) === 0 || number.startsWith('+2340'));
    expect(some.length).toBeGreaterThan(4);
    const product_id = await product(client.ask);
    for (const operation of client.api.operations)
      for (const input of phoneInputsOf(operation, client.api)) {
        const [example] = examplesOf(operation, client.api, client.key, { product_id });
        if (!example) throw new Error(`${operation.id} has no example`);
        // A field that may be in the body or in the query is given once.
        const once = input.in === 'body' ? { ...example, query: [] } : { ...example, body: undefined };
        for (const [name, { spelt, texts }] of Object.entries(spellings)) {
          const requests = some.map((number) => withInput(once, input, spelt(number)));
          const given = requests.reduce((sum, parts) => sum + phonesIn(parts, operation, client.api), 0);
          const title = `${operation.id}, ${input.steps.join('.')} in the ${input.in}, ${name}`;
          const statuses = await client.expectWork(title, { parsed: 2 * texts * given }, async () => {
            const received = await Promise.all(requests.map((parts) => client.send(parts)));
            await client.untilEnded();
            return received;
          });
          // With neither, most of these numbers are rejected.
          expect([title, texts > 1 || statuses.includes(200)]).toEqual([title, true]);
          expect([title, statuses.filter((status) => status > 400)]).toEqual([title, []]);
        }
      }
  });

  it('with a list of phone numbers is one of those below', () => {
    const lists = client.api.operations.filter((operation) => takesPhoneLists(operation, client.api));
    expect(lists.map(({ path }) => path).toSorted()).toEqual(['/lookup/batch', '/sms/estimate', '/sms/send']);
  });

  it.each([
    ['with +', plain, 200, count],
    ['with 00', dialled, 200, count],
    ['with neither', bare, 400, 2 * count],
  ])('with many recipients %s reads each once', async (title, recipients, status, parsed) => {
    const body = { recipients: recipients.join(), content: 'Hello' };
    const answer = await client.expectWork(title, { parsed }, () =>
      client.ask({ method: 'POST', path: '/sms/estimate', body }),
    );
    expect(answer.status).toBe(status);
  });

  it('with a personalisation of many recipients reads their two spellings once, and none to show them', async () => {
    const names = Array.from({ length: 12 }, (_name, index) => `name_${index}`);
    const body = names.map((name) => `{{${name}}}`).join(' ');
    const template = await client.post('/templates', { name: uniqueName(), body });
    const substitutions = Object.fromEntries(names.map((name) => [name, 'x']));
    const request = {
      template_id: template.id,
      recipients: plain.join(),
      personalisation: dialled.map((to) => ({ to, substitutions })),
    };
    const { id } = await client.expectWork('sent', { parsed: 2 * count }, async () => {
      const sent = await client.post('/sms/send', request);
      await client.untilEnded();
      return sent;
    });
    const shown = await client.expectWork('shown', {}, () => client.ask({ path: `/sms/${id}` }));
    expect(shown.body).toMatchObject({ personalisation: request.personalisation });
  });

  it('for a batch of lookups reads each number twice: before and after the response', () =>
    client.expectWork('looked up', { parsed: 2 * count }, async () => {
      const { id } = await client.post('/lookup/batch', { phones: plain.join() });
      await client.untilDone(`/lookup/batch/${id}`);
    }));

  it('with cells of many phone columns reads each once', async () => {
    const { phone } = await columnIds(client.ask);
    const columns = [phone];
    for (let index = 0; index < 5; index += 1) {
      const body = { name: uniqueName(), type: 'PHONE NUMBER' };
      type Table = { readonly columns: readonly { readonly id: string; readonly name: string }[] };
      const table = await client.post<Table>('/lists/contact/columns', body);
      columns.push(table.columns.find(({ name }) => name === body.name)?.id ?? '');
    }
    const cells = { columns: Object.fromEntries(columns.map((id, index) => [id, others[index]])) };
    const { row } = await client.expectWork('added', { parsed: 6 }, () =>
      client.post<{ readonly row: { readonly id: string } }>('/lists/contact/rows', cells),
    );
    await client.expectWork('changed', { parsed: 6 }, () =>
      client.post(`/lists/contact/rows/${row.id}`, cells, 'PATCH'),
    );
  });

  it('to import, find, export and send to contacts reads each number once, and each value of a filter', async () => {
    const text = `Name,Mobile\n${plain.map((number) => `Hostile,${number}`).join('\n')}\n`;
    const file = { path: '/lists/contact/imports', headers: { 'content-type': 'text/csv' }, text };
    await client.expectWork('imported', { parsed: count }, async () => {
      const { body } = await client.ask({ method: 'POST', ...file });
      await client.untilDone(`/lists/contact/imports/${(body as { readonly id: string }).id}`);
    });
    // A value has at most 5,000 characters.
    const values = [0, 1, 2, 3].map((part) =>
      dialled.slice((part * count) / 4, ((part + 1) * count) / 4).join(),
    );
    const any = values.map((value) => ({ name: 'Mobile', operator: 'in', value }));
    const filters = [{ any }];
    await client.expectWork('found', { parsed: count }, async () => {
      const page = await client.post('/lists/contact/rows/query', { filters });
      expect(page).toMatchObject({ meta: { pagination: { count_total: count } } });
    });
    const list = await client.expectWork('saved', { parsed: count }, () =>
      client.post('/lists/contact/smartlists', { name: uniqueName(), filters }),
    );
    await client.expectWork('saved again', { parsed: count }, () =>
      client.post(`/lists/contact/smartlists/${list.id}`, { filters }, 'PATCH'),
    );
    const both = { smartlist_id: list.id, filters };
    await client.expectWork('exported', { parsed: 2 * count }, async () => {
      const { id } = await client.post('/lists/contact/exports', both);
      await client.untilDone(`/lists/contact/exports/${id}`);
    });
    await client.expectWork('sent', { parsed: 2 * count }, async () => {
      const { id } = await client.post('/sms/send', { smartlist_id: list.id, content: 'Dear {{Name}}' });
      await client.untilEnded();
      expect((await client.ask({ path: `/sms/${id}` })).body).toMatchObject({
        expansion: { state: 'done', rows: count },
      });
    });
  });

  it('to send an OTP again reads its number twice, and to verify it once: for the route, and for the metrics', async () => {
    const token = '73519604';
    const { id } = await client.post('/otp/request_token', { recipient: plain[0], token });
    await client.untilEnded();
    await client.forgetWork();
    await client.expectWork('sent again', { parsed: 2 }, async () => {
      await client.post(`/otp/${id}/resend`, {});
      await client.untilEnded();
    });
    await client.expectWork('verified', { parsed: 1 }, () => client.post('/otp/verify', { id, token }));
  });
}
