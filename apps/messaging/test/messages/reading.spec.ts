import type * as dto from '@gangan/contracts';
import type { SmsMessage } from '@gangan/contracts';
import { type DeliveryState, sql } from '@gangan/database';
import { newId, nilUuid } from '@gangan/protocol';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { foundMessages } from '../../src/messages/message-filters.js';
import type { MessagesService } from '../../src/messages/messages.service.js';
import { SendingFixture } from '../support/sending-fixture.js';

type ListFilter = Pick<dto.ListSmsRequest, keyof dto.ListSmsRequest>;

describe('reading messages', () => {
  const fixture = SendingFixture.use();
  let service: MessagesService;
  beforeAll(async () => {
    service = await fixture.service();
  });

  const send = (organisationId: string, recipients = '08031234567'): Promise<SmsMessage> =>
    service.send({ recipients, content: 'Hello' }, fixture.contextOf(organisationId));

  /** As if it had been delivered so far, recipient by recipient. */
  const come = async (messageId: string, states: readonly DeliveryState[]): Promise<void> => {
    await fixture.database.execute(sql`
      UPDATE delivery SET state = come.state, updated_at = '2026-01-02T03:04:05.678Z',
        next_attempt_at = CASE WHEN come.state IN ('queued', 'submitting', 'sent') THEN now() END,
        refunded = come.state = 'failed',
        error_code = CASE WHEN come.state = 'failed' THEN 'no_route' END,
        error_message = CASE WHEN come.state = 'failed' THEN 'No provider accepted it' END
      FROM (SELECT id, row_number() OVER (ORDER BY id) AS index FROM delivery WHERE message_id = ${messageId}) one
      JOIN unnest(${[...states]}::delivery_state[]) WITH ORDINALITY AS come (state, index) USING (index)
      WHERE delivery.id = one.id`);
  };

  it('shows the status of each recipient in order, and the provider results', async () => {
    const organisationId = await fixture.organisation();
    const sent = await send(organisationId, '08031234567, 08031234568,08031234569');
    await come(sent.id, ['failed', 'submitting', 'delivered']);
    await fixture.database.execute(sql`
      INSERT INTO delivery_attempt (delivery_id, attempt, provider, outcome, error_code, error_message, started_at, ended_at)
      SELECT id, attempt, 'simulator', CASE attempt WHEN 1 THEN 'transient' END, CASE attempt WHEN 1 THEN 'busy' END,
        CASE attempt WHEN 1 THEN 'Try later' END, '2026-01-02T03:04:05Z', CASE attempt WHEN 1 THEN '2026-01-02T03:04:06Z'::timestamptz END
      FROM (SELECT id FROM delivery WHERE message_id = ${sent.id} AND state = 'submitting') one, unnest(ARRAY[2, 1]) AS t (attempt)`);
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}000\+00:00$/) as unknown;
    const common = {
      id: expect.any(String) as unknown,
      text: 'Hello',
      links: [],
      pages: 1,
      charge: 4,
      created_datetime: sent.created_datetime,
      updated_datetime: time,
    };
    const found = await service.find({ id: sent.id.toUpperCase() }, fixture.contextOf(organisationId));
    const { meta, ...fields } = sent;
    expect(found).toEqual({
      ...fields,
      updated_datetime: '2026-01-02T03:04:05.678000+00:00',
      channel: 'sms',
      category: 'transactional',
      meta: { method: 'GET', resource: `/sms/${sent.id}`, estimate: meta.estimate, refunded: 4 },
      deliveries: [
        {
          ...common,
          recipient: '08031234567',
          status: 'failed',
          reason: { code: 'no_route', message: 'No provider accepted it' },
          error: { code: 'no_route', message: 'No provider accepted it' },
          refunded: true,
          attempts: [],
        },
        {
          ...common,
          recipient: '08031234568',
          status: 'queued',
          refunded: false,
          attempts: [
            {
              attempt: 1,
              provider: 'simulator',
              outcome: 'transient',
              reason: { code: 'busy', message: 'Try later' },
              error: { code: 'busy', message: 'Try later' },
              started_datetime: '2026-01-02T03:04:05.000000+00:00',
              ended_datetime: '2026-01-02T03:04:06.000000+00:00',
            },
            { attempt: 2, provider: 'simulator', started_datetime: '2026-01-02T03:04:05.000000+00:00' },
          ],
        },
        { ...common, recipient: '08031234569', status: 'delivered', refunded: false, attempts: [] },
      ],
    });
  });

  it('shows an attempt in progress, which has no row yet', async () => {
    const organisationId = await fixture.organisation();
    const sent = await send(organisationId);
    await fixture.database.execute(sql`
      UPDATE delivery SET state = 'submitting', attempt = 1, provider = 'simulator', created_at = '2026-01-02T03:00:00Z',
        next_attempt_at = '2026-01-02T03:04:45Z' WHERE message_id = ${sent.id}`);
    const find = async () => {
      const found = await service.find({ id: sent.id }, fixture.contextOf(organisationId));
      return found.deliveries[0]?.attempts;
    };
    // The lease is four times the provider timeout.
    const running = {
      attempt: 1,
      provider: 'simulator',
      started_datetime: '2026-01-02T03:04:05.000000+00:00',
    };
    expect(await find()).toEqual([running]);
    await fixture.database.execute(sql`
      INSERT INTO delivery_attempt (delivery_id, attempt, provider, started_at)
      SELECT id, 1, 'simulator', '2026-01-02T03:04:05Z' FROM delivery WHERE message_id = ${sent.id}`);
    expect(await find()).toEqual([running]);
  });

  it('is allowed only for their organisation', async () => {
    const organisationId = await fixture.organisation();
    const { id } = await send(organisationId);
    const [owner, stranger] = [
      fixture.contextOf(organisationId),
      fixture.contextOf(await fixture.organisation()),
    ];
    for (const [asked, by] of [
      [id, stranger],
      [newId(), owner],
      ['..', owner],
      ['x'.repeat(500), owner],
    ] as const) {
      await expect(service.find({ id: asked }, by)).rejects.toMatchObject({
        status: 404,
        message: 'The message was not found',
      });
    }
    expect((await service.list({}, stranger)).messages).toEqual([]);
  });

  it('works in pages, by status and by time', async () => {
    const organisationId = await fixture.organisation();
    const context = fixture.contextOf(organisationId);
    const sent: SmsMessage[] = [];
    for (let index = 0; index < 7; index += 1)
      sent.unshift(await send(organisationId, '08031234567,08031234568,08031234569'));
    const ids = sent.map(({ id }) => id);
    const states: readonly (readonly DeliveryState[])[] = [
      ['queued', 'queued', 'queued'],
      ['failed', 'failed', 'delivered'],
      ['delivered', 'delivered', 'delivered'],
      ['submitting', 'sent', 'sent'],
      ['failed', 'undelivered', 'expired'],
      ['rejected', 'queued', 'submitting'],
      ['delivered', 'failed', 'failed'],
    ];
    for (const [index, id] of ids.entries()) await come(id, states[index] ?? []);

    const listed = async (request: object): Promise<number[]> =>
      (await service.list(request, context)).messages.map(({ id }) => ids.indexOf(id));
    for (const filter of [{}, { status: 'failed' }, { status: 'queued' }] as const) {
      const whole = await listed({ ...filter, limit: 100 });
      const seen: string[] = [];
      for (let before: string | undefined, more = true; more;) {
        const page = await service.list(
          { ...filter, limit: 2, ...(before !== undefined && { before }) },
          context,
        );
        expect(page.meta).toMatchObject({ method: 'GET', resource: '/sms', pagination: { limit: 2 } });
        seen.push(...page.messages.map(({ id }) => id));
        before = page.meta.pagination.next;
        more = before !== undefined;
      }
      expect(seen.map((id) => ids.indexOf(id))).toEqual(whole);
    }
    expect(await listed({})).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(await listed({ status: 'queued' })).toEqual([0, 3, 5]);
    expect(await listed({ status: 'sent' })).toEqual([3]);
    expect(await listed({ status: 'delivered' })).toEqual([1, 2, 6]);
    expect(await listed({ status: 'failed' })).toEqual([1, 4, 6]);
    expect(await listed({ status: 'undelivered' })).toEqual([4]);
    expect(await listed({ status: 'expired' })).toEqual([4]);
    expect(await listed({ status: 'rejected' })).toEqual([5]);
    const middle = sent[4]?.created_datetime ?? '';
    expect(await listed({ since: middle })).toEqual(expect.arrayContaining([0, 1, 2, 3, 4]));
    expect(await listed({ until: middle })).not.toContain(4);
    expect(await listed({ status: 'failed', until: middle })).toEqual([6]);
    expect(await listed({ status: 'failed', before: ids[1]?.toUpperCase() })).toEqual([4, 6]);
    expect(await listed({ status: 'failed', since: '2999-01-01' })).toEqual([]);
    const [newest] = sent;
    const { messages } = await service.list({ limit: 1 }, context);
    expect(messages).toMatchObject([
      {
        id: newest?.id,
        recipients: newest?.recipients,
        personalisation: [],
        meta: { resource: '/sms', estimate: newest?.meta.estimate },
      },
    ]);
  });

  it('works by page number, as long as there are messages', async () => {
    const organisationId = await fixture.organisation();
    const context = fixture.contextOf(organisationId);
    const ids: string[] = [];
    for (let index = 0; index < 5; index += 1) ids.unshift((await send(organisationId)).id);
    for (const id of ids) await come(id, ['failed']);
    for (const filter of [{}, { status: 'failed' }] as const) {
      const listed = async (page: number) => {
        const { messages, meta } = await service.list({ ...filter, limit: 2, page }, context);
        return [messages.map(({ id }) => id), meta.pagination];
      };
      expect(await listed(1)).toEqual([ids.slice(0, 2), { limit: 2, page: 1, next: ids[1] }]);
      expect(await listed(2)).toEqual([ids.slice(2, 4), { limit: 2, page: 2, next: ids[3] }]);
      expect(await listed(3)).toEqual([ids.slice(4), { limit: 2, page: 3 }]);
      expect(await listed(4)).toEqual([[], { limit: 2, page: 4 }]);
    }
  });

  it('leaves out the text of an erased recipient whose values are gone', async () => {
    const organisationId = await fixture.organisation();
    const context = fixture.contextOf(organisationId);
    const personalisation = ['08031234567', '08031234568'].map((to) => ({
      to,
      substitutions: { name: 'Ada' },
    }));
    const request = { recipients: '08031234567,08031234568', template_id: 'Dear {{name}}', personalisation };
    const { id } = await service.send(request, context);
    await fixture.database.execute(sql`
      UPDATE message SET personalisation = jsonb_path_query_array(personalisation, '$[1]'),
        recipients = ARRAY['erased', recipients[2]] WHERE id = ${id}::uuid`);
    await fixture.database.execute(sql`
      UPDATE delivery SET recipient = 'erased', recipient_given = 'erased'
      WHERE message_id = ${id}::uuid AND recipient = '+2348031234567'`);
    const { deliveries } = await service.find({ id }, context);
    const [erased, kept] = deliveries;
    expect(erased).toMatchObject({ recipient: 'erased' });
    expect(erased).not.toHaveProperty('text');
    expect(kept).toMatchObject({ recipient: '08031234568', text: 'Dear Ada' });
  });

  it('shortens large messages in a list', async () => {
    const context = fixture.contextOf(await fixture.organisation());
    const numbers = Array.from(
      { length: 1_000 },
      (_, index) => `+234803123${String(index).padStart(4, '0')}`,
    );
    const [to = ''] = numbers;
    const request = {
      recipients: numbers.join(),
      template_id: 'unknown',
      personalisation: [{ to, substitutions: { a: 'x'.repeat(900_000) } }],
    };
    await service.send(request, context);
    const { messages } = await service.list({}, context);
    expect(messages).toMatchObject([{ recipients: numbers.slice(0, 100), recipient_count: 1_000 }]);
    expect(JSON.stringify(messages).length).toBeLessThan(10_000);
    expect((await service.find({ id: messages[0]?.id ?? '' }, context)).recipients).toEqual(numbers);
  });

  it('finds messages by recipient, reference, channel, category and status, in any combination', async () => {
    const organisationId = await fixture.organisation();
    const [context, stranger] = [
      fixture.contextOf(organisationId),
      fixture.contextOf(await fixture.organisation()),
    ];
    const template = await fixture.template(organisationId, {
      body: 'Hello',
      channel: 'whatsapp',
      providerName: 'hello',
      language: 'en',
    });
    const numbers = ['08031234567', '08031234568'] as const;
    const sent: { readonly id: string; readonly request: dto.SendSmsRequest }[] = [];
    let index = 0;
    for (const channel of ['sms', 'whatsapp'] as const)
      for (const category of ['transactional', 'promotional'] as const)
        for (const external_ref of [undefined, 'order-17', 'order-18'])
          for (const recipients of [numbers[0], numbers.join(', ')]) {
            const text = channel === 'sms' ? { content: 'Hello' } : { template_id: template };
            const ref = external_ref === undefined ? {} : { external_ref };
            const request = { recipients, channel, category, ...text, ...ref };
            const { id } = await service.send(request, fixture.contextOf(organisationId));
            await come(id, index % 3 === 0 ? ['failed', 'delivered'] : ['delivered', 'failed']);
            sent.unshift({ id, request });
            index += 1;
          }
    const failedFor = (place: number): readonly string[] =>
      place % 3 === 0 ? [numbers[0]] : numbers.slice(1);
    const matches = (filter: ListFilter, place: number): boolean => {
      const request: Partial<dto.SendSmsRequest> = sent[place]?.request ?? {};
      const recipients = request.recipients?.split(', ') ?? [];
      const failed = failedFor(sent.length - 1 - place).filter((number) => recipients.includes(number));
      const asked = filter.recipient === undefined ? recipients : ['0803 123 4568'.replaceAll(' ', '')];
      return (
        asked.some((number) => (filter.status === undefined ? recipients : failed).includes(number)) &&
        (filter.external_ref ?? request.external_ref) === request.external_ref &&
        (filter.channel ?? request.channel) === request.channel &&
        (filter.category ?? request.category) === request.category
      );
    };
    const choices: readonly ListFilter[][] = [
      [{}, { status: 'failed' }],
      [{}, { recipient: ' 234 803 123 4568' }],
      [{}, { external_ref: 'order-17' }],
      [{}, { channel: 'sms' }],
      [{}, { category: 'promotional' }],
    ];
    const filters = choices.reduce<ListFilter[]>(
      (all, values) => all.flatMap((one) => values.map((value) => ({ ...one, ...value }))),
      [{}],
    );
    expect(filters).toHaveLength(32);
    for (const filter of filters) {
      const expected = sent.filter((_, place) => matches(filter, place)).map(({ id }) => id);
      const seen: string[] = [];
      for (let before: string | undefined, more = true; more;) {
        const request = { ...filter, limit: 4, ...(before !== undefined && { before }) };
        const page = await service.list(request, context);
        seen.push(...page.messages.map(({ id }) => id));
        before = page.meta.pagination.next;
        more = before !== undefined;
      }
      expect({ filter, seen }).toEqual({ filter, seen: expected });
      const second = await service.list({ ...filter, limit: 3, page: 2 }, context);
      expect(second.messages.map(({ id }) => id)).toEqual(expected.slice(3, 6));
      expect((await service.list(filter, stranger)).messages).toEqual([]);
    }
    expect((await service.list({ channel: 'whatsapp', limit: 1 }, context)).messages).toMatchObject([
      { channel: 'whatsapp', category: 'promotional' },
    ]);
  });

  it('compares at most 10,000 messages with several filters, and says where to continue', async () => {
    const organisationId = await fixture.organisation();
    const context = fixture.contextOf(organisationId);
    const { id } = await service.send(
      { recipients: '08031234567', content: 'Hello', external_ref: 'bulk', category: 'promotional' },
      context,
    );
    await fixture.database.execute(sql`
      INSERT INTO message (id, organisation_id, channel, sender, recipients, content, category, external_ref, encoding,
        length, pages, charge_kobo, balance_kobo, request_id)
      SELECT uuidv7(), organisation_id, channel, sender, recipients, content, 'transactional', external_ref, encoding,
        length, pages, 0, 0, request_id
      FROM message, generate_series(1, 10000) WHERE id = ${id}`);
    const filter = { external_ref: 'bulk', category: 'promotional', limit: 2 } as const;
    const first = await service.list(filter, context);
    expect(first.messages).toEqual([]);
    const { next } = first.meta.pagination;
    expect(next).toEqual(expect.any(String));
    expect(
      (await service.list({ ...filter, ...(next !== undefined && { before: next }) }, context)).messages,
    ).toMatchObject([{ id }]);
    expect((await service.list({ ...filter, category: 'transactional' }, context)).messages).toHaveLength(2);
    await come(id, ['delivered']);
    for (const own of [{ category: 'promotional' }, { status: 'delivered' }] as const) {
      const page = await service.list({ ...own, limit: 2 }, context);
      expect(page.messages).toEqual([]);
      const before = page.meta.pagination.next ?? '';
      expect((await service.list({ ...own, limit: 2, before }, context)).messages).toMatchObject([{ id }]);
    }
  });

  it('finds messages and their deliveries by indexes', async () => {
    await fixture.database.execute(sql`
      INSERT INTO delivery (id, organisation_id, lane, message_id, channel, recipient, recipient_given, state, pages,
        charge_kobo, next_attempt_at)
      SELECT uuidv7(), organisation_id, 'sms', id, channel, '+23480' || row_number() OVER (), '', 'queued', 1, 0, now()
      FROM message`);
    await fixture.database.execute(sql`ANALYZE message, delivery`);
    const [largest] = await fixture.database.query<{ id: string }>(sql`
      SELECT organisation_id AS id FROM message GROUP BY 1 ORDER BY count(*) DESC LIMIT 1`);
    const organisationId = largest?.id ?? '';
    const planOf = async (query: object): Promise<string> => {
      const of = { organisationId, from: nilUuid, before: newId(), ...query };
      const found = foundMessages(of, 51, 0);
      const plan = await fixture.database.query<{ 'QUERY PLAN': string }>(
        sql`EXPLAIN WITH RECURSIVE ${found} SELECT id FROM found`,
      );
      return plan.map((line) => line['QUERY PLAN']).join('\n');
    };
    expect(await planOf({ externalRef: 'a' })).toMatch(/Scan Backward using message_external_ref_idx/);
    expect(await planOf({ recipient: 'a' })).toMatch(/Scan Backward using delivery_recipient_idx/);
    // For an organisation with nearly all messages, Postgres may read those of all.
    const [other] = await fixture.database.query<{ id: string }>(sql`
      SELECT organisation_id AS id FROM message GROUP BY 1 ORDER BY count(*) LIMIT 1`);
    const listOf = (query: object) => planOf({ organisationId: other?.id, ...query });
    const inList = /Scan Backward using message_organisation_id_id_idx/;
    for (const query of [{}, { category: 'promotional' }, { channel: 'sms' }])
      expect(await listOf(query)).toMatch(inList);
    for (const status of ['queued', 'sent', 'delivered', 'read'] as const) {
      const plan = await listOf({ status });
      expect(plan).toMatch(inList);
      expect(plan).toMatch(/Only Scan using delivery_message_state_idx/);
    }
    for (const status of ['undelivered', 'expired', 'rejected', 'failed', 'canceled'] as const)
      expect(await planOf({ status })).toMatch(/Scan Backward using delivery_failed_idx/);
    expect(await planOf({ externalRef: 'a', status: 'queued' })).toMatch(/using delivery_message_state_idx/);
    expect(await planOf({ externalRef: 'a', recipient: 'b' })).toMatch(/using delivery_recipient_idx/);
  });
});
