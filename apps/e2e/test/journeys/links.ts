import { sql } from '@gangan/database';
import { uniqueName, until } from '@gangan/testing';
import { expect, it } from '@jest/globals';
import { ownOrganisation } from '../support/new-organisation.js';
import type { RunningSystem } from '../support/running.js';

const url = 'https://example.com/orders/17?from=sms';

export function followsLinks(running: RunningSystem): void {
  const { system, database } = running;
  const { key } = ownOrganisation(running, 'Links');
  const post = async (path: string, body: object): Promise<string> => {
    const answer = await system().request({ method: 'POST', path, key: key(), body });
    expect(answer).toMatchObject({ status: 200 });
    return (answer.body as { id: string }).id;
  };
  const linksOf = (id: string) =>
    database().query<{ code: string; recipient: string; clicks: number }>(sql`
      SELECT code, recipient_given AS recipient, clicks FROM tracked_link
      JOIN delivery ON delivery.id = delivery_id WHERE message_id = ${id} ORDER BY recipient`);

  it('fills a template for each recipient and reports who followed its link', async () => {
    const template = await post('/templates', {
      name: uniqueName(),
      body: `Dear {{name}}, your order: ${url}.`,
    });
    const recipients = ['08032000011', '08032000012'];
    const id = await post('/sms/send', {
      recipients: recipients.join(),
      template_id: template,
      personalisation: recipients.map((to) => ({ to, substitutions: { name: 'Ada' } })),
      is_trackable: true,
      callback: 'https://gangan.invalid/',
    });
    const [first, second] = await linksOf(id);
    const answer = await system().request({ path: `/l/${first?.code}` });
    expect(answer).toMatchObject({ status: 302, headers: { location: url, 'cache-control': 'no-store' } });
    await until('the click is counted', async () => (await linksOf(id))[0]?.clicks === 1);
    expect(await linksOf(id)).toMatchObject([{ clicks: 1 }, { code: second?.code, clicks: 0 }]);
    const get = async (path: string) => (await system().request({ path, key: key() })).body;
    const { callbacks } = (await get(`/callbacks?resource_id=${id}&type=message.clicked`)) as {
      callbacks: { id: string }[];
    };
    expect(callbacks).toHaveLength(1);
    const { body } = (await get(`/callbacks/${callbacks[0]?.id}`)) as { body: string };
    expect(JSON.parse(body)).toMatchObject({ data: { id, recipient: '08032000011', link: 1, url } });
    const { body: shown } = await system().request({ path: `/sms/${id}`, key: key() });
    const [clicked, other] = (shown as { deliveries: { text: string; links: { short_url: string }[] }[] })
      .deliveries;
    expect(clicked).toMatchObject({ links: [{ url, clicks: 1, last_clicked_datetime: expect.any(String) }] });
    expect(clicked?.text).toBe(`Dear Ada, your order: ${clicked?.links[0]?.short_url}.`);
    expect(clicked?.links[0]?.short_url.endsWith(`/l/${first?.code}`)).toBe(true);
    expect(other).toMatchObject({ links: [{ url, clicks: 0 }] });
  });

  it('reports all faults of a template at once', async () => {
    const faultsOf = async (method: 'POST' | 'PATCH', path: string, body: object): Promise<string[]> => {
      const answer = await system().request({ method, path, key: key(), body });
      expect(answer.status).toBe(400);
      const { errors } = answer.body as { errors: { field: string; type: string }[] };
      return errors.map(({ field, type }) => `${field} ${type}`);
    };
    const wrong = { name: '', body: `} ${'x'.repeat(1_600)} {`, channel: 'whatsapp', language: 'English' };
    expect(await faultsOf('POST', '/templates', wrong)).toEqual([
      'name missing',
      'body string_too_long',
      'body value_error',
      'provider_name missing',
      'language value_error',
    ]);
    const name = uniqueName();
    await post('/templates', { name, body: 'Taken' });
    const id = await post('/templates', { name: uniqueName(), body: 'Dear {{name}}' });
    const change = { name, channel: 'whatsapp', provider_name: 'order', variables: ['name'] };
    expect(await faultsOf('PATCH', `/templates/${id}`, change)).toEqual([
      'name value_error',
      'channel value_error',
      'provider_name value_error',
      'variables value_error',
    ]);
  });

  it('responds 404 to an unknown link', async () => {
    expect(await system().request({ path: `/l/${'x'.repeat(22)}` })).toMatchObject({
      status: 404,
      body: { status: 404 },
    });
  });
}
