import { until } from '@gangan/testing';
import { describe, expect, it, jest } from '@jest/globals';
import type { MessagingConfig } from '../messaging.config.js';
import type { TrafficClass } from '../outcome/retry/retry-policy.js';
import type { DueDelivery } from '../submit/claims.repository.js';
import { PermittedSubmitter } from './permitted-submitter.js';
import { ScheduleService } from './schedule.service.js';

const trafficClass = 'sms';
const provider = { name: 'scripted' };
const admission = { recipients: Infinity, changes: 0 };

/** Deliveries in memory, and a provider whose calls wait until a test admits them. */
class ScheduleFixture {
  readonly errors: object[] = [];
  readonly submitted: string[] = [];
  readonly called: object[] = [];
  /** Recipients that a permit allows. */
  perCall = Infinity;
  /** When the provider answers. */
  answered = Promise.resolve();
  readonly service: ScheduleService;
  /** Of organisations with another step. */
  readonly steps = new Map<string, object>();
  /** A provider that admits its calls only when a test says so; others admit them at once, if it is set. */
  slow: object | undefined;
  /** How often the table was read. */
  reads = 0;
  private queued: DueDelivery[] = [];
  private readonly permits: (() => void)[] = [];

  constructor(
    slots: number,
    public step: object = { provider },
  ) {
    const findDue = (_: TrafficClass, organisations: readonly string[], limit: number, except?: string[]) => {
      this.reads += 1;
      return Promise.resolve(
        organisations.flatMap((organisation) =>
          this.queued
            .filter(({ id, organisationId }) => organisationId === organisation && !except?.includes(id))
            .slice(0, limit),
        ),
      );
    };
    const findNew = (_: TrafficClass, __: readonly string[], ids: readonly string[]) =>
      Promise.resolve(this.queued.filter(({ id }) => ids.includes(id)));
    const acquire = (asked: object, __: TrafficClass, recipients: number) =>
      new Promise((resolve) => {
        const admit = (): void => {
          resolve({ recipients: Math.min(recipients, this.perCall), release: () => undefined });
        };
        if (this.slow && asked !== this.slow) admit();
        else this.permits.push(admit);
      });
    const submit = (called: object, _: object, due: readonly DueDelivery[]) => {
      if (due.length > 0) this.called.push(called);
      this.queued = this.queued.filter((delivery) => !due.includes(delivery));
      this.submitted.push(...due.map(({ organisationId }) => organisationId));
      return this.answered.then(() => new Set());
    };
    const logger = { error: (details: object) => void this.errors.push(details) };
    const router = {
      nextStep: ({ organisationId }: DueDelivery) => this.steps.get(organisationId) ?? this.step,
    } as never;
    const health = {
      admit: () => Promise.resolve(admission),
      admitUp: () => admission,
      release: () => Promise.resolve(),
    } as never;
    const submitter = { submit, record: () => Promise.resolve(new Set()) } as never;
    const quietHours = { find: () => Promise.resolve(new Map()) } as never;
    const permits = new PermittedSubmitter(router, { acquire } as never, health, quietHours, submitter);
    this.service = new ScheduleService(
      { findDue, findNew } as never,
      router,
      permits,
      submitter,
      {} as never,
      quietHours,
      {} as never,
      logger as never,
      { DELIVERY_SLOTS: slots } as MessagingConfig,
    );
  }

  queue(organisationId: string, count: number): void {
    for (let index = 0; index < count; index += 1)
      this.queued.push({
        id: `${organisationId}${index}`,
        organisationId,
        outcomeUnknown: false,
      } as DueDelivery);
  }

  get waitingCalls(): number {
    return this.permits.length;
  }

  /** Admits so many calls, one after the other. */
  async admit(calls: number): Promise<void> {
    for (let call = 0; call < calls; call += 1) {
      await settled();
      this.permits.shift()?.();
    }
    await settled();
  }
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('the schedule', () => {
  it('continues with an organisation whose deliveries did not fit, even if a larger one shares the batch', async () => {
    const fixture = new ScheduleFixture(3);
    fixture.queue('large', 300);
    fixture.queue('other', 60);
    for (const organisationId of ['x', 'y']) {
      fixture.queue(organisationId, 1);
      void fixture.service.schedule({ trafficClass, organisationId }, [`${organisationId}0`]);
    }
    // The first 100 of the large one wait for their call. When a slot is free, both share the next batch.
    for (const organisationId of ['large', 'other']) fixture.service.wake({ trafficClass, organisationId });
    await fixture.admit(10);
    await fixture.service.idle();
    expect(fixture.submitted.filter((organisation) => organisation === 'other')).toHaveLength(60);
    expect(fixture.submitted).toHaveLength(362);
  });

  it('continues with deliveries for which a permit had no room, while the others are being submitted', async () => {
    const fixture = new ScheduleFixture(8);
    let answer = (): void => undefined;
    fixture.answered = new Promise((resolve) => (answer = resolve));
    fixture.perCall = 1;
    fixture.queue('a', 3);
    fixture.service.wake({ trafficClass, organisationId: 'a' });
    await fixture.admit(3);
    expect(fixture.submitted).toHaveLength(3);
    answer();
    await fixture.service.idle();
  });

  it('calls no provider that was changed while deliveries waited for its permit', async () => {
    const fixture = new ScheduleFixture(8);
    fixture.queue('a', 3);
    fixture.service.wake({ trafficClass, organisationId: 'a' });
    await settled();
    const changed = { name: 'scripted' };
    fixture.step = { provider: changed };
    await fixture.admit(2);
    await fixture.service.idle();
    expect(fixture.called).toEqual([changed]);
    expect(fixture.called[0]).toBe(changed);
    expect(fixture.submitted).toHaveLength(3);
  });

  it('does not let a slow provider occupy the slots of others, or collect unlimited deliveries', async () => {
    const fixture = new ScheduleFixture(2);
    fixture.slow = { name: 'slow' };
    const organisations = ['a', 'b', 'c', 'd', 'e', 'f'];
    for (const organisationId of organisations) {
      fixture.steps.set(organisationId, { provider: fixture.slow });
      fixture.queue(organisationId, 150);
      fixture.service.wake({ trafficClass, organisationId });
    }
    fixture.queue('healthy', 250);
    fixture.service.wake({ trafficClass, organisationId: 'healthy' });
    await until('the healthy provider has everything', () =>
      Promise.resolve(fixture.submitted.length === 250),
    );
    expect(new Set(fixture.submitted)).toEqual(new Set(['healthy']));
    // Two batches of the slow provider wait. The others were not started, and are not read again and again.
    expect(fixture.waitingCalls).toBe(2);
    const { reads } = fixture;
    for (let round = 0; round < 100; round += 1) await settled();
    expect(fixture.reads).toBe(reads);
    await fixture.admit(100);
    await fixture.service.idle();
    for (const organisationId of organisations)
      expect(fixture.submitted.filter((own) => own === organisationId)).toHaveLength(150);
    expect(fixture.submitted).toHaveLength(250 + 6 * 150);
  });

  it('logs once a minute how many deliveries have no provider', async () => {
    const now = jest.spyOn(performance, 'now').mockReturnValue(0);
    const fixture = new ScheduleFixture(1, { event: { type: 'unroutable' } });
    const wake = async (...organisationIds: string[]): Promise<void> => {
      for (const organisationId of organisationIds) {
        fixture.queue(organisationId, 2);
        fixture.service.wake({ trafficClass, organisationId });
      }
      await fixture.service.idle();
    };
    await wake('x', 'y');
    expect(fixture.errors).toEqual([{ organisationIds: ['x'], deliveries: 2 }]);
    now.mockReturnValue(60_000);
    await wake('z');
    expect(fixture.errors.slice(1)).toEqual([{ organisationIds: ['z'], deliveries: 4 }]);
  });
});
