import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { firstValueFrom } from 'rxjs';
import type { Broker } from './broker.js';
import { askPatiently } from './contracts.js';
import { System } from './system.js';
import { until } from '@gangan/testing';

const script = new URL('./worker-process.mjs', import.meta.url);

/** Requests whose worker is killed with `kill -9`. */
export function crashes(start: () => Promise<Broker>): void {
  let broker: Broker;
  let system: System;
  let running: boolean;
  const children: ChildProcess[] = [];

  beforeAll(async () => {
    broker = await start();
  });
  afterAll(async () => {
    await broker.stop();
  });
  beforeEach(() => {
    system = new System(broker.connection);
    running = true;
  });
  afterEach(async () => {
    running = false;
    for (const child of children.splice(0)) child.kill('SIGKILL');
    await system.close();
  });

  const spawn = (hold: boolean, heard: (text: string) => void = () => undefined): ChildProcess => {
    const child = fork(script, [JSON.stringify({ settings: system.settings, master: system.master, hold })], {
      execArgv: [],
      stdio: 'inherit',
    });
    child.on('message', ({ started }: { started?: string }) => {
      if (started !== undefined) heard(started);
    });
    children.push(child);
    return child;
  };

  it('in one batch all get replies from another worker', async () => {
    const { client } = await system.gateway();
    const held: string[] = [];
    const doomed = spawn(true, (text) => held.push(text));
    const answers = Promise.all(
      Array.from({ length: 64 }, (_, n) => firstValueFrom(client.send(askPatiently, { text: `m${n}` }))),
    );
    await until('all requests are in flight', () => held.length === 64);
    expect(system.tally.batches).toEqual([64]);
    doomed.kill('SIGKILL');
    await once(doomed, 'exit');
    spawn(false);
    expect(await answers).toEqual(Array.from({ length: 64 }, (_, n) => ({ text: `m${n}!` })));
  });

  it('are parked if they kill every worker, and the others get replies', async () => {
    const gateway = await system.gateway();
    const { client } = gateway;
    const deaths: number[] = [];
    const respawn = (): void => {
      const child = spawn(false, (text) => {
        if (text === 'die') deaths.push(1);
      });
      child.on('exit', () => {
        if (running) respawn();
      });
    };
    respawn();
    let poisoned = 'waiting';
    void firstValueFrom(client.send(askPatiently, { text: 'die' })).then(
      () => (poisoned = 'answered'),
      () => (poisoned = 'refused'),
    );
    const neighbours = ['a', 'b', 'c'].map((text) => firstValueFrom(client.send(askPatiently, { text })));
    expect(await Promise.all(neighbours)).toEqual([{ text: 'a!' }, { text: 'b!' }, { text: 'c!' }]);
    await until('the request is refused', () => poisoned === 'refused');
    expect(deaths).toHaveLength(3);
    const worker = await system.worker();
    await until('the job is parked', async () =>
      (await worker.queues.depths()).some(({ lane, failed }) => lane === 'oracle' && failed === 1),
    );
  });
}
