import { sql } from '@gangan/database';
import { LeaseHolder } from '@gangan/leases';
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { RetryPolicies } from '../../src/outcome/retry/retry-policy.js';
import type { AskResult } from '../../src/providers/message-provider.js';
import { DueRepository } from '../../src/schedule/due.repository.js';
import { ClaimsRepository } from '../../src/submit/claims.repository.js';
import { ChangeWorker } from '../support/change-worker.js';
import { DeliveryFixture, price } from '../support/delivery-fixture.js';
import { accepted, ScriptedProvider } from '../support/scripted-provider.js';

const funds = 100_000_000n;
const lastAttempt = 4;

describe('deliveries of a paused or canceled message whose worker has died', () => {
  const fixture = DeliveryFixture.use();
  let changes: ChangeWorker;
  beforeAll(async () => {
    changes = await ChangeWorker.create(fixture.database);
  });
  afterEach(async () => {
    await fixture.expectCleanLedger();
    expect(fixture.output.warnings.splice(0)).toEqual([]);
    await fixture.database.execute(sql`DELETE FROM message_change`);
    await fixture.database.execute(
      sql`UPDATE delivery SET state = 'failed', next_attempt_at = NULL, sealed_body = NULL WHERE state < 'delivered'`,
    );
  });

  /** A message that is changed while a dead worker holds its delivery. */
  const crashed = async (action: 'pause' | 'cancel', provider: string, attempt = 1) => {
    const organisation = await fixture.organisation(funds);
    const { id, deliveries } = await fixture.accept(organisation);
    await fixture.crash(deliveries, provider, attempt);
    await changes.change(action, organisation, id);
    expect(await fixture.states(deliveries)).toEqual(['submitting']);
    return { organisation, id, delivery: deliveries[0] ?? '' };
  };
  const askable = (answer: AskResult): ScriptedProvider => new ScriptedProvider('askable', () => answer);
  const isHeld = async (delivery: string): Promise<boolean> => {
    const found = await fixture.database.query(
      sql`SELECT FROM delivery WHERE id = ${delivery} AND state = 'queued' AND next_attempt_at = 'infinity'`,
    );
    return found.length === 1;
  };

  it.each([1, lastAttempt])(
    'are canceled if their provider does not have them (attempt %s)',
    async (attempt) => {
      const provider = askable({ kind: 'not_found' });
      const { organisation, id, delivery } = await crashed('cancel', provider.name, attempt);
      const worker = await fixture.worker({ named: [provider] });
      await worker.sweep();
      expect([provider.asked, provider.submitted]).toEqual([[delivery], []]);
      expect(await fixture.stored(delivery)).toMatchObject({ state: 'canceled', refunded: true, code: null });
      expect(await fixture.available(organisation)).toBe(funds);
      await changes.run();
      expect(await changes.jobs()).toBe(0);
      expect(await changes.request('cancel', organisation, id)).toMatchObject({ status: 'canceled' });
    },
  );

  it('are held if their provider does not have them, and sent when the message is resumed', async () => {
    const provider = askable({ kind: 'not_found' });
    const { organisation, id, delivery } = await crashed('pause', provider.name);
    const worker = await fixture.worker({ named: [provider] });
    await worker.sweep();
    expect([provider.asked, provider.submitted]).toEqual([[delivery], []]);
    expect(await isHeld(delivery)).toBe(true);
    await changes.change('resume', organisation, id);
    await worker.sweep();
    expect(provider.submitted).toHaveLength(1);
    expect(await fixture.stored(delivery)).toMatchObject({ state: 'sent' });
    expect(await fixture.available(organisation)).toBe(funds - price);
  });

  it('fail if the provider of a paused message does not have them after the last attempt', async () => {
    const provider = askable({ kind: 'not_found' });
    const { delivery } = await crashed('pause', provider.name, lastAttempt);
    await (await fixture.worker({ named: [provider] })).sweep();
    expect(provider.submitted).toEqual([]);
    expect(await fixture.stored(delivery)).toMatchObject({ state: 'failed', refunded: true });
  });

  it.each(['pause', 'cancel'] as const)('are sent if their provider has them (%s)', async (action) => {
    const provider = askable(accepted(`had-${action}`));
    const { organisation, delivery } = await crashed(action, provider.name);
    await (await fixture.worker({ named: [provider] })).sweep();
    expect(provider.submitted).toEqual([]);
    expect(await fixture.stored(delivery)).toMatchObject({ state: 'sent', refunded: false });
    expect(await fixture.available(organisation)).toBe(funds - price);
  });

  it('of a canceled message wait for a report if their provider cannot be asked', async () => {
    const provider = new ScriptedProvider('mute');
    const { organisation, delivery } = await crashed('cancel', provider.name);
    const worker = await fixture.worker({ named: [provider] });
    await worker.sweep();
    expect(await fixture.stored(delivery)).toMatchObject({ state: 'submitting', attempt: 1 });
    await worker.sweep();
    await fixture.endValidityOfOpen([delivery]);
    await worker.sweep();
    expect(provider.submitted).toEqual([]);
    expect(await fixture.stored(delivery)).toMatchObject({ state: 'expired', refunded: false });
    expect(await fixture.available(organisation)).toBe(funds - price);
    await changes.run();
    expect(await changes.jobs()).toBe(0);
  });

  it('of a paused message wait until it is resumed if their provider cannot be asked', async () => {
    const provider = new ScriptedProvider('mute');
    const { organisation, id, delivery } = await crashed('pause', provider.name);
    const worker = await fixture.worker({ named: [provider] });
    for (let round = 0; round < lastAttempt + 1; round += 1) {
      await fixture.makeDue();
      await worker.sweep();
    }
    expect(provider.submitted).toEqual([]);
    expect(await fixture.stored(delivery)).toMatchObject({ state: 'submitting', attempt: 1 });
    await changes.change('resume', organisation, id);
    await fixture.makeDue();
    await worker.sweep();
    expect(await fixture.stored(delivery)).toMatchObject({ state: 'sent' });
    expect(provider.submitted).toHaveLength(1);
  });

  it('are claimed with the current state of their message, even if it changed after they were found due', async () => {
    const organisation = await fixture.organisation(funds);
    const [paused, canceled, other] = [
      await fixture.accept(organisation),
      await fixture.accept(organisation),
      await fixture.accept(organisation),
    ];
    await fixture.crash(
      [paused, canceled, other].flatMap(({ deliveries }) => deliveries),
      'mute',
    );
    const due = await new DueRepository(fixture.database, { namesOperators: false }).findDue(
      'sms',
      [organisation],
      10,
    );
    expect(due.map(({ hold }) => hold)).toEqual([null, null, null]);
    await changes.request('pause', organisation, paused.id);
    await changes.request('cancel', organisation, canceled.id);
    const policies = { leaseMs: 60_000 } as RetryPolicies;
    const claims = new ClaimsRepository(fixture.database, policies, new LeaseHolder('messaging'));
    const claimed = await claims.claim(due, 'mute');
    expect(new Map(claimed.map(({ messageId, hold }) => [messageId, hold]))).toEqual(
      new Map([
        [paused.id, 'paused'],
        [canceled.id, 'canceled'],
        [other.id, null],
      ]),
    );
  });
});
