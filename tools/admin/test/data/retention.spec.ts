import { anOrganisation } from '@gangan/testing';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { AdminFixture } from '../support/admin-fixture.js';

interface Shown {
  readonly kind: string;
  readonly days: number;
  readonly source: string;
}

describe('the retention of an organisation', () => {
  const fixture = AdminFixture.use();
  let acme: string;
  beforeAll(async () => {
    ({ id: acme } = await anOrganisation(fixture.database));
  });

  const retention = (environment: Record<string, string>, ...args: string[]) =>
    fixture.cli(environment).json<Shown[]>('retention', ...args, '--yes');

  it('is the configured time, or a shorter one of the organisation', async () => {
    expect(await retention({ OTP_KEPT_DAYS: '20' }, 'show', acme)).toEqual([
      { kind: 'messages', days: 90, source: 'MESSAGES_KEPT_DAYS' },
      { kind: 'otps', days: 20, source: 'OTP_KEPT_DAYS' },
      { kind: 'callbacks', days: 30, source: 'CALLBACK_KEPT_DAYS' },
      { kind: 'imports', days: 30, source: 'CONTACT_IMPORT_KEPT_FOR' },
    ]);
    const own = { kind: 'messages', days: 14, source: 'organisation' };
    expect(await retention({}, 'set', acme, 'messages', '14')).toContainEqual(own);
    expect(await retention({}, 'show', acme)).toContainEqual(own);
    // The configured time is the maximum.
    expect(await retention({ MESSAGES_KEPT_DAYS: '7' }, 'show', acme)).toContainEqual({
      kind: 'messages',
      days: 7,
      source: 'MESSAGES_KEPT_DAYS',
    });
    expect(await retention({}, 'unset', acme, 'messages')).toContainEqual({
      kind: 'messages',
      days: 90,
      source: 'MESSAGES_KEPT_DAYS',
    });
  });

  it.each([
    [['messages', '91'], 1, 'can only have less'],
    [['otps', '1'], 1, 'at least 2 days'],
    [['messages', '0'], 2, 'whole number'],
    [['purchases', '10'], 2, 'Allowed choices'],
  ])('cannot be %j', async (args, code, sentence) => {
    const result = await fixture.cli().run('retention', 'set', acme, ...args, '--yes');
    expect(result).toMatchObject({ code, err: expect.stringContaining(sentence) });
    expect(await fixture.database.organisationRetention.count()).toBe(0);
  });

  it('needs a confirmation, because the workers delete what is older', async () => {
    const result = await fixture.cli().run('retention', 'set', acme, 'otps', '7');
    expect(result).toMatchObject({ code: 1, err: expect.stringContaining('add --yes') });
  });
});
