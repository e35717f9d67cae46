import { bool, sealingKeys, secret } from './validators.js';

/** What the gateway stored with the key of version 0.2, and handed to messaging through the database, can be opened with it. */
export const earlierQueueKey = {
  QUEUE_KEY: secret(
    sealingKeys(2)({
      default: undefined,
      desc: 'The key of version 0.2, for two days after the upgrade: it opens what that version stored, and no job',
    }),
  ),
};

/** The variables of what is stored sealed. A config declares those that its app needs. */
export const dataVariables = {
  DATA_KEY: secret(
    sealingKeys(8)({
      desc: 'Encrypts stored secrets; all apps that read it need the same value. To replace it, restart all apps three times: old,new then new,old then new; run pnpm admin secrets reseal before the last restart',
      example: 'the output of: openssl rand -base64 32',
    }),
  ),
  SEAL_MESSAGES: bool({
    default: false,
    desc: 'Whether the texts of new messages are stored encrypted; those that are stored already stay as they are',
  }),
};
