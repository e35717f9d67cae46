import { balances, ledger } from './checks/money.js';
import { airtimeOnce, finalStates, otpOnce, smsOnce } from './checks/deliveries.js';
import { acknowledged, answered, executedOnce, reads } from './checks/requests.js';
import { callbacks, coverage, processes } from './checks/system.js';
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
