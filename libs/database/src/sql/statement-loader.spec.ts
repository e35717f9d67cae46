import { BatchScope, currentContext, newContext, runInContext } from '@gangan/protocol';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { setTimeout as pause } from 'node:timers/promises';
import { type LoaderOptions, StatementLoader } from './statement-loader.js';

const failing = (code: string): Error => Object.assign(new Error(`SQLSTATE ${code}`), { code });
const maxAttempts = 4;
const atOnce: LoaderOptions = { retry: { maxAttempts, delayMs: () => 0 } };

/** A loader that doubles numbers, and the sizes of the statements it sent. */
function doubling(before: (members: readonly number[], run: number) => void = () => undefined) {
  const sizes: number[] = [];
  const loader = new StatementLoader<number, number>(async (members) => {
    sizes.push(members.length);
    before(members, sizes.length);
    await pause(0);
    return members.map((member) => member * 2);
  }, atOnce);
  return { loader, sizes };
}

/** Runs each member as the queue's server does: in its own context, leaving the batch at its end. */
function runBatch<T>(members: readonly (() => Promise<T>)[]): Promise<PromiseSettledResult<T>[]> {
  const scope = new BatchScope(members.length);
  const leave = (): void => {
    scope.memberFinished();
  };
  return Promise.allSettled(
    members.map((work) => runInContext(newContext(), () => work().finally(leave), scope)),
  );
}

const values = <T>(results: PromiseSettledResult<T>[]): (T | string)[] =>
  results.map((result) => (result.status === 'fulfilled' ? result.value : String(result.reason)));

describe('a shared statement', () => {
  it('is sent at once and alone outside a batch', async () => {
    const { loader, sizes } = doubling();
    expect(await Promise.all([loader.load(1), loader.load(2)])).toEqual([2, 4]);
    expect(sizes).toEqual([1, 1]);
  });

  it('has an unknown outcome after a lost reply, even for a member that then fails alone', async () => {
    const lost = failing('57P01');
    let runs = 0;
    const loader = new StatementLoader<number, number>((members) => {
      runs += 1;
      return runs === 1 ? Promise.reject(lost) : Promise.resolve(members.map(() => failing('55P03')));
    }, atOnce);
    expect(await loader.loadAll([1, 2])).toEqual([lost, lost]);
    expect(runs).toBe(2);
  });

  it('carries all members of a batch, and each gets its own result', async () => {
    const { loader, sizes } = doubling();
    const results = await runBatch([1, 2, 3].map((member) => () => loader.load(member)));
    expect(values(results)).toEqual([2, 4, 6]);
    expect(sizes).toEqual([3]);
  });

  it('does not wait for members that have left', async () => {
    const { loader, sizes } = doubling();
    const results = await runBatch([
      () => loader.load(1),
      () => Promise.reject(new Error('refused before')),
      () => Promise.resolve(0),
      () => loader.load(4),
    ]);
    expect(values(results)).toEqual([2, 'Error: refused before', 0, 8]);
    expect(sizes).toEqual([2]);
  });

  it('does not wait long for a slow member', async () => {
    const { loader, sizes } = doubling();
    let first: Promise<number>;
    const results = runBatch([() => (first = loader.load(1)), () => first.then(() => loader.load(2))]);
    expect(values(await results)).toEqual([2, 4]);
    expect(sizes).toEqual([1, 1]);
  });

  it('is shared per batch only', async () => {
    const { loader, sizes } = doubling();
    const batch = (first: number) => runBatch([first, first + 1].map((member) => () => loader.load(member)));
    expect((await Promise.all([batch(1), batch(10)])).map(values)).toEqual([
      [2, 4],
      [20, 22],
    ]);
    expect(sizes).toEqual([2, 2]);
  });

  it('fails only the member whose result is an error', async () => {
    const loader = new StatementLoader<number, number>((members) =>
      Promise.resolve(members.map((member) => (member === 2 ? new Error('too dear') : member))),
    );
    const results = await runBatch([1, 2, 3].map((member) => () => loader.load(member)));
    expect(values(results)).toEqual([1, 'Error: too dear', 3]);
  });

  it.each(['22P02', '23514'])('runs its members singly after SQLSTATE %s', async (code) => {
    const { loader, sizes } = doubling((members) => {
      if (members.includes(2)) throw failing(code);
    });
    const results = await runBatch([1, 2, 3].map((member) => () => loader.load(member)));
    expect(values(results)).toEqual([2, `Error: SQLSTATE ${code}`, 6]);
    expect(sizes).toEqual([3, 1, 1, 1]);
  });

  it.each(['40001', '40P01', '57P01', 'ECONNRESET'])('is retried as a whole after %s', async (code) => {
    const { loader, sizes } = doubling((_, run) => {
      if (run < 3) throw failing(code);
    });
    const results = await runBatch([1, 2].map((member) => () => loader.load(member)));
    expect(values(results)).toEqual([2, 4]);
    expect(sizes).toEqual([2, 2, 2]);
  });

  it('fails as unavailable while the database is unavailable', async () => {
    const { loader, sizes } = doubling(() => {
      throw failing('ECONNREFUSED');
    });
    await expect(loader.load(1)).rejects.toMatchObject({ code: 'unavailable', status: 503 });
    expect(sizes).toHaveLength(maxAttempts);
  });

  it.each(['ECONNREFUSED', 'ECONNRESET'])('is retried only for a short time after %s', async (code) => {
    let runs = 0;
    const run = (): Promise<never> => {
      runs += 1;
      return Promise.reject(failing(code));
    };
    const longDelays = { retry: { maxAttempts, delayMs: () => 600 } };
    const loader = new StatementLoader<number, number>(run, longDelays);
    await expect(loader.load(1)).rejects.toMatchObject({ code: 'unavailable' });
    expect(runs).toBe(2);
  });

  it('fails all members after any other error', async () => {
    const { loader, sizes } = doubling(() => {
      throw failing('42703');
    });
    const results = await runBatch([1, 2].map((member) => () => loader.load(member)));
    expect(values(results)).toEqual(['Error: SQLSTATE 42703', 'Error: SQLSTATE 42703']);
    expect(sizes).toEqual([2]);
  });

  it('runs outside of a request, and restores the context of each caller', async () => {
    const seen: unknown[] = [];
    const loader = new StatementLoader<number, number>((members) => {
      seen.push(currentContext());
      return Promise.resolve(members);
    });
    const contexts = await runBatch(
      [1, 2].map((member) => async () => {
        const before = currentContext();
        await loader.load(member);
        return before !== undefined && before === currentContext();
      }),
    );
    expect(values(contexts)).toEqual([true, true]);
    expect(seen).toEqual([undefined]);
  });

  it('rejects a statement that returns too few results', async () => {
    const loader = new StatementLoader<number, number>(() => Promise.resolve([]));
    await expect(loader.load(1)).rejects.toThrow('0 results for 1 members');
  });
});

describe('calls in random batches', () => {
  const member = fc.record({
    ticks: fc.nat(3),
    timers: fc.nat(2),
    calls: fc.nat(3),
    parallel: fc.boolean(),
    poison: fc.boolean(),
    leaves: fc.boolean(),
  });
  const troubles = fc.array(fc.constantFrom('40001', '40P01', '57P01', 'ECONNRESET'), { maxLength: 3 });

  it('get their own result or their own failure', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(member, { minLength: 1, maxLength: 12 }),
        troubles,
        async (members, pending) => {
          const trouble = [...pending];
          const loader = new StatementLoader<{ value: number; poison: boolean }, number>(async (sent) => {
            expect(sent.length).toBeGreaterThan(0);
            await pause(0);
            const code = trouble.shift();
            if (code) throw failing(code);
            if (sent.some(({ poison }) => poison)) throw failing('23505');
            return sent.map(({ value }) => value * 2);
          }, atOnce);

          const results = await runBatch(
            members.map(({ ticks, timers, calls, parallel, poison, leaves }, index) => async () => {
              for (let tick = 0; tick < ticks; tick += 1) await Promise.resolve();
              for (let timer = 0; timer < timers; timer += 1) await pause(timer);
              if (leaves) throw new Error('left');
              const values = Array.from({ length: calls }, (_, call) => index * 100 + call);
              if (parallel) return Promise.all(values.map((value) => loader.load({ value, poison })));
              const collected: number[] = [];
              for (const value of values) collected.push(await loader.load({ value, poison }));
              return collected;
            }),
          );

          for (const [index, { calls, poison, leaves }] of members.entries()) {
            const result = results[index];
            if (leaves) expect(result).toMatchObject({ status: 'rejected', reason: { message: 'left' } });
            else if (poison && calls > 0)
              expect(result).toMatchObject({ status: 'rejected', reason: { code: '23505' } });
            else {
              const value = Array.from({ length: calls }, (_, call) => (index * 100 + call) * 2);
              expect(result).toEqual({ status: 'fulfilled', value });
            }
          }
        },
      ),
      { numRuns: 150 },
    );
  });

  it('fail as unavailable while the database is unavailable, or as of unknown outcome after a lost reply', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.boolean(), { minLength: maxAttempts, maxLength: maxAttempts }),
        fc.boolean(),
        async (losses, readOnly) => {
          const pending = [...losses];
          const loader = new StatementLoader<number, number>(
            () => Promise.reject(failing(pending.shift() ? 'ECONNRESET' : 'ECONNREFUSED')),
            { ...atOnce, readOnly },
          );
          const results = await runBatch([1, 2, 3].map((member) => () => loader.load(member)));
          const code = losses.includes(true) && !readOnly ? 'outcome_unknown' : 'unavailable';
          for (const result of results) {
            expect(result).toMatchObject({ status: 'rejected', reason: { code, status: 503 } });
          }
        },
      ),
      { numRuns: 20 },
    );
  });
});
