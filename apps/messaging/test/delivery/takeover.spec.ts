import { type Database, Prisma, sql } from '@gangan/database';
import { LeaseHolder } from '@gangan/leases';
import { isFullSuite, until } from '@gangan/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { RetryPolicies } from '../../src/outcome/retry/retry-policy.js';
import type { SubmitResult } from '../../src/providers/message-provider.js';
import { DueRepository } from '../../src/schedule/due.repository.js';
import { ClaimsRepository } from '../../src/submit/claims.repository.js';
import { DeliveryFixture } from '../support/delivery-fixture.js';
import type { DeliveryWorker } from '../support/delivery-worker.js';
import { accepted, Pending, ScriptedProvider } from '../support/scripted-provider.js';

const timeoutMs = 10_000;
/** A submission starts within three seconds of its claim and lasts as long as its timeout. */
const inFlightSeconds = 13;
const leaseSeconds = 40;

describe('taking over the deliveries of a dead process', () => {
  const fixture = DeliveryFixture.use();
  let organisation: string;
  /** What the provider of a dead process answers, after the test. */
  let answer: Pending<SubmitResult>;
  const delivering: Promise<void>[] = [];
  const hangs = (): Promise<SubmitResult> => answer.answer;
  beforeEach(async () => {
    organisation = await fixture.organisation();
    answer = new Pending();
  });
  afterEach(async () => {
    answer.give({ kind: 'unknown' });
    await Promise.all(delivering.splice(0));
  });

  const accept = async (count = 1): Promise<string[]> => {
    const recipients = Array.from({ length: count }, (_, index) => `+23480312${10_000 + index}`);
    return (await fixture.accept(organisation, { recipients })).deliveries;
  };
  const takeOver = async ({ holder }: DeliveryWorker): Promise<number | undefined> =>
    fixture.database.transaction(async (transaction) => {
      return (await holder.takeOver(transaction, holder.id))['delivery'];
    });

  /** Lets time pass for the deliveries of the organisation. */
  const pass = (seconds: number): Promise<number> =>
    fixture.database.execute(sql`
      UPDATE delivery SET next_attempt_at = next_attempt_at - ${seconds}::float8 * interval '1 second'
      WHERE organisation_id = ${organisation} AND next_attempt_at IS NOT NULL`);

  /** A worker whose provider got the deliveries and does not answer. */
  const dies = async (ids: readonly string[], provider = new ScriptedProvider()): Promise<DeliveryWorker> => {
    provider.onSubmit = hangs;
    const worker = await fixture.worker({ named: [provider], timeoutMs });
    delivering.push(worker.due(organisation, ids));
    await until('the provider is called', () => provider.submitted.length === ids.length);
    return worker;
  };

  it('makes them due when no submission can be in flight any more, and not before', async () => {
    const ids = await accept(3);
    const dead = await dies(ids);
    const living = await fixture.worker({ named: [new ScriptedProvider()], timeoutMs });
    expect(await takeOver(dead)).toBe(3);
    // The machine may be slow.
    await pass(inFlightSeconds - 8);
    await living.sweep();
    expect(await fixture.states(ids)).toEqual(['submitting', 'submitting', 'submitting']);
    await pass(8);
    await living.sweep();
    expect(await fixture.states(ids)).toEqual(['sent', 'sent', 'sent']);
    expect(await fixture.attempts(ids[0] ?? '')).toEqual([
      { provider: 'scripted', outcome: null },
      { provider: 'scripted', outcome: 'accepted' },
    ]);
  });

  it('keeps when the attempt of the dead process began', async () => {
    const [id = ''] = await accept();
    const dead = await dies([id]);
    const attempts = () =>
      fixture.database.query<{ attempt: number; startedAgoMs: number; ended: boolean }>(sql`
        SELECT attempt, extract(epoch FROM now() - started_at)::float8 * 1000 AS "startedAgoMs",
          ended_at IS NOT NULL AS ended FROM delivery_attempt WHERE delivery_id = ${id} ORDER BY attempt`);
    expect(await attempts()).toEqual([]);
    await pass(20);
    await fixture.database.execute(
      sql`UPDATE delivery SET created_at = created_at - interval '1 hour' WHERE id = ${id}`,
    );
    await takeOver(dead);
    const [first] = await attempts();
    expect(first).toMatchObject({ attempt: 1, ended: false });
    expect(first?.startedAgoMs).toBeGreaterThanOrEqual(20_000);
    expect(first?.startedAgoMs).toBeLessThan(40_000);
  });

  it('leaves out a delivery that its holder has leased again after it was found due', async () => {
    const ids = await accept();
    await dies(ids);
    await pass(leaseSeconds);
    const repository = new DueRepository(fixture.database, { namesOperators: false });
    const due = await repository.findDue('sms', [organisation], 10);
    expect(due).toHaveLength(1);
    await pass(-leaseSeconds);
    const policies = { leaseMs: leaseSeconds * 1_000 } as RetryPolicies;
    const claims = new ClaimsRepository(fixture.database, policies, new LeaseHolder('messaging'));
    expect(await claims.claim(due, 'scripted')).toEqual([]);
  });

  it('asks a provider that can be asked, and sends nothing twice', async () => {
    const ids = await accept(2);
    const provider = new ScriptedProvider('scripted', (reference) => accepted(`of-${reference}`));
    await takeOver(await dies(ids, provider));
    await pass(inFlightSeconds);
    await (await fixture.worker({ named: [provider], timeoutMs })).sweep();
    expect(await fixture.states(ids)).toEqual(['sent', 'sent']);
    expect(provider.submitted).toHaveLength(2);
  });

  it('takes only the leases of this process: no new deliveries, no retries, nothing of other processes', async () => {
    const [held, retried, others, fresh] = [await accept(), await accept(), await accept(), await accept()];
    const transient = new ScriptedProvider();
    transient.onSubmit = () => ({ kind: 'transient', reason: { code: 'busy', message: 'Busy' } });
    const dead = await fixture.worker({ named: [transient], timeoutMs });
    await dead.due(organisation, retried);
    transient.onSubmit = hangs;
    delivering.push(dead.due(organisation, held));
    await until('the provider is called', () => transient.submitted.length === 2);
    await dies(others);
    expect(await takeOver(dead)).toBe(1);
    expect(await takeOver(dead)).toBe(0);
    const due = await fixture.database.query<{ id: string }>(sql`
      SELECT id FROM delivery WHERE organisation_id = ${organisation} AND state = 'submitting' AND lease_holder IS NULL`);
    expect(due.map(({ id }) => id)).toEqual(held);
    expect(await fixture.states([...retried, ...others, ...fresh])).toEqual([
      'queued',
      'submitting',
      'queued',
    ]);
  });

  it('counts the result of a process that returns, unless another has claimed the delivery since', async () => {
    const [early, late] = [await accept(), await accept()];
    const answers = new Pending<SubmitResult>();
    const provider = new ScriptedProvider();
    provider.onSubmit = () => answers.answer;
    const stopped = await fixture.worker({ named: [provider], timeoutMs });
    const due = stopped.due(organisation, [...early, ...late]);
    await until('the provider is called', () => provider.submitted.length === 2);
    await takeOver(stopped);
    await fixture.database.execute(sql`
      UPDATE delivery SET next_attempt_at = now() - interval '1 ms' WHERE id = ${late[0]}`);
    const other = new ScriptedProvider();
    await (await fixture.worker({ named: [other], timeoutMs })).sweep();
    const submitted = other.submitted.map(({ reference }) => reference);
    expect(submitted.filter((id) => [...early, ...late].includes(id))).toEqual(late);
    answers.give({ kind: 'failed', reason: { code: 'x', message: 'why' } });
    await due;
    expect(await fixture.states([...early, ...late])).toEqual(['failed', 'sent']);
    await fixture.expectCleanLedger();
  });

  describe('from a process that was stopped between its claim and its call', () => {
    /** Runs `meanwhile` while the worker cannot read the links of the texts, long enough for its claim to be old. */
    const stop = async (
      worker: DeliveryWorker,
      ids: readonly string[],
      meanwhile: (database: Database) => Promise<unknown>,
    ): Promise<void> => {
      // Only the texts of trackable messages need this table.
      await fixture.database.execute(sql`UPDATE message SET trackable = true`);
      const { run } = await fixture.database.transaction(async (transaction) => {
        await transaction.execute(sql`LOCK TABLE tracked_link IN ACCESS EXCLUSIVE MODE`);
        const due = worker.due(organisation, ids);
        await fixture.untilLocked();
        await transaction.execute(sql`SELECT pg_sleep(0.6)`);
        await meanwhile(fixture.database);
        return { run: due };
      });
      await run;
    };

    it('lets it renew its lease and submit if no other process has claimed the delivery', async () => {
      const provider = new ScriptedProvider();
      const worker = await fixture.worker({ named: [provider], timeoutMs: 500 });
      const ids = await accept();
      await stop(worker, ids, () => takeOver(worker));
      expect(provider.submitted).toHaveLength(1);
      expect(await fixture.stored(ids[0] ?? '')).toMatchObject({ state: 'sent', attempt: 1 });
    });

    it('does not let it submit a delivery that another process has claimed', async () => {
      const provider = new ScriptedProvider();
      const worker = await fixture.worker({ named: [provider], timeoutMs: 500 });
      const ids = await accept();
      await stop(worker, ids, async (database) => {
        await takeOver(worker);
        await database.execute(sql`UPDATE delivery SET attempt = attempt + 1 WHERE id = ${ids[0]}`);
      });
      expect(provider.submitted).toEqual([]);
      expect(await fixture.states(ids)).toEqual(['submitting']);
    });
  });

  describe('whose leases are renewed slowly', () => {
    /** Lets each renewal take longer than a submission may start after it, and the claim too. The others have time for a statement. */
    const slowDown = async (renewals: number): Promise<void> => {
      for (const command of [
        sql`CREATE SEQUENCE renewal`,
        sql`CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(0.6); RETURN NEW; END $$`,
        sql`CREATE FUNCTION slow_renewal() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
          IF nextval('renewal') <= TG_ARGV[0]::int THEN PERFORM pg_sleep(0.6); END IF; RETURN NEW; END $$`,
        sql`CREATE TRIGGER slow_claim BEFORE UPDATE ON delivery FOR EACH ROW WHEN (NEW.attempt > OLD.attempt)
          EXECUTE FUNCTION slow()`,
        sql`CREATE TRIGGER slow_renewal BEFORE UPDATE ON delivery FOR EACH ROW
          WHEN (OLD.state = 'submitting' AND NEW.state = 'submitting' AND NEW.attempt = OLD.attempt)
          EXECUTE FUNCTION slow_renewal(${Prisma.raw(String(renewals))})`,
      ])
        await fixture.database.execute(command);
    };
    afterEach(async () => {
      await fixture.database.execute(sql`DROP FUNCTION slow, slow_renewal CASCADE`);
      await fixture.database.execute(sql`DROP SEQUENCE renewal`);
    });
    const deliver = async (): Promise<{ provider: ScriptedProvider; id: string }> => {
      const provider = new ScriptedProvider();
      const [id = ''] = await accept();
      await (await fixture.worker({ named: [provider], timeoutMs: 400 })).due(organisation, [id]);
      return { provider, id };
    };

    it('renews them again, and submits', async () => {
      await slowDown(2);
      const { provider, id } = await deliver();
      expect(provider.submitted).toHaveLength(1);
      expect(await fixture.stored(id)).toMatchObject({ state: 'sent', attempt: 1 });
    });

    it('records that nothing was submitted, if that does not help', async () => {
      await slowDown(100);
      const { provider, id } = await deliver();
      expect(provider.submitted).toEqual([]);
      expect(await fixture.states([id])).toEqual(['queued']);
      expect(await fixture.attempts(id)).toEqual([{ provider: 'scripted', outcome: 'transient' }]);
    });
  });

  it('finds the leases by the index of due deliveries, even if many wait', async () => {
    const big = await fixture.organisation();
    const { id: messageId } = await fixture.accept(big, { recipients: ['+2348031234567'] });
    await fixture.database.execute(sql`
      INSERT INTO delivery (id, organisation_id, lane, message_id, channel, recipient, recipient_given, pages,
        charge_kobo, next_attempt_at)
      SELECT uuidv7(), ${big}::uuid, 'sms', ${messageId}::uuid, 'sms', '+2348031234567', 'x', 1, 0,
        now() + interval '1 hour' * (CASE WHEN number % 2 = 0 THEN 1 ELSE -1 END)
      FROM generate_series(1, ${isFullSuite ? 20_000 : 5_000}::int) AS number`);
    const ids = await accept(2);
    const dead = await dies(ids);
    const before = await fixture.fetchedDeliveries();
    expect(await takeOver(dead)).toBe(2);
    await until('the statistics show the deliveries that were read', async () => {
      const read = (await fixture.fetchedDeliveries()) - before;
      expect(read).toBeLessThan(200);
      return read > 0;
    });
    await fixture.database.execute(sql`DELETE FROM delivery WHERE organisation_id = ${big}`);
  });
});
