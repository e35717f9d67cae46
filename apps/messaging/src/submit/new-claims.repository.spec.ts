import type { Database } from '@gangan/database';
import { LeaseHolder } from '@gangan/leases';
import { describe, expect, it } from '@jest/globals';
import type { RetryPolicies } from '../outcome/retry/retry-policy.js';
import { NewClaimsRepository } from './new-claims.repository.js';

describe('giving back deliveries', () => {
  /** @returns how often the statement was run until it succeeded or failed for good */
  const attemptsAfter = async (sqlState: string): Promise<number> => {
    let attempts = 0;
    const run = () => {
      attempts += 1;
      return attempts === 1
        ? Promise.reject(Object.assign(new Error(), { code: sqlState }))
        : Promise.resolve();
    };
    const claims = new NewClaimsRepository(
      { run } as unknown as Database,
      { leaseMs: 1_000 } as RetryPolicies,
      new LeaseHolder('messaging'),
    );
    await claims.giveBack(['id']).catch(() => undefined);
    return attempts;
  };

  it('is repeated after a lock timeout', async () => {
    expect(await attemptsAfter('55P03')).toBe(2);
  });

  it('is not repeated after a lost reply, because this process may have claimed them again', async () => {
    expect(await attemptsAfter('08006')).toBe(1);
  });
});
