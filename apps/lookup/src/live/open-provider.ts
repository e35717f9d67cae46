import { type LookupConfig } from '../lookup.config.js';
import { HttpProvider } from './http/http-provider.js';
import { readProviderFile } from './http/provider-file.js';
import { ConfiguredProvider } from './live-provider.js';

/** @throws StartupError when a provider is configured in a way that cannot be used */
export async function openProvider(config: LookupConfig): Promise<ConfiguredProvider> {
  const { LOOKUP_PROVIDER_FILE: path, LOOKUP_PROVIDER_SECRET: secret } = config;
  if (path === undefined) return new ConfiguredProvider(undefined);
  return new ConfiguredProvider(new HttpProvider(await readProviderFile(path, secret), secret));
}
