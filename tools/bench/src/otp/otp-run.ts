import { type Database, sql } from '@gangan/database';
import { newQueueKey } from '@gangan/queue';
import { type Customer, createCustomers } from '../environment/customers.js';
import type { BenchEnvironment } from '../environment/bench-environment.js';
import { postRequest } from '../load/exchange.js';
import { LoadGenerator } from '../load/load-generator.js';
import type { LoadResult } from '../load/run-load.js';
import { benchScript } from '../scripts.js';
import { fillOtps } from './fill-otps.js';
import { benchToken } from './otp-load.js';
import type { OtpWay } from './otp-report.js';

const directServer = benchScript('otp/direct-server');
/** More than any way verifies. */
const maxPerSecond = 8_000;

/** A gateway and an OTP worker, and the direct server on the same database. */
export class OtpRun {
  private readonly generator = new LoadGenerator();

  private constructor(
    private readonly database: Database,
    private readonly customer: Customer,
    private readonly pepper: string,
    readonly ports: { readonly system: number; readonly direct: number },
  ) {}

  static async start(environment: BenchEnvironment): Promise<OtpRun> {
    const customers = { count: 1, mode: 'live', scopes: ['otp:write'] } as const;
    const [customer] = await createCustomers(environment, customers);
    if (!customer) throw new Error('No organisation was created');
    const pepper = newQueueKey();
    const env = { OTP_PEPPER: pepper };
    await environment.app('otp', { env });
    const { port: system = 0 } = await environment.app('gateway', { env });
    const args = [environment.databaseUrl, customer.organisationId, pepper];
    const { port: direct = 0 } = await environment.fork(directServer, { args });
    const run = new OtpRun(environment.database, customer, pepper, { system, direct });
    environment.atEnd(() => run.generator.stop());
    return run;
  }

  get key(): string {
    return this.customer.key;
  }

  /** Verifies stored OTPs, each once. @throws if the responses do not match the table */
  async verify(way: OtpWay, connections: number, seconds: number): Promise<LoadResult> {
    const { pepper, customer, database } = this;
    const otp = { organisationId: customer.organisationId, pepper, token: benchToken };
    const ids = await fillOtps(database, otp, maxPerSecond * seconds);
    const requests = ids.map((id) =>
      postRequest('/otp/verify', { id, token: benchToken }, { authorization: this.key }),
    );
    const before = await this.countVerified();
    const load = { port: this.ports[way], connections, warmUpMs: 0, measureMs: seconds * 1_000, requests };
    const result = await this.generator.run(load);
    const verified = (await this.countVerified()) - before;
    await database.execute(sql`DELETE FROM otp WHERE status = 1`);
    if (verified < result.succeeded || verified > result.succeeded + result.unanswered)
      throw new Error(`${result.succeeded} OTPs were verified, but ${verified} are stored as verified`);
    return result;
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

  private async countVerified(): Promise<number> {
    const [row] = await this.database.query<{ count: number }>(
      sql`SELECT count(*)::int AS count FROM otp WHERE status = 2`,
    );
    return row?.count ?? 0;
  }
}
