import { refusedUrls, unconfirmedMessages } from './endpoint-checks.js';
import type { Check } from './finding.js';
import {
  connectedAsOwner,
  earlierApprovalLimit,
  earlierKeys,
  fewOperators,
  noApprovalLimit,
  noBackupKey,
} from './installation-checks.js';
import {
  keysWithAllScopes,
  unfairKeys,
  unrestrictedCallbacks,
  unrestrictedSenders,
} from './organisation-checks.js';

/** What `security review` asks, by the name that scripts get. */
export const checks: Readonly<Record<string, Check>> = {
  operators: fewOperators,
  login: connectedAsOwner,
  approval_limit: noApprovalLimit,
  earlier_limit: earlierApprovalLimit,
  backup_key: noBackupKey,
  earlier_keys: earlierKeys,
  key_scopes: keysWithAllScopes,
  senders: unrestrictedSenders,
  callbacks: unrestrictedCallbacks,
  endpoint_urls: refusedUrls,
  endpoint_messages: unconfirmedMessages,
  key_sharing: unfairKeys,
};
