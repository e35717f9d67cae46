import { sql } from '@gangan/database';
import { newContext, type RequestContext } from '@gangan/protocol';
import type { RequestOtpRequest } from '@gangan/contracts';
import { repetitions } from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  after,
  aMinuteLater,
  anHourLater,
  type Deed,
  type Done,
  emptyModel,
  explanations,
  type Model,
  swept,
  withOtp,
} from './support/model.js';
import { kindOf, TestOtp, type Worker } from './support/test-otp.js';

type Step =
  | { readonly is: 'request'; readonly short: boolean; readonly fallback: boolean }
  | { readonly is: 'a minute passes' }
  | { readonly is: 'an hour passes' }
  | { readonly is: 'sweep' }
  /** Its event is lost. */
  | { readonly is: 'a delivery fails'; readonly which: number }
  | {
      readonly is: 'at once';
      readonly deeds: readonly Deed[];
      /** As the queue runs the members of one batch, or else each alone. */
      readonly inBatch: boolean;
      /** OTPs that are requested meanwhile. */
      readonly requests: number;
    };

const which = fc.nat(20);
const deed: fc.Arbitrary<Deed> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      is: fc.constant('verify' as const),
      which,
      right: fc.oneof(
        { weight: 2, arbitrary: fc.constant(false) },
        { weight: 1, arbitrary: fc.constant(true) },
      ),
    }),
  },
  { weight: 2, arbitrary: fc.record({ is: fc.constant('repeat' as const), earlier: which }) },
  { weight: 1, arbitrary: fc.record({ is: fc.constant('revoke' as const), which }) },
  {
    weight: 4,
    arbitrary: fc.record({
      is: fc.constantFrom('fail' as const, 'deliver' as const, 'resend' as const, 'advance' as const),
      which,
    }),
  },
);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      is: fc.constant('request' as const),
      short: fc.boolean(),
      fallback: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.constantFrom({ is: 'a minute passes' as const }, { is: 'sweep' as const }),
  },
  { weight: 1, arbitrary: fc.constant({ is: 'an hour passes' as const }) },
  { weight: 1, arbitrary: fc.record({ is: fc.constant('a delivery fails' as const), which }) },
  {
    weight: 8,
    arbitrary: fc.record({
      is: fc.constant('at once' as const),
      deeds: fc.array(deed, { minLength: 1, maxLength: 5 }),
      inBatch: fc.boolean(),
      requests: fc.nat(2),
    }),
  },
);

/** What an organisation of the fixture has. */
const start = 100_000_000n;

type Doing<T> = (context: RequestContext) => Promise<T>;

interface Request {
  readonly context: RequestContext;
  readonly id: string;
  readonly token: string;
}

/** The OTPs of one recipient, in truth and as the model has them. */
class Story {
  private models: Model[];
  private readonly ids: string[] = [];
  private readonly tokens: string[] = [];
  private readonly requests: Request[] = [];

  constructor(
    private readonly fixture: TestOtp,
    private readonly workers: readonly Worker[],
    private readonly organisationId: string,
    cap: number,
  ) {
    this.models = [emptyModel(cap)];
  }

  async tell(next: Step): Promise<void> {
    if (next.is === 'request') {
      const context = newContext({ organisationId: this.organisationId });
      await this.request(next.short, context, next.fallback);
      this.models = this.models.map((model) => withOtp(model, next.short ? 3 : 5, next.fallback));
    } else if (next.is === 'a minute passes') {
      await this.fixture.passTime(this.organisationId, 1);
      this.models = this.models.map(aMinuteLater);
    } else if (next.is === 'sweep') {
      await this.worker(0).fallbacks.sweep();
      this.models = this.models.map(swept);
    } else if (next.is === 'an hour passes') {
      await this.fixture.passTime(this.organisationId, 61);
      this.models = this.models.map(anHourLater);
    } else if (next.is === 'a delivery fails') {
      for (const fail of this.fitted({ is: 'fail', which: next.which })) {
        await this.fixture.endDelivery(this.ids[fail.is === 'fail' ? fail.which : 0] ?? '');
        this.models = this.models.flatMap((model) => after(model, fail, -1).map(([changed]) => changed));
      }
    } else {
      const deeds = next.deeds.flatMap((each) => this.fitted(each));
      const doings: Doing<Done | undefined>[] = [
        ...deeds.map(
          (each, place) => (context: RequestContext) => this.do(each, next.inBatch ? 0 : place, context),
        ),
        ...Array.from(
          { length: next.requests },
          () => (context: RequestContext) => this.request(false, context),
        ),
      ];
      const done = (await this.atOnce(doings, next.inBatch)).filter((each) => each !== undefined);
      this.models = explanations(this.models, done);
      for (let count = 0; count < next.requests; count += 1) {
        this.models = this.models.map((model) => withOtp(model, 5));
      }
      expect([deeds, done, this.models.length > 0]).toEqual([deeds, done, true]);
    }
  }

  /** What can be read is what one of the explanations says. */
  async check(): Promise<void> {
    const context = newContext({ organisationId: this.organisationId });
    const records = await this.worker(0).service.list({ recipient: '08031234567' }, context);
    const statuses = new Map(records.map(({ id, status }) => [id, status]));
    const read = this.ids.map((id) => statuses.get(id));
    const rows = await this.fixture.database.query<{ id: string; sends: number }>(sql`
      SELECT otp_id AS id, count(*)::int AS sends FROM delivery WHERE organisation_id = ${this.organisationId}
      GROUP BY otp_id`);
    const counts = new Map(rows.map(({ id, sends }) => [id, sends]));
    const sends = this.ids.map((id) => counts.get(id));
    const said = ({ otps }: Model): boolean =>
      otps.every((otp, place) => read[place] === otp.status && sends[place] === otp.sends.length);
    this.models = this.models.filter(said);
    expect([read, sends, this.models.length > 0]).toEqual([read, sends, true]);
  }

  /** Every send was charged once, and once all OTPs have ended, no token is left. */
  async end(): Promise<void> {
    const { fixture, organisationId } = this;
    const [row] = await fixture.database.query<{ kobo: bigint; stored: number }>(sql`
      SELECT (SELECT coalesce(sum(charge_kobo), 0) FROM delivery WHERE organisation_id = ${organisationId})::int8 AS kobo,
        (SELECT count(*) FROM otp WHERE organisation_id = ${organisationId} AND sealed_token IS NOT NULL
          AND status <> 1)::int AS stored`);
    expect([await fixture.available(organisationId), row?.stored]).toEqual([start - (row?.kobo ?? 0n), 0]);
    await fixture.passTime(organisationId, 61);
    await this.worker(0).fallbacks.sweep();
    expect(
      await fixture.database.query(sql`
        SELECT id FROM otp WHERE organisation_id = ${organisationId}
          AND (sealed_token IS NOT NULL OR due_at IS NOT NULL OR status = 1)`),
    ).toEqual([]);
  }

  /** About something that is there. */
  private fitted(each: Deed): Deed[] {
    if (each.is === 'repeat') {
      const count = this.requests.length;
      return count === 0 ? [] : [{ ...each, earlier: each.earlier % count }];
    }
    return this.ids.length === 0 ? [] : [{ ...each, which: each.which % this.ids.length }];
  }

  private async request(short: boolean, context: RequestContext, fallback = false): Promise<undefined> {
    const wish: Partial<RequestOtpRequest> = {
      token: short ? 'four' : 'longer',
      expires_in: 60,
      ...(fallback && { channel: 'whatsapp', fallback_channels: ['sms'] }),
    };
    const answer = await this.fixture.request(this.worker(0), this.organisationId, wish, context);
    expect(kindOf(answer)).toBe('200');
    this.ids.push(context.operationId);
    this.tokens.push(wish.token ?? '');
  }

  private atOnce<T>(doings: readonly Doing<T>[], inBatch: boolean): Promise<T[]> {
    const contexts = this.fixture.contexts(this.organisationId, doings.length);
    const run = (context: RequestContext, place: number): Promise<T> => (doings[place] as Doing<T>)(context);
    return inBatch ? this.fixture.runBatch(contexts, run) : Promise.all(contexts.map(run));
  }

  private async do(each: Deed, at: number, context: RequestContext): Promise<Done> {
    const worker = this.worker(at);
    if (each.is === 'verify') {
      const id = this.ids[each.which] ?? '';
      const token = each.right ? (this.tokens[each.which] ?? '') : 'wrong';
      const place = this.requests.push({ context, id, token }) - 1;
      const answer = await this.fixture.verify(worker, this.organisationId, id, token, context);
      return { deed: each, place, answer: kindOf(answer) };
    }
    if (each.is === 'repeat') {
      const { context: earlier, id, token } = this.requests[each.earlier] as Request;
      const answer = await this.fixture.verify(worker, this.organisationId, id, token, earlier);
      return { deed: each, place: -1, answer: kindOf(answer) };
    }
    const id = this.ids[each.which] ?? '';
    if (each.is === 'resend') {
      const answer = await this.fixture.resend(worker, this.organisationId, id, undefined, context);
      return { deed: each, place: -1, answer: kindOf(answer) };
    }
    if (each.is !== 'revoke') {
      if (each.is === 'advance') {
        await worker.fallbacks.deliveryEnded({ otp_id: id, delivery_id: id, status: 'failed' }, context);
      } else await this.fixture.endDelivery(id, each.is === 'fail' ? 'undelivered' : 'delivered');
      return { deed: each, place: -1, answer: 'done' };
    }
    const { status } = await worker.service.revoke({ id }, context);
    return { deed: each, place: -1, answer: `status ${status}` };
  }

  private worker(at: number): Worker {
    return this.workers[at % this.workers.length] as Worker;
  }
}

describe('concurrent operations on OTPs', () => {
  let fixture: TestOtp;
  let workers: readonly Worker[];
  beforeAll(async () => {
    fixture = await TestOtp.open();
    workers = [await fixture.worker(), await fixture.worker()];
  });
  afterAll(() => fixture.close());

  it('have the results of a serial order', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 4, maxLength: 16 }),
        fc.constantFrom(0, 4),
        async (steps, cap) => {
          const organisationId = await fixture.organisation({ otpTriesPerRecipient: cap });
          const story = new Story(fixture, workers, organisationId, cap);
          for (const next of steps) {
            await story.tell(next);
            await story.check();
          }
          await story.end();
        },
      ),
      { numRuns: repetitions(8, 20), endOnFailure: false },
    );
    await fixture.expectSoundLedger();
  });
});
