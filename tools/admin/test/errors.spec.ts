import { createTestDatabase, pretendVersion } from '@gangan/testing';
import { expect, it } from '@jest/globals';
import { AdminCli } from './support/admin-cli.js';

const list = ['organisations', 'list'];

it('rejects an unknown command', async () => {
  expect(await new AdminCli(() => ({})).run('keys', 'what')).toMatchObject({ code: 2, out: '' });
});

it('says in one sentence that the database does not answer, and more only when asked', async () => {
  const admin = new AdminCli(() => ({ DATABASE_URL: 'postgresql://gangan:canary@127.0.0.1:1/x' }));
  const { code, out, err } = await admin.run(...list);
  expect({ code, out }).toEqual({ code: 1, out: '' });
  expect(err).toMatch(/^The database does not answer \(.*\): check that it runs, and DATABASE_URL\.\n$/);
  const verbose = await admin.run(...list, '--verbose');
  expect(verbose.err).toMatch(/\n +at /);
  expect(err + verbose.err).not.toContain('canary');
});

it('says that there is no database, or that it lacks a migration', async () => {
  expect((await new AdminCli(() => ({})).run(...list)).err).toMatch(
    /^No database: start the system with `pnpm start`/,
  );
  const empty = await createTestDatabase();
  const { err } = await new AdminCli(() => ({ DATABASE_URL: empty.url })).run(...list);
  await empty.drop();
  expect(err).toBe('The database lacks a migration: run `pnpm migrate` first.\n');
});

it('says that Postgres is too old', async () => {
  const old = await createTestDatabase();
  await pretendVersion(old.url, 17);
  const { code, err } = await new AdminCli(() => ({ DATABASE_URL: old.url })).run(...list);
  await old.drop();
  expect({ code, err }).toEqual({
    code: 1,
    err: 'Postgres 18 is needed, this is 17: upgrade the server, or name another one in DATABASE_URL.\n',
  });
});
