import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Prisma, type Sql, sql } from '@gangan/database';
import { newId } from '@gangan/protocol';
import { newSealingKey } from '@gangan/sealing';
import { runSql, superLinearGrowth } from '@gangan/testing';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { AdminFixture } from '../support/admin-fixture.js';

interface Head {
  readonly organisation?: string;
  readonly number: number;
  readonly hash: string;
}

interface Check {
  readonly clean: boolean;
  readonly chains: number;
  readonly entries: number;
  readonly compared_heads?: number;
  readonly findings: readonly {
    readonly rule: string;
    readonly organisation?: string;
    readonly number?: number;
  }[];
}

describe('the chains of the audit log', () => {
  const fixture = AdminFixture.use();
  const admin = fixture.cli({ GANGAN_ACTOR: 'ada' });
  let folder: string;
  let organisation: string;
  beforeAll(async () => {
    folder = await fixture.folder();
    const made = await admin.json<{ organisations: { id: string }[] }>('organisations', 'create', 'Acme');
    organisation = made.organisations[0]?.id ?? '';
    for (const naira of ['1', '2', '3', '4', '5']) await admin.json('prices', 'set', 'sms', '2349', naira);
    for (const burst of ['1', '2', '3'])
      await admin.json('limits', 'set', 'acme/live', '--request-burst', burst);
  });

  const heads = () => admin.json<Head[]>('audit', 'heads');
  const check = async (...options: string[]): Promise<Check> => {
    const { code, out, err } = await admin.run('audit', 'check', ...options, '--json');
    if (out === '') throw new Error(err);
    const result = JSON.parse(out) as Check;
    expect(code).toBe(result.clean ? 0 : 1);
    return result;
  };
  const file = async (name: string, content: string): Promise<string> => {
    const path = join(folder, name);
    await writeFile(path, content);
    return path;
  };
  const rules = ({ findings }: Check) => findings.map(({ rule, number }) => [rule, number]);
  /** Ids in the order of the chain of the entries without an organisation. */
  const entry = (number: number) =>
    sql`(SELECT entry_id FROM audit_link WHERE number = ${number}::bigint AND chain_id = '00000000-0000-0000-0000-000000000000')`;

  /** As someone who owns the tables, and undoes it afterwards. */
  async function tamper(work: Sql[], then: () => Promise<void>): Promise<void> {
    const { database } = fixture;
    await database.$executeRawUnsafe('CREATE TABLE kept_log AS TABLE audit_log');
    await database.$executeRawUnsafe('CREATE TABLE kept_link AS TABLE audit_link');
    await database.$executeRawUnsafe('CREATE TABLE kept_chain AS TABLE audit_chain');
    const asOwner = (statements: Sql[]) =>
      database.transaction(async (transaction) => {
        await transaction.execute(sql`ALTER TABLE audit_log DISABLE TRIGGER USER`);
        await transaction.execute(sql`ALTER TABLE audit_link DISABLE TRIGGER USER`);
        for (const statement of statements) await transaction.execute(statement);
        for (const [table, trigger] of [
          ['audit_log', 'audit_log_append_only'],
          ['audit_log', 'audit_link_added'],
          ['audit_link', 'audit_link_numbered'],
        ])
          await transaction.execute(Prisma.raw(`ALTER TABLE ${table} ENABLE ALWAYS TRIGGER ${trigger}`));
      });
    try {
      await asOwner(work);
      await then();
    } finally {
      await asOwner(
        ['log', 'link', 'chain'].flatMap((name) => [
          Prisma.raw(`DELETE FROM audit_${name}`),
          Prisma.raw(`INSERT INTO audit_${name} SELECT * FROM kept_${name}`),
          Prisma.raw(`DROP TABLE kept_${name}`),
        ]),
      );
    }
  }

  it('hold every entry, one chain per organisation and one for the others', async () => {
    expect(await check()).toMatchObject({ clean: true, chains: 3, entries: 10, findings: [] });
    expect((await heads()).map(({ organisation: own, number }) => [own === organisation, number])).toEqual(
      expect.arrayContaining([
        [false, 5],
        [true, 4],
        [false, 1],
      ]),
    );
  });

  it('cannot be written by an operator', async () => {
    for (const change of [
      'UPDATE audit_chain SET number = number + 1',
      'DELETE FROM audit_link',
      `INSERT INTO audit_link (entry_id, chain_id) VALUES (uuidv7(), uuidv7())`,
    ])
      await expect(runSql(fixture.url, change)).rejects.toMatchObject({ code: '42501' });
  });

  it.each<[string, () => Sql[], (string | number)[][]]>([
    [
      'a changed entry',
      () => [sql`UPDATE audit_log SET actor = 'eve' WHERE id = ${entry(3)}`],
      [['changed', 3]],
    ],
    [
      'a changed value',
      () => [sql`UPDATE audit_log SET after = '{"naira": 9}' WHERE id = ${entry(2)}`],
      [['changed', 2]],
    ],
    ['a removed entry', () => [sql`DELETE FROM audit_log WHERE id = ${entry(2)}`], [['removed', 2]]],
    [
      'a removed entry with its link',
      () => [
        sql`DELETE FROM audit_log WHERE id = ${entry(2)}`,
        sql`DELETE FROM audit_link WHERE entry_id NOT IN (SELECT id FROM audit_log)`,
      ],
      [['removed', 2]],
    ],
    [
      'removed first entries, with an anchor that no command has set',
      () => [
        sql`UPDATE audit_chain SET (anchor_number, anchor_hash) = (SELECT number, hash FROM audit_link WHERE entry_id = ${entry(2)})
          WHERE organisation_id IS NULL`,
        sql`DELETE FROM audit_log WHERE id IN (${entry(1)}, ${entry(2)})`,
        sql`DELETE FROM audit_link WHERE entry_id NOT IN (SELECT id FROM audit_log)`,
      ],
      [['removed', 2]],
    ],
    [
      'an entry that was added outside its chain',
      () => [
        sql`INSERT INTO audit_log (id, actor, action, target) VALUES (${newId()}::uuid, 'eve', 'x', 'x')`,
      ],
      [['added', undefined as unknown as number]],
    ],
    [
      'an entry that was added at the end of its chain',
      () => [
        sql`INSERT INTO audit_log (id, actor, action, target) VALUES (${newId()}::uuid, 'eve', 'x', 'x')`,
        sql`INSERT INTO audit_link (entry_id, chain_id, number, hash)
          SELECT id, '00000000-0000-0000-0000-000000000000', 6, '\\x00' FROM audit_log WHERE actor = 'eve'`,
      ],
      [
        ['changed', 6],
        ['added', 6],
      ],
    ],
  ])('show %s', async (_, work, expected) => {
    await tamper(work(), async () => {
      expect(rules(await check())).toEqual(expected);
    });
    expect(await check()).toMatchObject({ clean: true });
  });

  it('show with kept heads that the last entries are gone, or that all hashes were computed again', async () => {
    const kept = await file('heads.json', JSON.stringify(await heads()));
    expect(await check('--heads', kept)).toMatchObject({ clean: true, compared_heads: 3 });
    const cut = [
      sql`DELETE FROM audit_log WHERE id = ${entry(5)}`,
      sql`DELETE FROM audit_link WHERE number = 5`,
      sql`UPDATE audit_chain SET (number, hash) = (SELECT number, hash FROM audit_link WHERE number = 4 AND chain_id = id)
        WHERE organisation_id IS NULL`,
    ];
    await tamper(cut, async () => {
      expect(await check()).toMatchObject({ clean: true });
      expect(rules(await check('--heads', kept))).toEqual([['head', 5]]);
    });
    const again = [
      sql`UPDATE audit_log SET actor = 'eve' WHERE id = ${entry(5)}`,
      sql`UPDATE audit_link SET hash = audit_entry_hash((SELECT hash FROM audit_link before WHERE before.number = 4
          AND before.chain_id = audit_link.chain_id), 5, (SELECT audit_log FROM audit_log WHERE id = entry_id))
        WHERE number = 5`,
      sql`UPDATE audit_chain SET hash = (SELECT hash FROM audit_link WHERE number = 5 AND chain_id = id)
        WHERE organisation_id IS NULL`,
    ];
    await tamper(again, async () => {
      expect(await check()).toMatchObject({ clean: true });
      expect(rules(await check('--heads', kept))).toEqual([['head', 5]]);
    });
  });

  it('are compared with a backup, which only its key opens', async () => {
    const path = join(folder, 'kept.backup');
    const keys = { BACKUP_KEY: newSealingKey() };
    await fixture.owner(keys).json('backup', 'create', path);
    const checked = (environment: Record<string, string>) =>
      fixture.cli(environment).run('audit', 'check', '--heads', path, '--json');
    const { out, code } = await checked(keys);
    expect({ code, ...(JSON.parse(out) as Check) }).toMatchObject({ code: 0, compared_heads: 3 });
    await tamper(
      [sql`DELETE FROM audit_link`, sql`DELETE FROM audit_chain`, sql`DELETE FROM audit_log`],
      async () => {
        expect(await check()).toMatchObject({ clean: true });
        const found = JSON.parse((await checked(keys)).out) as Check;
        expect(found.findings.map(({ rule }) => rule)).toEqual(['head', 'head', 'head']);
      },
    );
    expect((await checked({})).err).toContain('set BACKUP_KEY');
    expect((await checked({ BACKUP_KEY: newSealingKey() })).err).toContain('was made with the key');
  });

  it('are compared with the lines of a log, too', async () => {
    const lines = [{ msg: 'ready' }, { audit_heads: await heads() }, { audit_heads: [] }];
    const log = await file('contacts.log', lines.map((line) => JSON.stringify(line)).join('\n'));
    expect(await check('--heads', log)).toMatchObject({ clean: true, compared_heads: 3 });
    const empty = await file('empty.log', '{}\n');
    expect(await admin.run('audit', 'check', '--heads', empty)).toMatchObject({
      code: 1,
      err: expect.stringContaining('has no heads'),
    });
  });

  it('are not locked before the commit, so that a booking never waits for them', async () => {
    const add = sql`
      INSERT INTO audit_log (id, actor, action, organisation_id, target)
      VALUES (uuidv7(), 'ada', 'x', ${organisation}::uuid, 'x')`;
    const lockWallet = sql`SELECT lock_wallets(ARRAY[${organisation}::uuid])`;
    await fixture.database.transaction(async (first) => {
      await first.execute(add);
      await fixture.database.transaction(async (second) => {
        await second.query(lockWallet);
        await second.execute(add);
      });
      await first.query(lockWallet);
    });
    expect(await check()).toMatchObject({ clean: true });
  });

  it('number concurrent entries of several organisations without gaps and deadlocks', async () => {
    const [first, second] = [newId(), newId()];
    const add = (owner: string) => sql`
      INSERT INTO audit_log (id, actor, action, organisation_id, target)
      VALUES (${newId()}::uuid, 'ada', 'x', ${owner}::uuid, 'x')`;
    await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        fixture.database.transaction(async (transaction) => {
          const order = index % 2 === 0 ? [first, second] : [second, first];
          for (const owner of order) await transaction.execute(add(owner));
        }),
      ),
    );
    const numbers = (await heads()).filter(({ organisation: own }) => own === first || own === second);
    expect(numbers.map(({ number }) => number)).toEqual([12, 12]);
    expect(await check()).toMatchObject({ clean: true });
  });

  it('are extended in a time that grows with the number of entries of a transaction', async () => {
    const undone = new Error('undone');
    const add = async (count: number) => {
      // What was undone before would slow down the next one.
      await fixture.database.execute(sql`VACUUM audit_log, audit_link, audit_chain`);
      const added = fixture.database.transaction(async (transaction) => {
        await transaction.execute(sql`
          INSERT INTO audit_log (id, actor, action, target)
          SELECT uuidv7(), 'ada', 'test', 'x' FROM generate_series(1, ${count}::int)`);
        await transaction.execute(sql`SET CONSTRAINTS ALL IMMEDIATE`);
        throw undone;
      });
      await expect(added).rejects.toBe(undone);
    };
    expect(await superLinearGrowth([500, 4_000], add)).toBeUndefined();
  });
});
