import { sql } from '@gangan/database';
import { newContext, newId } from '@gangan/protocol';
import { anEndpoint, until } from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { type Answer, kindOf, newKey, TestOtp, tally, type Worker } from './support/test-otp.js';

const mismatch = '400 token_mismatch';
const usedUp = '429 too_many_attempts';

describe('verifying', () => {
  let fixture: TestOtp;
  let worker: Worker;
  let organisationId: string;
  beforeAll(async () => {
    fixture = await TestOtp.open();
    worker = await fixture.worker();
    organisationId = await fixture.organisation();
  });
  afterAll(() => fixture.close());

  const verify = (id: string, token: string) => fixture.verify(worker, organisationId, id, token);
  const kinds = async (id: string, ...tokens: readonly string[]): Promise<string[]> => {
    const all: string[] = [];
    for (const token of tokens) all.push(kindOf(await verify(id, token)));
    return all;
  };

  it('returns the record for the right token, once', async () => {
    const id = await fixture.otp(worker, organisationId, { token: '0042' });
    expect(await verify(id.toUpperCase(), '0042')).toEqual({
      id,
      recipient: '08031234567',
      status: 2,
      status_desc: 'VERIFIED',
      created_datetime: expect.any(String),
      updated_datetime: expect.any(String),
    });
    expect(await kinds(id, '0042', 'nope')).toEqual(['409 already_verified', '409 already_verified']);
  });

  it('reports the end of an OTP once to subscribed endpoints', async () => {
    const owner = await fixture.organisation();
    const other = await anEndpoint(fixture.database, owner, { events: ['message.sent'] });
    const endpointId = await anEndpoint(fixture.database, owner, { events: ['otp.verified', 'otp.failed'] });
    const [right, wrong] = [
      await fixture.otp(worker, owner, { token: '0042' }),
      await fixture.otp(worker, owner, { token: '1234' }),
    ];
    const context = newContext({ organisationId: owner });
    await worker.verifications.verify({ id: right, token: '0042' }, context);
    await worker.verifications.verify({ id: right, token: '0042' }, context);
    for (let count = 0; count < 4; count++) await fixture.verify(worker, owner, wrong, '4321');
    const stored = await fixture.database.callback.findMany({
      where: { organisationId: owner },
      orderBy: { id: 'asc' },
    });
    expect(stored).toMatchObject([
      { endpointId, type: 'otp.verified', resourceId: right, requestId: context.requestId },
      { endpointId, type: 'otp.failed', resourceId: wrong },
    ]);
    expect(stored.map(({ body }) => JSON.parse(body) as unknown)).toMatchObject([
      { type: 'otp.verified', data: { id: right, recipient: '08031234567', status: 'verified' } },
      { type: 'otp.failed', data: { id: wrong, reason: { code: 'too_many_attempts' } } },
    ]);
    expect(stored.some((row) => row.endpointId === other)).toBe(false);
  });

  it('counts down the attempts, three for a short token and five for a longer one', async () => {
    const short = await fixture.otp(worker, organisationId, { token: '1234' });
    expect(await verify(short, '4321')).toMatchObject({ message: 'The token is wrong; 2 attempts are left' });
    expect(await verify(short, '4321')).toMatchObject({ message: 'The token is wrong; 1 attempt is left' });
    expect(await kinds(short, '4321', '1234')).toEqual([usedUp, usedUp]);
    expect(await worker.service.find({ id: short }, newContext({ organisationId }))).toMatchObject({
      status: 4,
      status_desc: 'FAILED',
      updated_datetime: expect.any(String),
    });
    const long = await fixture.otp(worker, organisationId, { token: '12345' });
    expect(await kinds(long, '1', '12', '1234', '123456', '12345')).toEqual([
      ...Array.from({ length: 4 }, () => mismatch),
      '200',
    ]);
    expect(await verify(await fixture.otp(worker, organisationId), 'never')).toMatchObject({
      fields: [{ field: 'token', type: 'token_mismatch' }],
    });
  });

  it('reports how an OTP has ended', async () => {
    const context = newContext({ organisationId });
    const revoked = await fixture.otp(worker, organisationId, { token: 'right' });
    await worker.service.revoke({ id: revoked }, context);
    const undeliverable = await fixture.otp(worker, organisationId, { token: 'right' });
    await fixture.endDelivery(undeliverable);
    expect(await kinds(revoked, 'right')).toEqual(['400 token_revoked']);
    expect(await kinds(undeliverable, 'right')).toEqual(['400 token_undeliverable']);
    const own = await fixture.organisation();
    const expired = await fixture.otp(worker, own, { token: 'right', expires_in: 1 });
    await fixture.passTime(own, 1.01);
    expect(kindOf(await fixture.verify(worker, own, expired, 'right'))).toBe('400 token_expired');
    expect(kindOf(await fixture.verify(worker, own, expired, 'wrong'))).toBe('400 token_expired');
  });

  it('responds with 404 to an id that is unknown, malformed or of another organisation', async () => {
    const id = await fixture.otp(worker, organisationId, { token: 'right' });
    const stranger = await fixture.organisation();
    for (const [asked, by] of [
      [id, stranger],
      [newId(), organisationId],
      ['..', organisationId],
      ['x'.repeat(500), organisationId],
    ] as const) {
      expect(await fixture.verify(worker, by, asked, 'right')).toMatchObject({
        status: 404,
        message: 'The OTP was not found',
      });
    }
    expect(await kinds(id, 'right')).toEqual(['200']);
  });

  it.each(['in one batch', 'each alone'])('accepts one of 100 concurrent right tokens, %s', async (how) => {
    const id = await fixture.otp(worker, organisationId, { token: 'right' });
    const contexts = fixture.contexts(organisationId, 100);
    const other = await fixture.worker();
    const ask = (context: (typeof contexts)[number], place: number) =>
      fixture.verify(place % 2 === 0 ? worker : other, organisationId, id, 'right', context);
    const answers = how === 'each alone' ? Promise.all(contexts.map(ask)) : fixture.runBatch(contexts, ask);
    expect(tally(await answers)).toEqual({ 200: 1, '409 already_verified': 99 });
  });

  it.each([
    ['1234', 2],
    ['12345', 4],
  ])(
    'evaluates few of 50 concurrent wrong tokens for %s: %d may retry, the next ends the OTP',
    async (token, wrong) => {
      const id = await fixture.otp(worker, organisationId, { token });
      const other = await fixture.worker();
      const contexts = fixture.contexts(organisationId, 25);
      const answers = await Promise.all(
        [worker, other].map((each) =>
          fixture.runBatch(
            contexts.map(() => newContext({ organisationId })),
            (context) => fixture.verify(each, organisationId, id, 'wrong!', context),
          ),
        ),
      );
      expect(tally(answers.flat())).toEqual({ [mismatch]: wrong, [usedUp]: 50 - wrong });
      expect(await kinds(id, token)).toEqual([usedUp]);
    },
  );

  it('counts once and responds the same if the queue runs the request again', async () => {
    const id = await fixture.otp(worker, organisationId, { token: 'right' });
    const again = async (token: string) => {
      const context = newContext({ organisationId });
      const first = await fixture.verify(worker, organisationId, id, token, context);
      const later = await fixture.runBatch([context, context], () =>
        fixture.verify(worker, organisationId, id, token, context),
      );
      return { first, later, context, token };
    };
    const runs = [];
    for (const token of ['wrong-1', 'wrong-2', 'right', 'right', 'wrong-3']) runs.push(await again(token));
    expect(runs.map(({ first }) => kindOf(first))).toEqual([
      mismatch,
      mismatch,
      '200',
      '409 already_verified',
      '409 already_verified',
    ]);
    for (const { first, later, context, token } of runs) {
      expect(later).toEqual([first, first]);
      expect(await fixture.verify(worker, organisationId, id, token, context)).toEqual(first);
    }
    expect(runs[1]?.first).toMatchObject({ message: 'The token is wrong; 3 attempts are left' });
  });

  it('limits the wrong attempts of a recipient in an hour, over all its OTPs', async () => {
    const own = await fixture.organisation({ otpTriesPerRecipient: null });
    const ids = await Promise.all(
      Array.from({ length: 24 }, () => fixture.otp(worker, own, { token: 'right' })),
    );
    const other = await fixture.worker();
    // Eight in a batch, the others alone: no two of them for the same OTP.
    const [batch, alone] = [ids.slice(0, 8), ids.slice(8)];
    const answers = await Promise.all([
      fixture.runBatch(fixture.contexts(own, batch.length), (context, place) =>
        fixture.verify(other, own, batch[place] ?? '', 'wrong!', context),
      ),
      ...alone.map((id) => fixture.verify(worker, own, id, 'wrong!')),
    ]);
    expect(tally(answers.flat())).toEqual({ [mismatch]: 15, [usedUp]: 9 });
    const refused = await fixture.verify(worker, own, ids[0] ?? '', 'right');
    expect(refused).toMatchObject({ status: 429, code: 'too_many_attempts' });
    expect((refused as { retryAfter?: number }).retryAfter).toBeGreaterThan(3_000);
    const fresh = await fixture.otp(worker, own, { token: 'right' });
    expect(kindOf(await fixture.verify(worker, own, fresh, 'right'))).toBe(usedUp);
    const elsewhere = await fixture.otp(worker, own, { token: 'right', recipient: '08031234568' });
    expect(kindOf(await fixture.verify(worker, own, elsewhere, 'right'))).toBe('200');
    await fixture.passTime(own, 59);
    expect(
      kindOf(await fixture.verify(worker, own, await fixture.otp(worker, own, { token: 'right' }), 'right')),
    ).toBe(usedUp);
    await fixture.passTime(own, 1.01);
    expect(
      kindOf(await fixture.verify(worker, own, await fixture.otp(worker, own, { token: 'right' }), 'right')),
    ).toBe('200');
  });

  it('limits the wrong attempts of a recipient in a day', async () => {
    const own = await fixture.organisation({ otpTriesPerRecipient: null, otpDailyTriesPerRecipient: null });
    const guess = async (count: number): Promise<Record<string, number>> => {
      const answers: Answer[] = [];
      for (let place = 0; place < count; place += 1) {
        const id = await fixture.otp(worker, own, { token: 'right' });
        answers.push(await fixture.verify(worker, own, id, 'wrong!'));
      }
      return tally(answers);
    };
    expect(await guess(12)).toEqual({ [mismatch]: 12 });
    await fixture.passTime(own, 90);
    expect(await guess(12)).toEqual({ [mismatch]: 12 });
    await fixture.passTime(own, 90);
    expect(await guess(12)).toEqual({ [mismatch]: 6, [usedUp]: 6 });
    await fixture.passTime(own, 90);
    const id = await fixture.otp(worker, own, { token: 'right' });
    const refused = await fixture.verify(worker, own, id, 'right');
    expect(refused).toMatchObject({ status: 429, code: 'too_many_attempts' });
    const wait = (refused as { retryAfter?: number }).retryAfter ?? 0;
    expect(wait / 3_600).toBeCloseTo(24 - 4.5, 0);
    // The first twelve are a day old: twelve more may be tried.
    await fixture.passTime(own, wait / 60 + 0.1);
    expect(await guess(14)).toEqual({ [mismatch]: 12, [usedUp]: 2 });
  });

  it.each(['OTP', 'recipient'])('waits for a lock (%s) without blocking other requests', async (what) => {
    const own = await fixture.organisation({ otpTriesPerRecipient: 5 });
    const ids = await Promise.all(
      Array.from({ length: 4 }, (_, place) =>
        fixture.otp(worker, own, { token: 'right', recipient: `+234803123456${place}` }),
      ),
    );
    const attempts = jest.spyOn(fixture.database, 'transaction');
    const settled: string[] = [];
    let answers: Promise<string[]> | undefined;
    await fixture.database.transaction(async (transaction) => {
      await transaction.query(
        what === 'OTP'
          ? sql`SELECT id FROM otp WHERE id = ${ids[0]} FOR UPDATE`
          : sql`SELECT pg_advisory_xact_lock(hashtextextended(${own} || '+2348031234560', 7305))::text`,
      );
      answers = fixture.runBatch(fixture.contexts(own, ids.length), async (context, place) => {
        const kind = kindOf(await fixture.verify(worker, own, ids[place] ?? '', 'right', context));
        settled.push(kind);
        return kind;
      });
      await until('the other three are verified', () => settled.length === 3);
      // Ours, all together, each alone, and the held one again.
      await until('seven transactions have begun', () => attempts.mock.calls.length >= 7);
      expect(settled).toEqual(['200', '200', '200']);
    });
    expect(await answers).toEqual(['200', '200', '200', '200']);
    attempts.mockRestore();
  });

  it('responds with 503 if an OTP stays locked, and uses no attempt', async () => {
    const id = await fixture.otp(worker, organisationId, { token: '1234' });
    await fixture.database.transaction(async (transaction) => {
      await transaction.query(sql`SELECT id FROM otp WHERE id = ${id} FOR UPDATE`);
      expect(await kinds(id, 'wrong')).toEqual(['503 unavailable']);
    });
    expect(await verify(id, 'wrong')).toMatchObject({ message: 'The token is wrong; 2 attempts are left' });
  });

  it('accepts tokens while the pepper is changed', async () => {
    const [old, next] = [newKey(), newKey()];
    const withPeppers = (peppers: string[]) => fixture.worker({ OTP_PEPPER: peppers });
    const before = await withPeppers([old]);
    const during = await withPeppers([next, old]);
    const after = await withPeppers([next]);
    const [first, second] = [
      await fixture.otp(before, organisationId, { token: 'right' }),
      await fixture.otp(during, organisationId, { token: 'right' }),
    ];
    expect(kindOf(await fixture.verify(during, organisationId, first, 'right'))).toBe('200');
    expect(kindOf(await fixture.verify(after, organisationId, second, 'right'))).toBe('200');
    const lost = await fixture.otp(before, organisationId, { token: 'right' });
    expect(kindOf(await fixture.verify(after, organisationId, lost, 'right'))).toBe(mismatch);
  });
});
