import { isIpNetwork } from '@gangan/protocol';
import { findNames } from '../http/request/placeholders.js';
import { object } from '../http/schema.js';
import {
  type InboundSettings,
  secretName,
  signatureAlgorithms,
  vonageAlgorithms,
} from './inbound-settings.js';

const text = { type: 'string', minLength: 1, maxLength: 256 };

export const inboundSchema = object([], {
  hmac: object(['header', 'algorithm', 'secret'], {
    header: { type: 'string', pattern: '^[A-Za-z0-9-]{1,64}$' },
    algorithm: { enum: signatureAlgorithms },
    encoding: { enum: ['hex', 'base64'] },
    prefix: text,
    secret: text,
  }),
  twilio: object(['secret'], { secret: text }),
  vonage: object(['algorithm', 'secret'], { algorithm: { enum: vonageAlgorithms }, secret: text }),
  plivo: object(['secret'], { secret: text, version: { enum: ['v2', 'v3'] } }),
  basic: object(['username', 'password'], { username: text, password: text }),
  addresses: { type: 'array', minItems: 1, maxItems: 200, items: text },
});

/** All faults of settings that have the right shape. @param secrets the names of the given secrets */
export function findInboundFaults(settings: InboundSettings, secrets: readonly string[]): string[] {
  const { hmac, twilio, vonage, plivo, basic, addresses = [] } = settings;
  const values = {
    'hmac.secret': hmac?.secret,
    'twilio.secret': twilio?.secret,
    'vonage.secret': vonage?.secret,
    'plivo.secret': plivo?.secret,
    'basic.password': basic?.password,
  };
  return [
    ...Object.entries(values).flatMap(([place, value]) => {
      if (value === undefined) return [];
      const name = secretName(value);
      if (name === undefined)
        return [`settings.inbound.${place} must be {secret.NAME}: give the value as a secret`];
      return secrets.includes(name)
        ? []
        : [`settings.inbound uses {secret.${name}}, but the secret ${name} is not given`];
    }),
    ...(findNames(basic?.username ?? '').length > 0
      ? ['settings.inbound.basic.username cannot contain placeholders']
      : []),
    ...addresses.flatMap((address, index) =>
      isIpNetwork(address) ? [] : [`settings.inbound.addresses.${index} is not an address or a range`],
    ),
  ];
}
