import { bool, sealingKeys, secret } from './validators.js';

/** The variables of what is stored sealed. A config declares those that its app needs. */
export const dataVariables = {
  DATA_KEY: secret(
    sealingKeys(8)({
      desc: 'Encrypts stored secrets; all apps that read it need the same value. To replace it, restart them as for QUEUE_KEY and run pnpm admin secrets reseal before the last restart',
      example: 'the output of: openssl rand -base64 32',
    }),
  ),
  SEAL_MESSAGES: bool({
    default: false,
    desc: 'Whether the texts of new messages are stored encrypted; those that are stored already stay as they are',
  }),
};
