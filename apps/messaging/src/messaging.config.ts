import { contractVariables } from '@gangan/contracts';
import { defineConfig } from '@gangan/runtime';
import { deliveryVariables } from './delivery.variables.js';
import { retentionVariables } from './retention/retention.variables.js';

/** The variables that only this app reads. */
export class MessagingConfig extends defineConfig({
  ...contractVariables,
  ...deliveryVariables,
  ...retentionVariables,
}) {}
