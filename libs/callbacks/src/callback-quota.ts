import type { CallbackType } from '@gangan/contracts';
import { type Database, RefreshedCache, sql, statement, t, unavailableWhenAway } from '@gangan/database';
import { AppError } from '@gangan/protocol';
import { hasEndpoints } from './endpoints.js';

const keptMs = 5_000;

interface Found {
  /** The limit, if it is reached. */
  readonly reached: number | undefined;
}

/**
 * Rejects new requests with a callback URL, or whose events an endpoint receives, while too many callbacks of the
 * organisation wait. Callbacks of accepted requests are always stored. Each worker counts at most every 5 seconds per
 * organisation, so what is accepted meanwhile may exceed the limit.
 */
export class CallbackQuota {
  private readonly found = new RefreshedCache(keptMs, (key) => this.read(key));

  /** @param defaultMax for organisations that have no limit of their own; 0 means no limit */
  constructor(
    private readonly database: Database,
    private readonly defaultMax: number,
  ) {}

  /**
   * @param types of the callbacks that the request may cause; without a URL it counts only if an endpoint receives one of them
   * @throws AppError 429
   */
  async check(
    organisationId: string,
    types: readonly CallbackType[],
    url: string | null | undefined,
  ): Promise<void> {
    const hasUrl = url != null;
    const max = await this.findReached(keyOf(organisationId, hasUrl ? withUrl : types));
    if (max === undefined) return;
    const orWithout = hasUrl ? 'send the request without callback, ' : '';
    throw tooManyCallbacks({
      summary: 'Too many callbacks of the organisation wait for delivery; the request was not accepted',
      field: 'callback',
      message: `${limitText(max)} Repair the URL or endpoint that receives callbacks, ${orWithout}disable the endpoint, or ask the operator for a higher limit.`,
    });
  }

  /** Checks requests to test an endpoint, or to send callbacks again. @throws AppError 429 */
  async checkResend(organisationId: string): Promise<void> {
    const max = await this.findReached(keyOf(organisationId, withUrl));
    if (max === undefined) return;
    throw tooManyCallbacks({
      summary: `Too many callbacks of the organisation wait for delivery; nothing was sent. Retry after ${retrySeconds} s, when fewer wait.`,
      field: 'id',
      message: `${limitText(max)} Callbacks no longer wait when their receiver accepts them. Repair the URL or endpoint that does not, or disable that endpoint: its waiting callbacks end within minutes, and you can recover them later. Or ask the operator for a higher limit. Then repeat the request.`,
    });
  }

  private async read(key: string): Promise<Found> {
    const [organisationId, ...types] = key.split(' ') as [string, ...CallbackType[]];
    try {
      const [found] = await this.database.run(findReachedLimit, organisationId, this.defaultMax, types);
      return { reached: found?.max };
    } catch (error) {
      throw unavailableWhenAway(error) as Error;
    }
  }

  private async findReached(key: string): Promise<number | undefined> {
    return (await this.found.get(key)).reached;
  }

  /** Whether a recent `check` without a URL has accepted a request. */
  isKnownToAccept(organisationId: string, types: readonly CallbackType[]): boolean {
    const found = this.found.cached(keyOf(organisationId, types));
    return found !== undefined && found.reached === undefined;
  }
}

/** The name of the limit is that of the command line. */
const limitText = (max: number): string => `The limit waiting_callbacks is ${max.toLocaleString('en')}.`;

/** Stands for the types of a request with a URL, which causes callbacks even if no endpoint receives them. */
const withUrl: readonly CallbackType[] = [];

const keyOf = (organisationId: string, types: readonly CallbackType[]): string =>
  [organisationId, ...types].join(' ');

/** Callbacks are retried for hours, so the request would be rejected again if it were sent sooner. */
const retrySeconds = 60;

const tooManyCallbacks = ({
  summary,
  field,
  message,
}: Record<'summary' | 'field' | 'message', string>): AppError =>
  new AppError('too_many_callbacks', 429, summary, {
    fields: [{ field, message, type: 'too_many_callbacks' }],
    retryAfter: retrySeconds,
  });

/** The limit, if it is reached. It counts in an index, up to the limit. */
const findReachedLimit = statement(
  { max: t.int },
  (organisationId: string, defaultMax: number, types: readonly CallbackType[]) => sql`
    SELECT quota.max FROM organisation
    CROSS JOIN LATERAL (SELECT nullif(coalesce(waiting_callbacks, ${defaultMax}::int), 0) AS max) AS quota
    WHERE organisation.id = ${organisationId} AND quota.max IS NOT NULL
      AND (${types.length === 0} OR ${hasEndpoints(sql`organisation.id`, types)}) AND quota.max <= (
      SELECT count(*) FROM (
        SELECT FROM callback WHERE organisation_id = organisation.id AND state = 'pending' LIMIT quota.max) AS waiting)`,
);
