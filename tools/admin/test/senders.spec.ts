import { createAccount, sql } from '@gangan/database';
import { masterSealer } from '@gangan/sealing';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { dataKey } from './support/admin-cli.js';
import { AdminFixture } from './support/admin-fixture.js';

describe('registrations of senders', () => {
  const fixture = AdminFixture.use();
  const admin = fixture.cli({ TERMII_API_KEY: 'TLsecretKeyOfTheAccount' });

  beforeAll(async () => {
    for (const name of ['Acme', 'Other'])
      await createAccount(fixture.database, masterSealer([dataKey]), { name, sender: 'Acme' });
  });
  beforeEach(async () => {
    await fixture.database.execute(sql`TRUNCATE provider, route, route_target, sender_registration CASCADE`);
    const preset = ['--preset', 'termii', '--secret', 'api_key=TERMII_API_KEY'];
    await admin.json('providers', 'add', 'termii', ...preset);
    await admin.json('providers', 'add', 'own', ...preset, '--organisation', 'acme/live');
    await admin.json('routes', 'add', 'termii');
  });

  const explain = async (...given: string[]) => {
    const { code, out } = await admin.run(
      'routes',
      'explain',
      'acme/live',
      '08031234567',
      ...given,
      '--json',
    );
    return { code, ...(JSON.parse(out) as object) };
  };

  it('decide whether a route can be used; `routes explain` shows it', async () => {
    expect(await explain()).toMatchObject({
      code: 1,
      sender: 'Acme',
      decision: expect.stringContaining('refused with 400'),
      left_out: ['termii: the sender Acme is not registered there.'],
    });
    await admin.json('senders', 'register', 'termii', 'Acme', '--note', 'Case 4711');
    expect(await explain()).toMatchObject({
      left_out: ['termii: the registration of the sender Acme there is pending.'],
    });
    await admin.json('senders', 'approve', 'termii', 'Acme');
    expect(await explain()).toMatchObject({ code: 0, decision: 'termii', left_out: [] });
    expect(await explain('--sender', 'Shop')).toMatchObject({ code: 1, sender: 'Shop' });
    expect(await admin.json<object[]>('senders', 'registrations')).toMatchObject([
      { provider: 'termii', sender: 'Acme', organisation: 'any', status: 'approved', note: 'Case 4711' },
    ]);
    await admin.json(
      ...['senders', 'register', 'termii', 'Acme', '--organisation', 'acme/live'],
      ...['--originator', '2347000000000', '--status', 'approved'],
    );
    expect(await explain()).toMatchObject({ sent_as: ['2347000000000 by termii'] });
    await admin.json(
      'senders',
      'reject',
      'termii',
      'Acme',
      '--organisation',
      'acme/live',
      '--note',
      'Unknown brand',
    );
    expect(await explain()).toMatchObject({ code: 1 });
    await admin.json('senders', 'unregister', 'termii', 'Acme', '--organisation', 'acme/live', '--yes');
    expect(await explain()).toMatchObject({ code: 0 });
    await admin.json('senders', 'unregister', 'termii', 'Acme', '--yes');
    await admin.json('providers', 'set', 'termii', '--registered-senders', 'no');
    expect(await explain()).toMatchObject({ code: 0, decision: 'termii' });
    const actions = await admin.json<{ action: string; target: string }[]>('audit', '--action', 'senders');
    expect(actions.map(({ action }) => action)).toEqual([
      ...['senders unregister', 'senders unregister', 'senders reject', 'senders register'],
      ...['senders approve', 'senders register'],
    ]);
    expect(actions[2]).toMatchObject({
      target: 'termii Acme',
      before: { status: 'approved' },
      after: { status: 'rejected', note: 'Unknown brand', originator: '2347000000000' },
    });
  });

  it('need an existing provider and sender, and are unique', async () => {
    await admin.json('senders', 'register', 'termii', 'Acme');
    const faults: [string[], string][] = [
      [['register', 'termii', 'Acme'], 'The sender Acme at termii is pending'],
      [['register', 'gone', 'Acme'], 'There is no provider gone'],
      [['register', 'own', 'Acme', '--organisation', 'other/live'], 'own belongs to another organisation'],
      [['register', 'termii', 'Acme', '--organisation', 'acme/test'], 'always uses the simulator'],
      [['approve', 'termii', 'Shop'], 'The sender Shop at termii is not registered'],
      [['approve', 'termii', 'Acme', '--organisation', 'acme/live'], 'for acme/live is not registered'],
      [['unregister', 'termii', 'Acme'], 'add --yes'],
    ];
    for (const [given, message] of faults) {
      const { code, err } = await admin.run('senders', ...given);
      expect([code, err]).toEqual([1, expect.stringContaining(message)]);
    }
    expect((await admin.run('senders', 'register', 'termii', 'TwelveLetter')).code).toBe(2);
    expect(
      (await admin.run('senders', 'register', 'termii', 'Shop', '--originator', 'x'.repeat(33))).code,
    ).toBe(2);
  });

  it('are removed with their provider', async () => {
    await admin.json('senders', 'register', 'own', 'Acme', '--status', 'approved');
    await admin.json('providers', 'remove', 'own', '--yes');
    expect(await admin.json('senders', 'registrations')).toEqual([]);
  });
});
