import type { Channel } from '@gangan/contracts';
import type { HttpSettings } from '../http/http-settings.js';
import type { LookupSettings } from '../http/lookup/lookup-settings.js';

interface KnownProvider {
  readonly title: string;
  /** The public pages that it follows. */
  readonly pages: readonly string[];
  readonly kind: 'http';
  readonly channels: readonly Channel[];
  /** Whether senders must be registered there. */
  readonly registeredSenders?: boolean;
  /** The names of the secrets that the settings use. */
  readonly secrets: readonly string[];
}

/** The settings of a known provider. They are copied when a provider is added, and can be changed there. */
export interface Preset extends KnownProvider {
  readonly domain: 'message';
  readonly settings: HttpSettings;
}

export interface LookupPreset extends KnownProvider {
  readonly domain: 'lookup';
  readonly settings: LookupSettings;
}
