import { CallbackAnnouncer } from '@gangan/callbacks';
import { maxIndividualClicks } from '@gangan/contracts';
import { sql } from '@gangan/database';
import { firstIdAt, newId, timeOfId } from '@gangan/protocol';
import { AppLogger } from '@gangan/runtime';
import { anEndpoint, valueFor } from '@gangan/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { LinksRepository } from '../../src/links/links.repository.js';
import { LinksService } from '../../src/links/links.service.js';
import { StoredTexts } from '../../src/text/stored-texts.js';
import { createMessaging, openCallback, silent } from '../support/messaging-module.js';
import { StoredMessages } from '../support/stored-messages.js';

const url = 'https://example.com/sale?x=1&y=ä#top';
const callbackUrl = 'https://customer.example/hook';

describe('tracked links', () => {
  let stored: StoredMessages;
  let service: LinksService;
  let organisationId: string;
  const announced: string[] = [];
  beforeAll(async () => {
    stored = await StoredMessages.open();
    const announcer = { announce: (ids: readonly string[]) => Promise.resolve(void announced.push(...ids)) };
    const values = [valueFor(CallbackAnnouncer, announcer)];
    service = (await createMessaging(stored.database, { values })).get(LinksService);
    organisationId = await stored.organisation();
  });
  afterAll(() => stored.close());
  beforeEach(() => {
    announced.splice(0);
  });

  const link = async (
    hasCallback = true,
  ): Promise<{ code: string; deliveryId: string; messageId: string }> => {
    const facts = { organisationId, urls: [url], ...(hasCallback && { callbackUrl }) };
    const { id, deliveryIds, codes } = await stored.message(facts);
    return { code: codes[0]?.[0] ?? '', deliveryId: deliveryIds[0] ?? '', messageId: id };
  };
  const click = (code: string, ids = [newId()], more = 0) => service.count({ links: [{ code, ids, more }] });
  const counted = async (code: string) => {
    const [row] = await stored.database.query<{ clicks: number; at: Date | null; history: number }>(sql`
      SELECT clicks, clicked_at AS at, (SELECT count(*)::int FROM link_click WHERE link_click.code = link.code) AS history
      FROM tracked_link AS link WHERE code = ${code}`);
    return row;
  };
  const reports = (messageId: string) =>
    stored.database.query<{ id: string; url: string; body: string }>(
      sql`SELECT id, url, body FROM callback WHERE resource_id = ${messageId} ORDER BY id`,
    );

  it('redirect only to their stored URL', async () => {
    const { code } = await link();
    expect(await service.resolve({ code })).toMatchObject({ url });
    expect(await service.resolve({ code: 'x'.repeat(22) })).toEqual({});
    expect(await service.resolve({ code: "' OR true --" })).toEqual({});
  });

  it('of a test organisation are marked, those of a live one are not', async () => {
    const resolved = async (mode: 'live' | 'test') => {
      const { codes } = await stored.message({
        organisationId: await stored.organisation(mode),
        urls: [url],
      });
      return service.resolve({ code: codes[0]?.[0] ?? '' });
    };
    expect(await Promise.all([resolved('test'), resolved('live')])).toEqual([{ url, isTest: true }, { url }]);
  });

  it('are counted, with the time of the last click', async () => {
    const { code } = await link();
    const ids = [newId(), newId(), newId()];
    expect(await click(code, ids)).toEqual({ counted: 3 });
    expect(await counted(code)).toEqual({ clicks: 3, at: timeOfId(ids[2] ?? ''), history: 3 });
  });

  it('count a click once, even if it is sent several times', async () => {
    const { code } = await link();
    const ids = [newId(), newId()];
    await click(code, ids, 7);
    expect(await click(code, ids, 7)).toEqual({ counted: 0 });
    expect(await counted(code)).toMatchObject({ clicks: 9, history: 2 });
  });

  it('with very many clicks are counted, but not every click is stored', async () => {
    const { code, messageId } = await link();
    const ids = Array.from({ length: maxIndividualClicks }, newId);
    await click(code, ids, 1_000_000);
    expect(await counted(code)).toMatchObject({ clicks: 1_000_010, history: maxIndividualClicks });
    expect(await reports(messageId)).toHaveLength(maxIndividualClicks);
  });

  it('with very many clicks from several gateways are limited like those from one', async () => {
    const { code, messageId } = await link();
    const some = (count: number) => Array.from({ length: count }, newId);
    await click(code, some(6), 1);
    await Promise.all([click(code, some(6), 2), click(code, some(6), 3)]);
    await service.count({
      links: [
        { code, ids: some(1), more: 0 },
        { code, ids: some(1), more: 0 },
      ],
    });
    expect(await counted(code)).toMatchObject({ clicks: 26, history: maxIndividualClicks });
    expect(await reports(messageId)).toHaveLength(maxIndividualClicks);
    const minutesAgo = sql`UPDATE link_click SET id = ${firstIdAt(new Date(Date.now() - 61_000))}::uuid WHERE code = ${code} AND id = (SELECT min(id::text)::uuid FROM link_click WHERE code = ${code})`;
    await stored.database.execute(minutesAgo);
    await click(code, some(2));
    expect(await counted(code)).toMatchObject({ clicks: 28, history: maxIndividualClicks + 1 });
  });

  it('report and announce each click', async () => {
    const { code, deliveryId, messageId } = await link();
    const id = newId();
    await click(code, [id]);
    const [report, ...others] = await reports(messageId);
    expect(others).toEqual([]);
    expect(announced).toEqual([report?.id]);
    expect(report?.url).toBe(callbackUrl);
    const clicked = timeOfId(id).toISOString().replace('Z', '000+00:00');
    expect(JSON.parse(report?.body ?? '')).toEqual({
      type: 'message.clicked',
      timestamp: clicked,
      data: {
        id: messageId,
        delivery_id: deliveryId,
        channel: 'sms',
        recipient: '0803 123 4567',
        status: 'delivered',
        external_ref: 'ref-1',
        created_datetime: expect.any(String),
        updated_datetime: expect.any(String),
        link: 1,
        url,
        clicked_datetime: clicked,
      },
    });
  });

  it('report the recipient and the link', async () => {
    const { id, deliveryIds, codes } = await stored.message({
      organisationId,
      callbackUrl,
      states: ['queued', 'delivered'],
      urls: [url, 'http://example.com/'],
    });
    await click(codes[0]?.[1] ?? '');
    const [report] = await reports(id);
    expect(JSON.parse(report?.body ?? '')).toMatchObject({
      data: { delivery_id: deliveryIds[0], link: 2, url: 'http://example.com/', status: 'sent' },
    });
  });

  it('are reported with a URL that is sealed like a text, to the callback URL and to endpoints', async () => {
    const sealing = await createMessaging(stored.database, { config: { SEAL_MESSAGES: true } });
    const { code, messageId } = await link();
    await anEndpoint(stored.database, organisationId, { events: ['message.clicked'] });
    const { sealedUrl } = sealing.get(StoredTexts).sealUrl(organisationId, { code, url });
    await stored.database.execute(
      sql`UPDATE tracked_link SET url = NULL, sealed_url = ${sealedUrl} WHERE code = ${code}`,
    );
    await sealing.get(LinksRepository).count([{ code, ids: [newId()], more: 0 }]);
    const rows = await stored.database.callback.findMany({ where: { resourceId: messageId } });
    expect(rows).toHaveLength(2);
    for (const { id, body, sealedBody } of rows) {
      const shown = JSON.parse(body) as { data: object };
      expect(shown).toMatchObject({ type: 'message.clicked', data: { link: 1 } });
      expect(body).not.toContain('example.com/sale');
      const opened = openCallback({ id, organisationId }, sealedBody);
      expect(JSON.parse(opened)).toEqual({ ...shown, data: { ...shown.data, url } });
    }
    await stored.database.callbackEndpoint.deleteMany({ where: { organisationId } });
  });

  it('whose URL cannot be opened are counted and reported without it', async () => {
    const { code, messageId } = await link();
    await stored.database.execute(
      sql`UPDATE tracked_link SET url = NULL, sealed_url = 'unreadable'::bytea WHERE code = ${code}`,
    );
    const logged: object[] = [];
    const values = [valueFor(AppLogger, { ...silent, error: (facts) => void logged.push(facts) })];
    const module = await createMessaging(stored.database, { values });
    await module.get(LinksRepository).count([{ code, ids: [newId()], more: 0 }]);
    expect(await counted(code)).toMatchObject({ clicks: 1 });
    const [report] = await reports(messageId);
    expect(JSON.parse(report?.body ?? '')).toMatchObject({ data: { link: 1 } });
    expect(report?.body).not.toContain('"url"');
    expect(logged).toMatchObject([{ row: code }]);
  });

  it('of messages without a callback are only counted', async () => {
    const { code, messageId } = await link(false);
    await click(code);
    expect(await counted(code)).toMatchObject({ clicks: 1 });
    expect(await reports(messageId)).toEqual([]);
  });

  it('are reported to an endpoint of the organisation', async () => {
    const endpointId = await anEndpoint(stored.database, organisationId, { events: ['message.clicked'] });
    const { code, messageId } = await link(false);
    await click(code);
    const callbacks = await stored.database.callback.findMany({ where: { resourceId: messageId } });
    expect(callbacks).toMatchObject([{ endpointId, type: 'message.clicked' }]);
    await stored.database.callbackEndpoint.deleteMany({ where: { organisationId } });
  });

  it('that were removed do not block others', async () => {
    const { code } = await link();
    const links = [
      { code: 'y'.repeat(22), ids: [newId()], more: 3 },
      { code, ids: [newId()], more: 0 },
    ];
    expect(await service.count({ links })).toEqual({ counted: 1 });
  });

  it('count all of many concurrent clicks, in any order', async () => {
    const codes = (await Promise.all(Array.from({ length: 6 }, () => link()))).map(({ code }) => code);
    const round = (turn: number) => {
      const order = turn % 2 === 0 ? codes : codes.toReversed();
      return service.count({ links: order.map((code) => ({ code, ids: [newId()], more: 1 })) });
    };
    await Promise.all(Array.from({ length: 20 }, (_, turn) => round(turn)));
    for (const code of codes)
      expect(await counted(code)).toMatchObject({ clicks: 40, history: maxIndividualClicks });
  });
});
