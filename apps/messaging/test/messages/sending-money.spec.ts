import { sql } from '@gangan/database';
import type { RequestContext } from '@gangan/protocol';
import { repetitions, isFullSuite } from '@gangan/testing';
import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import type { MessagesService } from '../../src/messages/messages.service.js';
import { SendingFixture } from '../support/sending-fixture.js';

const batchSize = 64;
const half = isFullSuite ? 5_000 : 500;

const statusOf = (answer: PromiseSettledResult<unknown> | undefined): number =>
  answer?.status === 'rejected' ? (answer.reason as { status: number }).status : 200;

describe('the balance', () => {
  const fixture = SendingFixture.use();

  const batchesOf = <T>(items: readonly T[]): T[][] =>
    Array.from({ length: Math.ceil(items.length / batchSize) }, (_, index) =>
      items.slice(index * batchSize, (index + 1) * batchSize),
    );

  /** On a busy machine a wallet can stay locked for too long: the test retries, as a caller would. */
  const insist = async (
    service: MessagesService,
    batch: Parameters<typeof fixture.sendTogether>[1],
  ): Promise<readonly PromiseSettledResult<unknown>[]> => {
    const answers = await fixture.sendTogether(service, batch);
    const refused = batch.filter((_, index) => statusOf(answers[index]) === 503);
    const heard = answers.filter((answer) => statusOf(answer) !== 503);
    return refused.length === 0 ? heard : [...heard, ...(await insist(service, refused))];
  };

  it('pays for exactly half of many parallel sends, if it is enough for half', async () => {
    const organisationId = await fixture.organisation({ kobo: BigInt(half) * 400n });
    const workers = [await fixture.service(), await fixture.service()] as const;
    for (const worker of workers) await fixture.warmUp(worker, organisationId);
    const request = { recipients: '08031234567', content: 'Hello' };
    const members = Array.from({ length: 2 * half }, () => ({
      request,
      context: fixture.contextOf(organisationId),
    }));
    const answers = await Promise.all(
      batchesOf(members).map((batch, index) => insist(index % 2 === 0 ? workers[0] : workers[1], batch)),
    );
    const outcomes = answers.flat().map(statusOf);
    expect(outcomes.filter((status) => status === 200)).toHaveLength(half);
    expect(outcomes.filter((status) => status === 402)).toHaveLength(half);
    expect(await fixture.available(organisationId)).toBe(0n);
    const [stored] = await fixture.database.query<{ messages: number; deliveries: number }>(sql`
      SELECT (SELECT count(*)::int FROM message WHERE organisation_id = ${organisationId}) AS messages,
        (SELECT count(*)::int FROM delivery WHERE organisation_id = ${organisationId}) AS deliveries`);
    expect(stored).toEqual({ messages: half, deliveries: half });
    await fixture.expectCleanLedger();
  });

  it.each(['plain', 'sent alone'])(
    'is charged the own price of the organisation for a message that is %s',
    async (how) => {
      const [organisationId, other] = [
        await fixture.organisation({ kobo: 1_000n }),
        await fixture.organisation({ kobo: 1_000n }),
      ];
      await fixture.database.execute(sql`
      INSERT INTO organisation_price (organisation_id, service, prefix, kobo)
      VALUES (${organisationId}::uuid, 'sms', '234', 123)`);
      const service = await fixture.service();
      for (const id of [organisationId, other]) {
        if (how === 'plain') await fixture.warmUp(service, id);
        const request = { recipients: '08031234567', content: 'Hello' };
        const [answer] = await fixture.sendTogether(service, [{ request, context: fixture.contextOf(id) }]);
        expect(statusOf(answer)).toBe(200);
      }
      expect(await fixture.available(organisationId)).toBe(877n);
      expect(await fixture.available(other)).toBe(600n);
      await fixture.expectCleanLedger();
    },
  );

  describe('of a live organisation', () => {
    const paths = ['plain', 'sent alone'] as const;
    const live = (options: object = {}) =>
      fixture.organisation({ mode: 'live', hasPrices: false, kobo: 10_000n, ...options });
    const setPrice = (prefix: string, kobo: bigint, category = '') =>
      fixture.database.price.create({ data: { service: 'sms', category, prefix, kobo } });
    /** A message, plain or with a field that keeps it from being plain. */
    const send = async (how: (typeof paths)[number], organisationId: string, fields: object) => {
      const service = await fixture.service();
      if (how === 'plain') await fixture.warmUp(service, organisationId);
      const request = {
        ...{ recipients: '', content: 'Hello', ...(how === 'sent alone' && { is_trackable: true }) },
        ...fields,
      };
      const context = fixture.contextOf(organisationId);
      const [answer] = await fixture.sendTogether(service, [{ request, context }]);
      return { answer, request, context, service };
    };
    beforeAll(async () => {
      await setPrice('234', 410n);
      await setPrice('234', 390n, 'promotional');
      await setPrice('233', 700n, 'transactional');
      await setPrice('44', 900n, 'otp');
    });

    it.each(paths)('is not charged for a country without a price: nothing is stored, %s', async (how) => {
      const organisationId = await live();
      const recipients = how === 'plain' ? '+447400123456' : '08031234567, +447400123456';
      const { answer, request, context } = await send(how, organisationId, { recipients });
      const refusal = {
        status: 400,
        fields: [
          {
            ...{ field: how === 'plain' ? 'recipients.0' : 'recipients.1', type: 'no_price' },
            message: expect.stringContaining('no price for sms to GB; ask the operator'),
          },
        ],
      };
      expect(answer).toMatchObject({ status: 'rejected', reason: refusal });
      expect(await fixture.traces(context.operationId)).toEqual({ messages: 0, deliveries: 0, charges: 0 });
      expect(await fixture.available(organisationId)).toBe(10_000n);
      const { estimates } = await fixture.shared();
      await expect(estimates.estimate(request, context)).rejects.toMatchObject(refusal);
    });

    it.each(paths)('is charged the price of the category, %s', async (how) => {
      const organisationId = await live({ settings: { sms: { default_category: 'promotional' } } });
      const costs = [
        [{ recipients: '08031234567' }, 390n],
        [{ recipients: '08031234567', category: 'transactional' }, 410n],
        [{ recipients: '+233201234567', category: 'transactional' }, 700n],
        [{ recipients: '+233201234567' }, 0n],
      ] as const;
      for (const [fields, kobo] of costs) {
        const before = await fixture.available(organisationId);
        const { answer } = await send(how, organisationId, fields);
        expect(statusOf(answer)).toBe(kobo === 0n ? 400 : 200);
        expect(before - (await fixture.available(organisationId))).toBe(kobo);
      }
    });

    it('is charged a price that was set after a refusal, at once', async () => {
      const organisationId = await live();
      const service = await fixture.service();
      const clock = jest.spyOn(performance, 'now').mockReturnValue(10_000);
      try {
        const request = { recipients: '+256712345678', content: 'Hello' };
        const ask = () => service.send(request, fixture.contextOf(organisationId));
        await expect(ask()).rejects.toMatchObject({ fields: [{ type: 'no_price' }] });
        await setPrice('256', 800n);
        clock.mockReturnValue(11_001);
        expect((await ask()).meta.estimate.charge).toBe(8);
      } finally {
        clock.mockRestore();
      }
    });

    it.each(paths)('is not charged for a country that is not allowed, %s', async (how) => {
      const organisationId = await live({ settings: { sms: { countries: ['NG'] } } });
      const { answer, request, context } = await send(how, organisationId, {
        ...{ recipients: '+233201234567', category: 'transactional' },
      });
      const refusal = {
        ...{ status: 403, code: 'country_not_allowed' },
        fields: [{ field: 'recipients.0', type: 'country_not_allowed' }],
      };
      expect(answer).toMatchObject({ status: 'rejected', reason: refusal });
      expect(await fixture.traces(context.operationId)).toEqual({ messages: 0, deliveries: 0, charges: 0 });
      const { estimates } = await fixture.shared();
      await expect(estimates.estimate(request, context)).rejects.toMatchObject(refusal);
      expect(statusOf((await send(how, organisationId, { recipients: '08031234567' })).answer)).toBe(200);
    });

    it.each([
      ['the country is not allowed any more', { settings: { sms: { countries: ['GH'] } } }],
      ['the setting is invalid', { settings: { sms: { countries: 'GH' } } }],
    ])('gets the earlier response to a repeated request if %s', async (_, data) => {
      const id = await live();
      const context = fixture.contextOf(id);
      const request = { recipients: '08031234567', content: 'Hello' };
      const first = await (await fixture.service()).send(request, context);
      await fixture.database.organisation.update({ where: { id }, data });
      const service = await fixture.service();
      expect(await service.send(request, context)).toEqual(first);
      await expect(service.send(request, fixture.contextOf(id))).rejects.toMatchObject({ status: 403 });
      expect(await fixture.available(id)).toBe(10_000n - 410n);
    });
  });

  it('matches the accepted messages in any mix of organisations and batches', async () => {
    const service = await fixture.service();
    const sends = fc.record({
      from: fc.nat({ max: 2 }),
      recipients: fc.integer({ min: 1, max: 4 }),
      length: fc.constantFrom(1, 161, 400, 1_531),
      again: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(sends, { minLength: 1, maxLength: 20 }),
        fc.array(fc.bigInt({ min: 1n, max: 20_000n }), { minLength: 3, maxLength: 3 }),
        async (wishes, funds) => {
          const organisations = await Promise.all(funds.map((kobo) => fixture.organisation({ kobo })));
          const members = wishes.flatMap(({ from, recipients, length, again }) => {
            const member = {
              request: {
                recipients: Array.from({ length: recipients }, (_, index) => `0803123456${index}`).join(),
                content: 'x'.repeat(length),
              },
              context: fixture.contextOf(organisations[from] ?? ''),
            };
            return again ? [member, member] : [member];
          });
          const answers = await fixture.sendTogether(service, members);
          const accepted = new Map<string, { context: RequestContext; kobo: bigint }>();
          for (const [index, answer] of answers.entries()) {
            const { context } = members[index] ?? { context: undefined };
            if (answer.status === 'fulfilled' && context) {
              const kobo = BigInt(Math.round(answer.value.meta.estimate.charge * 100));
              accepted.set(answer.value.id, { context, kobo });
              expect((await fixture.traces(answer.value.id)).deliveries).toBe(answer.value.recipients.length);
            }
          }
          for (const [index, organisationId] of organisations.entries()) {
            const spent = [...accepted.values()]
              .filter(({ context }) => context.organisationId === organisationId)
              .reduce((sum, { kobo }) => sum + kobo, 0n);
            expect(await fixture.available(organisationId)).toBe((funds[index] ?? 0n) - spent);
          }
        },
      ),
      { numRuns: repetitions(8, 15) },
    );
    await fixture.expectCleanLedger();
  });
});
