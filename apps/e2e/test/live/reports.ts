import { type FakeMessage, until } from '@gangan/testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { LiveOrganisation } from './live-organisation.js';
import type { LiveSystem } from './live-system.js';

export function reportsDeliveries(live: () => LiveSystem): void {
  let acme: LiveOrganisation;
  beforeAll(async () => {
    acme = await live().openOrganisation('Reports');
  });
  afterAll(() => acme.close());

  it('delivers a message, and reports it to its callback', async () => {
    const { termii } = live();
    const before = termii.sent.length;
    const sent = await acme.send({
      recipients: '08031234567',
      sender_id: 'Acme',
      content: 'Hello',
      callback: acme.callbackUrl,
    });
    await until('Termii has the message', () => termii.sent.length === before + 1);
    const report = {
      type: 'outbound',
      message_id: String(3_017_544_054_459_083_819_800_000n + BigInt(before + 1)),
      receiver: '2348031234567',
      status: 'DELIVERED | Message delivered to handset',
      channel: 'dnd',
    };
    expect((await live().bringFromTermii(report, 'a forger')).status).toBe(404);
    const answers = await Promise.all(Array.from({ length: 20 }, () => live().bringFromTermii(report)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));

    const types = () => acme.events().map(({ type }) => type);
    await until('the callback arrives', () => types().includes('message.delivered'));
    expect(types().toSorted()).toEqual(['message.delivered', 'message.sent']);
    expect(await acme.get(`/sms/${sent['id']}`)).toMatchObject({ deliveries: [{ status: 'delivered' }] });
  });

  it('delivers a message whose answer was lost: its report comes to an address of its own', async () => {
    const { twilio } = live();
    twilio.behaviour = () => 'lost';
    const sent = await acme.send({ recipients: '08101234567', sender_id: 'Acme', content: 'Hello' });
    await until('Twilio has the message', () => twilio.sent.length > 0);
    const message = twilio.sent.at(-1) as FakeMessage;
    const deliveries = async () =>
      (await acme.get<{ deliveries: { status: string }[] }>(`/sms/${sent['id']}`)).deliveries;
    const forged = { ...twilio.reportAbout(message, 'failed'), headers: {} };
    expect((await fetch(forged.url, { method: 'POST', ...forged })).status).toBe(404);
    expect(await twilio.report(message, 'delivered')).toBe(200);
    await until('it is delivered', async () => (await deliveries())[0]?.status === 'delivered');
  });
}
