import type { ErrorType } from './error-types.js';

/** One invalid field: its dotted name, a message, and the type of the error. */
export interface FieldError {
  readonly field: string;
  readonly message: string;
  readonly type: ErrorType;
}

export interface AppErrorOptions {
  readonly fields?: readonly FieldError[];
  /** Seconds to wait before a retry; sent as `Retry-After`. */
  readonly retryAfter?: number;
  /** An event whose handler throws a final error is not retried. */
  readonly final?: boolean;
  /** Every such request fails until an operator changes the configuration: one line a minute counts them. */
  readonly concernsOperator?: boolean;
  readonly cause?: unknown;
}

/** An error in a reply. */
export interface SerializedError {
  readonly code: string;
  readonly status: number;
  readonly message: string;
  readonly fields?: readonly FieldError[];
  readonly retryAfter?: number;
}

/** An error for the caller: its code, message and fields are shown. */
export class AppError extends Error {
  override readonly name = 'AppError';
  readonly fields: readonly FieldError[];
  readonly retryAfter: number | undefined;
  readonly final: boolean;
  readonly concernsOperator: boolean;

  constructor(
    readonly code: string,
    readonly status: number,
    message: string,
    options: AppErrorOptions = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.fields = options.fields ?? [];
    this.retryAfter = options.retryAfter;
    this.final = options.final ?? false;
    this.concernsOperator = options.concernsOperator ?? false;
  }

  serialize(): SerializedError {
    return {
      code: this.code,
      status: this.status,
      message: this.message,
      ...(this.fields.length > 0 && { fields: this.fields }),
      ...(this.retryAfter !== undefined && { retryAfter: this.retryAfter }),
    };
  }

  static from(error: SerializedError): AppError {
    return new AppError(error.code, error.status, error.message, {
      ...(error.fields && { fields: error.fields }),
      ...(error.retryAfter !== undefined && { retryAfter: error.retryAfter }),
    });
  }
}
