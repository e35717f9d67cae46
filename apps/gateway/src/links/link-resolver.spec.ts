import { setImmediate as turn } from 'node:timers/promises';
import type { ResolvedLink, ResolveLinkRequest } from '@gangan/contracts';
import type { QueueClient } from '@gangan/queue';
import { describe, expect, it } from '@jest/globals';
import { Subject } from 'rxjs';
import { LinkResolver } from './link-resolver.js';

const codeOf = (index: number): string => String(index).padStart(22, '0');

/** A queue whose worker answers when the test says so. */
function slowQueue() {
  const asked = new Map<string, Subject<ResolvedLink>>();
  const send = (_: unknown, { code }: ResolveLinkRequest) => {
    const answer = new Subject<ResolvedLink>();
    asked.set(code, answer);
    return answer;
  };
  const answer = (code: string): void => {
    asked.get(code)?.next({ url: `https://example.com/${code}` });
    asked.get(code)?.complete();
  };
  const answerAll = async (count: number): Promise<void> => {
    for (let index = 0; index < count; index += 1) {
      await turn();
      answer(codeOf(index));
    }
  };
  return { asked, answer, answerAll, client: { send } as unknown as QueueClient };
}

describe('lookups of links', () => {
  it('of one address get at most half of the free slots, so that links of others are found', async () => {
    const { asked, answer, answerAll, client } = slowQueue();
    const resolver = new LinkResolver(client);
    const flood = Array.from({ length: 200 }, (_, index) => resolver.resolve(codeOf(index), '192.0.2.1'));
    await turn();
    expect(asked.size).toBe(64);

    const other = resolver.resolve(codeOf(1_000), '192.0.2.2');
    await turn();
    answer(codeOf(1_000));
    expect(await other).toEqual({ url: `https://example.com/${codeOf(1_000)}`, isTest: false });

    await answerAll(200);
    expect(await Promise.all(flood)).toHaveLength(200);
  });

  it('run at most 128 at a time', async () => {
    const { asked, answerAll, client } = slowQueue();
    const resolver = new LinkResolver(client);
    const all = Array.from({ length: 200 }, (_, index) =>
      resolver.resolve(codeOf(index), `192.0.2.${index}`),
    );
    await turn();
    expect(asked.size).toBe(128);
    await answerAll(200);
    expect(await Promise.all(all)).toHaveLength(200);
  });
});
