import { acknowledged } from './checks/acknowledged.js';
import { airtimeOnce } from './checks/airtime-once.js';
import { answered } from './checks/answered.js';
import { balances } from './checks/balances.js';
import { callbacks } from './checks/callbacks.js';
import { coverage } from './checks/coverage.js';
import { executedOnce } from './checks/executed-once.js';
import { finalStates } from './checks/final-states.js';
import { ledger } from './checks/ledger.js';
import { otpOnce } from './checks/otp-once.js';
import { processes } from './checks/processes.js';
import { reads } from './checks/reads.js';
import { smsOnce } from './checks/sms-once.js';
import { type Check, runCheck } from './check.js';
import type { Facts, Violation } from './facts.js';

const checks: readonly Check[] = [
  acknowledged,
  executedOnce,
  finalStates,
  answered,
  ledger,
  balances,
  airtimeOnce,
  smsOnce,
  otpOnce,
  callbacks,
  reads,
  processes,
  coverage,
];

export interface CheckResult {
  readonly name: string;
  readonly promise: string;
  readonly violations: readonly Violation[];
}

/** Compares all facts with each other. */
export const reconcile = (facts: Facts, ...further: readonly Check[]): CheckResult[] =>
  [...checks, ...further].map((check) => ({
    name: check.name,
    promise: check.promise,
    violations: runCheck(check, facts),
  }));
