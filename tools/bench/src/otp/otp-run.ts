import { type Database, sql } from '@gangan/database';
import { newQueueKey } from '@gangan/queue';
import { createCustomers } from '../environment/customers.js';
import type { BenchEnvironment } from '../environment/bench-environment.js';
import { benchScript } from '../scripts.js';

const directServer = benchScript('otp/direct-server');

/** A gateway and an OTP worker, and the direct server on the same database. */
export class OtpRun {
  private constructor(
    private readonly database: Database,
    readonly key: string,
    readonly ports: { readonly system: number; readonly direct: number },
  ) {}

  static async start(environment: BenchEnvironment): Promise<OtpRun> {
    const customers = { count: 1, mode: 'live', scopes: ['otp:write'] } as const;
    const [customer] = await createCustomers(environment, customers);
    if (!customer) throw new Error('No organisation was created');
    const env = { OTP_PEPPER: newQueueKey() };
    await environment.app('otp', { env });
    const { port: system = 0 } = await environment.app('gateway', { env });
    const args = [environment.databaseUrl, customer.organisationId];
    const { port: direct = 0 } = await environment.fork(directServer, { args });
    return new OtpRun(environment.database, customer.key, { system, direct });
  }

  /** @throws if the responses do not match the table */
  async audit(verified: number): Promise<void> {
    const [row] = await this.database.query<{ all: number; verified: number }>(sql`
      SELECT count(*)::int AS all, count(*) FILTER (WHERE status = 2)::int AS verified FROM otp`);
    if (row?.verified !== verified || row.all !== verified) {
      throw new Error(
        `${verified} OTPs were verified, but ${row?.verified} of ${row?.all} are stored as verified`,
      );
    }
  }
}
