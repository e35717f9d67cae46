import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from '@gangan/database';
import { dueNow } from '@gangan/leases';
import { isFullSuite, until } from '@gangan/testing';
import { describe, expect, it } from '@jest/globals';
import { DeliveryFixture } from '../support/delivery-fixture.js';
import { accepted, Pending, ScriptedProvider } from '../support/scripted-provider.js';

const chunk = 100;
const campaign = (isFullSuite ? 30 : 10) * chunk;
const slots = 4;

/** Records the sender of each call. */
class Watcher extends ScriptedProvider {
  readonly calls: { sender: string; recipients: number; atOnce: number }[] = [];
  private readonly inFlight = new Map<string, number>();

  override async submit(submissions: Parameters<ScriptedProvider['submit']>[0]) {
    const sender = submissions[0]?.text ?? '';
    const atOnce = (this.inFlight.get(sender) ?? 0) + 1;
    this.inFlight.set(sender, atOnce);
    this.calls.push({ sender, recipients: submissions.length, atOnce });
    await new Promise((resolve) => setTimeout(resolve, 5));
    this.inFlight.set(sender, (this.inFlight.get(sender) ?? 1) - 1);
    return submissions.map(({ reference }) => accepted(`of-${reference}`));
  }
}

const fixture = DeliveryFixture.use();

const numbers = Array.from({ length: campaign }, (_, index) => `+234803${1_000_000 + index}`);

/** Organisations that wait, each with this number of deliveries. */
const organisations = (count: number, deliveries: number): Promise<string[]> =>
  Promise.all(
    Array.from({ length: count }, async () => {
      const organisation = await fixture.organisation();
      await fixture.accept(organisation, { recipients: numbers.slice(0, deliveries), content: 'small' });
      return organisation;
    }),
  );

/**
 * Processes the deliveries of these organisations in as few batches as possible: they wait while another organisation uses
 * the only slot.
 * @returns the texts of each call
 */
async function processTogether(
  waiting: readonly string[],
  provider = new ScriptedProvider(),
  onCall: (texts: readonly string[]) => void = () => undefined,
): Promise<{ readonly calls: readonly string[][] }> {
  const calls: string[][] = [];
  const submit = provider.submit.bind(provider);
  provider.submit = (submissions) => {
    const texts = submissions.map(({ text }) => text);
    if (!texts.includes('first')) {
      calls.push(texts);
      onCall(texts);
    }
    return submit(submissions);
  };
  const first = await fixture.organisation();
  const { deliveries } = await fixture.accept(first, { content: 'first' });
  const { service } = await fixture.worker({ named: [provider], slots: 1 });
  const processed = service.schedule({ trafficClass: 'sms', organisationId: first }, deliveries);
  for (const organisationId of waiting) service.wake({ trafficClass: 'sms', organisationId });
  await processed;
  await service.idle();
  return { calls };
}

describe('a campaign', () => {
  it('takes at most half of the slots, and lets another organisation go before its next chunk', async () => {
    const [big, small] = [await fixture.organisation(), await fixture.organisation()];
    const { deliveries } = await fixture.accept(big, { recipients: numbers, content: 'big' });
    const provider = new Watcher();
    const worker = await fixture.worker({ named: [provider], slots });
    const hints: Promise<void>[] = [];
    for (let from = 0; from < campaign; from += chunk) {
      hints.push(
        worker.service.schedule(
          { trafficClass: 'sms', organisationId: big },
          deliveries.slice(from, from + chunk),
        ),
      );
    }
    const first = await fixture.accept(small, { content: 'small' });
    const before = provider.calls.length;
    await worker.service.schedule({ trafficClass: 'sms', organisationId: small }, first.deliveries);
    const index = provider.calls.findIndex(({ sender }) => sender === 'small');
    expect(index - before).toBeLessThanOrEqual(slots);
    await Promise.all(hints);
    await worker.service.idle();
    const ofBig = provider.calls.filter(({ sender }) => sender === 'big');
    expect(ofBig.reduce((sum, { recipients }) => sum + recipients, 0)).toBe(campaign);
    expect(Math.max(...ofBig.map(({ atOnce }) => atOnce))).toBeLessThanOrEqual(slots / 2);
    expect(Math.max(...ofBig.map(({ recipients }) => recipients))).toBeLessThanOrEqual(chunk);
  });

  it('does not delay others if all events are lost', async () => {
    const [big, small] = [await fixture.organisation(), await fixture.organisation()];
    await fixture.accept(big, { recipients: numbers, content: 'big' });
    await fixture.database.execute(
      sql`UPDATE delivery SET next_attempt_at = now() - interval '1 hour' WHERE organisation_id = ${big}`,
    );
    await fixture.accept(small, { content: 'small' });
    await fixture.database.execute(
      sql`UPDATE delivery SET next_attempt_at = now() - interval '1 ms' WHERE organisation_id = ${small}`,
    );
    const provider = new Watcher();
    await (await fixture.worker({ named: [provider], slots })).sweep();
    expect(provider.calls.findIndex(({ sender }) => sender === 'small')).toBeLessThanOrEqual(slots);
    expect(provider.calls.reduce((sum, { recipients }) => sum + recipients, 0)).toBe(campaign + 1);
  });

  it('is sent once by several workers', async () => {
    const big = await fixture.organisation();
    const { deliveries } = await fixture.accept(big, { recipients: numbers, content: 'big' });
    const provider = new Watcher();
    const workers = await Promise.all([1, 2, 3].map(() => fixture.worker({ named: [provider], slots })));
    for (const worker of workers) worker.service.wake({ trafficClass: 'sms', organisationId: big });
    await Promise.all(workers.map((worker) => worker.due(big, deliveries.slice(0, chunk))));
    await Promise.all(workers.map((worker) => worker.sweep()));
    expect(provider.calls.reduce((sum, { recipients }) => sum + recipients, 0)).toBe(campaign);
    const [left] = await fixture.database.query<{ count: number }>(sql`
      SELECT count(*)::int AS count FROM delivery WHERE organisation_id = ${big} AND (state <> 'sent' OR attempt <> 1)`);
    expect(left?.count).toBe(0);
  });

  it('leaves each other organisation its share of a call while many wait', async () => {
    const [big, ...small] = await Promise.all(Array.from({ length: 6 }, () => fixture.organisation()));
    if (big === undefined) throw new Error('An organisation is needed');
    await fixture.accept(big, { recipients: numbers, content: 'big' });
    for (const organisation of small) await fixture.accept(organisation, { content: 'small' });
    await fixture.makeDue();
    await fixture.database.execute(
      sql`UPDATE delivery SET next_attempt_at = now() - interval '1 hour' WHERE organisation_id = ${big}`,
    );
    const calls: string[][] = [];
    const provider = new ScriptedProvider();
    const submit = provider.submit.bind(provider);
    provider.submit = (submissions) => {
      calls.push(submissions.map(({ text }) => text));
      return submit(submissions);
    };
    // The first batch has deliveries of the big one only; all others wait for the second.
    await (await fixture.worker({ named: [provider], slots: 1 })).sweep();
    const shared = calls.filter((texts) => texts.includes('small'));
    expect(shared).toHaveLength(1);
    expect(shared[0]?.filter((text) => text === 'small')).toHaveLength(small.length);
    expect(calls.flat()).toHaveLength(campaign + small.length);
  });

  it('fills the room that organisations with few deliveries leave in a call', async () => {
    const big = await fixture.organisation();
    await fixture.accept(big, { recipients: numbers.slice(0, 2 * chunk), content: 'big' });
    const small = await organisations(39, 1);
    const { calls } = await processTogether([...small, big]);
    const [shared = []] = calls;
    // With 40 organisations, up to 10 deliveries of each are read.
    expect(shared).toHaveLength(small.length + 10);
    expect(calls.map(({ length }) => length).slice(1)).toEqual([chunk, chunk - 10]);
  });
});

describe('a slow provider', () => {
  it('does not keep the deliveries of other providers waiting, and loses none of its own', async () => {
    const slow = new ScriptedProvider('slow');
    const fast = new ScriptedProvider('fast');
    const [onlyWhatsapp, onlySms] = [{ channels: ['whatsapp'] }, { channels: ['sms'] }];
    Object.assign(slow, onlyWhatsapp);
    Object.assign(fast, onlySms);
    const answered = new Pending<undefined>();
    slow.onSubmit = ({ reference }) => answered.answer.then(() => accepted(`of-${reference}`));
    const worker = await fixture.worker({ named: [slow, fast], slots: 2, timeoutMs: 300_000 });
    const waiting: string[] = [];
    for (let index = 0; index < 5; index += 1) {
      const organisationId = await fixture.organisation();
      const { deliveries } = await fixture.accept(organisationId, {
        recipients: numbers.slice(0, 3),
        channel: 'whatsapp',
      });
      waiting.push(...deliveries);
      void worker.service.schedule({ trafficClass: 'sms', organisationId }, deliveries);
    }
    const other = await fixture.organisation();
    const { deliveries } = await fixture.accept(other, { recipients: numbers.slice(0, 3) });
    await fixture.database.execute(
      sql`UPDATE delivery SET next_attempt_at = ${dueNow} WHERE state = 'queued'`,
    );
    await worker.service.sweep();
    await until('the others are sent', async () =>
      (await fixture.states(deliveries)).every((state) => state === 'sent'),
    );
    // No more than two batches of the slow provider are claimed.
    const states = await fixture.states(waiting);
    expect(states.filter((state) => state === 'queued').length).toBeGreaterThanOrEqual(9);
    answered.give(undefined);
    await worker.service.idle();
    await worker.sweep();
    expect(new Set(await fixture.states(waiting))).toEqual(new Set(['sent']));
    expect(slow.submitted).toHaveLength(waiting.length);
  });
});

describe('many organisations', () => {
  it('fill a call together; the rest follows at once', async () => {
    const { calls } = await processTogether(await organisations(60, 3));
    expect(calls.map(({ length }) => length)).toEqual([chunk, 60 * 3 - chunk]);
  });

  it('do not wait until a provider has been asked about an uncertain delivery of one of them', async () => {
    const [unsure = '', other = ''] = await organisations(2, 1);
    const [delivery] = await fixture.database.query<{ id: string }>(
      sql`SELECT id FROM delivery WHERE organisation_id = ${unsure}`,
    );
    await fixture.crash([delivery?.id ?? ''], 'scripted');
    const provider = new ScriptedProvider();
    const submitted = new Pending<string>();
    provider.ask = async (references) => {
      const first = await Promise.race([submitted.answer, sleep(60_000, 'nothing', { ref: false })]);
      provider.asked.push(first);
      return references.map((reference) => accepted(`of-${reference}`));
    };
    await processTogether([unsure, other], provider, ([text]) => {
      submitted.give(text ?? '');
    });
    expect(provider.asked).toEqual(['small']);
  });
});
