import type { Channel } from '@gangan/contracts';
import { findHttpFaults } from './http/http-settings.js';

/** An adapter, and how its settings are validated. */
export interface ProviderKind {
  readonly channels: readonly Channel[];
  /** All faults at once. @param secrets the names of the given secrets */
  findFaults(settings: unknown, secrets: readonly string[]): string[];
}

export const providerKinds: Readonly<Record<string, ProviderKind>> = {
  http: { channels: ['sms'], findFaults: findHttpFaults },
};
