import { type Database, sql } from '@gangan/database';
import { newQueueKey } from '@gangan/queue';
import type { BenchEnvironment } from '../environment/bench-environment.js';
import { type Customer, createCustomer } from '../environment/customers.js';
import { readValue } from '../environment/read-value.js';
import { postRequest } from '../load/exchange.js';
import { assertAllSucceeded, LoadGenerator } from '../load/load-generator.js';
import type { LoadResult } from '../load/run-load.js';
import { benchScript } from '../scripts.js';
import { fillOtps } from './fill-otps.js';

const token = '73519604';
/** More than any server verifies. */
const maxPerSecond = 8_000;

/** A gateway and an OTP worker, and the direct server on the same database. */
export class OtpRun {
  private constructor(
    private readonly generator: LoadGenerator,
    private readonly database: Database,
    private readonly customer: Customer,
    private readonly pepper: string,
    private readonly ports: { readonly system: number; readonly direct: number },
  ) {}

  static async start(environment: BenchEnvironment): Promise<OtpRun> {
    const { database, databaseUrl, resources } = environment;
    const customer = await createCustomer(environment, { mode: 'live', scopes: ['otp:write'] });
    const pepper = newQueueKey();
    const env = { OTP_PEPPER: pepper };
    await environment.app('otp', { env });
    const gateway = await environment.app('gateway', { env });
    const args = [databaseUrl, customer.organisationId, pepper];
    const direct = await environment.fork(benchScript('otp/direct-server'), { args });
    const ports = { system: gateway.port, direct: direct.port };
    return new OtpRun(new LoadGenerator(resources), database, customer, pepper, ports);
  }

  /** Verifies stored OTPs, each once. @throws if a request failed, or the responses do not match the table */
  async verify(server: 'system' | 'direct', connections: number, seconds: number): Promise<LoadResult> {
    const { pepper, customer, database } = this;
    const otp = { organisationId: customer.organisationId, pepper, token };
    const ids = await fillOtps(database, otp, maxPerSecond * seconds);
    const headers = { authorization: customer.key };
    const requests = ids.map((id) => postRequest('/otp/verify', { id, token }, headers));
    const before = await this.countVerified();
    const result = await this.generator.run({ port: this.ports[server], connections, seconds, requests });
    assertAllSucceeded(result);
    const verified = (await this.countVerified()) - before;
    await database.execute(sql`DELETE FROM otp WHERE status = 1`);
    if (verified < result.succeeded || verified > result.succeeded + result.unanswered)
      throw new Error(`${result.succeeded} OTPs were verified, but ${verified} are stored as verified`);
    return result;
  }

  private countVerified(): Promise<number> {
    return readValue(this.database, sql`SELECT count(*)::int AS value FROM otp WHERE status = 2`);
  }
}
