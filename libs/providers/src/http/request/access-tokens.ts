import { parseJson, textAt } from '../json-values.js';
import type { Mask } from '../mask.js';
import type { Answer, CallOutcome } from '../read-part.js';
import type { RequestSettings, TokenSettings } from './request-settings.js';

export interface AccessToken {
  readonly token: string;
  readonly lifetimeMs: number;
}

/** The lifetime of a token if the answer has none. */
const defaultLifetimeS = 300;
/** A token is renewed this long before it expires, so that no request arrives with an expired one. */
const maxMarginMs = 60_000;
const marginShare = 0.2;

/** Caches an access token until shortly before it expires. Only one request for a new token is in flight. */
export class AccessTokens<Failure extends object> {
  private current: { readonly token: string; readonly until: number } | undefined;
  private pending: Promise<AccessToken | Failure> | undefined;

  constructor(
    private readonly request: () => Promise<AccessToken | Failure>,
    private readonly now: () => number = () => performance.now(),
  ) {}

  async get(): Promise<{ readonly token: string } | Failure> {
    if (this.current && this.now() < this.current.until) return this.current;
    this.pending ??= this.renew().finally(() => {
      this.pending = undefined;
    });
    return this.pending;
  }

  /** Removes a token that the provider refused. A newer one is kept. */
  forget(token: string): void {
    if (this.current?.token === token) this.current = undefined;
  }

  private async renew(): Promise<AccessToken | Failure> {
    const result = await this.request();
    if ('token' in result) {
      const { token, lifetimeMs } = result;
      const usableMs = lifetimeMs - Math.min(maxMarginMs, lifetimeMs * marginShare);
      this.current = { token, until: this.now() + usableMs };
    }
    return result;
  }
}

/** The request for a token: a form with the grant type, unless the settings have a body. */
export const tokenRequest = ({ url, headers = {}, basic, json, form }: TokenSettings): RequestSettings => ({
  url,
  headers,
  ...(basic && { basic }),
  ...(json === undefined ? { form: form ?? { grant_type: 'client_credentials' } } : { json }),
});

export const noToken = { outcome: 'transient', reason: 'no_access_token' } as const;

/** @returns the token, or why there is none. A successful answer is not repeated: it may have a token in another place. */
export function readToken(settings: TokenSettings, answer: Answer, mask: Mask): AccessToken | CallOutcome {
  const { token: place = '/access_token', expiresIn = '/expires_in' } = settings;
  const { status, text, retryAfterMs } = answer;
  const document = parseJson(text);
  const token = textAt(document, place);
  if (status >= 200 && status <= 299 && token) {
    const lifetimeS = Number(textAt(document, expiresIn));
    return { token, lifetimeMs: (lifetimeS > 0 ? lifetimeS : defaultLifetimeS) * 1_000 };
  }
  if (status < 400 || status > 499) return { ...noToken, detail: `${status} without an access token` };
  const detail = `${status} ${mask(text).slice(0, 300)}`;
  return status === 429
    ? {
        outcome: 'throttled',
        reason: 'throttled',
        detail,
        ...(retryAfterMs !== undefined && { retryAfterMs }),
      }
    : { outcome: 'account', reason: 'provider_account', detail };
}
