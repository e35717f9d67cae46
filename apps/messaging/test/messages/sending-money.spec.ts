import { sql } from '@gangan/database';
import type { RequestContext } from '@gangan/protocol';
import { isFullSuite } from '@gangan/testing';
import { describe, expect, it } from '@jest/globals';
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
              const kobo = BigInt(answer.value.meta.estimate.charge * 100);
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
      { numRuns: 15 },
    );
    await fixture.expectCleanLedger();
  });
});
