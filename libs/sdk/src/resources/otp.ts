import type { Api, CallOptions, UnkeyedOptions, WriteOptions } from '../api.js';
import type { Query, Schemas } from '../routes.js';

/** One-time passwords: tokens that are sent to a phone and accepted once. */
export class Otp {
  constructor(private readonly api: Api) {}

  /** Sends a token. */
  request(body: Schemas['RequestOtpRequest'], options?: WriteOptions): Promise<Schemas['OtpRecord']> {
    return this.api.call('POST /otp/request_token', { body }, options);
  }

  /** Checks a token. @throws ApiError with the type `token_mismatch` if it is wrong */
  verify(body: Schemas['VerifyOtpRequest'], options?: WriteOptions): Promise<Schemas['OtpRecord']> {
    return this.api.call('POST /otp/verify', { body }, options);
  }

  /** Sends the same token again. */
  resend(
    id: string,
    body: Schemas['ResendOtpFields'] = {},
    options?: WriteOptions,
  ): Promise<Schemas['OtpDetails']> {
    return this.api.call('POST /otp/{id}/resend', { path: { id }, body }, options);
  }

  find(id: string, options?: CallOptions): Promise<Schemas['OtpDetails']> {
    return this.api.call('GET /otp/{id}', { path: { id } }, options);
  }

  /** All stored OTPs of a number, newest first. */
  list(query: Query<'GET /otp/get-by-recipient'>, options?: CallOptions): Promise<Schemas['OtpRecord'][]> {
    return this.api.call('GET /otp/get-by-recipient', { query }, options);
  }

  revoke(id: string, options?: UnkeyedOptions): Promise<Schemas['OtpRecord']> {
    return this.api.call('DELETE /otp/{id}', { path: { id } }, options);
  }
}
