import { Database, Prisma, sql } from '@gangan/database';
import { anOrganisation } from '@gangan/testing';
import { describe, expect, it } from '@jest/globals';
import { AdminFixture } from './support/admin-fixture.js';

// In this order: each test adds an operator.
describe('pnpm admin operators', () => {
  const fixture = AdminFixture.use();
  const urls: Record<string, string> = {};
  const as = (name: string) => fixture.cli({ DATABASE_URL: urls[name] ?? '', GANGAN_ACTOR: name });
  const owner = () => fixture.owner({ GANGAN_ACTOR: 'owner' });
  const canApprove = async () =>
    (await owner().json<{ name: string; can_approve: boolean }[]>('operators', 'list')).map((row) => [
      row.name,
      row.can_approve,
    ]);

  it('refuses what needs an approval while there is no other operator, and says what to do', async () => {
    const { id } = await anOrganisation(fixture.database, { mode: 'live' });
    const refused = { code: 1, err: expect.stringMatching(/there is none.*pnpm admin operators add/) };
    expect(await fixture.cli().run('top-up', id, '1000000.01')).toMatchObject(refused);
    expect((await fixture.cli().run('top-up', id, '1000000')).code).toBe(0);
    urls['ada'] = await fixture.addOperator('ada');
    expect(await as('ada').run('top-up', id, '1000000.01')).toMatchObject(refused);
    expect(await fixture.cli().run('top-up', id, '1000000.01')).toMatchObject({
      code: 1,
      err: expect.stringMatching(/only an operator can request it/),
    });
  });

  it('confirms the first two at once, and later ones only through another operator', async () => {
    urls['grace'] = await fixture.addOperator('grace');
    urls['bob'] = await fixture.addOperator('bob');
    expect(await canApprove()).toEqual([
      ['ada', true],
      ['bob', false],
      ['grace', true],
    ]);
    for (const cli of [as('bob'), owner(), fixture.cli()])
      expect(await cli.run('operators', 'confirm', 'bob', '--yes')).toMatchObject({
        code: 1,
        err: expect.stringMatching(/Another confirmed operator must confirm bob/),
      });
    await as('grace').json('operators', 'confirm', 'bob', '--yes');
    expect((await canApprove())[1]).toEqual(['bob', true]);
    const entries = await owner().json<{ action: string; actor: string; target: string }[]>(
      ...['audit', '--action', 'operators'],
    );
    expect(entries.map(({ action, target, actor }) => [action, target, actor])).toEqual([
      ['operators confirm', 'bob', 'grace'],
      ['operators add', 'bob', expect.any(String)],
      ['operators add', 'grace', expect.any(String)],
      ['operators add', 'ada', expect.any(String)],
    ]);
  });

  it('accepts plain short names, once, and needs the owner of the tables', async () => {
    for (const name of ['', 'Ada', 'login', 'a'.repeat(14), 'аda', '\u200bada', '1a', 'a b'])
      expect((await owner().run('operators', 'add', name)).code).toBe(2);
    expect(await owner().run('operators', 'add', 'ada')).toMatchObject({
      code: 1,
      err: expect.stringMatching(/exists already/),
    });
    for (const command of ['add', 'remove'])
      expect(await as('ada').run('operators', command, 'grace', '--yes')).toMatchObject({ code: 1 });
    expect(await as('ada').run('operators', 'add', 'zoe')).toMatchObject({
      err: expect.stringMatching(/needs the owner of the tables/),
    });
  });

  it('ends the connections of a removed operator, whose name can be used again', async () => {
    const open = new Database({ url: urls['bob'] ?? '', poolSize: 1 });
    await open.ping();
    await owner().json('operators', 'remove', 'bob', '--yes');
    await expect(open.ping()).rejects.toThrow();
    await open.close();
    expect((await as('bob').run('organisations', 'list')).code).toBe(1);
    await fixture.addOperator('bob');
    expect((await canApprove())[1]).toEqual(['bob', false]);
  });

  it('does not count operators who can act as the owner of the tables, or create logins', async () => {
    const login = new URL(urls['ada'] ?? '').username;
    const run = (text: string) => fixture.database.execute(sql`${Prisma.raw(text)}`);
    const [found] = await fixture.database.query<{ owner: string }>(sql`SELECT current_user AS owner`);
    await run(`CREATE ROLE "${login}_makers" CREATEROLE`);
    for (const [give, take] of [
      [`ALTER ROLE "${login}" CREATEROLE`, `ALTER ROLE "${login}" NOCREATEROLE`],
      [`GRANT "${login}_makers" TO "${login}"`, `DROP ROLE "${login}_makers"`],
      [
        `GRANT "${found?.owner}" TO "${login}" WITH INHERIT FALSE`,
        `REVOKE "${found?.owner}" FROM "${login}"`,
      ],
    ] as const) {
      await run(give);
      expect((await canApprove())[0]).toEqual(['ada', false]);
      await run(take);
      expect((await canApprove())[0]).toEqual(['ada', true]);
    }
  });

  it('does not count operators whose login is no member here, as after a restore', async () => {
    await fixture.database.execute(sql`UPDATE operator_login SET login = 'other_operator_' || name`);
    expect((await canApprove()).map(([, can]) => can)).toEqual([false, false, false]);
    const added = await owner().json('operators', 'add', 'ada');
    expect(added).toMatchObject({ can_approve: true });
    expect(await canApprove()).toEqual([['ada', true]]);
  });
});
