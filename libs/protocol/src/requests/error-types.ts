/** Every `type` of an error in a response. Each has a line in docs/use/errors.md, to which the response links. */
export const errorTypes = [
  ...['missing', 'unknown_field', 'placeholder', 'value_error', 'enum'],
  ...['string_type', 'number_type', 'integer_type', 'boolean_type', 'list_type', 'object_type'],
  ...['string_too_short', 'string_too_long', 'too_short', 'too_long'],
  ...['greater_than_equal', 'less_than_equal'],
  ...['phone', 'url', 'email', 'date', 'json_invalid'],
  ...['sender_not_approved', 'window_closed', 'no_price'],
  ...['token_mismatch', 'token_expired', 'token_revoked', 'token_undeliverable'],
  ...['token_unavailable', 'already_verified', 'too_many_attempts'],
  ...['country_not_allowed', 'number_type_not_allowed'],
  ...['insufficient_balance', 'daily_limit', 'quota_exceeded', 'too_many_callbacks'],
  ...['address_not_allowed', 'key_too_new', 'test_only', 'rate_limited'],
  ...['already_completed', 'already_canceled', 'in_use'],
  ...['in_progress', 'idempotency_mismatch', 'outcome_unknown'],
  ...['overloaded', 'storage_low', 'unavailable'],
] as const;

export type ErrorType = (typeof errorTypes)[number];
