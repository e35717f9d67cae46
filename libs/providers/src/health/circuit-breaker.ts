import type { ProviderDomain, SqlRunner } from '@gangan/database';
import type { Log } from '../credit/ask-credits.js';
import { FailureCounts, type Fault, type JudgedRequest } from './failure-counts.js';
import { KnownHealth } from './known-health.js';
import { type StoppedState, storedHealth, type StoredHealth } from './stored-health.js';

/** The permission to call a provider. The results of the call are judged only if its state has not changed since. */
export interface Admission {
  /** How many recipients the call may have: any number if the provider is up, 1 if the call tests it, or 0. */
  readonly recipients: number;
  readonly changes: number;
  /** The state that the call tests. */
  readonly tests?: StoppedState;
}

export interface CircuitBreakerOptions {
  readonly database: SqlRunner;
  readonly domain: ProviderDomain;
  /** How long a test may take. */
  readonly testMs: number;
  /** A provider is paused after this many answers that our account is at fault, if it accepted nothing in between. */
  readonly maxRefusals: number;
  /** What the providers get, for the log. */
  readonly subject: string;
  readonly logger: Log & { error(fields: object, message: string): void };
}

interface Observed {
  readonly failures: FailureCounts;
  /** How often the state has changed. */
  changes: number;
}

/**
 * Decides which providers get calls. All workers share the state through the table `provider_health`; it is written when it
 * changes, not with every call.
 */
export class CircuitBreaker {
  private known: ReadonlyMap<string, KnownHealth> = new Map();
  private readonly observed = new Map<string, Observed>();
  /** The tests that this worker has claimed, by provider, until they have a result. */
  private readonly tests = new Map<string, Admission>();

  constructor(private readonly options: CircuitBreakerOptions) {}

  /** Undefined if nothing is known: the provider is up. */
  healthOf(provider: string): KnownHealth | undefined {
    return this.known.get(provider);
  }

  isUp(provider: string): boolean {
    const known = this.known.get(provider);
    return known === undefined || (known.state === 'up' && known.retryInMs === 0);
  }

  /** The time until a call may go to the provider; 0 if it is up, or if one call can test it now. */
  retryInMs(provider: string): number {
    return this.known.get(provider)?.retryInMs ?? 0;
  }

  /** Admits a call to a provider that was found to be up. */
  admitUp(provider: string): Admission {
    return { recipients: Infinity, changes: this.observedOf(provider).changes };
  }

  async admit(provider: string): Promise<Admission> {
    const up = this.admitUp(provider);
    if (this.isUp(provider)) return up;
    const none = { ...up, recipients: 0 };
    if (this.retryInMs(provider) > 0) return none;
    const { database, testMs } = this.options;
    const claimed = await storedHealth.claimTest(database, provider, testMs);
    if (!claimed || claimed.state === 'up') {
      await this.refresh();
      return none;
    }
    this.apply(claimed);
    const { changes } = this.observedOf(provider);
    const test: Admission = { recipients: 1, changes, tests: claimed.state };
    this.tests.set(provider, test);
    return test;
  }

  /** Must be called when the calls of an admission have ended. A test without a result is released. Never fails. */
  async release(provider: string, admission: Admission): Promise<void> {
    if (this.tests.get(provider) !== admission) return;
    this.tests.delete(provider);
    await this.update(provider, () => storedHealth.releaseTest(this.options.database, provider));
  }

  /** Takes the results of a call into account. Never fails. */
  async record(provider: string, admission: Admission, requests: readonly JudgedRequest[]): Promise<void> {
    const { changes, failures } = this.observedOf(provider);
    if (admission.changes !== changes) return;
    const [request] = requests;
    if (admission.tests) {
      if (request) await this.endTest(provider, admission.tests, request);
      return;
    }
    const fault = failures.add(requests);
    if (fault) await this.stop(provider, fault);
  }

  async refresh() {
    const rows = await storedHealth.readAll(this.options.database, this.options.domain);
    for (const row of rows) this.noteChange(row);
    this.known = new Map(rows.map((row) => [row.provider, new KnownHealth(row)]));
    return rows;
  }

  /** Stores a change of the health of a provider. Never fails. */
  async update(provider: string, change: () => Promise<StoredHealth | undefined>): Promise<void> {
    try {
      const changed = await change();
      if (changed) this.apply(changed);
    } catch (error) {
      this.options.logger.warn({ err: error, provider }, 'the state of a provider could not be stored');
    }
  }

  /**
   * An open provider is up again if it answers; a paused one only if it accepts a request, since any other answer says
   * nothing about our account.
   */
  private async endTest(
    provider: string,
    tested: StoppedState,
    { verdict, code }: JudgedRequest,
  ): Promise<void> {
    this.tests.delete(provider);
    const isRefused = verdict === 'account' && (tested === 'paused' || this.options.maxRefusals === 1);
    if (isRefused) await this.stop(provider, { state: 'paused', code }, tested);
    else if (verdict === 'fails') await this.stop(provider, { state: tested, code }, tested);
    else if (verdict === 'accepts' || tested === 'open') await this.resume(provider, tested);
  }

  private async stop(provider: string, { state, code }: Fault, tested?: StoppedState): Promise<void> {
    const { database, logger, subject } = this.options;
    this.observedOf(provider).failures.reset();
    await this.update(provider, async () => {
      const stopped = await storedHealth.stop(database, provider, state, code, tested === state);
      if (!stopped) await this.refresh();
      if (!stopped?.changed) return stopped;
      if (state === 'open')
        logger.warn({ provider, code }, `a provider keeps failing: it gets no ${subject} for a while`);
      else
        logger.error(
          { provider },
          'a provider refuses our account and is paused: check its balance, its credentials and its settings (for messages, `pnpm admin providers test` shows its answer), then run `pnpm admin providers resume`',
        );
      return stopped;
    });
  }

  private async resume(provider: string, tested: StoppedState): Promise<void> {
    const { database, logger, subject } = this.options;
    await this.update(provider, async () => {
      const resumed = await storedHealth.resume(database, provider, tested);
      if (resumed) logger.info({ provider }, `a provider accepts ${subject} again`);
      return resumed;
    });
  }

  private apply(row: StoredHealth): void {
    this.noteChange(row);
    this.known = new Map(this.known).set(row.provider, new KnownHealth(row));
  }

  private noteChange({ provider, state }: StoredHealth): void {
    if (state === (this.known.get(provider)?.state ?? 'up')) return;
    const observed = this.observedOf(provider);
    observed.changes += 1;
    observed.failures.reset();
  }

  private observedOf(provider: string): Observed {
    let observed = this.observed.get(provider);
    if (!observed) {
      observed = { failures: new FailureCounts(this.options.maxRefusals), changes: 0 };
      this.observed.set(provider, observed);
    }
    return observed;
  }
}
