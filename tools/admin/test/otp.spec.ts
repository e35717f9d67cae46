import { sql } from '@gangan/database';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { AdminFixture } from './support/admin-fixture.js';

describe('pnpm admin otp', () => {
  const fixture = AdminFixture.use();
  const admin = fixture.cli();
  beforeAll(async () => {
    await admin.json('organisations', 'create', 'Acme');
  });

  const set = (...options: readonly string[]) => admin.run('otp', 'set', 'acme/live', ...options);
  const usual = {
    text: 'default',
    template_name: 'default',
    template_language: 'default',
    countries: 'all',
    number_types: 'all',
  };

  it('changes the named settings, keeps the others, and resets to the default', async () => {
    expect(await admin.json('otp', 'show', 'acme/live')).toEqual(usual);
    const text = 'Acme: {{code}}';
    await admin.json('otp', 'set', 'acme/live', '--text', text, '--countries', 'ng, GH');
    await admin.json('otp', 'set', 'acme/live', '--number-types', 'mobile');
    const narrowed = { ...usual, text, countries: 'NG, GH', number_types: 'mobile' };
    expect(await admin.json('otp', 'show', 'acme/live')).toEqual(narrowed);
    expect(
      await admin.json('otp', 'set', 'acme/live', '--countries', 'default', '--text', 'default'),
    ).toEqual({
      ...usual,
      number_types: 'mobile',
    });
    expect(await admin.json('otp', 'show', 'acme/test')).toEqual(usual);
  });

  it.each([
    [['--text', 'no place for it'], 'must contain {{code}}'],
    [['--countries', 'Nigeria'], 'not a country'],
    [['--countries', ''], 'countries'],
    [['--number-types', 'cell'], 'number_types'],
  ])('refuses %j', async (options, reason) => {
    const { code, err } = await set(...options);
    expect([code === 0, err]).toEqual([false, expect.stringContaining(reason)]);
  });

  it('reports invalid stored settings, and repairs them', async () => {
    const invalid = sql`UPDATE organisation SET settings = '{"otp": null}' WHERE mode = 'test'`;
    await fixture.database.execute(invalid);
    expect(await admin.run('otp', 'show', 'acme/test')).toMatchObject({
      code: 1,
      err: expect.stringContaining('settings are invalid'),
    });
    expect(await admin.json('otp', 'set', 'acme/test', '--countries', 'NG')).toEqual({
      ...usual,
      countries: 'NG',
    });
    expect(await admin.json('otp', 'show', 'acme/test')).toEqual({ ...usual, countries: 'NG' });
  });

  it('needs a setting to change', async () => {
    expect((await set()).code).toBe(2);
  });
});
