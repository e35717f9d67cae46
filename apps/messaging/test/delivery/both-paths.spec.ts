import type { SendSmsRequest } from '@gangan/contracts';
import { deliveryAttempts, sql } from '@gangan/database';
import { newContext, newId, type RequestContext, requireOrganisationId } from '@gangan/protocol';
import { aTemplate, repetitions } from '@gangan/testing';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Submission, SubmitResult } from '../../src/providers/message-provider.js';
import { DeliveryFixture } from '../support/delivery-fixture.js';
import type { DeliveryWorker } from '../support/delivery-worker.js';
import { accepted, ScriptedProvider } from '../support/scripted-provider.js';

const reason = { code: 'x', message: 'why' };
const numbers = ['08031234567', '+2348031234567', '0803 123 4568', '+447911123456', '08031234560', '12', ''];
const body = 'Dear {{name}}, see {{link}}';
const funds = 2_000n;

const substitutions = fc.record(
  { name: fc.constantFrom('Ada', 'Ọlá', ''), link: fc.constantFrom('https://example.com/a', 'none') },
  { requiredKeys: ['name'] },
);
const recipients = fc.array(fc.constantFrom(...numbers), { minLength: 1, maxLength: 4 });
const request = fc.record(
  {
    recipients: recipients.map((all) => all.join(',')),
    content: fc.constantFrom(
      'Hello',
      'See https://example.com/x and https://example.com/y',
      'ж'.repeat(80),
      ' ',
    ),
    channel: fc.constantFrom('sms' as const, 'whatsapp' as const),
    is_trackable: fc.boolean(),
    callback: fc.constant('https://example.com/callbacks'),
    external_ref: fc.constant('order-17'),
    sender_id: fc.constant('Gangan'),
  },
  { requiredKeys: ['recipients', 'content'] },
);
const personalisation = fc.array(fc.record({ to: fc.constantFrom(...numbers.slice(0, 3)), substitutions }), {
  maxLength: 3,
});
const sample = fc.record({
  request,
  template: fc.option(personalisation, { nil: undefined }),
  isSuspended: fc.boolean(),
  isPromotional: fc.boolean(),
  /** To a message of the first number. */
  isReply: fc.boolean(),
  /** Numbers that have written on WhatsApp within 24 hours; undefined if it is not known who has. */
  writers: fc.option(fc.subarray(['+2348031234567', '+2348031234568', '+447911123456']), { nil: undefined }),
});
/** One SMS to one number, which `takePlain` accepts unless it has an error; some cost more than the organisation has. */
const plainSample = fc.record({
  request: fc.record(
    {
      recipients: fc.constantFrom(...numbers, ' 08031234567 ', '08031234567,'),
      content: fc.constantFrom(
        'Hello',
        'ж'.repeat(80),
        'x'.repeat(900),
        ' ',
        '{{name}} https://example.com/x',
      ),
      channel: fc.constant('sms' as const),
      category: fc.constantFrom('transactional' as const, 'promotional' as const),
      is_trackable: fc.constant(false),
      external_ref: fc.constant('order-17'),
      sender_id: fc.constant('Gangan'),
    },
    { requiredKeys: ['recipients', 'content'] },
  ),
  template: fc.constant(undefined),
  isSuspended: fc.boolean(),
  isPromotional: fc.boolean(),
  isReply: fc.boolean(),
  writers: fc.constant(undefined),
});
type Sample = typeof sample extends fc.Arbitrary<infer T> ? T : never;

/** The result depends on the recipient only. */
const resultFor = ({ recipient, reference }: Submission): SubmitResult => {
  if (recipient.endsWith('0')) return { kind: 'rejected', reason };
  if (recipient.startsWith('+44')) return { kind: 'transient', reason };
  return accepted(`of-${reference}`);
};

/** A message of the first number. @returns its id */
const received = async (
  worker: DeliveryWorker,
  { name }: ScriptedProvider,
  organisationId: string,
): Promise<string> => {
  const own = { channel: 'sms', from: '+2348031234567', to: '22345', type: 'text', text: 'Hi' } as const;
  const message = {
    ...own,
    reference: newId(),
    arrivedAt: new Date(),
    requestId: 'request-1',
    organisationId,
  };
  return (await worker.incoming.receive(name, [message])).stored[0]?.id ?? '';
};

/** Codes of links and ids differ from message to message. */
const withoutIds = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value ?? null, (_, part: unknown) => (typeof part === 'bigint' ? String(part) : part))
      .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'ID')
      .replaceAll(/\/l\/[\w-]+/g, '/l/CODE')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+(\+00:00|Z)/g, 'TIME'),
  );

describe('messages that are accepted in different ways', () => {
  const fixture = DeliveryFixture.use();

  /** Everything that can be seen of a request: its response, what the provider gets, rows, callbacks and money. */
  const run = async (
    worker: DeliveryWorker,
    provider: ScriptedProvider,
    given: Sample,
    send = (...call: Parameters<DeliveryWorker['messages']['send']>) => worker.messages.send(...call),
  ) => {
    const organisationId = await fixture.organisation(funds);
    if (given.isPromotional)
      await fixture.database.execute(
        sql`UPDATE organisation SET settings = '{"sms": {"default_category": "promotional"}}' WHERE id = ${organisationId}`,
      );
    for (const phone of given.writers ? [...given.writers, '+2348031234000'] : [])
      await fixture.database.whatsAppWindow.create({
        data: { organisationId, provider: provider.name, phone, receivedAt: new Date() },
      });
    const { content, ...rest } = given.request;
    const asked: SendSmsRequest = given.template
      ? {
          ...rest,
          template_id: await aTemplate(fixture.database, organisationId, { body }),
          personalisation: given.template,
        }
      : { ...rest, content };
    if (given.isReply) asked.reply_to = await received(worker, provider, organisationId);
    if (given.isSuspended)
      await fixture.database.organisation.update({
        where: { id: organisationId },
        data: { status: 'suspended' },
      });
    const context = newContext({ organisationId });
    const response = await send(asked, context).catch((error: unknown) => error);
    await worker.due(organisationId, worker.announced.splice(0));
    await worker.idle();
    const rows = await fixture.database.query(sql`
      SELECT state, attempt, provider, refunded, error_code, error_message, pages, charge_kobo, recipient,
        recipient_given, lease_holder IS NULL AS is_free, created_at = message_created AS is_of_message,
        ARRAY(SELECT (attempt, provider, outcome, error_code)::text FROM ${deliveryAttempts} AS made
          WHERE delivery_id = delivery.id ORDER BY attempt) AS attempts,
        ARRAY(SELECT url FROM tracked_link WHERE delivery_id = delivery.id ORDER BY position) AS links
      FROM delivery CROSS JOIN LATERAL (
        SELECT created_at AS message_created FROM message WHERE message.id = message_id) message
      WHERE organisation_id = ${organisationId} ORDER BY id`);
    const callbacks = (await fixture.callbacks(context.operationId)).map(
      ({ type, body: text }) => type + text,
    );
    return withoutIds({
      response:
        response instanceof Error
          ? { ...Object.fromEntries(Object.entries(response)), message: response.message }
          : response,
      submitted: provider.submitted.splice(0),
      rows,
      callbacks: callbacks.toSorted(),
      available: await fixture.available(organisationId),
    });
  };

  const newWorker = async () => {
    const provider = new ScriptedProvider();
    provider.onSubmit = resultFor;
    return { provider, worker: await fixture.worker({ named: [provider] }) };
  };

  it('have the same results whether they are inserted as claimed or as queued', async () => {
    const [direct, scheduled] = [await newWorker(), await newWorker()];
    // It claims nothing any more.
    await scheduled.worker.insertClaims.beforeApplicationShutdown();
    await fc.assert(
      fc.asyncProperty(sample, async (given) => {
        const expected = await run(direct.worker, direct.provider, given);
        expect(await run(scheduled.worker, scheduled.provider, given)).toEqual(expected);
      }),
      { numRuns: repetitions(12, 60) },
    );
    await fixture.expectCleanLedger();
  });

  it('have the same results whether they are accepted alone or, as plain messages, together', async () => {
    const [alone, together] = [await newWorker(), await newWorker()];
    const { messages } = together.worker;
    let plain = 0;
    /** As the queue does. */
    const send = async (data: SendSmsRequest, context: RequestContext) => {
      // An invalid request reads the rules and prices into memory.
      await messages
        .send(
          { recipients: '', content: 'x' },
          newContext({ organisationId: requireOrganisationId(context) }),
        )
        .catch(() => undefined);
      const taken = messages.takePlain([{ data, context }]);
      const [reply] = await taken.replies;
      plain += taken.members.length;
      if (reply instanceof Error) throw reply;
      return reply ?? messages.send(data, context);
    };
    await fc.assert(
      fc.asyncProperty(fc.oneof(plainSample, sample), async (given) => {
        const expected = await run(alone.worker, alone.provider, given);
        expect(await run(together.worker, together.provider, given, send)).toEqual(expected);
      }),
      { numRuns: repetitions(30, 80) },
    );
    expect(plain).toBeGreaterThan(0);
    await fixture.expectCleanLedger();
  });
});
