import { lockWallets } from '@gangan/billing';
import type { SendSmsRequest } from '@gangan/contracts';
import { setLimits, sql } from '@gangan/database';
import type { RequestContext } from '@gangan/protocol';
import { anEndpoint, aWaitingCallback, until } from '@gangan/testing';
import { afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { MessagesService } from '../../src/messages/messages.service.js';
import { SendingFixture } from '../support/sending-fixture.js';

const options = { recipients: '0803 123 4567', content: 'Hello' } as const;

interface StoredDelivery {
  readonly id: string;
  readonly recipient: string;
  readonly given: string;
  readonly state: string;
  readonly pages: number;
  readonly kobo: bigint;
  readonly waits: boolean;
}

describe('sending', () => {
  const fixture = SendingFixture.use();
  let service: MessagesService;
  beforeAll(async () => {
    await fixture.price('sms', '44', 1_500n);
    await fixture.price('sms', '234', 400n);
    service = await fixture.service();
  });
  afterEach(() => fixture.expectCleanLedger());

  const deliveriesOf = (messageId: string): Promise<StoredDelivery[]> =>
    fixture.database.query<StoredDelivery>(sql`
      SELECT id, recipient, recipient_given AS given, state, pages, charge_kobo AS kobo,
        next_attempt_at > now() AS waits
      FROM delivery WHERE message_id = ${messageId} ORDER BY id`);

  const send = async (request: Partial<SendSmsRequest>, organisationId?: string) =>
    service.send(
      { ...options, ...request },
      fixture.contextOf(organisationId ?? (await fixture.organisation())),
    );

  /** The fields and types of an error that stored nothing. */
  const faultsOf = async (request: Partial<SendSmsRequest>, organisationId?: string): Promise<string[]> => {
    const context = fixture.contextOf(organisationId ?? (await fixture.organisation()));
    const error: unknown = await service
      .send({ ...options, ...request }, context)
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ status: 400 });
    expect(await fixture.traces(context.operationId)).toEqual({ messages: 0, deliveries: 0, charges: 0 });
    return (error as { fields: { field: string; type: string }[] }).fields.map(
      ({ field, type }) => `${field} ${type}`,
    );
  };

  /** Counts the statements that contain a text. */
  const counting = async <T>(expected: Record<string, number>, work: () => Promise<T>): Promise<T> => {
    const statements = jest.spyOn(fixture.database, 'run');
    try {
      const result = await work();
      const texts = statements.mock.calls.map(([{ build }, ...args]) => build(...args).text);
      for (const [words, count] of Object.entries(expected)) {
        expect([words, texts.filter((text) => text.includes(words)).length]).toEqual([words, count]);
      }
      return result;
    } finally {
      statements.mockRestore();
    }
  };

  it('rejects a new message with a callback URL when too many callbacks wait', async () => {
    const organisationId = await fixture.organisation();
    const context = fixture.contextOf(organisationId);
    const asked = { ...options, callback: 'https://example.com/cb' };
    const answer = await service.send(asked, context);
    await aWaitingCallback(fixture.database, organisationId);
    await setLimits(fixture.database, organisationId, { waitingCallbacks: 1 });
    // Another worker, which has not counted yet.
    const other = await fixture.service();
    const refused = fixture.contextOf(organisationId);
    await expect(other.send(asked, refused)).rejects.toMatchObject({
      status: 429,
      code: 'too_many_callbacks',
    });
    expect(await fixture.traces(refused.operationId)).toEqual({ messages: 0, deliveries: 0, charges: 0 });
    expect(await other.send(asked, context)).toEqual(answer);
    await other.send(options, fixture.contextOf(organisationId));
  });

  it('rejects any message whose events an endpoint receives when too many callbacks wait', async () => {
    const organisationId = await fixture.organisation();
    await aWaitingCallback(fixture.database, organisationId);
    await setLimits(fixture.database, organisationId, { waitingCallbacks: 1 });
    const send = async () => (await fixture.service()).send(options, fixture.contextOf(organisationId));
    await send();
    await anEndpoint(fixture.database, organisationId, { events: ['airtime.success', 'message.clicked'] });
    await send();
    await anEndpoint(fixture.database, organisationId);
    await expect(send()).rejects.toMatchObject({ status: 429, code: 'too_many_callbacks' });
  });

  it('returns the specified response, and announces the deliveries', async () => {
    const organisationId = await fixture.organisation({ kobo: 1_000n });
    const context = fixture.contextOf(organisationId);
    const asked = {
      recipients: '0803 123 4567, +2348031234568,08031234567',
      content: 'Hello {{name}}',
      sender_id: 'Gangan',
      external_ref: 'order-17',
      callback: 'https://example.com/cb',
      is_trackable: true,
    };
    expect(await service.send(asked, context)).toEqual({
      id: context.operationId,
      status: 'processing',
      recipients: ['0803 123 4567', '+2348031234568'],
      sender_id: 'Gangan',
      is_trackable: true,
      content: 'Hello {{name}}',
      external_ref: 'order-17',
      callback: 'https://example.com/cb',
      personalisation: [],
      created_datetime: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}000\+00:00$/),
      meta: {
        method: 'POST',
        resource: '/sms/send',
        estimate: { available_balance: 2, charge: 8, encoding: 'GSM-7', message_length: 18, pages: 1 },
      },
    });
    const stored = await deliveriesOf(context.operationId);
    expect(stored).toMatchObject([
      {
        recipient: '+2348031234567',
        given: '0803 123 4567',
        state: 'queued',
        pages: 1,
        kobo: 400n,
        waits: true,
      },
      {
        recipient: '+2348031234568',
        given: '+2348031234568',
        state: 'queued',
        pages: 1,
        kobo: 400n,
        waits: true,
      },
    ]);
    expect(fixture.announced).toContainEqual({ organisationId, deliveryIds: stored.map(({ id }) => id) });
  });

  it('omits fields that were not given, except lists, and uses the default sender', async () => {
    const answer = await send({});
    expect(Object.keys(answer).sort()).toEqual([
      ...['content', 'created_datetime', 'id', 'is_trackable', 'meta', 'personalisation', 'recipients'],
      ...['sender_id', 'status'],
    ]);
    expect(answer).toMatchObject({ sender_id: 'Usual', is_trackable: false, personalisation: [] });
  });

  it('charges each recipient’s pages at the price of its country', async () => {
    const answer = await send({ recipients: '08031234567,+447911123456', content: 'x'.repeat(161) });
    expect(answer.meta.estimate).toMatchObject({ charge: 2 * 4 + 2 * 15, message_length: 161, pages: 2 });
    const whatsapp = await send({ channel: 'whatsapp', content: 'ж'.repeat(300) });
    expect(whatsapp.meta.estimate).toMatchObject({
      charge: 5,
      encoding: 'UCS-2',
      message_length: 300,
      pages: 1,
    });
  });

  it('spends the whole balance, and rejects a message that costs one kobo more without a trace', async () => {
    const [exact, short] = [
      await fixture.organisation({ kobo: 800n }),
      await fixture.organisation({ kobo: 799n }),
    ];
    const two = { recipients: '08031234567,08031234568' };
    expect((await send(two, exact)).meta.estimate.available_balance).toBe(0);
    const context = fixture.contextOf(short);
    await expect(service.send({ ...options, ...two }, context)).rejects.toMatchObject({
      status: 402,
      code: 'insufficient_balance',
      fields: [{ field: 'balance', type: 'insufficient_balance' }],
    });
    expect(await fixture.traces(context.operationId)).toEqual({ messages: 0, deliveries: 0, charges: 0 });
    expect(await fixture.available(short)).toBe(799n);
  });

  describe('a template', () => {
    const both = '08031234567,+2348031234568';

    it('fills in the values of each recipient, stores the body, and counts the longest text', async () => {
      const organisationId = await fixture.organisation();
      const id = await fixture.template(organisationId, { body: 'Hi {{name}}!' });
      const personalisation = [
        { to: '+234 803 123 4567', substitutions: { name: 'Ada', unused: 'x' } },
        { to: '+2348031234568', substitutions: { name: `{{name}}${'x'.repeat(160)}` } },
      ];
      const answer = await send(
        { recipients: both, template_id: id, personalisation, content: 'ignored' },
        organisationId,
      );
      expect(answer).toMatchObject({
        content: 'Hi {{name}}!',
        template_id: id,
        // What is filled in is not expanded again, and its four braces count twice.
        meta: { estimate: { charge: 4 + 8, message_length: 3 + (4 + 4 * 2) + 160 + 1, pages: 2 } },
      });
      // What there is no index for is not kept.
      expect(answer.personalisation).toEqual([
        { to: '+234 803 123 4567', substitutions: { name: 'Ada' } },
        personalisation[1],
      ]);
      expect(await deliveriesOf(answer.id)).toMatchObject([
        { pages: 1, kobo: 400n },
        { pages: 2, kobo: 800n },
      ]);
    });

    it('uses an unknown id as the text in test mode, and rejects it in live mode', async () => {
      const personalisation = [{ to: '08031234567', substitutions: { name: 'Ada' } }];
      const asked = { template_id: 'Hi {{name}}', content: undefined as never, personalisation };
      expect(await send(asked)).toMatchObject({
        content: 'Hi {{name}}',
        template_id: 'Hi {{name}}',
        meta: { estimate: { message_length: 6 } },
      });
      const live = await fixture.organisation({ mode: 'live' });
      expect(await faultsOf(asked, live)).toEqual(['template_id value_error']);
    });

    it('ignores a value that no placeholder uses', async () => {
      const substitutions = { name: 'Ada', other: null as never };
      const asked = { template_id: 'Hi {{name}}', personalisation: [{ to: '08031234567', substitutions }] };
      expect((await send(asked)).personalisation).toEqual([
        { to: '08031234567', substitutions: { name: 'Ada' } },
      ]);
    });

    it('reports no unknown numbers while a recipient is invalid, but all other errors', async () => {
      const personalisation = [
        { to: '08031234568', substitutions: {} },
        { to: '123', substitutions: { name: 'x' } },
      ];
      const asked = { recipients: '08031234567,0803123456x', template_id: 'Hi {{name}}', personalisation };
      expect(await faultsOf(asked)).toEqual([
        'recipients.1 phone',
        'personalisation.1.to phone',
        'personalisation.0.substitutions.name missing',
      ]);
    });

    it('rejects a body that repeats a long value hundreds of times before it is rendered', async () => {
      const personalisation = [{ to: '08031234567', substitutions: { a: 'x'.repeat(1_000_000) } }];
      const request = { template_id: '{{a}}'.repeat(320), personalisation };
      expect(await faultsOf(request)).toEqual(['personalisation.0 string_too_long']);
    });

    it('of another organisation is rejected', async () => {
      const [own, other] = [await fixture.organisation({ mode: 'live' }), await fixture.organisation()];
      const id = await fixture.template(other, { body: 'Secret' });
      expect(await faultsOf({ template_id: id }, own)).toEqual(['template_id value_error']);
      const test = await send({ template_id: id });
      expect(test.content).toBe(id);
    });

    it('for WhatsApp stores the carrier’s name, language and order with the message', async () => {
      const organisationId = await fixture.organisation();
      const facts = {
        channel: 'whatsapp',
        providerName: 'welcome',
        language: 'en',
        variables: ['b', 'a'],
      } as const;
      const id = await fixture.template(organisationId, { body: '{{a}} {{b}}', ...facts });
      const personalisation = [{ to: '08031234567', substitutions: { a: '1', b: '2' } }];
      expect(await faultsOf({ template_id: id, personalisation }, organisationId)).toEqual([
        'template_id value_error',
      ]);
      const answer = await send({ template_id: id, personalisation, channel: 'whatsapp' }, organisationId);
      const rows = await fixture.database.query(sql`
        SELECT template_provider_name AS name, template_language AS language, template_variables AS variables
        FROM message WHERE id = ${answer.id}`);
      expect(rows).toEqual([{ name: 'welcome', language: 'en', variables: ['b', 'a'] }]);
    });

    it.each<[what: string, personalisation: SendSmsRequest['personalisation'], ...faults: string[]]>([
      ['no placeholder has a value', undefined, 'personalisation missing'],
      [
        'a recipient is left out',
        [{ to: '08031234567', substitutions: { name: 'x' } }],
        'personalisation missing',
      ],
      [
        'a placeholder is left out',
        [
          { to: '08031234567', substitutions: {} },
          { to: '08031234568', substitutions: { name: 'x' } },
        ],
        'personalisation.0.substitutions.name missing',
      ],
      [
        'numbers that are unknown, invalid or duplicate',
        [
          { to: '08031234569', substitutions: { name: 'x' } },
          { to: 'x', substitutions: { name: 'x' } },
          { to: '08031234567', substitutions: { name: 'x' } },
          { to: '+2348031234567', substitutions: { name: 'y' } },
        ],
        'personalisation.0.to value_error',
        'personalisation.1.to phone',
        'personalisation.3.to value_error',
      ],
      [
        'a number is unknown, and placeholders are missing or null',
        [
          { to: '+447911123456', substitutions: {} },
          { to: '08031234567', substitutions: { name: null as never } },
          { to: '08031234568', substitutions: { other: 'x' } },
        ],
        'personalisation.0.to value_error',
        'personalisation.1.substitutions.name missing',
        'personalisation.2.substitutions.name missing',
        'personalisation.0.substitutions.name missing',
      ],
      [
        'a text becomes too long, and another blank',
        [
          { to: '08031234567', substitutions: { name: 'x'.repeat(1_601) } },
          { to: '08031234568', substitutions: { name: '\u0007' } },
        ],
        'personalisation.0 string_too_long',
        'personalisation.1 missing',
      ],
    ])('is rejected if %s', async (_what, personalisation, ...faults) => {
      const organisationId = await fixture.organisation();
      const id = await fixture.template(organisationId, { body: '{{name}}' });
      const request = { recipients: both, template_id: id, ...(personalisation && { personalisation }) };
      expect(await faultsOf(request, organisationId)).toEqual(faults);
    });
  });

  it.each<[what: string, request: Partial<SendSmsRequest>, ...faults: string[]]>([
    ['no number', { recipients: ',' }, 'recipients.0 missing', 'recipients.1 missing'],
    [
      'bad numbers among good',
      { recipients: '08031234567,,a,+447911123456' },
      'recipients.1 missing',
      'recipients.2 phone',
    ],
    ['more than a job may bring', { recipients: '08031234567,'.repeat(1_000) }, 'recipients too_long'],
    ['an extension', { recipients: '08031234567;ext=1' }, 'recipients.0 phone'],
    ['eleven pages', { content: 'x'.repeat(1_531) }, 'content string_too_long'],
    ['eleven wide pages', { content: 'ж'.repeat(671) }, 'content string_too_long'],
  ])('refuses %s', async (_what, request, ...faults) => {
    expect(await faultsOf(request)).toEqual(faults);
  });

  it('refuses a text whose short links make it too long', async () => {
    const content = 'http://a.example '.repeat(40);
    await expect(send({ content })).resolves.toBeDefined();
    expect(await faultsOf({ content, is_trackable: true })).toEqual(['content string_too_long']);
  });

  it('returns all errors at once', async () => {
    const organisationId = await fixture.organisation({ mode: 'live', senders: ['Mine'] });
    const request = { recipients: '08031234567,x', sender_id: 'Theirs', template_id: 'none' };
    expect(await faultsOf(request, organisationId)).toEqual([
      'recipients.1 phone',
      'sender_id value_error',
      'template_id value_error',
    ]);
    const long = { recipients: '08031234567,x', sender_id: 'Theirs', content: 'ж'.repeat(671) };
    expect(await faultsOf(long, organisationId)).toEqual([
      'recipients.1 phone',
      'sender_id value_error',
      'content string_too_long',
    ]);
  });

  it('allows only registered senders if the organisation is restricted to them', async () => {
    const restricted = await fixture.organisation({ senders: ['Mine'] });
    expect(await faultsOf({ sender_id: 'Theirs' }, restricted)).toEqual(['sender_id value_error']);
    for (const sender_id of ['Mine', 'Usual']) {
      expect(await send({ sender_id }, restricted)).toMatchObject({ sender_id });
    }
    expect(await send({}, restricted)).toMatchObject({ sender_id: 'Usual' });
    expect(await send({ sender_id: 'Any' })).toMatchObject({ sender_id: 'Any' });
  });

  it('is unavailable to live organisations without SIMULATE_LIVE, and stores and charges nothing', async () => {
    const [live, test] = [await fixture.organisation({ mode: 'live' }), await fixture.organisation()];
    const withoutProvider = await fixture.service({ SIMULATE_LIVE: false });
    const context = fixture.contextOf(live);
    await expect(withoutProvider.send(options, context)).rejects.toMatchObject({
      status: 503,
      code: 'unavailable',
      message: expect.stringMatching(/^No sms provider .* set SIMULATE_LIVE=true\.$/),
    });
    expect(await fixture.traces(context.operationId)).toEqual({ messages: 0, deliveries: 0, charges: 0 });
    await expect(withoutProvider.send(options, fixture.contextOf(test))).resolves.toBeDefined();
    const accepted = await (await fixture.service()).send(options, context);
    expect(await withoutProvider.send(options, context)).toEqual(accepted);
  });

  it('makes one link for each recipient and URL', async () => {
    const answer = await send({
      recipients: '08031234567,08031234568',
      content: 'https://a.example, https://b.example/c.',
      is_trackable: true,
    });
    const links = await fixture.database.query<{ code: string; url: string; index: string }>(sql`
      SELECT code, url, recipient_given || ' ' || position AS index FROM tracked_link
      JOIN delivery ON delivery.id = delivery_id WHERE message_id = ${answer.id} ORDER BY delivery_id, position`);
    expect(links.map(({ index, url }) => [index, url])).toEqual([
      ['08031234567 0', 'https://a.example'],
      ['08031234567 1', 'https://b.example/c'],
      ['08031234568 0', 'https://a.example'],
      ['08031234568 1', 'https://b.example/c'],
    ]);
    expect(new Set(links.map(({ code }) => code)).size).toBe(4);
    for (const { code } of links) expect(code).toMatch(/^[\w-]{22}$/);
    const length = 'https://sms.example/l/'.length + 22;
    expect(answer).toMatchObject({
      content: 'https://a.example, https://b.example/c.',
      meta: { estimate: { message_length: 2 * length + 3 } },
    });
  });

  it('stores a thousand recipients in one statement', async () => {
    const organisationId = await fixture.organisation({ kobo: 400_000n });
    await send({}, organisationId).catch(() => undefined);
    const recipients = Array.from(
      { length: 999 },
      (_, index) => `+23480311${String(index).padStart(5, '0')}`,
    ).join();
    const answer = await counting({ 'INSERT INTO delivery': 1 }, () => send({ recipients }, organisationId));
    expect(answer.meta.estimate).toMatchObject({ charge: 3_996, available_balance: 0 });
    expect(answer.recipients).toHaveLength(999);
    expect(await fixture.traces(answer.id)).toEqual({ messages: 1, deliveries: 999, charges: 1 });
  });

  it('waits for a locked wallet without delaying other organisations', async () => {
    const [held, free] = [await fixture.organisation({ kobo: 400n }), await fixture.organisation()];
    await send({}, free);
    const statements = jest.spyOn(fixture.database, 'run');
    const [own, strangers] = await fixture.database
      .transaction(async (transaction) => {
        await lockWallets(transaction, [held]);
        const together = [held, free].map((organisationId) => ({
          request: options,
          context: fixture.contextOf(organisationId),
        }));
        const answers = fixture.sendTogether(service, together);
        // The first is for both; then each alone; then the held one again, and again.
        await until('five statements have run', () => statements.mock.calls.length >= 5);
        return [answers.then(([first]) => first), answers.then(([, second]) => second)];
      })
      .finally(() => {
        statements.mockRestore();
      });
    expect(await strangers).toMatchObject({ status: 'fulfilled' });
    expect(await own).toMatchObject({ status: 'fulfilled' });
  });

  it('accepts many large messages at once', async () => {
    const organisationId = await fixture.organisation({ kobo: 8n * 100n * 400n });
    const recipients = (from: number) =>
      Array.from(
        { length: 100 },
        (_, index) => `+23480312${String(from * 100 + index).padStart(5, '0')}`,
      ).join();
    const sends = Array.from({ length: 8 }, (_, index) =>
      send({ recipients: recipients(index) }, organisationId),
    );
    expect(await Promise.all(sends)).toHaveLength(8);
    expect(await fixture.available(organisationId)).toBe(0n);
  });

  describe('in a batch', () => {
    const members = (organisationId: string, count: number, request: Partial<SendSmsRequest> = {}) =>
      Array.from({ length: count }, () => ({
        request: { ...options, ...request },
        context: fixture.contextOf(organisationId),
      }));

    it('uses one statement for plain messages and one for all others; each member succeeds or fails alone', async () => {
      const [poor, rich] = [await fixture.organisation({ kobo: 1_600n }), await fixture.organisation()];
      // Fills the cache of sending rules.
      await Promise.all([send({}, poor), send({}, rich)]);
      const all = [
        ...members(poor, 5),
        ...members(rich, 20, { recipients: '08031234567,08031234568' }),
        ...members(rich, 1, { recipients: 'x' }),
        ...members(rich, 20, { content: 'https://a.example', is_trackable: true }),
      ];
      // A refused request is looked up: an earlier run may have been accepted.
      const answers = await counting(
        { 'INSERT INTO message': 2, 'FROM message': 1, registered_senders_only: 0 },
        () => fixture.sendTogether(service, all),
      );
      const outcomes = answers.map((answer) =>
        answer.status === 'fulfilled' ? 200 : (answer.reason as { status: number }).status,
      );
      expect(outcomes).toEqual([
        200,
        200,
        200,
        402,
        402,
        ...Array<number>(20).fill(200),
        400,
        ...Array<number>(20).fill(200),
      ]);
      expect(await fixture.available(poor)).toBe(0n);
      for (const [index, { context }] of all.entries()) {
        const { messages, deliveries } = await fixture.traces(context.operationId);
        expect([messages, deliveries > 0]).toEqual(outcomes[index] === 200 ? [1, true] : [0, false]);
      }
    });

    it('reads the templates of all members with one more statement', async () => {
      const organisationId = await fixture.organisation();
      const ids = [
        await fixture.template(organisationId, { body: 'One' }),
        await fixture.template(organisationId, { body: 'Two' }),
      ];
      await send({}, organisationId);
      const answers = await counting({ 'INSERT INTO message': 1, 'FROM template': 1 }, () =>
        fixture.sendTogether(
          service,
          ids.flatMap((id) => members(organisationId, 10, { template_id: id })),
        ),
      );
      const contents = answers.map((answer) => (answer.status === 'fulfilled' ? answer.value.content : ''));
      expect(contents).toEqual([...Array<string>(10).fill('One'), ...Array<string>(10).fill('Two')]);
    });
  });

  describe('a request that the queue runs again', () => {
    const again = async (
      request: SendSmsRequest,
      context: RequestContext,
      between: () => Promise<unknown>,
    ) => {
      const first = await service.send(request, context);
      await between();
      const before = await fixture.traces(context.operationId);
      expect(await service.send(request, context)).toEqual(first);
      const twice = await fixture.sendTogether(service, [
        { request, context },
        { request, context },
      ]);
      expect(twice).toEqual([
        { status: 'fulfilled', value: first },
        { status: 'fulfilled', value: first },
      ]);
      expect(await fixture.traces(context.operationId)).toEqual(before);
    };

    it('finds its row and returns the same response', async () => {
      const organisationId = await fixture.organisation({ kobo: 1_000n });
      const request = { ...options, content: 'https://a.example', is_trackable: true };
      await again(request, fixture.contextOf(organisationId), () => send({}, organisationId));
      expect(await fixture.available(organisationId)).toBe(200n);
    });

    it('returns the same response, although its template has changed or was removed', async () => {
      const organisationId = await fixture.organisation({ mode: 'live' });
      for (const change of [
        (id: string) => sql`UPDATE template SET body = 'Other' WHERE id = ${id}`,
        (id: string) => sql`DELETE FROM template WHERE id = ${id}`,
      ]) {
        const id = await fixture.template(organisationId, { body: 'Hello' });
        const request = { recipients: options.recipients, template_id: id };
        await again(request, fixture.contextOf(organisationId), () => fixture.database.execute(change(id)));
      }
    });

    it('returns the same response, although it cost nothing', async () => {
      await fixture.price('sms', '353', 0n);
      const organisationId = await fixture.organisation({ kobo: 1_000n });
      const free = await fixture.service();
      const context = fixture.contextOf(organisationId);
      const request = { ...options, recipients: '+353861234567' };
      const first = await free.send(request, context);
      expect(first.meta.estimate).toMatchObject({ charge: 0, available_balance: 10 });
      await send({}, organisationId);
      expect(await free.send(request, context)).toEqual(first);
      expect(await fixture.traces(context.operationId)).toMatchObject({ messages: 1, deliveries: 1 });
    });
  });
});
