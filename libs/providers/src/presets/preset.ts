import type { Channel } from '@gangan/contracts';
import type { HttpSettings } from '../http/http-settings.js';

/** The settings of a known provider. They are copied when a provider is added, and can be changed there. */
export interface Preset {
  readonly title: string;
  /** The public pages that it follows. */
  readonly pages: readonly string[];
  readonly kind: 'http';
  readonly channels: readonly Channel[];
  /** Whether senders must be registered there. */
  readonly registeredSenders?: boolean;
  readonly settings: HttpSettings;
  /** The names of the secrets that the settings use. */
  readonly secrets: readonly string[];
}
