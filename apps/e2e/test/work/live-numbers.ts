import { sql } from '@gangan/database';
import { newId } from '@gangan/protocol';
import { aPayment, until } from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { LiveOrganisation } from '../live/live-organisation.js';
import { LiveSystem, phoneNumberId, whatsAppNumber } from '../live/live-system.js';
import type { HostileClient } from './hostile-client.js';
import { hostileNumbers } from './hostile-numbers.js';

/** With providers: they cost work that simulated carriers do not. */
export function readsNumbersOfProvidersOnce(client: HostileClient): void {
  let live: LiveSystem;
  let acme: LiveOrganisation;
  // Before all other tests: workers read new routes every 2 s.
  beforeAll(async () => {
    live = await LiveSystem.open(client.running);
    // The provider charges by country.
    await live.database.execute(sql`
      UPDATE provider SET settings = settings || '{"cost": {"currency": "USD", "perPart": {"NG": 1, "any": 2}}}'
      WHERE name = 'termii'`);
    acme = await live.openOrganisation('Hostile');
    await live.assign(acme, 'whatsapp', whatsAppNumber);
    await aPayment(live.database, acme.id, 10_000_000n);
    // By operator and by country, without a provider.
    await live.database.execute(sql`
      INSERT INTO route (id, organisation_id, channel, operator, country) VALUES
        (${newId()}::uuid, ${acme.id}::uuid, 'sms', 'MTN', NULL),
        (${newId()}::uuid, ${acme.id}::uuid, 'sms', NULL, 'NG')`);
  });
  afterAll(async () => {
    await acme.close();
    await live.close();
  });

  describe('with live providers,', () => {
    beforeAll(async () => {
      await acme.send({ recipients: '+447911123456', content: 'Hello' });
      await until('all routes are used', async () => {
        const body = { recipients: '+2349012345678', content: 'Hello' };
        return (await acme.post('/sms/estimate', body)).status === 503;
      });
      await client.untilEnded(acme.id);
      await client.forgetWork();
    });

    it('to recipients of routes by country and operator reads each twice: its notation, and for the routes', () => {
      const foreign = hostileNumbers(250).filter((number) => !number.startsWith('+234'));
      const recipients = foreign.slice(0, 200).join();
      return client.expectWork('sent', { parsed: 400 }, async () => {
        expect(await acme.post('/sms/send', { recipients, content: 'Hello' })).toMatchObject({ status: 200 });
        await client.untilEnded(acme.id);
      });
    });

    it('of a provider that brings 500 messages reads each sender, and the number that received them', async () => {
      const metadata = { display_phone_number: whatsAppNumber.slice(1), phone_number_id: phoneNumberId };
      const timestamp = String(Math.floor(Date.now() / 1_000));
      const messages = hostileNumbers(500).map((number, index) => ({
        ...{ from: number.slice(1), id: `wamid.${index}`, timestamp, type: 'text' },
        text: { body: 'Hello' },
      }));
      await client.expectWork('received', { parsed: 1_000 }, async () => {
        const value = { messaging_product: 'whatsapp', metadata, messages };
        expect((await live.bringFromWhatsApp(value)).status).toBe(200);
        await until('the messages are stored', async () => {
          const where = { organisationId: acme.id };
          return (await live.database.incomingMessage.count({ where })) === messages.length;
        });
      });
    });
  });
}
