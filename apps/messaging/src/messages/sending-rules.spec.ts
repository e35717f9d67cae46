import type { Database } from '@gangan/database';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { RulesOfOrganisations } from './sending-rules.js';

describe('the rules of an organisation', () => {
  const answers: (() => void)[] = [];
  let sender: string;
  let rules: RulesOfOrganisations;
  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask', 'setTimeout'] });
    answers.splice(0);
    sender = 'First';
    const query = () =>
      new Promise((resolve) => {
        const row = { id: 'one', mode: 'test', defaultSender: sender, registeredOnly: false, senders: [] };
        answers.push(() => {
          resolve([row]);
        });
      });
    rules = new RulesOfOrganisations({ query } as unknown as Database);
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  const settled = () => new Promise((turn) => setImmediate(turn));
  const read = async (): Promise<string> => {
    const asked = rules.of('one');
    await settled();
    answers.at(-1)?.();
    return (await asked).defaultSender;
  };

  it('are read again while what is known still serves', async () => {
    expect(await read()).toBe('First');
    sender = 'Second';
    jest.advanceTimersByTime(3_000);
    expect((await rules.of('one')).defaultSender).toBe('First');
    expect((await rules.of('one')).defaultSender).toBe('First');
    await settled();
    expect(answers).toHaveLength(2);
    answers[1]?.();
    await settled();
    expect((await rules.of('one')).defaultSender).toBe('Second');
    expect(answers).toHaveLength(2);
  });

  it('are waited for once they are forgotten', async () => {
    expect(await read()).toBe('First');
    sender = 'Second';
    jest.advanceTimersByTime(5_000);
    expect(await read()).toBe('Second');
  });
});
