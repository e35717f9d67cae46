import { fakeInfobip, type FakeMessage, type FakeProvider, type FakeRefusal } from '@gangan/testing';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { LiveFixture } from '../support/live-fixture.js';

/** With the preset for Infobip, which has batches and can be asked. */
describe('an HTTP provider', () => {
  const live = LiveFixture.use();
  const { fixture } = live;
  let server: FakeProvider<FakeMessage, FakeRefusal>;
  beforeEach(async () => {
    server = await live.serve(fakeInfobip);
    await live.route([await live.add('infobip', server, { preset: 'infobip' })]);
  });

  it('gets the messages of a batch in few requests, and answers for each', async () => {
    const recipients = Array.from(
      { length: 150 },
      (_, index) => `+23480312${String(index).padStart(5, '0')}`,
    );
    server.behaviour = ({ to }) => (to.endsWith('7') ? { code: 'REJECTED_DND' } : 'accept');
    const states = await fixture.states(await live.send({ recipients: recipients.join(',') }));
    expect(states.map((state) => state === 'failed')).toEqual(recipients.map((to) => to.endsWith('7')));
    expect(new Set(server.sent.map(({ to }) => to)).size).toBe(135);
    expect(server.sent).toHaveLength(135);
    expect(server.requests).toBeLessThan(20);
  });

  it('is asked after a lost answer, and gets no message twice', async () => {
    server.behaviour = () => 'lost';
    const [id = ''] = await live.send();
    expect(await fixture.stored(id)).toMatchObject({ state: 'submitting', attempt: 1 });
    await live.retry();
    expect(await fixture.stored(id)).toMatchObject({ state: 'sent' });
    expect(server.sent).toHaveLength(1);
  });

  it('gets a message again that it never accepted', async () => {
    server.behaviour = () => 'garbage';
    const [id = ''] = await live.send();
    server.behaviour = () => 'accept';
    await live.retry();
    expect(await fixture.stored(id)).toMatchObject({ state: 'sent' });
    expect(server.sent.map(({ reference }) => reference)).toEqual([id]);
  });
});
