import type { ParsedPhone } from '@gangan/contracts';
import type { OnApplicationShutdown } from '@nestjs/common';

/** What a provider reports about a number. Fields that it does not report are absent. */
export interface LiveFinding {
  readonly operator?: string;
  /** ISO 3166 alpha-2. */
  readonly country?: string;
  readonly ported?: boolean;
  readonly dnd?: boolean;
}

export type LiveField = keyof LiveFinding;

/** An external service that knows the current state of a number. */
export interface LiveProvider {
  /** Changes with the rules for requests and responses, so that findings under other rules are not reused. */
  readonly identity: string;
  /** The fields that it can report. */
  readonly fields: ReadonlySet<LiveField>;
  /** @throws ProviderError if there is no usable response; the message contains neither the number nor a secret */
  find(phone: ParsedPhone, signal: AbortSignal): Promise<LiveFinding>;
  close(): Promise<void>;
}

/** Why a provider gave no usable response. The message may be logged. */
export class ProviderError extends Error {
  override readonly name = 'ProviderError';

  constructor(
    message: string,
    /** The provider rejected only this number, so the error says nothing about its health. */
    readonly concernsOnlyNumber = false,
  ) {
    super(message);
  }
}

/** The configured provider, if there is one. */
export class ConfiguredProvider implements OnApplicationShutdown {
  constructor(readonly provider: LiveProvider | undefined) {}

  /** No lookup is in flight any more by then. */
  async onApplicationShutdown(): Promise<void> {
    await this.provider?.close();
  }
}
