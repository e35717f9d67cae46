import { checkLedger } from '@gangan/billing';
import { until } from '@gangan/testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { LiveOrganisation } from './live-organisation.js';
import type { LiveSystem } from './live-system.js';

const [phone, number, helpText] = ['+2348031234571', '22346', 'Acme: STOP ends our offers'];

interface Details {
  readonly deliveries: readonly {
    readonly status: string;
    readonly refunded: boolean;
    readonly reason?: { readonly code: string };
  }[];
}

export function obeysKeywords(live: () => LiveSystem): void {
  let acme: LiveOrganisation;
  beforeAll(async () => {
    acme = await live().openOrganisation('Keywords');
    await live().admin('optouts', 'set', acme.id, '--stop-words', 'ARRETER', '--help-text', helpText);
    // The tests run at any hour.
    await live().admin('organisations', 'national-quiet-hours', acme.id, 'ignore', '--note', 'test');
    await live().assign(acme, 'sms', number);
    await acme.subscribe('recipient.opted_out', 'message.received');
  });
  afterAll(() => acme.close());

  const optOutEvents = () => acme.events('recipient.opted_out').map(({ data }) => data);

  /** Sends a message and waits until it was sent or rejected. */
  const send = async (category: string): Promise<string> => {
    const { id } = await acme.send({ recipients: phone, content: 'Hello', category });
    const [delivery] = await until('the message was sent or rejected', async () => {
      const { deliveries } = await acme.get<Details>(`/sms/${id}`);
      return deliveries[0]?.status !== 'queued' && deliveries;
    });
    const { status = '', refunded, reason } = delivery ?? {};
    return [status, ...(reason ? [reason.code] : []), ...(refunded ? ['refunded'] : [])].join(' ');
  };

  let messages = 0;
  /** As the provider brings a message, which it repeats. */
  const receive = async (message: string): Promise<void> => {
    const id = `keyword-${(messages += 1)}`;
    const fields = { type: 'inbound', sender: phone.slice(1), receiver: number, message, message_id: id };
    const answers = await Promise.all(
      [0, 1, 2].map((attempt) => live().bringFromTermii({ ...fields, attempt })),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  };
  const optedOut = async (): Promise<boolean> =>
    (await acme.get<{ opt_outs: unknown[] }>(`/optouts?phone=${encodeURIComponent(phone)}`)).opt_outs
      .length === 1;

  it.each(['STOP', 'Arrêter!'])('sends no promotional messages after %s, until START', async (word) => {
    const { termii } = live();
    const [before, reported] = [await acme.balance(), optOutEvents().length];
    expect(await send('promotional')).toBe('sent');
    const price = before - (await acme.balance());
    expect(price).toBeGreaterThan(0);
    await receive(word);
    await until('the number has opted out', optedOut);
    expect(await send('promotional')).toBe('rejected opted_out refunded');
    expect(await acme.balance()).toBe(before - price);
    expect(await send('transactional')).toBe('sent');
    const sent = termii.sent.length;
    await acme.sendOtp({ recipient: phone });
    await until('the OTP was sent', () => termii.sent.length === sent + 1);
    await until('the event arrived', () => optOutEvents().length > reported);
    await receive('start');
    await until('the number has opted in', async () => !(await optedOut()));
    expect(await send('promotional')).toBe('sent');
    expect(optOutEvents().slice(reported)).toEqual([
      expect.objectContaining({ phone, source: 'message', channel: 'sms' }),
    ]);
  });

  it('answers HELP once a day, and charges it once', async () => {
    const before = await acme.balance();
    const answers = () => live().termii.sent.filter(({ sms }) => sms === helpText);
    await receive('HELP');
    await until('the answer was sent', () => answers().length === 1);
    const price = before - (await acme.balance());
    expect(price).toBeGreaterThan(0);
    await receive('help?');
    await until('the second message was read', () =>
      acme.events('message.received').some(({ data }) => data['text'] === 'help?'),
    );
    const { messages: listed } = await acme.get<{ messages: { id: string; content: string }[] }>('/sms');
    const [shown, ...others] = listed.filter(({ content }) => content === helpText);
    expect(others).toEqual([]);
    expect(await acme.get(`/sms/${shown?.id}`)).toMatchObject({
      recipients: [phone],
      deliveries: [{ status: 'sent', charge: price }],
    });
    expect(await acme.balance()).toBe(before - price);
    expect(answers()).toHaveLength(1);
    expect(await checkLedger(live().database)).toMatchObject({ clean: true });
  });
}
