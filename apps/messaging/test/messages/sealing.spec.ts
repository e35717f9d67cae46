import { sql } from '@gangan/database';
import { describe, expect, it } from '@jest/globals';
import { LinksRepository } from '../../src/links/links.repository.js';
import { DueRepository } from '../../src/schedule/due.repository.js';
import { ClaimsRepository } from '../../src/submit/claims.repository.js';
import { MessageBodies } from '../../src/submit/message-bodies.js';
import { SendingFixture } from '../support/sending-fixture.js';

const name = 'Bartholomew';
const url = 'https://shop.example/dermatoglyphics';
const content = `Hello {{Name}}, see ${url}`;
const smartlistId = '01900000-0000-7000-8000-000000000001';
const never = new AbortController().signal;

describe.each([
  ['are sealed', true],
  ['are plain by default', false],
])('the texts of messages %s', (_, SEAL_MESSAGES) => {
  const fixture = SendingFixture.use();

  const rowsWith = async (text: string): Promise<number> => {
    const tables = ['message', 'delivery', 'tracked_link'];
    const found = await Promise.all(
      tables.map((table) =>
        fixture.database.$queryRawUnsafe<unknown[]>(
          `SELECT FROM ${table} AS row WHERE row::text LIKE '%${text}%'
             OR row::text LIKE '%${Buffer.from(text).toString('hex')}%'`,
        ),
      ),
    );
    return found.flat().length;
  };
  const textsOf = async (organisationId: string): Promise<string[]> => {
    // This worker does not seal, and reads both.
    const due = await (await fixture.get(DueRepository)).findDue('sms', [organisationId], 100);
    const claimed = await (await fixture.get(ClaimsRepository)).claim(due, 'test');
    const built = await (await fixture.get(MessageBodies)).build(claimed);
    return claimed.map(({ id }) => {
      const body = built.get(id);
      return body && 'text' in body ? body.text.replace(/\/l\/\S+/, '/l/code') : '';
    });
  };

  it('and reach providers, readers and links', async () => {
    const organisationId = await fixture.organisation();
    const context = fixture.contextOf(organisationId);
    const template = await fixture.template(organisationId, { body: content, variables: ['Name'] });
    const personalisation = [{ to: '08031234567', substitutions: { Name: name } }];
    const sent = await (
      await fixture.service({ SEAL_MESSAGES })
    ).send(
      { recipients: '08031234567', template_id: template, personalisation, is_trackable: true },
      context,
    );
    expect(sent).toMatchObject({ content, personalisation });
    for (const service of [await fixture.service(), await fixture.service({ SEAL_MESSAGES: true })]) {
      expect(await service.find({ id: sent.id }, context)).toMatchObject({ content, personalisation });
      expect(await service.list({}, context)).toMatchObject({ messages: [{ id: sent.id, content }] });
    }
    expect(await textsOf(organisationId)).toEqual([`Hello ${name}, see https://sms.example/l/code`]);
    const [{ code } = { code: '' }] = await fixture.database.trackedLink.findMany();
    const short_url = `https://sms.example/l/${code}`;
    await fixture.database.execute(sql`
      UPDATE tracked_link SET clicks = 2, clicked_at = '2026-01-02T03:04:05.678Z' WHERE code = ${code}`);
    for (const service of [await fixture.service(), await fixture.service({ SEAL_MESSAGES: true })])
      expect((await service.find({ id: sent.id }, context)).deliveries).toMatchObject([
        {
          text: `Hello ${name}, see ${short_url}`,
          links: [{ url, short_url, clicks: 2, last_clicked_datetime: '2026-01-02T03:04:05.678000+00:00' }],
        },
      ]);
    expect(await (await fixture.get(LinksRepository)).find(code)).toMatchObject({
      url,
    });
    expect((await rowsWith(name)) > 0).toBe(!SEAL_MESSAGES);
    expect((await rowsWith('dermatoglyphics')) > 0).toBe(!SEAL_MESSAGES);
  });

  it('and so are those to smartlists', async () => {
    await fixture.database.execute(sql`TRUNCATE message CASCADE`);
    const organisationId = await fixture.organisation();
    fixture.smartlist.fill([{ phone: '08031234567', cells: { Name: name } }]);
    const sending = await fixture.service({ SEAL_MESSAGES });
    const context = fixture.contextOf(organisationId);
    const { id } = await sending.send({ smartlist_id: smartlistId, content, is_trackable: true }, context);
    const { repository, service } = await fixture.expander({ SEAL_MESSAGES });
    const claimed = await repository.claimNext();
    if (claimed) await service.runSlice(claimed, never, { rows: 10, pages: 2 });
    expect((await rowsWith(name)) > 0).toBe(!SEAL_MESSAGES);
    expect((await rowsWith('dermatoglyphics')) > 0).toBe(!SEAL_MESSAGES);
    const shown = async () => {
      const { deliveries } = await (await fixture.service()).find({ id }, context);
      return deliveries.map(({ text, links }) => [
        text?.replace(/\/l\/\S+/, '/l/code'),
        ...links.map((link) => link.url),
      ]);
    };
    const text = `Hello ${name}, see https://sms.example/l/code`;
    expect(await shown()).toEqual([[text, url]]);
    expect(await textsOf(organisationId)).toEqual([text]);
    // Once a provider has the text, what is sealed for it alone is deleted.
    await fixture.database.execute(sql`UPDATE delivery SET state = 'sent', sealed_body = NULL`);
    expect(await shown()).toEqual([[SEAL_MESSAGES ? undefined : text, url]]);
  });

  it('and cannot be opened for another organisation', async () => {
    await fixture.database.execute(sql`TRUNCATE message CASCADE`);
    const [owner, thief] = [await fixture.organisation(), await fixture.organisation()];
    const service = await fixture.service({ SEAL_MESSAGES });
    const { id } = await service.send(
      { recipients: '08031234567', content: 'Hello' },
      fixture.contextOf(owner),
    );
    await fixture.database.execute(sql`UPDATE message SET organisation_id = ${thief}::uuid WHERE id = ${id}`);
    const found = service.find({ id }, fixture.contextOf(thief)).then(
      ({ content: text }) => text,
      () => 'refused',
    );
    expect(await found).toBe(SEAL_MESSAGES ? 'refused' : 'Hello');
  });
});
