import type { ParsedPhone } from '@gangan/contracts';
import type { OnApplicationShutdown } from '@nestjs/common';

/** What a provider says of a number. What it does not tell is absent. */
export interface LiveFinding {
  readonly operator?: string;
  /** ISO 3166 alpha-2. */
  readonly country?: string;
  readonly ported?: boolean;
  readonly dnd?: boolean;
}

export type LiveField = keyof LiveFinding;

/** Somebody outside who knows how things are with a number at this moment. */
export interface LiveProvider {
  /** Changes with the rules by which its answers are understood: what was kept under other rules does not count. */
  readonly identity: string;
  /** What it can be asked for at all. */
  readonly tells: ReadonlySet<LiveField>;
  /** Throws when it gives no answer, in words that hold neither the number nor a secret. */
  ask(phone: ParsedPhone, signal: AbortSignal): Promise<LiveFinding>;
  close(): Promise<void>;
}

/** The provider that is configured, if there is one. */
export class ConfiguredProvider implements OnApplicationShutdown {
  constructor(readonly provider: LiveProvider | undefined) {}

  /** By then the work in hand has been drained. */
  async onApplicationShutdown(): Promise<void> {
    await this.provider?.close();
  }
}
