import { lockWallets, refund } from '@gangan/billing';
import {
  AppError,
  BatchScope,
  firstIdAt,
  newContext,
  newId,
  type RequestContext,
  runInContext,
} from '@gangan/protocol';
import { until } from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { type Answer, kindOf, TestOtp, tally, type Worker } from './support/test-otp.js';

const refused = '429 too_many_attempts';

describe('the guards against abuse', () => {
  let fixture: TestOtp;
  let workers: readonly [Worker, Worker];
  beforeAll(async () => {
    fixture = await TestOtp.open();
    workers = [await fixture.worker(), await fixture.worker()];
  });
  afterAll(() => fixture.close());

  /** In batches of two workers at the same time. */
  const flood = async (
    organisationId: string,
    count: number,
    recipientOf: (place: number) => string,
  ): Promise<Answer[]> => {
    const batches = Array.from({ length: Math.ceil(count / 8) }, (_, batch) =>
      fixture.runBatch(fixture.contexts(organisationId, Math.min(8, count - 8 * batch)), (context, place) =>
        fixture.request(
          workers[batch % 2 === 0 ? 0 : 1],
          organisationId,
          { recipient: recipientOf(8 * batch + place), token: 'right' },
          context,
        ),
      ),
    );
    return (await Promise.all(batches)).flat();
  };
  const retryAfter = (answer: Answer): number => (answer instanceof AppError ? (answer.retryAfter ?? 0) : 0);
  const number = (place: number): string => `+2348031${(230_000 + place).toString()}`;

  it('limit the OTPs to one recipient, also among concurrent requests', async () => {
    const organisationId = await fixture.organisation({ otpSendsPerRecipient: null });
    const answers = await flood(organisationId, 60, () => '08031234567');
    expect(tally(answers)).toEqual({ 200: 5, [refused]: 55 });
    expect(await fixture.count('otp', organisationId)).toBe(5);
    expect(kindOf(await fixture.request(workers[0], organisationId, { recipient: '08031234568' }))).toBe(
      '200',
    );
    const refusals = answers.filter((answer) => answer instanceof AppError);
    expect(refusals[0]).toMatchObject({ fields: [{ field: 'recipient', type: 'too_many_attempts' }] });
    expect(Math.min(...refusals.map(retryAfter))).toBeGreaterThan(500);
    const late = retryAfter(await fixture.request(workers[0], organisationId));
    expect(late).toBeGreaterThan(500);
    expect(late).toBeLessThanOrEqual(600);
    await fixture.passTime(organisationId, 9);
    expect(retryAfter(await fixture.request(workers[0], organisationId))).toBeLessThanOrEqual(60);
    await fixture.passTime(organisationId, 1.01);
    expect(kindOf(await fixture.request(workers[0], organisationId))).toBe('200');
  });

  it('use the clock of the database, not of the gateway', async () => {
    const organisationId = await fixture.organisation({ otpSendsPerRecipient: 2, otpSendsPerPrefix: 3 });
    const at = (minutes: number, recipient?: string) => {
      const operationId = firstIdAt(new Date(Date.now() + minutes * 60_000)).replace(
        /0{12}$/,
        newId().slice(-12),
      );
      const context = { ...newContext({ organisationId }), operationId };
      return fixture.request(workers[0], organisationId, { ...(recipient && { recipient }) }, context);
    };
    const answers = [await at(-60), await at(-60), await at(0), await at(60)];
    expect(answers.map(kindOf)).toEqual(['200', '200', refused, refused]);
    expect(
      answers
        .map(retryAfter)
        .slice(2)
        .every((wait) => wait > 500 && wait <= 600),
    ).toBe(true);
    expect(kindOf(await at(-60, '08031234568'))).toBe('200');
    expect(kindOf(await at(0, '08031234569'))).toBe(refused);
    await fixture.passTime(organisationId, 10.01);
    expect(kindOf(await at(0))).toBe('200');
  });

  it('limit the OTPs to numbers with one prefix, unless a fifth of them are verified', async () => {
    const organisationId = await fixture.organisation({ otpSendsPerPrefix: null });
    const answers = await flood(organisationId, 80, number);
    expect(tally(answers)).toEqual({ 200: 50, [refused]: 30 });
    expect(kindOf(await fixture.request(workers[0], organisationId, { recipient: '+2348051230000' }))).toBe(
      '200',
    );
    const sent = answers.flatMap((answer) => (answer instanceof AppError ? [] : [answer.id]));
    for (const id of sent.slice(0, 9)) await fixture.verify(workers[0], organisationId, id, 'right');
    expect(kindOf(await fixture.request(workers[0], organisationId, { recipient: number(99) }))).toBe(
      refused,
    );
    await fixture.verify(workers[0], organisationId, sent[9] ?? '', 'right');
    expect(kindOf(await fixture.request(workers[0], organisationId, { recipient: number(99) }))).toBe('200');
    // Ten of fifty-one are less than a fifth.
    expect(kindOf(await fixture.request(workers[0], organisationId, { recipient: number(98) }))).toBe(
      refused,
    );
  });

  it('limit the spend of a day', async () => {
    const price =
      (await fixture.delivery(await fixture.otp(workers[0], await fixture.organisation())))?.kobo ?? 0n;
    const organisationId = await fixture.organisation({ otpDailySpendKobo: 7n * price + price / 2n });
    const answers = await flood(organisationId, 40, number);
    expect(tally(answers)).toEqual({ 200: 7, '429 daily_limit': 33 });
    const [refusal] = answers.filter((answer) => answer instanceof AppError);
    expect(refusal).toMatchObject({ fields: [{ field: 'otp_daily_spend' }] });
    expect(retryAfter(refusal as Answer)).toBeLessThanOrEqual(86_400);
    // What was refunded of it can be spent again.
    const [sent] = answers.flatMap((answer) => (answer instanceof AppError ? [] : [answer.id]));
    const id = sent ?? '';
    await refund(fixture.database, [{ subjectId: id, organisationId, kobo: price, chargeId: id }]);
    expect(tally(await flood(organisationId, 8, number))).toEqual({ 200: 1, '429 daily_limit': 7 });
    await fixture.expectSoundLedger();
  });

  it('do not count an unpaid request against others of its batch', async () => {
    const price =
      (await fixture.delivery(await fixture.otp(workers[0], await fixture.organisation())))?.kobo ?? 0n;
    // With the long token it has two pages.
    const text = `{{code}}${'x'.repeat(149)}`;
    const organisationId = await fixture.organisation({ otpSendsPerRecipient: 1 }, { text }, price);
    const tokens = ['123456789012345', '1234', '12345'];
    const answers = await fixture.runBatch(fixture.contexts(organisationId, 3), (context, place) =>
      fixture.request(workers[0], organisationId, { token: tokens[place] ?? '' }, context),
    );
    expect(answers.map(kindOf)).toEqual(['402 insufficient_balance', '200', refused]);
    expect(await fixture.count('otp', organisationId)).toBe(1);
    await fixture.expectSoundLedger();
  });

  it('count each organisation separately, also within a batch', async () => {
    const [one, other] = [
      await fixture.organisation({ otpSendsPerRecipient: 2 }),
      await fixture.organisation({ otpSendsPerRecipient: 3 }),
    ];
    const contexts = [...fixture.contexts(one, 10), ...fixture.contexts(other, 10)];
    const answers = await fixture.runBatch(contexts, (context) =>
      fixture.request(workers[0], context.organisationId ?? '', {}, context),
    );
    expect(tally(answers.slice(0, 10))).toEqual({ 200: 2, [refused]: 8 });
    expect(tally(answers.slice(10))).toEqual({ 200: 3, [refused]: 7 });
  });

  it('wait for a locked wallet without blocking other requests', async () => {
    const [held, other] = [
      await fixture.organisation({ otpSendsPerRecipient: 5 }),
      await fixture.organisation({ otpSendsPerRecipient: 5 }),
    ];
    const attempts = jest.spyOn(fixture.database, 'transaction');
    const contexts = [held, other].map((organisationId) => newContext({ organisationId }));
    const batch = new BatchScope(2);
    const ask = (context: RequestContext) =>
      runInContext(
        context,
        () => fixture.request(workers[0], context.organisationId ?? '', {}, context),
        batch,
      );
    let answers: Promise<Answer>[] = [];
    await fixture.database.transaction(async (transaction) => {
      await lockWallets(transaction, [held]);
      answers = contexts.map(ask);
      expect(kindOf((await answers[1]) as Answer)).toBe('200');
      // Both together, each alone, and the held one again.
      await until('five transactions have begun', () => attempts.mock.calls.length >= 5);
    });
    expect(kindOf((await answers[0]) as Answer)).toBe('200');
    attempts.mockRestore();
  });

  it('reject destinations that the organisation does not allow', async () => {
    const organisationId = await fixture.organisation({}, { countries: ['NG'], number_types: ['mobile'] });
    const kinds = await Promise.all(
      ['08031234567', '+447911123456', '+2342012345678'].map(async (recipient) =>
        kindOf(await fixture.request(workers[0], organisationId, { recipient })),
      ),
    );
    expect(kinds).toEqual(['200', '403 country_not_allowed', '403 number_type_not_allowed']);
    expect(await fixture.count('otp', organisationId)).toBe(1);
  });

  it('count a request once if the queue runs it twice', async () => {
    const organisationId = await fixture.organisation({ otpSendsPerRecipient: 2 });
    const [context] = fixture.contexts(organisationId, 1);
    for (let run = 0; run < 4; run += 1) {
      expect(kindOf(await fixture.request(workers[0], organisationId, {}, context))).toBe('200');
    }
    expect(kindOf(await fixture.request(workers[0], organisationId))).toBe('200');
    expect(kindOf(await fixture.request(workers[0], organisationId))).toBe(refused);
    expect(kindOf(await fixture.request(workers[0], organisationId, {}, context))).toBe('200');
  });
});
