import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Prisma } from '@gangan/database';
import { appNames } from '@gangan/protocol';
import { until } from '@gangan/testing';
import { expect, it } from '@jest/globals';
import type { RunningSystem } from '../support/running.js';

const loginOf = (app: string): string => `gangan_${app}_login`;

/** Runs after the other journeys, which use every part of the apps. */
export function usesOwnPrivileges({ system, database }: RunningSystem): void {
  it('connects each app as its own user', async () => {
    const connections = () =>
      database().$queryRaw<{ name: string; user: string }[]>(
        Prisma.sql`SELECT DISTINCT application_name AS name, usename::text AS user
          FROM pg_stat_activity WHERE application_name LIKE 'gangan-%'`,
      );
    expect(await connections()).toContainEqual({ name: 'gangan-gateway', user: loginOf('gateway') });
    // The names of other connections contain the lane, not the app.
    const userOf = new Map(appNames.map((app) => [`gangan-${app}`, loginOf(app)]));
    const isAllowed = ({ name, user }: { name: string; user: string }): boolean =>
      userOf.has(name) ? userOf.get(name) === user : [...userOf.values()].includes(user);
    let others: unknown[] = [];
    // Tests of other files connect as the owner for a moment; an app keeps its connections.
    await until(
      'only the users of apps are connected',
      async () => {
        others = (await connections()).filter((connection) => !isAllowed(connection));
        return others.length === 0;
      },
      { timeoutMs: 60_000, details: () => JSON.stringify(others) },
    );
  });

  it('needs no privilege that an app lacks', async () => {
    const log = await readFile(join(system().folder, 'logs', 'postgres.log'), 'utf8');
    expect(log).toContain('LOG:');
    expect(log.split('\n').filter((line) => /permission denied|must be owner/.test(line))).toEqual([]);
  });
}
