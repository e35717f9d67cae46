import { bool, sealingKeys, secret } from './validators.js';

/** The variables of what is stored sealed. A config declares those that its app needs. */
export const dataVariables = {
  DATA_KEY: secret(
    sealingKeys(8)({
      desc: 'Encrypts the secrets that are stored; the same in the apps that read it. To replace it, restart them as for QUEUE_KEY and run pnpm admin secrets reseal before the last restart',
      example: 'the output of: openssl rand -base64 32',
    }),
  ),
  SEAL_MESSAGES: bool({
    default: false,
    desc: 'Whether the texts of new messages are stored encrypted; those that are stored already stay as they are',
  }),
};
