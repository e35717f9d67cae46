import { untilGone, World } from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const onLinux = process.platform === 'linux' ? it : it.skip;
const question = { path: '/lookup/phone?phone=08031234567', key: 'sk_test_demo' };

describe('the start command', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.openEmpty();
    await world.start();
  }, 120_000);
  afterAll(() => world.close(), 60_000);

  it('prints where it is, how to try it, where things are and how to stop it', () => {
    const words = [`http://localhost:${world.port}`, 'sk_test_demo', 'curl ', world.folder, 'logs', 'Ctrl-C'];
    for (const word of words) expect(world.output).toContain(word);
  });

  onLinux(
    'keeps every idle worker below 120 MB',
    async () => {
      const workers = Object.entries(world.apps()).filter(([name]) => name !== 'gateway');
      expect(workers).toHaveLength(6);
      for (const [, pid] of workers) while (!(residentMegabytes(pid) < 120)) await sleep(100);
    },
    60_000,
  );

  it('starts a killed worker again, and names it', async () => {
    const before = world.apps()['lookup'];
    world.killApp('lookup');
    await untilSaid(world, 'lookup is ready again');
    expect(world.output).toContain('lookup ended (signal SIGKILL)');
    expect(world.apps()['lookup']).not.toBe(before);
    expect(await untilAnswered(world)).toMatchObject({ status: 200 });
  }, 60_000);

  it('starts a killed Postgres again', async () => {
    process.kill(world.postgres(), 'SIGKILL');
    await untilSaid(world, 'Postgres ended; starting it again');
    expect(await untilAnswered(world)).toMatchObject({ status: 200 });
  }, 60_000);

  it('says so when it already runs', async () => {
    const second = world.run();
    expect(await second.end()).toBe(1);
    expect(second.output).toContain(`already runs on this data folder: http://localhost:${world.port}`);
    expect(await world.ask(question)).toMatchObject({ status: 200 });
  });

  it('says so when the port is taken, and how to choose another', async () => {
    const second = world.run({ GANGAN_DATA_DIR: `${world.folder}/second` });
    expect(await second.end()).toBe(1);
    expect(second.output).toContain(`Port ${world.port} is taken by another program.`);
    expect(second.output).toContain(`PORT=${world.port + 1} npx pnpm@12 start`);
  });

  it('mends what a kill -9 leaves behind', async () => {
    const apps = Object.values(world.apps());
    expect(apps).toHaveLength(7);
    await world.stop('SIGKILL');
    await untilGone(apps);
    await world.start();
    expect(world.output).toContain('Stopping the Postgres that an earlier start left running');
    expect(await world.ask(question)).toMatchObject({ status: 200 });
  }, 120_000);

  it('ends the apps of a killed start that have not ended by themselves', async () => {
    const apps = Object.values(world.apps());
    await world.stop('SIGKILL');
    await world.start();
    await untilGone(apps);
    expect(await world.ask(question)).toMatchObject({ status: 200 });
  }, 120_000);

  it('leaves nothing running when it is stopped, and finds its data again', async () => {
    const everything = world.processes();
    expect(everything).toHaveLength(9);
    expect(await world.stop()).toBe(0);
    await untilGone(everything);
    await world.start();
    expect(world.output).not.toMatch(/Creating|Migrated/);
    expect(await world.ask(question)).toMatchObject({ status: 200 });
  }, 120_000);
});

const residentMegabytes = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

async function untilSaid(world: World, words: string): Promise<void> {
  while (!world.output.includes(words)) await sleep(20);
}

/** What is asked in the middle of a failure may be refused; what is asked afterwards is answered. */
async function untilAnswered(world: World): Promise<{ status: number }> {
  for (;;) {
    const answer = await world.ask(question);
    if (answer.status < 500) return answer;
    await sleep(100);
  }
}
