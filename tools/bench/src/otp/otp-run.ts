import { type Database, sql } from '@gangan/database';
import { newQueueKey } from '@gangan/queue';
import { openCustomers } from '../stage/customers.js';
import type { Stage } from '../stage/stage.js';

const directServer = new URL('direct-server.js', import.meta.url);

/** A system with gateway and otp worker, and beside it the direct way on the same database. */
export class OtpRun {
  private constructor(
    private readonly database: Database,
    readonly key: string,
    readonly ports: { readonly system: number; readonly direct: number },
  ) {}

  static async start(stage: Stage): Promise<OtpRun> {
    const wish = { count: 1, mode: 'live', scope: 'otp:write' } as const;
    const [customer] = await openCustomers(stage.database, wish);
    if (!customer) throw new Error('There is no organisation');
    const env = { OTP_PEPPER: newQueueKey() };
    await stage.app('otp', { env });
    const { port: system = 0 } = await stage.app('gateway', { env });
    const args = [stage.databaseUrl, customer.organisationId];
    const { port: direct = 0 } = await stage.fork(directServer, { args });
    return new OtpRun(stage.database, customer.key, { system, direct });
  }

  /** @throws when what was answered is not what was done */
  async audit(verified: number): Promise<void> {
    const [row] = await this.database.query<{ all: number; verified: number }>(sql`
      SELECT count(*)::int AS all, count(*) FILTER (WHERE status = 2)::int AS verified FROM otp`);
    if (row?.verified !== verified || row.all !== verified) {
      throw new Error(
        `${verified} OTPs were verified, and ${row?.verified} of ${row?.all} are stored as such`,
      );
    }
  }
}
