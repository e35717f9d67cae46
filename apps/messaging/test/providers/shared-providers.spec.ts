import { sql } from '@gangan/database';
import { dueNow } from '@gangan/leases';
import { until } from '@gangan/testing';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { MessageProvider, Submission, SubmitResult } from '../../src/providers/message-provider.js';
import { DeliveryFixture } from '../support/delivery-fixture.js';
import type { DeliveryWorker } from '../support/delivery-worker.js';
import { accepted, ScriptedProvider } from '../support/scripted-provider.js';
import { storeTermii } from '../support/stored-providers.js';

interface Call {
  readonly submissions: readonly Submission[];
  /** Ends the call with one result for each message. */
  answer(resultOf: (submission: Submission, index: number) => SubmitResult): void;
}

/** A provider whose calls wait for a test. */
class WaitingProvider implements MessageProvider {
  readonly name = 'first';
  readonly channels = ['sms'] as const;
  readonly calls: Call[] = [];

  submit(submissions: readonly Submission[]): Promise<readonly SubmitResult[]> {
    return new Promise((resolve) => {
      this.calls.push({
        submissions,
        answer: (resultOf) => {
          resolve(submissions.map(resultOf));
        },
      });
    });
  }
}

const reason = { code: 'provider_unavailable', message: 'no credit' };
/** Two messages in each request: three requests pause a provider. */
const noCredit = (_: Submission, index: number): SubmitResult => ({
  kind: 'transient',
  reason,
  cause: 'account',
  request: Math.floor(index / 2),
});
const accept = ({ reference }: Submission): SubmitResult => accepted(`of-${reference}`);
const recipients = Array.from({ length: 6 }, (_, index) => `+234803123456${index}`);

describe('a provider that two organisations share', () => {
  const fixture = DeliveryFixture.use();
  let first: WaitingProvider;
  let second: ScriptedProvider;
  let worker: DeliveryWorker;
  let [one, other] = ['', ''];

  beforeEach(async () => {
    await fixture.database.execute(sql`TRUNCATE provider, route CASCADE`);
    await fixture.database.execute(sql`UPDATE delivery SET state = 'failed', next_attempt_at = NULL`);
    one = await fixture.organisation(100_000_000n, 'live');
    other = await fixture.organisation(100_000_000n, 'live');
    [first, second] = [new WaitingProvider(), new ScriptedProvider('second')];
    worker = await fixture.worker({ named: [first, second] });
    await addRow();
  });

  /** The health of a provider belongs to its row. */
  const addRow = () =>
    storeTermii(fixture.database, worker.sealer, 'first', { url: 'https://sms.example', apiKey: 'a-key' });
  const health = async () => {
    const [row] = await fixture.database.query(
      sql`SELECT state::text, failures, error_code AS code FROM provider_health`,
    );
    return row;
  };
  const paused = { state: 'paused', failures: 1, code: 'account' };
  const untilCalls = (count: number) =>
    until(`${count} calls`, () => Promise.resolve(first.calls.length === count));
  /** Each in a call of its own, which is in flight. */
  const submitBoth = async () => {
    const ids: string[][] = [];
    for (const [index, organisationId] of [one, other].entries()) {
      const { deliveries } = await fixture.accept(organisationId, { recipients });
      void worker.service.schedule({ trafficClass: 'sms', organisationId }, deliveries);
      await untilCalls(index + 1);
      ids.push(deliveries);
    }
    return ids as [string[], string[]];
  };
  const outcomes = async (ids: readonly string[]) => {
    const rows = await Promise.all(ids.map((id) => fixture.stored(id)));
    return [...new Set(rows.map(({ state, provider }) => `${state} ${provider ?? ''}`))];
  };

  it.each<[string, (submission: Submission, index: number) => SubmitResult, string]>([
    ['accepts its messages', accept, 'sent first'],
    ['refuses our account again', noCredit, 'sent second'],
    ['does not answer', () => ({ kind: 'unknown' }), 'submitting first'],
    ['refuses its messages', () => ({ kind: 'failed', reason }), 'failed first'],
  ])('stays paused if a batch that was in flight then %s', async (_, answer, expected) => {
    const [own, theirs] = await submitBoth();
    first.calls[0]?.answer(noCredit);
    await until('it is paused', async () => (await health()) !== undefined);
    expect(await health()).toEqual(paused);
    first.calls[1]?.answer(answer);
    await worker.service.idle();
    expect([await outcomes(own), await outcomes(theirs)]).toEqual([['sent second'], [expected]]);
    expect(await health()).toEqual(paused);
    // Nothing more was sent to it, and nothing was sent twice.
    expect(first.calls).toHaveLength(2);
    const sent = second.submitted.map(({ reference }) => reference);
    expect(new Set(sent).size).toBe(sent.length);
  });

  it('gives back the deliveries that wait for it in memory, which go to the next provider as a first attempt', async () => {
    worker = await fixture.worker({ named: [first, second], window: 2 });
    const request = { recipients: recipients.join(','), content: 'Hello', sender_id: 'Acme' };
    const own = await worker.accept(one, request);
    await untilCalls(1);
    // The window has no room for another such call.
    const theirs = await worker.accept(other, request);
    expect(await outcomes(theirs.deliveries)).toEqual(['submitting first']);
    first.calls[0]?.answer(noCredit);
    await worker.idle();
    expect([await outcomes(own.deliveries), await outcomes(theirs.deliveries)]).toEqual([
      ['sent second'],
      ['sent second'],
    ]);
    expect(await fixture.stored(theirs.deliveries[0] ?? '')).toMatchObject({ attempt: 1 });
    expect([first.calls.length, await health()]).toEqual([1, paused]);
  });

  it('is resumed by one message of either organisation, and then gets the messages of both', async () => {
    worker = await fixture.worker({ named: [first] });
    const [own, theirs] = await submitBoth();
    for (const call of first.calls) call.answer(noCredit);
    await worker.service.idle();
    expect([await outcomes(own), await outcomes(theirs)]).toEqual([['queued first'], ['queued first']]);
    await fixture.database.execute(sql`UPDATE provider_health SET test_at = now() - interval '1 second'`);
    await worker.health.refresh();
    const sweep = async () => {
      await fixture.database.execute(
        sql`UPDATE delivery SET next_attempt_at = ${dueNow} WHERE state = 'queued'`,
      );
      await worker.service.sweep();
    };
    await sweep();
    await untilCalls(3);
    expect(first.calls[2]?.submissions).toHaveLength(1);
    let answered = 2;
    await until('all are sent', async () => {
      for (; answered < first.calls.length; answered += 1) first.calls[answered]?.answer(accept);
      await sweep();
      return (await fixture.states([...own, ...theirs])).every((state) => state === 'sent');
    });
    await worker.service.idle();
    expect(await health()).toMatchObject({ state: 'up', failures: 0 });
    const sent = first.calls.slice(2).flatMap(({ submissions }) => submissions);
    expect(new Set(sent.map(({ reference }) => reference)).size).toBe(own.length + theirs.length);
    expect(sent).toHaveLength(own.length + theirs.length);
  });
});
